"""Groups whose scores say little: their predictions are mostly not there, or their means mix rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Ints
from qa_frame.errors import ExtractionWarning, MixedScoresWarning, ScoringWarning, show, warn
from qa_frame.reports.rows import MISSING, NO_GOLD, NOT_EXTRACTED, ReadRows
from qa_frame.scoring.doubts import FALLBACK, MOST_NOT_EXTRACTED, are_all_null, show_share
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.grouping import KeyCodes

_GROUPS_NAMED = 3
_TOLD = MISSING, NOT_EXTRACTED, NO_GOLD


def warn_of_places(rows: ReadRows, labels: Sequence[Any], places_per_group: Sequence[Ints]) -> None:
    """Warn as `warn_of_groups` does, of groups whose rows stand at these places."""
    if rows.flags[MISSING] is None:
        return
    flags = [np.zeros(rows.n_rows, np.bool_) if (found := rows.flags[name]) is None else found for name in _TOLD]
    if not np.any(flags):
        return
    counts = [(len(places), *(np.count_nonzero(each[places]) for each in flags)) for places in places_per_group]
    warn_of_groups(labels, *np.array(counts).reshape(-1, 1 + len(_TOLD)).T)


def warn_of_groups(labels: Sequence[Any], n: Ints, n_missing: Ints, n_not_extracted: Ints, n_no_gold: Ints) -> None:
    """Warn where all predictions or golds are null, and where more than a tenth of the responses have no answer.

    Arrays of shape (groups,). A single group is not named.
    """
    n_responses = n - (n_missing - n_not_extracted)
    is_null = are_all_null(n, n_missing - n_not_extracted)
    if is_null.any():
        said = _name(labels, is_null, n, n)
        warn(f"all predictions are null: {said}; the scores there say nothing of answers", ScoringWarning)
    has_no_gold = are_all_null(n, n_no_gold)
    if has_no_gold.any():
        said = _name(labels, has_no_gold, n_no_gold, n)
        warn(f"no row has a gold: {said}, and none is scored; look whether gold is the right column", ScoringWarning)
    is_lost = n_not_extracted > MOST_NOT_EXTRACTED * n_responses
    if is_lost.any():
        said = _name(labels, is_lost, n_not_extracted, n_responses)
        warn(
            f"extract= finds no answer in more than a tenth of the responses: {said}, and these are missing "
            f"predictions; {FALLBACK}",
            ExtractionWarning,
        )


def _name(labels: Sequence[Any], is_told: Flags, counts: Ints, of: Ints) -> str:
    """Return the groups with the largest shares, and the share of each."""
    places = np.flatnonzero(is_told)
    if len(labels) == 1:
        return show_share(counts[0], of[0])
    first = places[np.argsort(-counts[places] / of[places], kind="stable")][:_GROUPS_NAMED]
    shares = ", ".join(f"{labels[place]!r} {show_share(counts[place], of[place])}" for place in first)
    return f"in {len(places)} of {len(labels)} groups, {shares}{', ...' * (len(places) > len(first))}"


# --- means that mix rules


def warn_of_mixed(n_scored: Mapping[str, Ints], groups: Sequence[Any]) -> None:
    """Warn where metrics of this package are means over different rows of one group.

    One scoring scores all of them on the same rows. So these rows were scored in several ways, and put together since.

    Parameters
    ----------
    n_scored
        How many rows of each group a figure is scored on, by figure, shape (groups,).
    groups
        What the groups are called.
    """
    names = [name for name in n_scored if name in METRICS]
    if len(names) < 2:
        return
    counts = np.stack([n_scored[name] for name in names])
    fewest = np.where(counts > 0, counts, np.iinfo(np.int64).max).min(axis=0)
    mixed = np.flatnonzero(fewest < counts.max(axis=0))
    if not len(mixed):
        return
    of_group = {n: name for name, n in zip(names[::-1], counts[::-1, mixed[0]].tolist(), strict=True)}
    said = ", ".join(f"{name} over {n}" for n, name in list(of_group.items())[::-1])
    warn(
        f"metrics are means over different rows in {len(mixed)} of {len(groups)} groups, first in "
        f"{show(groups[mixed[0]])}: {said}. One scoring gives all of them on the same rows, so these seem to be scored "
        "in several ways and put together, as by pandas.concat, and a mean then mixes rules. Score all rows in the "
        "same way, or name in `by` what tells them apart",
        MixedScoresWarning,
    )


def warn_of_mixed_rows(rows: ReadRows, groups: KeyCodes) -> None:
    """Warn as `warn_of_mixed` does, by the scores of rows. groups: the group of each row."""
    if rows.signature is None:
        is_scored = {name: ~np.isnan(scores) for name, scores in rows.scores.items()}
        counts = {name: np.bincount(groups.codes[scored], minlength=len(groups)) for name, scored in is_scored.items()}
        warn_of_mixed(counts, groups.labels.tolist())
