"""How the command ends: exit statuses, and errors and warnings as one line each."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

import click

import qa_frame
from qa_frame.errors import as_sentence, hearing_warnings, warn
from qa_frame.terminal import is_terminal, visible, wrap

SUCCESS, THRESHOLD_FAILED, WRONG, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 130, 141


def say(message: str, colour: str | None = None) -> None:
    """Write a message to stderr, in this colour on a terminal. Do nothing if stderr cannot be written.

    The message is one line; on a terminal it is wrapped to the width.
    """
    line = visible(f"qa-frame: {' '.join(message.split())}")
    with contextlib.suppress(AttributeError, OSError, ValueError):  # no terminal
        width = max(_LEAST_WIDTH, os.get_terminal_size(sys.stderr.fileno()).columns)
        line = "\n".join(wrap(line, "", "  ", width=width, whole=True))
    try:
        click.echo(click.style(line, fg=colour) if colour else line, err=True, color=has_colours(sys.stderr))
    except OSError:  # nobody reads it, or there is no room: what the command does, and its status, stay the same
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Redirect a stream that cannot be written to the null device.

    Otherwise Python would fail at exit, when it flushes the stream.
    """
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


_LEAST_WIDTH = 40
"""Messages are not cut into shorter lines than this."""

_NAMED = re.compile(r"(?<![\w.('\"])(\w+)(?:=| is not given)|`(\w+)`")
"""An argument in a sentence, but not inside a call."""

_CALL = re.compile(r"df\.qa\.(\w+)\(([^()]*)\)")
"""The call of a function, of which there is a command."""

_CUT = re.compile(
    r"(?:(?<=if it is several, )cut the column|cut them) first: .*?, sep=('[^']*'|\"[^\"]*\")\)"
    r"(?: in pandas, .*? in polars)?"
)
"""The code that cuts golds, for which there is `--sep`."""

_PYTHON = re.compile(r"\bqa_frame\.(?!conventions\b)|\bdf\.qa\.|\bdata = |\bdata\[|\bre\.compile\(|\.with_steps\(")
"""What shows that a sentence holds code of Python, for which there are no options."""

_OTHER_NAMES = {"destination": "output"}
"""Options that have another name than the argument of Python."""

_FILES = ("path", "source")
"""The arguments that are FILES here, which stand without a name."""

_LONGEST_VALUE = 500
"""So many characters of a sentence are read as a value at most."""


def spell_error(error: Exception, command: click.Command | None) -> str:
    """Return the message of an error, with options of the command in place of arguments of Python.

    An error with fields, such as its argument and value, is translated field by field, any other as a sentence.
    """
    if command is None or not isinstance(error, qa_frame.QaFrameError) or not error.finding:
        return spell_for_shell(str(error), command)
    option, head = _options_of(command).get(error.argument), error.head
    if option is not None:
        head = _spell_option(option, error.value) or head
    elif error.argument in _FILES:
        head = error.value or head
    return as_sentence(head, spell_options(error.finding, command), spell_for_shell(error.remedy, command))


def spell_for_shell(sentence: str, command: click.Command | None) -> str:
    """Return a sentence as `spell_options` does. It begins with "in Python" where code of Python is left in it."""
    spelled = spell_options(sentence, command)
    return f"in Python: {spelled}" if command is not None and _PYTHON.search(spelled) else spelled


def spell_options(sentence: str, command: click.Command | None) -> str:
    """Return a sentence of the package with the options of a command, as `--overwrite` for `overwrite=True`."""
    if command is None:
        return sentence
    options, spelled, end = _options_of(command), "", 0
    sentence = _CALL.sub(_spell_call, sentence)
    if "sep" in options and not sentence.startswith("pred="):
        sentence = _CUT.sub(lambda cut: f"give --sep {shlex.quote(ast.literal_eval(cut[1]))}", sentence)
    for named in _NAMED.finditer(sentence):
        option = options.get(named[1] or named[2])
        if option is None or named.start() < end:
            continue
        value, after = _value_at(sentence, named.end()) if named[0][-1] == "=" else ("", named.end())
        if words := _spell_option(option, value):
            spelled += sentence[end : named.start()] + words + " is not given" * named[0].endswith("given")
            end = after
    return spelled + sentence[end:]


def _spell_call(call: re.Match[str]) -> str:
    """Return the command of a function, with the flags that the call sets."""
    flags = (f" --{name.replace('_', '-')}" for name in re.findall(r"(\w+)=True", call[2]))
    return f"qa-frame {call[1]}{''.join(flags)}"


