"""The command line `qa-frame`: it calls `qa_frame`, and computes nothing itself. Imports files.

Each command of `COMMANDS` (`commands.py`) is a module of its name.

- `commands.py` is where it begins: it lists the commands, and loads the one that is called.
- `exits.py` turns errors and warnings into one line each, and into exit statuses.
- `options.py` makes the options of a command from the parameters of a Python function.
- `inputs.py` reads files, scores their rows, and finds which column tells models apart, and which questions.
- `tables.py` writes tables, and `files.py` rows, each in several formats.
- `thresholds.py` holds figures against limits, for continuous integration.
"""

from qa_frame.ext.shell.commands import main

__all__ = ["main"]
