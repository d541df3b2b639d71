"""Which figures are made of several samples of a question, and how those of several datasets are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qa_frame.errors import UnknownOptionError, is_number, require_flag, require_items, require_whole_number, show
from qa_frame.stats.samples import Passes

_MOST_SAMPLES = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """The figures that a table has beside the means.

    Attributes
    ----------
    passes
        Those of the samples that are right.
    variance
        Whether the table has the parts of each score's variance.
    """

    passes: Passes
    variance: bool


def make_asked(*, has_samples: bool, pass_at: Any = (), pass_all: Any = (), variance: Any = False) -> Asked:
    """Check the arguments. UnknownOptionError for a wrong one, and for one that has no samples to be made of."""
    require_flag("variance", variance)
    passes = Passes(_read_numbers("pass_at", pass_at), _read_numbers("pass_all", pass_all))
    given = {"pass_at": passes.pass_at, "pass_all": passes.pass_all, "variance": bool(variance)}
    for argument, value in given.items():
        if value and not has_samples:
            raise needs_samples(argument)
    return Asked(passes, bool(variance))


def needs_samples(argument: str) -> UnknownOptionError:
    """Return the error for an argument that is of use with several samples of a question alone."""
    return UnknownOptionError(
        f"{argument} is made of several samples of a question; name the column of questions too, as in "
        "samples='question_id'"
    )


def read_threshold(threshold: Any) -> float:
    """Return the score from which a sample is right; UnknownOptionError unless it is a number."""
    if not is_number(threshold):
        raise UnknownOptionError(
            f"threshold={show(threshold)} is not a number; give the score from which a sample is right"
        )
    return float(threshold)


def _read_numbers(argument: str, given: Any) -> tuple[int, ...]:
    """Return numbers of samples, each once; one number may be given alone."""
    numbers = (given,) if is_number(given) or isinstance(given, bool) else given
    found = require_items(argument, numbers, "a number of samples, or a tuple of them")
    for number in found:
        require_whole_number(argument, number, least=1, most=_MOST_SAMPLES)
    return tuple(dict.fromkeys(map(int, found)))
