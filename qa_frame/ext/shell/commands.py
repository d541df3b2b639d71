"""The list of all commands. The module of a command is imported when it is called, as it imports pandas."""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

import qa_frame
from qa_frame.checks import suggestion
from qa_frame.ext.shell.exits import SUCCESS, WRONG, ending_quietly, say, spell_error, warnings_in_one_line
from qa_frame.extensions import paths_of

_OWN = ("score", "summary", "compare", "conventions", "demo")
"""The commands of this folder, each of which is a module of its name."""

_TITLE = re.compile(r'"""`qa-frame (?P<name>[a-z-]+)`: (?P<text>.+)"""')
"""The first line of each module of a command: of those of this folder, and of each `command.py` of another one."""


def _find_commands() -> tuple[dict[str, str], dict[str, str]]:
    """Return the text of the help on each command, and the module that holds it, both by the command's name.

    No module is imported.
    """
    own = {f"shell.{name}": Path(__file__).with_name(f"{name}.py") for name in _OWN}
    others = {f"{folder}.command": path for folder, path in paths_of("command.py").items()}
    texts, homes = {}, {}
    for module, path in {**own, **others}.items():
        with path.open(encoding="utf-8") as file:
            title = _TITLE.match(file.readline())
        assert title is not None  # a test reads the first line of each
        texts[title["name"]], homes[title["name"]] = title["text"], f"qa_frame.ext.{module}"
    return dict(sorted(texts.items(), key=lambda item: item[0] in {"conventions", "demo"})), homes


COMMANDS, _HOMES = _find_commands()

_OPTIONS = {"ranks": "compare --ranks"}
"""Functions that are no commands, but options of one."""

_EPILOG = """Exit status: 0 success; 1 what a --fail option looks for; 2 wrong usage or data; 130 stopped by Ctrl-C.

Completion of commands, options and names: put the line for your shell into its start-up file.

\b
  bash  eval "$(_QA_FRAME_COMPLETE=bash_source qa-frame)"
  zsh   eval "$(_QA_FRAME_COMPLETE=zsh_source qa-frame)"
  fish  _QA_FRAME_COMPLETE=fish_source qa-frame | source
"""


class Commands(click.Group):
    """All commands. Listing them imports none of their modules."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of this name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(_HOMES[cmd_name]).command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Propose commands and options, without an import of the commands."""
        names = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the name, the command and the other arguments; UsageError with a suggestion for an unknown name."""
        name = args[0]
        if name.startswith("-") or name in COMMANDS or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        function = name.replace("-", "_")
        close = suggestion(name, [*COMMANDS, *_OPTIONS.values()], _OPTIONS)
        if function in dir(qa_frame) and function not in _OPTIONS:
            close = f"; it is a function of Python, qa_frame.{function}"
        raise click.UsageError(f"No such command {name!r}{close}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands into the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Read the arguments. If nobody reads the help that is asked for, end without a traceback."""
        with ending_quietly():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was chosen. After Ctrl-C, or if nobody reads the output, end without a traceback."""
        with ending_quietly():
            return super().invoke(ctx)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(qa_frame.__version__, message="qa-frame %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Score question-answering results.

    FILES may be Parquet, JSON Lines, JSON or CSV, and the logs of evaluation harnesses: lm-evaluation-harness, Inspect,
    lighteval, HELM, OpenCompass and others. Give paths, folders or patterns such as 'runs/*.jsonl'.

    \b
      qa-frame summary runs/*.jsonl --by model --ci 0.95
      qa-frame compare runs/a.jsonl runs/b.jsonl --metrics em,f1
      qa-frame score run.jsonl -o scored.parquet
      qa-frame audit run.jsonl
    """  # noqa: D301  (click wants the character itself)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


# --- where the command line begins, and how it ends


def _hint_of_names(error: Exception) -> str:
    """Return a hint if a metric was taken for a file, as the f1 of `--metrics em f1`; "" for any other error."""
    if isinstance(error, qa_frame.errors.ResultFileNotFoundError) and error.value.strip("'") in qa_frame.metrics:
        return "; several values of an option are joined by commas, as in --metrics em,f1"
    return ""


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
            message = spell_error(error, commands.get_command(click.Context(commands), words[0]))
            say(message + _hint_of_names(error))
            return WRONG
        except Exception:  # noqa: BLE001  (a fault of this package is no gate that fails)
            traceback.print_exc()
            return WRONG
    return status if isinstance(status, int) else SUCCESS
