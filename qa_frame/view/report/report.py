"""`qa_frame.report`: results → one file to share."""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.errors import (
    ResultWriteError,
    UnknownOptionError,
    require_choice,
    require_flag,
    require_path,
    require_text,
    require_whole_number,
)
from qa_frame.frames.kinds import Source, read_source
from qa_frame.parallel.jobs import count_jobs
from qa_frame.replacement import naming_what_is_written, replacing
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.plan import Metrics, as_items, make_plan, require_built_in
from qa_frame.version import __version__


@takes_rules(after="metrics")
def report(
    data: Any,
    path: str | os.PathLike[str],
    by: Hashable,
    *,
    on: Hashable | Sequence[Hashable] | None = None,
    samples: Hashable | Sequence[Hashable] | None = None,
    within: Hashable | Sequence[Hashable] | None = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    metrics: Metrics = None,
    metric: str | None = None,
    title: str | None = None,
    cluster: Hashable | None = None,
    correction: Literal["holm", "bh", "none"] = "holm",
    ci: float = 0.95,
    seed: int = 0,
    max_bytes: int = 20_000_000,
    n_explained: int = 200,
    overwrite: bool = False,
    n_jobs: int | None = None,
    **rules: Unpack[RuleArguments],
) -> Path:
    """Write one HTML file that shows which group is better, how sure that is, on which rows it fails, and why.

    `df.qa.report(...)` is `qa_frame.report(df, ...)`. The file has a leaderboard, pictures, the paired differences, a
    table for each dataset, the findings of `audit`, the rows themselves to filter, sort and open, and how it was made.
    It asks for nothing from a network, and its content policy forbids all scripts but its own. It needs the extra
    `report`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`. If `read_results` made it,
        the page lists its files with their digests.
    path
        The file to write. Its name ends in .html or .htm, or has no ending.
    by
        The column that makes the groups, such as the model.
    on
        The column, or a list of columns, that identifies a question. The groups are then compared on the questions
        that both answered, and answers to the same question are shown side by side.
    samples
        In place of `on`: the column, or a list of columns, that identifies a question, if a group may have several
        answers to it. Figures are then means over questions, each of which counts as much as the others.
    within
        The column, or a list of columns, inside whose values questions are told apart, such as the dataset. Each value
        has a table of its own.
    pred, gold
        The columns of predictions and of golds. Given one of them, the rows are scored, whatever scores the frame has.
        None takes the frame's own scores and the columns that these were made from. A frame without scores is scored
        from `"response"` and `"answers"`.
    metrics
        Names of metrics, or `"all"`. None takes all of the frame's own scores, or else those of the convention.
    {rules}
    metric
        The metric that sorts groups and rows. None takes `"f1"`, or `"em"` where that is not there, or the first one.
    title
        The title of the page.
    cluster
        The column that identifies rows that belong together, such as their document: intervals and tests
        then rest on the number of these, and not of rows.
    correction
        The correction of p for the number of pairs, within each metric: `"holm"`, `"bh"` (Benjamini and Hochberg) or
        `"none"`.
    ci
        The level of the intervals, as 0.95.
    seed
        The seed of the random draws, and of the sample of rows where not all fit.
    max_bytes
        The most bytes that the rows take in the file, after compression. Where not all fit, the explained ones, those
        with the lowest scores and a random sample of the others are kept, and the page says so.
    n_explained
        The most rows that have an explanation of their scores, as `explain` gives it: some of each hazard, then those
        with the lowest scores of each group.
    overwrite
        Whether a file that is there already is replaced.
    n_jobs
        The number of worker processes that score (extra `parallel`); -1 for one per processor. None means this process.

    Returns
    -------
    pathlib.Path
        The file that was written. It appears when it is complete.

    Raises
    ------
    ResultWriteError
        Where the file is there already, or cannot be written.
    MissingPackageError
        Where Jinja2 or matplotlib is not installed.
    PairingError
        Where a group has a question twice.
    ColumnOverwriteError
        Where a column to read has the name of a metric to score.
    ColumnNotFoundError, UnknownOptionError
        Where a column or an argument cannot be used, or a frame has scores and does not say by which rules. Also all
        that `score` raises.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "report.html")
    ...     made = qa_frame.report(qa_frame.sample(), path, by="model", on="question_id", metrics=["em", "f1"])
    ...     made.read_text("utf-8").startswith("<!doctype html>")
    True
    """
    from qa_frame.stats.intervals import require_resampling  # noqa: PLC0415  (all of these are rarely needed)
    from qa_frame.stats.p_values import CORRECTIONS  # noqa: PLC0415
    from qa_frame.view.plot.drawing import require_matplotlib  # noqa: PLC0415
    from qa_frame.view.report.embedded_rows import pack_rows  # noqa: PLC0415
    from qa_frame.view.report.gathered import find_columns, gather  # noqa: PLC0415
    from qa_frame.view.report.known_scores import find_known_scores  # noqa: PLC0415
    from qa_frame.view.report.own_call import spell_call  # noqa: PLC0415
    from qa_frame.view.report.page import load_template, render  # noqa: PLC0415
    from qa_frame.view.report.pictures import draw_pictures  # noqa: PLC0415
    from qa_frame.view.results import label  # noqa: PLC0415

    require_flag("overwrite", overwrite)
    require_resampling(ci=ci, n_resamples=1, seed=seed)
    require_choice("correction", correction, CORRECTIONS)
    require_whole_number("max_bytes", max_bytes, least=1)
    require_whole_number("n_explained", n_explained, least=0)
    if title is not None:
        require_text("title", title, "give one")
    destination = _free(path, overwrite=overwrite)
    template = load_template()
    require_matplotlib()
    metrics = as_items(metrics)
    source, chosen = read_source(data), make_rules(**rules)
    if pred is None and gold is None:
        known, plan = find_known_scores(source, metrics, chosen)
    else:
        known, plan = {}, make_plan(metrics, chosen)
    require_built_in(plan)
    answers = {"pred": pred, "gold": gold, "choices": plan.choices}
    columns = find_columns(source, by=by, on=on, samples=samples, within=within, cluster=cluster, **answers)
    settings: dict[str, Any] = {"metric": metric, "ci": float(ci), "correction": correction, "seed": int(seed)}
    gathered = gather(source, columns, plan, rules, known=known, n_jobs=count_jobs(n_jobs), **settings)
    rows = pack_rows(gathered, plan, max_bytes=int(max_bytes), n_explained=int(n_explained), seed=int(seed))
    given = {"by": by, "on": on, "samples": samples, "within": within, "metrics": metrics, "metric": metric}
    given |= {} if known else {"pred": columns.pred, "gold": columns.gold}
    given |= {"cluster": cluster, "title": title, "correction": correction, "ci": ci, "seed": seed}
    given |= {"max_bytes": max_bytes, "n_explained": n_explained, **rules}
    defaults = {each.name: each.default for each in inspect.signature(report).parameters.values()}
    call = spell_call(destination.name, given, defaults)
    page = render(
        template,
        gathered,
        rows,
        title=f"Results by {label(by)}" if title is None else title,
        pictures=draw_pictures(gathered),
        facts=[("scores", gathered.signature), ("call", call), ("versions", _versions())],
        files=_digests(source),
    )
    with naming_what_is_written(destination), replacing(destination) as part:
        part.write_bytes(page.encode())
    return destination


