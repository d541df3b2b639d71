"""Groups whose scores say little: their predictions are mostly not there, or their means mix rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.errors import MixedScoresWarning, show, warn
from qa_frame.reports.rows import ReadRows
from qa_frame.scoring.doubt_warnings import name_metrics, show_share, warn_of_groups
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.grouping import KeyCodes


def warn_of_rows(rows: ReadRows, groups: KeyCodes) -> None:
    """Warn of what makes the scores of groups say less, as a summary does. groups: the group of each row."""
    labels, n_groups = groups.labels.tolist(), len(groups)
    flags = {name: each for name, each in rows.flags.items() if each is not None}
    counts = {name: np.bincount(groups.codes[each], minlength=n_groups) for name, each in flags.items()}
    warn_of_groups(labels, {"n": np.bincount(groups.codes, minlength=n_groups), **counts}, [*rows.scores])
    if rows.signature is None:
        is_scored = {name: ~np.isnan(scores) for name, scores in rows.scores.items()}
        warn_of_mixed(
            {name: np.bincount(groups.codes[each], minlength=n_groups) for name, each in is_scored.items()}, labels
        )


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
    said = ", ".join(f"{name} over {n}" for n, name in list(of_group.items())[:-3:-1])
    warn(
        f"metrics are means over different rows in {len(mixed)} of {len(groups)} groups, first in "
        f"{show(groups[mixed[0]])}: {said}; they seem to be scored in several ways and put together",
        MixedScoresWarning,
        see="mixed-scores",
    )


def warn_of_unknown_rules(rows: ReadRows, labels: pd.Index) -> None:
    """Warn where a frame seems to be put together from frames that were scored in different ways.

    `pandas.concat` then drops what they remember, and repeats labels of rows unless it is told to make new ones.
    """
    names = [name for name in rows.scores if name in METRICS]
    if rows.signature is None and names and not labels.is_unique:
        warn(
            f"the frame does not say by which rules {name_metrics(names)} were scored, and repeats labels in "
            f"{show_share(int(labels.duplicated().sum()), len(labels))} rows, as frames do that were put together",
            MixedScoresWarning,
            see="mixed-scores",
        )
