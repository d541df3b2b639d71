"""The list of all metrics, which users know as `qa_frame.metrics`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from qa_frame._names import MetricName
from qa_frame.checks import is_choice, unknown_option
from qa_frame.errors import UnknownMetricError
from qa_frame.rules.listing import conventions
from qa_frame.rules.lists_shown import as_html_table, in_lines
from qa_frame.scoring.metrics import METRICS, OTHER_NAMES

_TITLES = ("metric", "what it is", "source", "rule", "conventions")


@dataclass(frozen=True, slots=True, repr=False)
class MetricDescription:
    """A metric's name, definition and rule.

    Attributes
    ----------
    name
        Its name in `metrics=`, and the name of its score column.
    what
        Its definition, in one line. All scores are from 0 to 1.
    source
        The source of its definition in the default convention.
    family
        The field of a `Convention` that holds its rule.
    conventions
        The names of the conventions that define it.
    """

    name: str
    what: str
    source: str
    family: str
    conventions: tuple[str, ...]

    def __repr__(self) -> str:
        source = f"source {self.source}; rule {self.family}"
        return in_lines(self.name, self.what, source, f"conventions {' '.join(self.conventions)}")

    def _repr_html_(self) -> str:
        return as_html_table(("metric", self.name), zip(_TITLES[1:], _cells(self)[1:], strict=True))


def _cells(metric: MetricDescription) -> tuple[str, ...]:
    return metric.name, metric.what, metric.source, metric.family, " ".join(metric.conventions)


class Metrics(Mapping[str, MetricDescription]):
    """The metrics by name: a read-only mapping, which prints as a table.

    Each value is a `MetricDescription` with the attributes `name`, `what`, `source`, `family` and `conventions`.

    Raises
    ------
    UnknownMetricError
        If there is no metric of the name that is looked up. It is a KeyError, too.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.metrics["f1"].what
    'token F1: the harmonic mean of precision and recall'
    >>> "squad" in qa_frame.metrics["bleu1"].conventions
    True
    >>> print(qa_frame.metrics)  # doctest: +ELLIPSIS
    em
        exact match: 1 if the normalised texts are equal, else 0
        source SQuAD v1.1 evaluation script; rule exact
        conventions squad squad2 ...
    ...
    """

    def __getitem__(self, name: str) -> MetricDescription:
        if not is_choice(name, METRICS):
            raise UnknownMetricError(str(unknown_option("name", name, METRICS, OTHER_NAMES)))
        metric = METRICS[name]
        having = tuple(each for each, convention in conventions.items() if metric.is_in(convention))
        return MetricDescription(name, metric.what, metric.source, metric.family, having)

    def __iter__(self) -> Iterator[MetricName]:
        return cast("Iterator[MetricName]", iter(METRICS))

    def __len__(self) -> int:
        return len(METRICS)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.values()))

    def _ipython_key_completions_(self) -> list[str]:
        """Return what IPython proposes after `metrics["`."""
        return list(self)

    def _repr_html_(self) -> str:
        return as_html_table(_TITLES, map(_cells, self.values()))


metrics: Metrics = Metrics()
"""All metrics by name, in the order of `METRICS`."""
