"""`qa_frame.infer_convention`: texts and a column of scores → the rules that made the column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import numpy as np
import pandas as pd

from qa_frame._names import ConventionName, MetricName
from qa_frame._typing import Floats, Frame, Ints
from qa_frame.errors import MissingPackageError, ScoringWarning, warn
from qa_frame.ext.conventions.own_rules import find_own_rules
from qa_frame.ext.conventions.recorded import TOLERANCE, Recorded, read_recorded
from qa_frame.frames.source import Source, read_source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.parallel.jobs import progress_bar
from qa_frame.rules.listing import BEST_KNOWN, conventions
from qa_frame.rules.parts import ReductionName
from qa_frame.scoring.call_rules import known_metrics, make_rules
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import as_items, index_metrics, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.tables.likely_columns import require_pred_and_gold
from qa_frame.tables.methods import explains_wrong_calls


@explains_wrong_calls
def infer_convention(
    data: Frame,
    pred: Hashable,
    gold: Hashable,
    score: Hashable,
    *,
    metrics: Iterable[MetricName] | MetricName | Literal["all"] = "all",
) -> Frame:
    """Find the rules that made a column of scores: the convention, metric, reduction and extraction, best first.

    `df.qa.infer_convention(...)` is `qa_frame.infer_convention(df, ...)`. It answers whose F1 a column
    holds, and shows whether a port gives the numbers of its source: `n_equal` is then `n`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> rows = [("The Seine", ["Seine"], 1.0), ("in Rome", ["Rome", "Roma"], 0.667), ("A cat, a cat", ["cat"], 0.667)]
    >>> df = pd.DataFrame(rows, columns=["response", "answers", "harness_f1"])
    >>> found = df.qa.infer_convention("response", "answers", score="harness_f1", metrics="f1")
    >>> found[["convention", "metric", "reduce", "n", "n_equal", "apart"]].head(2)
            convention metric reduce  n  n_equal  apart
    0            squad     f1    max  3        3      1
    1  continuous_eval     f1   mean  3        2      1

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars or Arrow.
    pred
        Column of predictions.
    gold
        Column of golds: texts, or lists of text.
    score
        Column of the scores whose rules are sought: numbers from 0 to 1 or from 0 to 100, rounded or not, or truth
        values, also as the texts "True" and "False". Rows without one are left out.
    metrics
        Metric(s) to try: names from `qa_frame.metrics`. `"all"` tries each of them. Fewer take less time.

    Returns
    -------
    frame
        The kind of frame that was given, with five rows at most. A row holds rules that can be given to `score`.

        - `convention`, `metric`, `reduce`, `extract`: the rules; `extract` is null for the whole response. If no
          convention gives all scores, and rules of your own give more of them, the first row is of these, as "own".
        - `n`: rows with a recorded score; `n_equal`: those of them that have the same score by these rules, as far as
          the column is rounded.
        - `max_diff`: the largest difference, from 0 to 1.
        - `apart`: the label of a row that these rules score differently from the best ones, or in the first row from
          the second best. It is null where no row differs.
        - `alike`: all other conventions that were found to give each row the same score, each with some reduction and
          extraction, separated by spaces; the best known first, then in alphabetical order.

        `attrs["qa_identified"]`, in an Arrow table the metadata, is a dict; polars has none. Its entry `not_tried`
        names the conventions that need a package which is not installed, and `own` is the code of the convention "own".

    Raises
    ------
    ColumnTypeError
        Where the column holds no numbers, or numbers that are neither shares nor percentages.
    ColumnNotFoundError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    ScoringWarning
        Where no convention gives all scores of the column. It has the code of the convention "own", if there is one.

    Notes
    -----
    All conventions are tried on 200 rows, with one reduction or extraction after the other until all scores are equal;
    the best of these on 2,000 rows, and the best of these on all rows. So rules that differ in few rows alone may be
    missed. Rules of your own are sought by the text's steps, the split, the way to count and the scores of empty sides,
    one after the other, on 300 rows.
    """
    names = tuple(index_metrics(as_items(metrics) or "all"))
    source = read_source(data)
    recorded = read_recorded(source.as_pandas({"score": [score]}), score)
    table: Frame = source.like(identify_rules(source, recorded, pred=pred, gold=gold, metrics=names), has_keys=False)
    return table


EXTRACTIONS = (
    *(None, "first_line", "after_think|all", "answer_tag", "boxed", "answer_is", "choice", "hashes", "last_line"),
)
REDUCTIONS: tuple[ReductionName | None, ...] = (None, "max", "mean", "min", "first", "best")
"""What is tried for `extract` and `reduce`. None is the whole response, and the convention's own."""

_FIRST_ROWS, _NEXT_ROWS = 200, 2_000
_KEPT, _SHOWN = 12, 5
"""How many candidates that differ are tried on more rows, each with all that score the few rows alike, and shown."""