def _digests(source: Source) -> list[tuple[str, str]]:
    """Return the files that the rows were read from, and the SHA-256 of those that are still there."""
    found = []
    for path in source.notes.get("qa_files", {}):
        digest = hashlib.sha256()
        try:
            with Path(path).open("rb") as file:
                while part := file.read(1 << 20):
                    digest.update(part)
        except OSError:
            found.append((str(path), "(not there any more)"))
        else:
            found.append((str(path), digest.hexdigest()))
    return found


def _versions() -> str:
    found = {"qa_frame": __version__, "Python": platform.python_version()}
    found |= {"pandas": pd.__version__, "pyarrow": pa.__version__, "numpy": np.__version__}
    return ", ".join(f"{name} {version}" for name, version in found.items())


# --- the file


def _free(path: str | os.PathLike[str], *, overwrite: bool) -> Path:
    """Return the path; ResultWriteError where a file is there that must not be replaced."""
    destination = require_path("path", path, "give one, as 'report.html'")
    if destination.suffix.lower() not in {".html", ".htm", ""}:
        raise UnknownOptionError(
            f"path={str(destination)!r} ends in {destination.suffix!r}, and a report is a page of HTML; give it the "
            "ending .html, and let a browser print it where another format is needed"
        )
    if destination.is_dir():
        raise ResultWriteError(f"path={str(destination)!r} is a folder; name a file in it")
    if destination.exists() and not overwrite:
        raise ResultWriteError(f"path={str(destination)!r} is there already; choose another, or give overwrite=True")
    return destination
