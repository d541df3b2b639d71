"""The list of all metrics, which users know as `qa_frame.metrics`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from qa_frame.errors import UnknownMetricError, is_choice, unknown_option
from qa_frame.rules.listing import as_html_table, conventions
from qa_frame.scoring.metrics import METRICS, OTHER_NAMES

_WIDTH = 100


@dataclass(frozen=True, slots=True)
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
        conventions squad squad2 cmrc2018 context_bench ...
    ...
    """

    def __getitem__(self, name: str) -> MetricDescription:
        if not is_choice(name, METRICS):
            raise UnknownMetricError(str(unknown_option("name", name, METRICS, OTHER_NAMES)))
        metric = METRICS[name]
        having = tuple(each for each, convention in conventions.items() if metric.is_in(convention))
        return MetricDescription(name, metric.what, metric.source, metric.family, having)

    def __iter__(self) -> Iterator[str]:
        return iter(METRICS)

    def __len__(self) -> int:
        return len(METRICS)

    def __repr__(self) -> str:
        return "\n".join(
            f"{each.name}\n    {each.what}\n    source {each.source}; rule {each.family}\n{_lines_of_names(each)}"
            for each in self.values()
        )

    def _repr_html_(self) -> str:
        rows = ((each.name, each.what, each.source, each.family, " ".join(each.conventions)) for each in self.values())
        return as_html_table(("metric", "what it is", "source", "rule", "conventions"), rows)


def _lines_of_names(metric: MetricDescription) -> str:
    import textwrap  # noqa: PLC0415  (rarely needed)

    names = f"conventions {' '.join(metric.conventions)}"
    indent = "    "
    return textwrap.fill(names, _WIDTH, initial_indent=indent, subsequent_indent=2 * indent, break_on_hyphens=False)


metrics = Metrics()
"""All metrics by name, in the order of `METRICS`."""
