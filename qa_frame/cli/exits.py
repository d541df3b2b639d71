"""How the command ends: exit statuses, and errors and warnings as one line each."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Iterator

import click

import qa_frame
from qa_frame.errors import visible

SUCCESS, THRESHOLD_FAILED, WRONG, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 130, 141


def say(message: str) -> None:
    """Write one line to stderr."""
    click.echo(visible(f"qa-frame: {' '.join(message.split())}"), err=True)


_FLAG = re.compile(r"(?<![\w.(])(\w+)=(True|False)(?!\))")
"""A flag as Python writes it, but not inside a call."""


def spell_flags(message: str, command: click.Command | None) -> str:
    """Return a message of the package with the flags of a command: `--overwrite` for `overwrite=True`."""
    options = {each.name: each for each in command.params} if command else {}

    def spell(flag: re.Match[str]) -> str:
        option = options.get(flag[1])
        spellings = [] if option is None else option.opts if flag[2] == "True" else option.secondary_opts
        return spellings[-1] if spellings else flag[0]

    return _FLAG.sub(spell, message)


@contextlib.contextmanager
def ending_quietly() -> Iterator[None]:
    """End with a status, and without a traceback, after Ctrl-C and if nobody reads the output."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        with contextlib.suppress(OSError, ValueError):  # else Python fails at its end, when it flushes stdout
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(CLOSED_PIPE) from None


@contextlib.contextmanager
def warnings_in_one_line() -> Iterator[None]:
    """Print each different warning of the package once, without the line of code that gave it."""
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        context = click.get_current_context(silent=True)
        text = f"{category.__name__}: {spell_flags(str(message), context.command if context else None)}"
        if text not in said:
            said.add(text)
            say(text)

    with warnings.catch_warnings():
        for name in qa_frame.__all__:
            if name.endswith("Warning"):
                warnings.simplefilter("always", getattr(qa_frame, name))
        warnings.showwarning = show
        yield
