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
from typing import TextIO

import click

import qa_frame
from qa_frame.terminal import has_colours, visible, wrap

SUCCESS, THRESHOLD_FAILED, WRONG, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 130, 141


def say(message: str, colour: str | None = None) -> None:
    """Write one line to stderr; on a terminal as many as it needs there, in this colour."""
    line = visible(f"qa-frame: {' '.join(message.split())}")
    with contextlib.suppress(AttributeError, OSError, ValueError):  # no terminal
        width = max(_LEAST_WIDTH, os.get_terminal_size(sys.stderr.fileno()).columns)
        line = "\n".join(wrap(line, "", "  ", width=width, whole=True))
    try:
        click.echo(click.style(line, fg=colour) if colour else line, err=True, color=has_colours(sys.stderr))
    except OSError:  # nobody reads it, or there is no room: what the command does, and its status, stay the same
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Let a stream that cannot be written end nowhere: else Python fails at its end, when it flushes it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


_LEAST_WIDTH = 40
"""Messages are not cut into shorter lines than this."""

_TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_PATTERN = rf"re\.compile\(r?(?:{_TEXT})\)"
_ALTERNATIVES = rf"\[(?:(?:{_TEXT}), )*{_PATTERN}(?:, (?:{_TEXT}))*\]"
_ITEM = rf"(?:{_TEXT}|{_PATTERN}|{_ALTERNATIVES})"
_NUMBERS = rf"\{{(?:{_TEXT}): -?[\d.e+-]+(?:, (?:{_TEXT}): -?[\d.e+-]+)*\}}"
_VALUE = rf"{_NUMBERS}|True|False|\.\.\.|-?\d[\d.]*(?<!\.)|{_TEXT}|{_PATTERN}|\[{_ITEM}(?:, {_ITEM})*\]"
_ARGUMENT = re.compile(rf"(?<![\w.('\"])(\w+)(?:=({_VALUE})(?![\w.]*\))|=(?=[\s,;:.]|$)| is not given)|`(\w+)`")
"""An argument as Python writes it, with a plain value, but not inside a call. Or its name alone, or not given."""

_CALL = re.compile(r"df\.qa\.(\w+)\(([^()]*)\)|(?<![\w.])(summary)\((\w+=)\)")

_CUT = re.compile(
    r"(?:(?<=if it is several, )cut the column|cut them) first: "
    rf".*?qa_frame\.to_golds\((?:df|data)\[(?:{_TEXT})\], sep=({_TEXT})\)(?: in pandas, .*? in polars)?"
)
"""The code that cuts golds, for which there is `--sep`."""

_OTHER_NAMES = {"destination": "output"}
"""Options that have another name than the argument of Python."""

_FILES = re.compile(r"^(?:path|source)=(?=['\"\[])")
"""The argument that is FILES here, which a message begins with."""


def spell_options(message: str, command: click.Command | None) -> str:
    """Return a message of the package with the options of a command, as `--overwrite` for `overwrite=True`."""
    if command is None:
        return message
    options = {each.name: each for each in command.params if isinstance(each, click.Option)}

    def spell(found: re.Match[str]) -> str:
        name, value = found[1] or found[3], found[2]
        option = options.get(_OTHER_NAMES.get(name, name))
        is_truth = value in {"True", "False"}
        if option is None or (value is not None and option.is_flag != is_truth):
            return found[0]
        spellings = option.secondary_opts if value == "False" else option.opts
        if not spellings:
            return found[0]
        flag = spellings[0 if name in _OTHER_NAMES else -1]
        if value is None:
            return flag + " is not given" * found[0].endswith("given")
        return flag if is_truth else _spell_value(flag, value, are_joined=option.metavar == "NAMES")

    def spell_call(found: re.Match[str]) -> str:
        flags = (f" --{name.replace('_', '-')}" for name in re.findall(r"(\w+)=(?:True|$)", found[2] or found[4] or ""))
        return f"qa-frame {found[1] or found[3]}{''.join(flags)}"

    if "sep" in options and not message.startswith("pred="):
        message = _CUT.sub(lambda found: f"give --sep {shlex.quote(ast.literal_eval(found[1]))}", message)
    return _FILES.sub("", _ARGUMENT.sub(spell, _CALL.sub(spell_call, message)))


def _spell_value(flag: str, value: str, *, are_joined: bool) -> str:
    """Return an option and its value, as a shell takes them. are_joined: whether commas separate several values."""
    if value == "...":
        return flag
    if value[0] == "{":
        return f"{flag} {shlex.quote(','.join(f'{name}={each}' for name, each in ast.literal_eval(value).items()))}"
    inner = value[1:-1] if value[0] == "[" else value
    items = [_spell_item(item) for item in re.findall(_ITEM, inner)] or [value]
    return " ".join(f"{flag} {shlex.quote(each)}" for each in ([",".join(items)] if are_joined else items))


def _spell_item(item: str) -> str:
    if item[0] == "[":
        parts = [_spell_item(part) for part in re.findall(rf"{_PATTERN}|{_TEXT}", item)]
        pattern = next(part.removeprefix("re:") for part in parts if part.startswith("re:"))
        return f"{'|'.join('re' if part.startswith('re:') else part for part in parts)}:{pattern}"
    is_pattern = item.startswith("re.compile(")
    text = ast.literal_eval(item.removeprefix("re.compile(").removesuffix(")") if is_pattern else item)
    return f"re:{text}" if is_pattern else str(text)


@contextlib.contextmanager
def ending_quietly() -> Iterator[None]:
    """End with a status, and without a traceback, after Ctrl-C and if nobody reads the output."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _silence(sys.stdout)
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
            say(text, "yellow")

    with warnings.catch_warnings():
        for name in vars(qa_frame.errors):
            if name.endswith("Warning"):
                warnings.simplefilter("always", getattr(qa_frame.errors, name))
        warnings.showwarning = show
        yield
