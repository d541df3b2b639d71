"""How the functions of this room show themselves: with all arguments spelled out, and as methods of frames."""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pandas.api.typing import DataFrameGroupBy, SeriesGroupBy

from qa_frame.checks import is_choice, require_allowed, suggestion
from qa_frame.errors import plural, show
from qa_frame.frames.source import noted_scores
from qa_frame.scoring.call_rules import DEFAULTS, RuleArguments
from qa_frame.scoring.metrics import ALL_STATISTICS, METRICS

_ITSELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)


PublicFunction = TypeVar("PublicFunction", bound=Callable[..., Any])


def read_descriptions(documented: Any) -> dict[str, str]:
    """Return what a docstring says of each parameter, or of several together: the lines below their names."""
    text = inspect.getdoc(documented) or ""  # python -OO leaves docstrings out
    section = re.split(r"\n\n\w+\n---", text.partition("Parameters\n----------\n")[2])[0]
    return dict(re.findall(r"^(\w[\w, ]*)\n((?:\n?    .*\n)+)", f"{section}\n", re.MULTILINE))


def fill_in(documented: Any, names: Iterable[str], entries: Mapping[str, str]) -> str:
    """Return a docstring with the descriptions of these parameters in the place of its line `{arguments}`.

    names: the parameters. entries: descriptions, as `read_descriptions` returns them. One of several parameters is
    taken if all of these are among `names`.
    """
    known = {*names}
    shown = "".join(f"{several}\n{text}" for several, text in entries.items() if known.issuperset(several.split(", ")))
    return f"{inspect.getdoc(documented) or ''}\n".replace("{arguments}\n", shown)


_RULES = read_descriptions(RuleArguments)


def takes_rules(*, after: str, of: Any = RuleArguments) -> Callable[[PublicFunction], PublicFunction]:
    """Return the decorator that spells out the arguments that choose the rules; see `takes`.

    of: the TypedDict that declares these arguments.
    """
    return takes(of, DEFAULTS, after=after)


def takes(of: Any, defaults: Mapping[str, Any], *, after: str) -> Callable[[PublicFunction], PublicFunction]:
    """Return the decorator that spells out the arguments that a TypedDict declares.

    They are the last parameter of the function, with two stars. They stand in the signature behind the parameter
    `after`, with their defaults. In the docstring, their descriptions take the place of the line `{arguments}`. Other
    keyword arguments raise TypeError.
    """
    types, entries = typing.get_type_hints(of), _RULES | read_descriptions(of)
    names = [name for name in defaults if name in types]
    written = {name: annotation.__forward_arg__ for name, annotation in of.__annotations__.items()}
    keyword = inspect.Parameter.KEYWORD_ONLY
    spelled = [inspect.Parameter(name, keyword, default=defaults[name], annotation=written[name]) for name in names]

    def decorate(function: PublicFunction) -> PublicFunction:
        *others, starred = inspect.signature(function).parameters.values()
        place = 1 + [each.name for each in others].index(after)
        parameters = [*others[:place], *spelled, *others[place:]]
        signature = inspect.signature(function).replace(parameters=parameters)
        public = _with_call_checks(function, signature)
        public.__doc__ = fill_in(function, names, entries)
        public.__annotations__ = function.__annotations__ | {name: types[name] for name in names}
        public.__annotations__.pop(starred.name, None)
        return public

    return decorate


def explains_wrong_calls(function: PublicFunction) -> PublicFunction:
    """Return the function with a check of its calls: a wrong one raises TypeError, which shows a right one.

    It is the decorator of functions without rules; `takes` does the same.
    """
    return _with_call_checks(function, inspect.signature(function))


def _with_call_checks(function: PublicFunction, signature: inspect.Signature) -> PublicFunction:
    """Return the function with this signature. A wrong call raises TypeError, which shows a call that fits.

    Where the function takes `data` and `by`, `data` may be a pandas groupby.
    """
    owner, _, name = function.__qualname__.rpartition(".")
    takes_groups = {"data", "by"} <= signature.parameters.keys()
    bind = make_bind(f"qa_frame.{owner}" if name == "__init__" else f"{owner.lower() or 'qa_frame'}.{name}", signature)

    @functools.wraps(function)
    def public(*arguments: Any, **settings: Any) -> Any:
        # Check the arguments, then call the function. A groupby of pandas becomes `data` and `by`.
        data = arguments[0] if arguments else settings.get("data")
        if takes_groups and isinstance(data, DataFrameGroupBy | SeriesGroupBy):
            from qa_frame.tables.grouped import call_with_groups  # noqa: PLC0415

            return call_with_groups(public, signature, arguments, settings)
        bind(arguments, settings)
        return function(*arguments, **settings)

    public.__signature__ = signature  # type: ignore[attr-defined]
    return public  # type: ignore[return-value]


