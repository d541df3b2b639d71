"""The options of the commands, made from the parameters of the Python functions that the commands call.

An option has the name of its parameter. One that is not given is not handed on, so that the function's default holds.
A new parameter of a function is a new option; `_HELP` may describe it better than the first sentence of its docstring.
"""

from __future__ import annotations

import collections.abc
import contextlib
import csv
import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

_HELP = {
    "by": "Columns of groups, as model or model,dataset.",
    "choices": "Column of options, for --extract choice or letters.",
    "ci": "Level of confidence intervals, as 0.95.",
    "cluster": "Column of rows that depend on each other.",
    "convention": "Whose rules; see `qa-frame conventions`.",
    "correction": "Correction for several pairs.",
    "datasets": "Datasets that intervals are about: these, or others.",
    "extract": "Part of a response: boxed, choice, re:PATTERN, re|all:PATTERN; repeat it for several steps.",
    "dropna": "Leave out groups with a null key.",
    "gold": "Column of golds.",
    "gold_is": "What golds are, beside the options: letters, texts, or numbers from 0 or 1.",
    "long": "One row per group and metric.",
    "macro": "Columns of datasets, for means of datasets.",
    "margin": "Largest loss that counts as equally good.",
    "method": "How intervals are made.",
    "metrics": "Metrics, as em,f1, or all.",
    "observed": "Leave out categories without rows.",
    "pass_all": "Counts k, for all k samples being right.",
    "pass_at": "Counts k, for one of k samples being right.",
    "percent": "Multiply figures and bounds by 100.",
    "pred": "Column of predictions.",
    "prefix": "Text before the names of scores.",
    "question": "Columns that identify a question.",
    "seed": "Seed of random draws.",
    "threshold": "Minimum score of a right answer.",
    "weights": "Weights of --macro: equal, size, or nq=0.25,drop=0.75.",
    "within": "Column inside whose values groups are compared.",
}
"""The help of options that several commands have. That of others is the first sentence of the docstring."""

_LISTED = {"convention", "metrics", "best_by"}
"""Parameters whose values are names of conventions or metrics, which are too many for a line of help."""

_SEQUENCES = {collections.abc.Iterable, collections.abc.Sequence, list, tuple, typing.Annotated}
"""The types of any number of values. Annotated are keys (`By`), one or several."""

_AS_IN = {int: "1,4", float: "0.02,0.05"}
"""How several numbers are written."""


class SharedOption(click.Option):
    """An option that several commands have. The help of one of them, its home, explains it, and others name it."""

    def __init__(self, *arguments: Any, home: str = "", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.home = home


class Command(click.Command):
    """A command whose help names shared options in one line for each command that explains them."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of this command, then the names of those that others explain."""
        records, shared = [], collections.defaultdict(list)
        for option in (each for each in self.get_params(ctx) if isinstance(each, click.Option)):
            home = option.home if isinstance(option, SharedOption) else ""
            if home not in {"", ctx.info_name}:
                shared[home].append(option.opts[0])
            elif record := option.get_help_record(ctx):
                records.append(record)
        with formatter.section("Options"):
            formatter.write_dl(records, col_max=24)
        for home, flags in shared.items():
            with formatter.section(f"As in `qa-frame {home} --help`"), formatter.indentation():
                formatter.write_text(" ".join(flags))


def options_of(
    function: Callable[..., Any], *, only: Iterable[str] | None = None, without: Iterable[str] = (), home: str = ""
) -> Callable[[Function], Function]:
    """Return a decorator that gives a command one option for each parameter of a function.

    only: the parameters that become options; None takes all. without: those that do not. A parameter of a name that the
    command has already is left out. home: the command whose help explains these options, where several commands have
    them.
    """
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name not in without]
    parameters = [each for each in parameters if only is None or each.name in only]

    def decorate(command: Function) -> Function:
        known = {each.name for each in getattr(command, "__click_params__", [])}
        for parameter in reversed(parameters):
            if parameter.name not in known:
                command = _option(function, parameter, home)(command)
        return command

    return decorate


