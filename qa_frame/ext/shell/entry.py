"""Where the command line begins, and how it ends."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence

import click

import qa_frame
from qa_frame.ext.shell.commands import commands
from qa_frame.ext.shell.exits import SUCCESS, WRONG, say, spell_error, warnings_in_one_line


def _hint_of_names(error: Exception) -> str:
    """Return what to add where a metric was taken for a file, as the f1 of `--metrics em f1`."""
    is_metric = (
        isinstance(error, qa_frame.errors.ResultFileNotFoundError) and error.value.strip("'") in qa_frame.metrics
    )
    return "; several values of an option are joined by commas, as in --metrics em,f1" if is_metric else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments
        The words after `qa-frame`; None takes those of the process.

    Returns
    -------
    int
        The exit status: 0 success, 1 what a `--fail` option looks for, 2 wrong usage or wrong data, 130 Ctrl-C,
        141 a closed pipe.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError):  # a stream that takes the place of the usual one
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    words = list(sys.argv[1:] if arguments is None else arguments)
    with warnings_in_one_line():
        try:
            status = commands.main(words, prog_name="qa-frame", standalone_mode=False)
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "qa-frame"
            say(f"{error.format_message().rstrip('.')}; see {command} --help")
            return WRONG
        except (qa_frame.QaFrameError, OSError) as error:
            said = spell_error(error, commands.get_command(click.Context(commands), words[0]))
            say(said + _hint_of_names(error))
            return WRONG
    return status if isinstance(status, int) else SUCCESS