def as_method(function: Callable[..., Any], owner: str) -> Callable[..., Any]:
    """Return the function as a method: the same name, documentation and signature, less the frame.

    owner: the name of the class, which has its frame as `_frame`.
    """
    signature = inspect.signature(function)
    _frame, *others = signature.parameters.values()
    own_signature = signature.replace(parameters=[_ITSELF, *others])
    bind, checked = make_bind(f"df.qa.{function.__name__}", own_signature), inspect.unwrap(function)

    @functools.wraps(function)
    def method(self: Any, *arguments: Any, **settings: Any) -> Any:
        bind((self, *arguments), settings)
        return checked(self._frame, *arguments, **settings)

    method.__signature__ = own_signature  # type: ignore[attr-defined]
    method.__qualname__ = f"{owner}.{function.__name__}"
    return method


def make_bind(called: str, signature: inspect.Signature) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]:
    """Return a function that returns all arguments of a call by name, with defaults for those that are not given.

    Arguments that do not fit raise TypeError, which shows a call that does.

    called: how the function is called, such as "df.qa.summary".
    """
    parameters = signature.parameters.values()
    defaults = {each.name: each.default for each in parameters}
    places = [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY]
    needed = {each.name for each in parameters if each.default is each.empty}
    takes_metrics = not defaults.keys().isdisjoint(("metric", "metrics"))

    def bind(positional: tuple[Any, ...], settings: dict[str, Any]) -> dict[str, Any]:
        by_place = dict(zip(places, positional, strict=False))
        arguments, why = by_place | settings, ""
        if len(positional) + len(settings) > len(arguments) or not needed <= arguments.keys() <= defaults.keys():
            try:
                signature.bind(*positional, **settings)  # it says why, and takes ten times as long
            except TypeError as error:
                why = str(error)
        elif takes_metrics and is_choice(by_place.get("question"), METRICS):
            why = f"got the metric {show(by_place['question'])} in the place of question"
        if why:
            raise TypeError(_explain_wrong_call(called, signature, positional, settings, why))
        require_allowed(arguments, defaults)
        return defaults | arguments

    return bind


def _explain_wrong_call(
    called: str, signature: inspect.Signature, positional: tuple[Any, ...], settings: dict[str, Any], why: str
) -> str:
    """Return the text that says why these arguments do not fit, and shows a call that does.

    why: what is wrong, as `inspect.Signature.bind` says it.
    """
    name = called.rpartition(".")[2]
    names = [each for each in signature.parameters if each != "self"]
    required = [each for each in signature.parameters.values() if each.default is each.empty]
    needed = [each.name for each in required if each.kind is not each.VAR_POSITIONAL]
    values, filled = list(positional[len(signature.parameters) - len(names) :]), {}
    for argument in {"metric", "metrics"}.intersection(names) if values and is_choice(values[-1], METRICS) else ():
        filled[argument] = show(values.pop())
    n_places = sum(signature.parameters[name].kind is not inspect.Parameter.KEYWORD_ONLY for name in names)
    order = names
    ends = {"pred", "gold"} <= {*names[n_places:]} and "question" not in names[:n_places]
    if ends and len(values) > n_places:  # the caller ends with the columns to score
        order = [*names[: max(0, len(values) - 2)], "pred", "gold"]
    texts = [show(value) if isinstance(value, str | int | float) else "..." for value in values]
    filled |= dict(zip(order, texts, strict=False))
    for setting, value in settings.items():
        close = "" if setting in names else suggestion(setting, names)
        if close == ".":
            return f"{name}() got an unexpected keyword argument {setting!r}; it takes {', '.join(names)}"
        if close:
            why = f"got an unexpected keyword argument {setting!r}{close}"
        filled |= dict.fromkeys(re.findall("'(.*)'", close) or [setting], show(value))
    filled |= {each: "..." for each in needed if each not in filled}
    shown = [f"{each}={filled[each]}" for each in names if each in filled and each != "data"]
    call = f"{called}({', '.join(['data'] * ('data' in names) + shown)})"
    return f"{name}() {why}{'' if why.endswith('?') else '.'} Write {call}"


def describe(frame: Any, methods: Sequence[str]) -> str:
    """Return the text that `df.qa` shows: the number of rows, the columns that look like scores, and the methods.

    A column looks like scores if it has the name of a metric, or if the frame remembers that `score` made it.
    """
    known = [*METRICS, *ALL_STATISTICS, *noted_scores(frame)]
    scores = [str(name) for name in frame.columns if isinstance(name, str) and name in known]
    shown = f"score columns: {' '.join(scores)}" if scores else "no score columns yet: score(pred=..., gold=...) first"
    return f"<df.qa: {plural(len(frame), 'row')}; {shown}; methods: {' '.join(methods)}>"
