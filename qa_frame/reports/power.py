"""A design, and perhaps a pilot → the table of how many questions are needed, or of what they find."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.errors import IntervalWarning, PairingError, UnknownOptionError, show, warn
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import describe_table
from qa_frame.reports.designs import Designs, StatedSpread
from qa_frame.reports.paired_rows import read_answers
from qa_frame.reports.pairing import PairKeys
from qa_frame.reports.result_tables import PLANNED_FIGURES
from qa_frame.reports.rows import Scoring, kinds_of
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.pairing import Pairing
from qa_frame.stats.power import Cells, PilotVariance, gather_cells, pilot_variance
from qa_frame.stats.rows import require_finite


def plan_design(designs: Designs, spread: StatedSpread) -> pd.DataFrame:
    """Return one row per design.

    Scores whose differences have a standard deviation above 1 have another range than 0 to 1.
    """
    if spread.sd <= 1:
        designs.require_in_range()
    if spread.is_binary:
        designs = designs.of_binary_scores()
    sds = {samples: spread.of(samples) for samples in designs.samples}
    rows = [row | {"sd": sds[k], "n_samples": k} for k in designs.samples for row in designs.rows(sds[k], k)]
    return _finish_table(rows, designs, "questions", keys=[])


def plan_from_pilot(source: Source, scoring: Scoring, designs: Designs, keys: PairKeys) -> pd.DataFrame:
    """Return one row per pair of groups of the pilot and design."""
    rows, (pairing,), cell_of_row = read_answers(source, scoring, keys, takes_within=False)
    if len(rows.scores) > 1:
        raise UnknownOptionError(f"metric is not given, and pilot has the scores {list(rows.scores)}; choose one")
    ((metric, scores),) = rows.scores.items()
    require_finite(metric, scores)
    cells = gather_cells(cell_of_row, scores, pairing.row_of)
    if metric in METRICS and not (scores > 1).any():
        designs.require_in_range()
    are_alone = keys.cluster is None and keys.macro is None and bool((cells.n <= 1).all())
    if are_alone and np.isin(scores[~np.isnan(scores)], (0.0, 1.0)).all():
        designs = designs.of_binary_scores()
    labels = pairing.groups.tolist()
    planned = [
        {"metric": metric, "a": labels[pair[0]], "b": labels[pair[1]], **row}
        for pair in zip(pairing.first.tolist(), pairing.second.tolist(), strict=True)
        for row in _plan_pair(cells, pairing, pair, designs)
    ]
    return _finish_table(planned, designs, keys.units, keys=["metric", "a", "b"], signature=rows.signature)


def _plan_pair(cells: Cells, pairing: Pairing, pair: tuple[int, int], designs: Designs) -> Iterator[dict[str, Any]]:
    """Yield the designs of one pair, each with what is looked for at the variance found and at its upper bound."""
    one, other = (show(pairing.groups.iloc[place]) for place in pair)
    for samples in designs.samples:
        found = _require_variance(pilot_variance(cells, pair, pairing, samples), one, other, samples)
        sds = math.sqrt(found.variance), math.sqrt(found.upper)
        rows = (designs.rows(sd, samples) for sd in sds)
        for row, cautious in zip(*rows, strict=True):
            at_upper = {f"{designs.solved}_at_upper": cautious[designs.solved]}
            yield {"n_pilot": found.n_units, **row, **at_upper, "sd": sds[0], "sd_upper": sds[1], "n_samples": samples}
    if not found.variance:
        warn(
            f"pilot: the scores of {one} and {other} differ by the same on all "
            f"{found.n_units} questions or clusters, which says nothing of how they vary; go by the columns at_upper",
            IntervalWarning,
            see="result_tables#power",
        )


def _require_variance(found: PilotVariance | None, one: str, other: str, samples: int) -> PilotVariance:
    """Return it; an error where the pilot does not tell it. one, other: the groups."""
    if found is None:
        raise UnknownOptionError(
            f"n_samples={samples} is not the pilot's number, and no question of {one} or of {other} has two scored "
            "samples, so that the variance among samples is not known; give a pilot with several rows per question, "
            "or leave n_samples out"
        )
    if math.isnan(found.variance):
        units = f"{found.n_units} {'question or cluster' if found.n_units else 'questions or clusters'}"
        few = units if found.n_units < 2 else "a value of macro with fewer than two questions or clusters"
        raise PairingError(
            f"pilot has {few} that both {one} and {other} are scored on, and a variance needs two; give a larger pilot"
        )
    return found


def _finish_table(
    rows: list[dict[str, Any]], designs: Designs, unit: str, *, keys: list[str], signature: str | None = None
) -> pd.DataFrame:
    """Return the table of these rows with what is the same in all of them, and its note."""
    table = pd.DataFrame(rows)
    table = table.astype({name: "Int64" for name in ("n", "n_at_upper") if name in table})
    table = table.assign(**designs.told, n_samples=table.pop("n_samples"), ci=designs.ci, unit=unit)
    figures = [name for name in map(str, table) if name in PLANNED_FIGURES]
    kinds = kinds_of([rows[0]["metric"]] if keys else [])
    settings = {"sign_test": designs.test.is_sign_test, "mid_p": designs.test.mid_p}
    table.attrs |= describe_table(
        "power", keys=keys, figures=figures, metrics=kinds, level=designs.ci, settings=settings, signature=signature
    )
    return table
