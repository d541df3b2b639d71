"""The functions of this room as methods of frames."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from qa_frame.scoring.metrics import METRICS, STATISTICS

_ITSELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)


Arguments = ParamSpec("Arguments")
Data = TypeVar("Data")
Found = TypeVar("Found")


def as_method(
    function: Callable[Concatenate[Data, Arguments], Found],
    owner: str,
    kind: type[Data],  # noqa: ARG001  (for type checkers, to which the method gives this kind of frame)
) -> Callable[Concatenate[Any, Arguments], Found]:
    """Return the function as a method: the same name, documentation, signature and types, less the frame.

    owner: the name of the class, which has its frame as `_frame`. kind: of the frame.
    """

    @functools.wraps(function)
    def method(self: Any, *arguments: Arguments.args, **settings: Arguments.kwargs) -> Found:
        return function(self._frame, *arguments, **settings)

    signature = inspect.signature(function)
    method.__signature__ = signature.replace(parameters=[_ITSELF, *_without_frame(signature)])  # type: ignore[attr-defined]
    method.__qualname__ = f"{owner}.{function.__name__}"
    return method  # type: ignore[return-value]  # that `self` has a name does no harm


def takes_arguments_of(
    function: Callable[..., Any], *, without: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give what is decorated the arguments of a function of this room, less its frame and those `without`.

    What is decorated gets its frame, or itself, as the first argument, and all others by keyword, with the function's
    defaults. Keyword arguments that it names itself are added to the signature.
    """

    def decorate(decorated: Callable[..., Any]) -> Callable[..., Any]:
        first, *added = inspect.signature(decorated).parameters.values()
        taken = [each for each in _without_frame(inspect.signature(function)) if each.name not in without]
        names = [each.name for each in taken]
        added = [each for each in added if each.kind is each.KEYWORD_ONLY and each.name not in names]
        signature = inspect.signature(decorated).replace(parameters=[first, *taken, *added])

        @functools.wraps(decorated)
        def wrapper(*arguments: Any, **settings: Any) -> Any:
            bound = signature.bind(*arguments, **settings)  # a TypeError for arguments that it does not have
            bound.apply_defaults()
            given = dict(bound.arguments)
            return decorated(given.pop(first.name), **given)

        wrapper.__signature__ = signature  # type: ignore[attr-defined]
        return wrapper

    return decorate


def _without_frame(signature: inspect.Signature) -> list[inspect.Parameter]:
    return list(signature.parameters.values())[1:]


def describe(frame: Any, methods: Sequence[str]) -> str:
    """What `df.qa` shows of itself: how many rows there are, which columns look like scores, and what to call.

    A column looks like scores if it has the name of a metric, or if the frame remembers that `score` made it.
    """
    noted = frame.attrs.get("qa_scored")
    known = [*METRICS, *STATISTICS, *(noted if isinstance(noted, dict) else ())]
    scores = [str(name) for name in frame.columns if isinstance(name, str) and name in known]
    found = f"score columns: {' '.join(scores)}" if scores else "no score columns yet: score(pred=..., gold=...) first"
    return f"<df.qa: {len(frame)} rows; {found}; methods: {' '.join(methods)}>"