Tried: TypeAlias = tuple[ConventionName, ReductionName | None, str | None]
"""A convention, how the scores of several golds become one, and what finds the answer in a response."""

_OWN = cast("ConventionName", "own")
"""What stands for rules of one's own."""

MetricsByRules: TypeAlias = dict[Tried, dict[str, None]]
"""The metrics to try under each of the rules, in order."""

_METRICS = (*METRICS,)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A metric under rules that may have made the column.

    scores: those of the rows on which it is tried, shape (rows,). share_equal: the share of them that equal the
    recorded ones, as far as these are rounded. max_diff: the largest difference.
    """

    rules: Tried
    metric: str
    scores: Floats
    share_equal: float
    max_diff: float

    @property
    def key(self) -> tuple[object, ...]:
        """The key that sorts candidates: by agreement, then the simplest, the best known, and alphabetically."""
        name, reduce, extract = self.rules
        fame = BEST_KNOWN.index(name) if name in BEST_KNOWN else len(BEST_KNOWN)
        settings = REDUCTIONS.index(reduce), EXTRACTIONS.index(extract)
        return -self.share_equal, round(self.max_diff, 9), *settings, fame, name, _METRICS.index(self.metric)


def identify_rules(
    source: Source, recorded: Recorded, *, pred: Hashable, gold: Hashable, metrics: Collection[str]
) -> pd.DataFrame:
    """Return a table of the rules under which most scores are the recorded ones, best first. Warn if none gives all.

    All conventions are tried on few rows, with one reduction or extraction after the other until all scores are equal;
    the best of these, with all reductions, on more rows, and the best of those on all rows.
    """
    require_pred_and_gold(source, pred=pred, gold=gold)
    rows = np.flatnonzero(~np.isnan(recorded.scores))
    without_package: set[str] = set()

    def rank(metrics_by_rules: MetricsByRules, n_rows: int) -> list[Candidate]:
        """Return the candidates, scored on at most so many rows, the best first."""
        chosen = rows[_choose_evenly(recorded.scores[rows], n_rows)]
        texts = source.take(chosen).texts(pred=pred, gold=gold)
        return sorted(
            _score(texts, recorded.at(chosen), metrics_by_rules, without_package, advance), key=lambda each: each.key
        )

    with progress_bar(None, unit="rule") as advance:
        first: list[Candidate] = []
        settings = [*((reduce, None) for reduce in REDUCTIONS), *((None, extract) for extract in EXTRACTIONS[1:])]
        for reduce, extract in settings:
            first += rank({(name, reduce, extract): dict.fromkeys(metrics) for name in conventions}, _FIRST_ROWS)
            if any(each.share_equal == 1 for each in first):
                break
        kept = [*_group_alike(sorted(first, key=lambda each: each.key)).values()][:_KEPT]
        metrics_by_rules = _group_by_rules(each for group in kept for each in group)
        for best in (group[0] for group in kept):
            name, _, extract = best.rules
            for reduce in REDUCTIONS:
                metrics_by_rules.setdefault((name, reduce, extract), {})[best.metric] = None
        several = [*_group_alike(rank(metrics_by_rules, _NEXT_ROWS)).values()][: 2 * _SHOWN]
        candidates = rank(_group_by_rules(each for group in several for each in group), len(rows))
    own: dict[str, str] = {}
    if candidates and candidates[0].share_equal < 1:
        nearer, code = _find_nearer(source.take(rows).texts(pred=pred, gold=gold), recorded.at(rows), candidates[0])
        candidates, own = ([nearer, *candidates], {"own": code}) if code else (candidates, own)
    labels = source.columns.index if isinstance(source.columns, pd.DataFrame) else pd.RangeIndex(len(recorded.scores))
    table = _as_table(candidates, labels[rows])
    table.attrs["qa_identified"] = {"not_tried": sorted(without_package), "tolerance": recorded.tolerance, **own}
    return table


def _find_nearer(texts: TextColumns, recorded: Recorded, best: Candidate) -> tuple[Candidate, str]:
    """Return own rules that give more scores than the best candidate, and the code of their convention.

    If there are none, return the best candidate itself, and "". Warn that no convention gives all scores.

    texts, recorded: those of all rows with a score. best: the best candidate, with the scores of these rows.
    """
    name, reduce, of_best = best.rules
    reduce = reduce or conventions[name].reduce
    is_known = recorded.differences(best.scores) <= recorded.tolerance
    nearest, code = best, ""
    for extract in dict.fromkeys((None, of_best)):
        if nearest.share_equal < 1:
            rules = {"reduce": reduce, "extract": extract}
            tried, scores = find_own_rules(texts, recorded, best.metric, rules, is_known)
            own = _candidate_of((_OWN, reduce, extract), best.metric, scores, recorded)
            nearest, code = (own, tried) if own.share_equal > nearest.share_equal else (nearest, code)
    nearer = ", so that the table has what comes near"
    if code:
        settings = "convention=own" if nearest.rules[2] is None else f"convention=own, extract={nearest.rules[2]!r}"
        nearer = (
            f"; as {best.metric}, these rules of your own give {nearest.share_equal * len(is_known):,.0f}: "
            f"import dataclasses, qa_frame; own = {code}; give score {settings}"
        )
    of_all = f"{np.count_nonzero(is_known):,} of {len(is_known):,}"
    finding = f"no convention gives all scores of the column: the best gives {of_all}{nearer}"
    warn(finding, ScoringWarning, see="no-rules-fit")
    return nearest, code


def _group_by_rules(candidates: Iterable[Candidate]) -> MetricsByRules:
    """Return the rules of the candidates, each with the metrics that are candidates under them."""
    metrics_by_rules: MetricsByRules = {}
    for each in candidates:
        metrics_by_rules.setdefault(each.rules, {})[each.metric] = None
    return metrics_by_rules


def _choose_evenly(scores: Floats, most: int) -> Ints:
    """Return the places of at most `most` scores, spread evenly from the lowest score to the highest.

    The places rise.
    """
    places = np.linspace(0, len(scores) - 1, min(most, len(scores))).astype(np.int64)
    return np.sort(np.argsort(scores, kind="stable")[places])


def _score(
    texts: TextColumns,
    recorded: Recorded,
    metrics_by_rules: MetricsByRules,
    without_package: set[str],
    advance: Callable[[int], object],
) -> Iterator[Candidate]:
    """Yield each metric under each of the rules that define it, with its scores of these rows. Equal rules score once.

    Parameters
    ----------
    without_package
        Gets the names of the conventions that need a package which is not installed. Their rules are left out.
    advance
        Moves a progress bar on.
    """
    known: dict[object, Floats] = {}
    for tried, metrics in metrics_by_rules.items():
        name, reduce, extract = tried
        keys = {metric: _settings_of(tried, metric) for metric in known_metrics(conventions[name]) if metric in metrics}
        new = [metric for metric, key in keys.items() if key not in known]
        advance(1)
        if name in without_package or (reduce == "best" and not METRICS["f1"].is_in(conventions[name])):
            continue
        if new:
            try:
                plan = make_plan(new, make_rules(convention=name, reduce=reduce, extract=extract))
            except MissingPackageError:
                without_package.add(name)
                continue
            scores = score_columns(prepare_predictions(texts, plan), plan, progress=False)
            known |= {keys[metric]: scores[metric] for metric in new}
        for metric, key in keys.items():
            yield _candidate_of(tried, metric, known[key], recorded)


def _candidate_of(rules: Tried, metric: str, scores: Floats, recorded: Recorded) -> Candidate:
    """Return the candidate with these scores. recorded: the scores of the same rows in the column."""
    differences = recorded.differences(scores)
    return Candidate(rules, metric, scores, float(np.mean(differences <= recorded.tolerance)), float(differences.max()))


def _settings_of(tried: Tried, metric: str) -> tuple[object, ...]:
    """Return all settings on which the scores of a metric depend: equal ones give equal scores."""
    name, reduce, extract = tried
    convention = conventions[name]
    reduce = reduce or convention.reduce
    needs_overlap = convention.no_answer or reduce == "best"  # what is empty, and which gold is the best
    of_all = [convention.prediction, convention.no_answer, convention.no_answer_gold, convention.spans]
    others = (convention.overlap, convention.best_by) if needs_overlap else ()
    return metric, getattr(convention, METRICS[metric].family), reduce, extract, *of_all, *others


def _group_alike(candidates: Iterable[Candidate]) -> dict[tuple[str, bytes], list[Candidate]]:
    """Return the candidates in groups of one metric and the same scores, in the order of the first of each.

    The key of a group is the metric and the bytes of the scores.
    """
    groups: dict[tuple[str, bytes], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.metric, candidate.scores.tobytes()), []).append(candidate)
    return groups


def _as_table(candidates: list[Candidate], labels: pd.Index) -> pd.DataFrame:
    """Return a row for each of the best candidates. Those that score all rows alike share a row.

    labels: the labels of the rows that candidates score.
    """
    groups = [*_group_alike(candidates).values()][:_SHOWN]
    lines = []
    for place, (first, *others) in enumerate(groups):
        other = groups[0 if place else min(1, len(groups) - 1)][0].scores
        apart = np.flatnonzero(~np.isclose(first.scores, other, rtol=0, atol=TOLERANCE, equal_nan=True))
        name, reduce, extract = first.rules
        lines.append(
            {
                "convention": name,
                "metric": first.metric,
                "reduce": reduce or conventions[name].reduce,
                "extract": extract,
                "n": len(labels),
                "n_equal": round(first.share_equal * len(labels)),
                "max_diff": first.max_diff,
                "apart": labels[apart[0]] if len(apart) else None,
                "alike": " ".join(dict.fromkeys(each.rules[0] for each in others if each.rules[0] != name)),
            }
        )
    return pd.DataFrame(lines).astype({"extract": object})
