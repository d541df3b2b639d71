"""How the command ends: exit statuses, and errors and warnings as one line each."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shlex
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


_TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NUMBERS = rf"\{{(?:{_TEXT}): -?[\d.e+-]+(?:, (?:{_TEXT}): -?[\d.e+-]+)*\}}"
_VALUE = rf"{_NUMBERS}|True|False|\.\.\.|-?\d[\d.]*(?<!\.)|{_TEXT}|\[(?:{_TEXT}|[, ])+\]|re\.compile\((?:{_TEXT})\)"
_ARGUMENT = re.compile(rf"(?<![\w.('\"])(\w+)(?:=({_VALUE})(?![\w.]*\))| is not given)")
"""An argument as Python writes it, with a plain value, but not inside a call. Or one that is not given."""

_CALL = re.compile(r"df\.qa\.(\w+)\(([^()]*)\)")


def spell_options(message: str, command: click.Command | None) -> str:
    """Return a message of the package with the options of a command, as `--overwrite` for `overwrite=True`."""
    options = {each.name: each for each in command.params if isinstance(each, click.Option)} if command else {}

    def spell(found: re.Match[str]) -> str:
        option, value = options.get(found[1]), found[2]
        if option is None or (option.is_flag and value not in {"True", "False"}):
            return found[0]
        spellings = option.secondary_opts if value == "False" else option.opts
        if not spellings or (not option.is_flag and value in {"True", "False"}):
            return found[0]
        return spellings[-1] + (" is not given" if value is None else "" if option.is_flag else _spell_value(value))

    def spell_call(found: re.Match[str]) -> str:
        flags = (f" --{name.replace('_', '-')}" for name in re.findall(r"(\w+)=True", found[2]))
        return f"qa-frame {found[1]}{''.join(flags)}"

    return _ARGUMENT.sub(spell, _CALL.sub(spell_call, message) if command else message)


def _spell_value(value: str) -> str:
    """Return the value of an option, and the space before it, as a shell takes them."""
    if value == "...":
        return ""
    if value.startswith("re.compile("):
        return " " + shlex.quote("re:" + ast.literal_eval(value[len("re.compile(") : -1]))
    found = ast.literal_eval(value)
    if isinstance(found, dict):
        found = [f"{name}={number}" for name, number in found.items()]
    return " " + shlex.quote(",".join(found) if isinstance(found, list) else str(found))


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
        text = f"{category.__name__}: {spell_options(str(message), context.command if context else None)}"
        if text not in said:
            said.add(text)
            say(text)

    with warnings.catch_warnings():
        for name in qa_frame.__all__:
            if name.endswith("Warning"):
                warnings.simplefilter("always", getattr(qa_frame, name))
        warnings.showwarning = show
        yield
