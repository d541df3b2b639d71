"""How the command ends: exit statuses, and errors and warnings as one line each."""

from __future__ import annotations

import contextlib
import os
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


@contextlib.contextmanager
def ending_quietly() -> Iterator[None]:
    """End with a status, and without a traceback, at Ctrl-C and where nobody reads what is printed."""
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
        text = f"{category.__name__}: {message}"
        if text not in said:
            said.add(text)
            say(text)

    with warnings.catch_warnings():
        for name in qa_frame.__all__:
            if name.endswith("Warning"):
                warnings.simplefilter("always", getattr(qa_frame, name))
        warnings.showwarning = show
        yield