EPILOG = (
    "FILES: paths, folders or patterns; - is standard input. Commas separate names. "
    'The page "The command line" of the documentation says more.'
)


def split(settings: dict[str, Any], names: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two dicts: the settings whose names are among `names`, and the others."""
    chosen = set(names)
    taken = {name: value for name, value in settings.items() if name in chosen}
    return taken, {name: value for name, value in settings.items() if name not in chosen}


def _option(function: Callable[..., Any], parameter: inspect.Parameter, home: str) -> Callable[[Function], Function]:
    """Return the decorator that adds the option for one parameter.

    The types of its values decide how texts are read.
    """
    flag, kinds = f"--{parameter.name.replace('_', '-')}", _kinds(function, parameter.name)
    origins = [typing.get_origin(kind) for kind in kinds]
    settings: dict[str, Any] = {"default": None, "help": _help(function, parameter)}
    if bool in kinds:
        flag = f"{flag}/{flag.replace('--', '--no-', 1)}"
    elif numbers := [kind for kind in (int, float) if kind in _items_of(kinds)]:
        several = _make_reader(numbers[0], f"{'whole ' if int in numbers else ''}numbers, as in {_AS_IN[numbers[0]]}")
        settings |= {"multiple": True, "callback": several, "metavar": "NUMBERS"}
    elif collections.abc.Mapping in origins:
        settings |= {"callback": _read_number_or_mapping, "metavar": "TEXT"}
    elif int in kinds or float in kinds:
        settings["type"] = int if int in kinds else float
    elif re.Pattern in origins:
        settings |= {"multiple": True, "callback": read_steps, "metavar": "TEXT"}
    elif _items_of(kinds):
        settings |= {"multiple": True, "callback": _make_reader(str, "a name"), "metavar": "NAMES"}
    else:
        settings["metavar"] = "TEXT"
    if allowed := choices(function, parameter.name):
        settings["metavar"] = f"[{'|'.join(allowed)}]"
        settings["shell_complete"] = functools.partial(_beginning, names=allowed)
    return click.option(flag, parameter.name, cls=SharedOption, home=home, **settings)


def _beginning(_context: click.Context, _option: click.Parameter, begun: str, *, names: Iterable[str]) -> list[str]:
    """Return the names with which a shell may complete the text `begun`."""
    return [name for name in names if name.startswith(begun)]


def _one_or_all(values: Sequence[Any]) -> Any:
    """Return the value alone if there is only one, None if there is none, and else all values."""
    return values if len(values) > 1 else values[0] if values else None


def _split_words(values: Iterable[str]) -> list[str]:
    """Return the words of texts in which commas stand between words, stripped. Quotes are those of CSV."""
    return [name.strip() for row in csv.reader(values, skipinitialspace=True) for name in row if name.strip()]


def _make_reader(
    kind: Callable[[str], Any], wanted: str
) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], Any]:
    """Return the callback of an option whose values are separated by commas. It returns one value as such, or a list.

    For an option that is not given, it returns None. kind: reads one value. wanted: what values are, for the error.
    """

    def read(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> Any:
        try:
            words = [kind(word) for word in _split_words(values)]
        except ValueError as error:
            raise click.BadParameter(f"{', '.join(values)} are not {wanted}", context, option) from error
        if values and not words:
            raise click.BadParameter(f"nothing is given; give {wanted}, or leave out the option", context, option)
        return _one_or_all(words)

    return read


def numbers_by_name(values: Iterable[str]) -> list[tuple[str, float]]:
    """Return pairs of a name and its number, as of `nq=0.25,drop=0.75`; ValueError for any other text."""
    pairs = (word.rsplit("=", 1) for word in _split_words(values))
    return [(name.strip(), float(number)) for name, number in pairs]


def _read_number_or_mapping(
    context: click.Context, option: click.Parameter, value: str | None
) -> dict[str, float] | float | str | None:
    """Return one number, or numbers by name such as nq=0.25,drop=0.75; another text, or None, stays as it is.

    Raise BadParameter if a text with "=" is not made of names and numbers.
    """
    if "=" in (value or ""):
        try:
            return dict(numbers_by_name([str(value)]))
        except ValueError as error:
            raise click.BadParameter(f"{value} is not NAME=NUMBER,NAME=NUMBER", context, option) from error
    with contextlib.suppress(TypeError, ValueError):
        return float(str(value))
    return value


def read_steps(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> list[Any] | Any:
    """Return the steps of `--extract`: names, and patterns behind `re:`.

    One step is returned without a list, and None if there is none. Raise BadParameter for an invalid pattern.
    """
    try:
        steps = [*map(_read_step, values)]
    except re.error as error:
        raise click.BadParameter(f"{error.pattern!r} is no regular expression: {error}", context, option) from error
    return steps if any(isinstance(step, list) for step in steps) else _one_or_all(steps)


def _read_step(text: str) -> Any:
    """Return one step of `--extract`: text as it is, unless `re` stands among the names before its first colon.

    `re:PATTERN` becomes the compiled pattern. `re|all:PATTERN` becomes a list of alternatives, with the pattern in the
    place of `re`. The pattern may hold bars and colons of its own.
    """
    names, colon, pattern = text.partition(":")
    alternatives = names.split("|")
    if not colon or "re" not in alternatives:
        return text
    steps = [re.compile(pattern) if name == "re" else name for name in alternatives]
    return _one_or_all(steps)


def _help(function: Callable[..., Any], parameter: inspect.Parameter) -> str:
    """Return the help on an option, with its default: from `_HELP`, or else the first sentence of its docstring."""
    text = _HELP.get(parameter.name) or _NOT_GIVEN.sub("by default", first_sentence(function, parameter.name))
    default = parameter.default
    if default in (None, "", (), inspect.Parameter.empty) or default is False:
        return text
    return f"{text} Default: {str(default).lower() if default is True else default}."


_NOT_GIVEN = re.compile(r"\bNone(?: for|:)")
"""How a sentence of Python says what holds where an argument is not given."""


def first_sentence(function: Callable[..., Any], name: str) -> str:
    """Return the first sentence on a parameter, from the docstring of the function; "" if this has none on it."""
    lines = f"{inspect.getdoc(function)}\n"
    entry = re.search(rf"^(?! )(?:[\w, ]*\b)?{re.escape(name)}\b[\w, ]*\n((?:    .*\n|\n)+)", lines, re.MULTILINE)
    text = " ".join(entry[1].split()) if entry else ""
    return re.split(r"(?<=\.)(?<!et al\.) ", text)[0].replace("`", "")


def choices(function: Callable[..., Any], name: str) -> tuple[str, ...]:
    """Return the texts that a parameter's type allows; an empty tuple if it allows any text.

    Also empty for the parameters of `_LISTED`, whose names are too many for a line of help.
    """
    return () if name in _LISTED else tuple(text for kind in _kinds(function, name) for text in _literals(kind))


@functools.cache
def _kinds(function: Callable[..., Any], name: str) -> tuple[Any, ...]:
    """Return the types that a parameter's values may have; none if its annotation names a type that is not imported."""
    alone = types.SimpleNamespace(__annotations__={name: function.__annotations__[name]})
    try:
        kind = typing.get_type_hints(alone, inspect.unwrap(function).__globals__, include_extras=True)[name]
    except NameError:
        return ()
    return typing.get_args(kind) if typing.get_origin(kind) in {typing.Union, types.UnionType} else (kind,)


def _items_of(kinds: Iterable[Any]) -> set[Any]:
    """Return the types of the items of those types that are sequences of any length."""
    several = [kind for kind in kinds if typing.get_origin(kind) in _SEQUENCES]
    return {item for kind in several for item in typing.get_args(kind)}


def _literals(kind: Any) -> list[str]:
    """Return the texts that a type allows as `Literal`, also inside other types."""
    if typing.get_origin(kind) is Literal:
        return [value for value in typing.get_args(kind) if isinstance(value, str)]
    return [value for each in typing.get_args(kind) for value in _literals(each)]
