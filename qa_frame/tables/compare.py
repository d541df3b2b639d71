"""`qa_frame.compare`: groups on the questions that both answered → paired differences with p-values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Datasets, Flags, Floats, Frame, Shares
from qa_frame.checks import MOST_RESAMPLES, Correction
from qa_frame.errors import IntervalWarning, plural, warn
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.scoring.plan import ScoreColumns
from qa_frame.stats.contrasts import OUTCOMES
from qa_frame.stats.decisions import Family
from qa_frame.stats.differences import Draws, plan_draws
from qa_frame.stats.distributions import POWER, detectable_standard_errors
from qa_frame.stats.p_function import Differences
from qa_frame.tables.independent_groups import IndependentGroups, read_independent
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.options import SignificanceTest
from qa_frame.tables.paired_rows import PairedRows
from qa_frame.tables.pairs import PairArguments, read_pairs
from qa_frame.tables.result_tables import COMPARED_ESTIMATES
from qa_frame.tables.rows import kinds_of, read_metrics


@explains_wrong_calls
def compare(
    data: Frame,
    by: Hashable | Sequence[Hashable],
    question: Hashable | Sequence[Hashable] | None = None,
    *,
    samples: bool = False,
    within: Hashable | Sequence[Hashable] | None = None,
    baseline: Hashable | None = None,
    metrics: ScoreColumns = None,
    correction: Correction = "holm",
    cluster: Hashable | Sequence[Hashable] | None = None,
    pass_at: int | Sequence[int] = (),
    pass_all: int | Sequence[int] = (),
    threshold: float = THRESHOLD,
    macro: Hashable | Sequence[Hashable] | None = None,
    weights: Shares | Mapping[Any, float] = "equal",
    datasets: Datasets = "fixed",
    ci: float = 0.95,
    margin: float | Mapping[str, float] | None = None,
    n_resamples: int | None = None,
    seed: int = 0,
    prefix: str = "",
) -> Frame:
    """Compare groups on the questions that both of a pair answered: one row per metric and pair of groups.

    `df.qa.compare(...)` is `qa_frame.compare(df, ...)`. The page "Confidence intervals" defines tests.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> compared = qa_frame.compare(scored, by="model", question="question_id", baseline="heron-7b")
    >>> compared[["metric", "a", "n", "diff", "diff_lo", "diff_hi", "p_adj", "verdict", "wins", "losses"]].round(3)
      metric           a    n   diff  diff_lo  diff_hi  p_adj verdict  wins  losses
    0     em    lynx-70b  115  0.348    0.237    0.453  0.000  better    41       1
    1     em  otter-chat  115 -0.087   -0.143   -0.035  0.001   worse     0      10
    2     f1    lynx-70b  115  0.517    0.426    0.600  0.000  better    92       4
    3     f1  otter-chat  115  0.133    0.063    0.201  0.000  better    83      23

    Parameters
    ----------
    data
        Scored frame of any kind: pandas, polars or Arrow; or a pandas `groupby`, whose keys then stand for `by`.
    by
        Column(s) to group by, such as the model.
    question
        Column(s) that identify a question. Two groups are paired by it. Leave it out only where each group has
        questions of its own: groups are then independent. `samples`, `within`, `macro`, `pass_at` and `pass_all` need
        it.
    samples
        Whether a group may have several rows per question. Their means are paired.
    within
        Column(s) inside whose values groups are compared, such as the dataset: a row for each value. `by` need not name
        them.
    baseline
        Group with which all others are compared. It is a value of `by`, or a tuple if `by` has several columns. It has
        no value for columns that `within` names: "lynx-70b", not ("facts", "lynx-70b"). None compares each pair of
        groups.
    metrics
        Columns to compare: score columns, other columns of numbers or truth values, or pooled figures such as
        `corpus_bleu`, which need `question` and go with neither `samples` nor `macro`. None takes all scores, and the
        usual pooled figures where they are possible.
    correction
        Correction for multiple comparisons: `"holm"` or `"none"`. It adjusts p-values, bounds and tests of a margin to
        the number of pairs of a metric. With `within`, the pairs of all its values count together.
    cluster
        Column(s) that questions share which are not independent, such as their document.
    pass_at
        Number(s) k of samples: compare the chance that at least one of k is right, too. It needs `samples=True`.
    pass_all
        Number(s) k of samples: compare the chance that all of k are right, too. It needs `samples=True`.
    threshold
        Minimum score of a right answer, for `pass_at` and `pass_all`.
    macro
        Column(s) that name the dataset of a row: differences are averages over datasets. If ids repeat between
        datasets, give `question=["dataset", "id"]`.
    weights
        Weight of each dataset in the average over `macro`: `"equal"`, `"size"` (its number of questions), or a mapping
        from datasets to weights that sum to 1.
    datasets
        Scope of tests over datasets: `"fixed"` generalises to other questions of the same datasets, `"random"` to other
        datasets of their kind.
    prefix
        Text in front of the names of score columns, as it was given to `score`. The result's names have no prefix.
    ci
        Confidence level of the intervals. The verdicts better and worse need a `p_adj` below 1 - ci.
    margin
        Largest loss that still counts as equally good, in units of the score: a number such as 0.02, or a dict such as
        `{"f1": 0.02}`. A metric that the dict lacks has no margin.
    n_resamples
        Number of random draws. None takes as many as the correction needs. Without `question` it has no effect, as
        nothing is drawn.
    seed
        Seed of the random draws.

    Returns
    -------
    frame
        The kind of frame that was given, with one row per metric and pair of groups `a` and `b`:

        - `metric`, `a`, `b`. With `within`, its value is part of both groups' keys, as in ("facts", "lynx-70b").
        - `n`: the questions on which both have a score, or the rows of both where they are independent. Without a
          common question, `n` is 0, the figures are NaN and the verdict is undecided.
        - `mean_a`, `mean_b`; `wins`, `ties`, `losses`: on how many questions `a` scores higher, the same, lower. With
          `macro`, questions count by their weights, so these are not whole numbers. They are null for independent
          groups.
        - `mdd`: the minimum detectable difference, which this test finds with a power of about 0.8.
        - With a margin: `p_noninferior`, `p_equivalent`, and `tost_lo`, `tost_hi`, the bounds of the two one-sided
          tests. All are corrected for the number of pairs.
        - `n_only_a`, `n_only_b`: the questions that one group alone answered. `n_not_scored`: the questions of both
          that lack a score; `n` leaves them out. With samples, `n_samples_a`, `n_samples_b`: the samples behind the
          means.
        - `diff` (`mean_a - mean_b`) with `diff_lo` and `diff_hi`; `p`; `p_adj`: p corrected for the number of pairs.
        - `verdict` on `a`: better, worse or undecided. With a margin, it is equivalent where `a` is neither better nor
          worse by the margin, and as good where it is not worse by it and would else be undecided.

    Raises
    ------
    PairingError
        For a question twice in a group, a null key, a single group, or different questions under one key. These are
        seen by their different golds, where the golds are known. Up to a tenth of the questions are a PairingWarning.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or argument cannot be used.

    Warns
    -----
    IntervalWarning, PairingWarning, StratumWarning
        Where a row may mislead.
    """
    n_draws = None if n_resamples is None else int(n_resamples)
    test = SignificanceTest(correction, float(ci), n_draws, int(seed), margin)
    arguments = PairArguments(
        by,
        question,
        samples=samples,
        within=within,
        baseline=baseline,
        cluster=cluster,
        macro=macro,
        weights=weights,
        datasets=datasets,
        pass_at=pass_at,
        pass_all=pass_all,
        threshold=threshold,
    )
    of_questions = arguments.samples or macro is not None
    source, scoring = read_metrics(data, metrics, prefix=prefix, takes_pooled=True, of_questions=of_questions)
    read = read_independent if question is None else read_pairs
    return source.like(compare_groups(read(source, scoring, arguments), test), has_keys=False)


Design = PairedRows | IndependentGroups
"""Which rows are compared, and how: the differences of its groups with their tests, and its warnings."""


def compare_groups(design: Design, test: SignificanceTest) -> pd.DataFrame:
    """Return the table of `compare`, one row per statistic and pair of groups, and warn of doubtful rows."""
    names = tuple(statistic.name for statistic in design.rows.estimators)
    test.require_margins_in_range(names, design.rows)
    n_tests = design.n_pairs if test.correction != "none" else 1
    draws = plan_draws(test.n_resamples, n_tests=n_tests, ci=1 - test.alpha, seed=test.seed)
    of_statistics = design.differences(test, draws)
    tables, units, are_few = zip(*(_compare_pairs(each, test) for each in of_statistics), strict=True)
    compared: pd.DataFrame = pd.concat(tables, ignore_index=True)
    design.warn_of_few(compared, np.concatenate(units, axis=1), test)
    _put_null_for_unknown(compared, np.concatenate(are_few), test, draws)
    settings: dict[str, object] = {"correction": test.correction, "ci": test.ci, "n_resamples": draws.n_all}
    settings |= {"seed": test.seed, **design.settings} | ({} if test.margin is None else {"margin": test.margin})
    compared.attrs |= describe_table(
        "compare",
        keys=["metric", "a", "b"],
        estimates=[name for name in COMPARED_ESTIMATES if name in compared],
        metrics=kinds_of(names),
        level=test.ci,
        settings=settings,
        signature=design.rows.signature,
    )
    return compared


def _compare_pairs(parts: Iterable[Differences], test: SignificanceTest) -> tuple[pd.DataFrame, Floats, Flags]:
    """Return the table of one statistic, the units of its pairs, and which pairs have too few draws.

    The table has one row per pair, with p corrected for all of them. See `Differences.units` and
    `Differences.is_exhausted`.

    parts: the differences of the statistic, some pairs at a time.
    """
    of_pairs = [*parts]
    family = Family([pairs.p_function for pairs in of_pairs], test.correction, test.alpha)
    of_margin = _margin_columns(family, test, of_pairs[0].name)
    table = pd.concat([_tabulate_pairs(pairs, test.alpha) for pairs in of_pairs], ignore_index=True)
    table = table.assign(**of_margin, **family.difference_columns())
    others = [name for name in of_pairs[0].counts if name not in _FIRST]
    table = table[[*_FIRST, *of_margin, *others, *_LAST]]
    table["verdict"] = verdicts_of(table, test.alpha)
    units, are_few = ([getattr(pairs, name) for pairs in of_pairs] for name in ("units", "is_exhausted"))
    return table, np.concatenate(units, axis=1), np.concatenate(are_few)


_FIRST = ("metric", "a", "b", "n", "mean_a", "mean_b", *OUTCOMES, "mdd")
_LAST = ("diff_lo", "diff_hi", "p", "diff", "p_adj")
"""What decides is last, where tables that are too wide show it."""


def _margin_columns(family: Family, test: SignificanceTest, name: str) -> dict[str, Any]:
    """Return the columns of the tests against a margin: {} if none is given, NaN for a statistic without one.

    name: the name of the statistic.
    """
    if test.margin is None:
        return {}
    margin = test.margin_of(name)
    columns = family.margin_columns(margin or 0.0)
    return columns if margin is not None else dict.fromkeys(columns, np.nan)


def _tabulate_pairs(pairs: Differences, alpha: float) -> pd.DataFrame:
    """Return one row per pair, without what depends on how many are tested."""
    (mean_a, mean_b), tested = pairs.side_values, pairs.p_function
    columns = {"metric": pairs.name, "a": pairs.a, "b": pairs.b, "mean_a": mean_a, "mean_b": mean_b, **pairs.counts}
    columns |= {"mdd": detectable_standard_errors(alpha, POWER) * tested.error, "p": tested.p}
    return pd.DataFrame(columns | {"diff": tested.difference})


def _put_null_for_unknown(compared: pd.DataFrame, are_few: Flags, test: SignificanceTest, draws: Draws) -> None:
    """Put NaN for each p_adj that is not known for want of draws, and warn.

    Such a p_adj is at most the least one that the draws can show, and that is not below 1 - ci.

    are_few: which rows of the table have too few draws, as `Differences.is_exhausted` says.
    """
    is_unknown = are_few & (compared["p_adj"] >= test.alpha).to_numpy()
    if not is_unknown.any() or draws.n_all >= draws.n_enough:
        return
    compared.loc[is_unknown, "p_adj"] = np.nan
    remedy = f"give n_resamples={draws.n_enough}, or leave it out"
    if draws.n_enough > MOST_RESAMPLES:
        enough = f"{draws.n_enough} would do, which is too many"
        remedy = f"{enough}: compare fewer groups, with a baseline, or at a lower ci"
    n_tests = round(test.alpha / draws.target)
    finding = f"{draws.n_all} draws are too few for {plural(n_tests, 'test')} at ci={test.ci:g}: p_adj is null in "
    finding += f"{int(is_unknown.sum())} of {plural(len(compared), 'row')}, where none was as far from 0 as the "
    finding += f"difference found, and so few cannot show a p_adj below {1 - test.ci:g}"
    warn(f"{finding}; {remedy}", IntervalWarning)


BETTER, WORSE, AS_GOOD, EQUIVALENT, UNDECIDED = "better", "worse", "as good", "equivalent", "undecided"


def verdicts_of(compared: pd.DataFrame, alpha: float) -> list[str]:
    """Return the verdict on `a` of each row of a comparison, where `alpha` is the level of the tests.

    A margin says which differences do not matter, so that *equivalent* goes before *better* and *worse*. Then those go
    by `p_adj`; *as good* is not worse by the margin or more.
    """
    diff, p = (compared[name].to_numpy(np.float64) for name in ("diff", "p_adj"))
    verdict = np.where(p < alpha, np.where(diff > 0, BETTER, WORSE), UNDECIDED)
    if "p_noninferior" in compared:
        not_worse, same = (compared[name].to_numpy(np.float64) for name in ("p_noninferior", "p_equivalent"))
        verdict = np.where((verdict == UNDECIDED) & (not_worse < alpha), AS_GOOD, verdict)
        verdict = np.where(same < alpha, EQUIVALENT, verdict)
    verdicts: list[str] = verdict.tolist()
    return verdicts