def _options_of(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command by the arguments of Python that they give."""
    options = {each.name: each for each in command.params if isinstance(each, click.Option)}
    return options | {argument: options[name] for argument, name in _OTHER_NAMES.items() if name in options}


def _value_at(sentence: str, start: int) -> tuple[str, int]:
    """Return the text of the Python value that begins at `start`, and the place where it ends.

    The text is "" if there is no value, and "None" for one that `_read_literal` does not read. A value ends before a
    space, and before punctuation in front of the space.
    """
    if sentence.startswith("...", start):
        return "", start + 3
    text = sentence[start : start + _LONGEST_VALUE]
    for space in re.finditer(r"[,;:.]*(?:\s|$)", text):
        if space.start() == 0:
            return "", start
        with contextlib.suppress(ValueError):
            _read_literal(text[: space.start()])
            return text[: space.start()], start + space.start()
    return "None", start


def _read_literal(value: str) -> Any:
    """Return the value that a Python literal stands for; ValueError for any other text.

    `re.compile(...)` becomes "re:" and its pattern.
    """
    try:
        return _evaluate(ast.parse(value, mode="eval").body)
    except SyntaxError as error:
        raise ValueError(value) from error


def _evaluate(node: ast.expr) -> Any:
    """Return the value of a syntax node; ValueError unless it is a literal, a list of literals or a pattern."""
    if isinstance(node, ast.List):
        return [_evaluate(item) for item in node.elts]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" and len(node.args) == 1:
        return f"re:{ast.literal_eval(node.args[0])}"
    return ast.literal_eval(node)


def _spell_option(option: click.Option, value: str) -> str:
    """Return an option with its value as a shell takes them; "" if the option cannot take this value.

    value: the value as Python writes it; "" gives the option alone.
    """
    flag = option.opts[0]
    if not value:
        return flag
    try:
        evaluated = _read_literal(value)
    except ValueError:  # a part of one, as messages show long ones
        return f"{flag} {value}"
    if option.is_flag or isinstance(evaluated, bool):
        spellings = option.opts if evaluated is True else option.secondary_opts
        return spellings[0] if option.is_flag and isinstance(evaluated, bool) and spellings else ""
    if isinstance(evaluated, dict):
        return f"{flag} {shlex.quote(','.join(f'{name}={each}' for name, each in evaluated.items()))}"
    items = [_spell_item(item) for item in (evaluated if isinstance(evaluated, list) else [evaluated])]
    if not items or None in items:
        return ""
    joined = [",".join(map(str, items))] if option.metavar == "NAMES" else items
    return " ".join(f"{flag} {shlex.quote(str(each))}" for each in joined)


def _spell_item(item: Any) -> str | None:
    """Return one value of an option as the command line writes it, such as "re:PATTERN"; None if no option takes it."""
    if isinstance(item, list):
        pattern = next((part for part in item if part.startswith("re:")), None)
        names = "|".join("re" if part is pattern else part for part in item)
        return pattern and f"{names}:{pattern.removeprefix('re:')}"
    return str(item) if isinstance(item, str | int | float) else None


@contextlib.contextmanager
def ending_quietly() -> Iterator[None]:
    """Exit with a status, and without a traceback, after Ctrl-C and if nobody reads the output."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _silence(sys.stdout)
        raise click.exceptions.Exit(CLOSED_PIPE) from None


@contextlib.contextmanager
def warning_once(of_rows: Mapping[str, type[Warning]]) -> Iterator[None]:
    """After the block, give the warnings of scoring and those of the block, once each.

    Where two refer to the same page, only the block's is given, as it names the groups. If the block raises an error,
    no warning is given.

    Parameters
    ----------
    of_rows
        The warnings of scoring, as `hearing_warnings` collects them.
    """
    with hearing_warnings() as of_groups:
        yield
    places = {text.rpartition("; see ")[2] for text in of_groups}
    alone = {text: category for text, category in of_rows.items() if text.rpartition("; see ")[2] not in places}
    for text, category in {**alone, **of_groups}.items():
        warn(text, category)


@contextlib.contextmanager
def warnings_in_one_line() -> Iterator[None]:
    """Print each different warning of the package once, without the line of code that gave it."""
    shown: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        context = click.get_current_context(silent=True)
        text = f"{category.__name__}: {spell_for_shell(str(message), context.command if context else None)}"
        if text not in shown:
            shown.add(text)
            say(text, "yellow")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def has_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colours, and the environment does not forbid them."""
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return not is_plain and is_terminal(stream)
