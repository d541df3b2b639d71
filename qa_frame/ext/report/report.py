"""`qa_frame.report`: results → one file to share."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame.checks import Correction, require_path, require_text, text_of_path
from qa_frame.errors import ResultWriteError, UnknownOptionError
from qa_frame.ext.report.arguments import ReportArguments, cut
from qa_frame.frames.source import Source, read_source
from qa_frame.replacement import naming_what_is_written, replacing
from qa_frame.scoring.plan import ScoreColumns, as_items
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.version import __version__

_DIGEST = re.compile("[0-9a-f]{64}")
_MOST_OF_PATH = 1_000
_REMEDY = "give one, as 'report.html'"


@explains_wrong_calls
def report(
    data: Any,
    path: str | os.PathLike[str],
    by: Hashable,
    question: Hashable | Sequence[Hashable] | None = None,
    *,
    samples: bool = False,
    within: Hashable | Sequence[Hashable] | None = None,
    metrics: ScoreColumns = None,
    rank_by: str | None = None,
    title: str | None = None,
    human: Hashable | None = None,
    macro: Hashable | Sequence[Hashable] | None = None,
    baseline: Any = None,
    margin: float | Mapping[str, float] | None = None,
    cluster: Hashable | None = None,
    correction: Correction = "holm",
    ci: float = 0.95,
    overwrite: bool = False,
) -> Path:
    """Write one HTML file that shows which group is better, by how much, on which rows it fails, and why.

    `df.qa.report(...)` is `qa_frame.report(df, ...)`. The file asks for nothing from a network, and runs no scripts
    but its own. Extra: `report`.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "report.html")
    ...     scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    ...     made = qa_frame.report(scored, path, by="model", question="question_id")
    ...     made.read_text("utf-8").startswith("<!doctype html>")
    True

    Parameters
    ----------
    data
        Scored frame of any kind: pandas, polars or Arrow. The report names the files from which `read_results` made it.
    path
        File to write. Its name ends in .html or .htm, or has no ending.
    by
        Column that makes the groups, such as the model. A report takes one column; a single group is enough.
    question
        Column(s) that identify a question. Groups are paired by it. None compares no groups: the page then has figures
        only.
    samples
        Whether a group may have several answers to a question. Figures are then means over questions.
    within
        Column(s) inside which the keys of `question` are unique, such as the dataset. Each value has a table of figures
        of its own. Groups are compared over all values together.
    metrics
        Columns to show: score columns, or other columns of numbers or truth values. None takes all scores.
    rank_by
        Metric that sorts groups and rows. None chooses one, and the report says why. With people's verdicts, it takes
        the metrics that separate right from wrong best, and of these the one that treats groups most evenly. Without
        verdicts, it takes `"recall"` where many answers hold a gold inside a longer text, else `"f1"`.
    title
        Title of the page. None writes "Results by" and the name of the column `by`.
    human
        Column of people's verdicts: truth values or numbers. None takes a column of these named `"human"` or
        `"verdict"`, if there is one, and the report says so.
    macro
        Column(s) that name the dataset of a row. Figures are then averages over datasets.
    baseline
        Group with which all others are compared. None compares each pair of groups.
    margin
        Largest loss that still counts as equally good, in units of the score: a number such as 0.02, or a dict such as
        `{"f1": 0.02}`. A metric that the dict lacks has no margin.
    cluster
        Column that rows share which are not independent, such as their document.
    correction
        Correction of the p-values of a metric for the number of pairs: `"holm"` or `"none"`.
    ci
        Confidence level of the intervals, such as 0.95.
    overwrite
        Whether to replace a file that is no report. A report is always replaced.

    Returns
    -------
    pathlib.Path
        The file that was written. It appears when it is complete.

    Raises
    ------
    ResultWriteError
        Where another file is there, or it cannot be written.
    MissingPackageError
        Where Jinja2 or matplotlib is not installed.
    VerdictError
        Where the column that `human` names holds text.
    PairingError
        Where groups have many questions twice, or `compare` refuses the rows.
    ColumnNotFoundError, UnknownOptionError
        Where a column or an argument cannot be used, or the frame has no scores or no rows.
    """
    from qa_frame.ext.plot.fonts import require_matplotlib  # noqa: PLC0415
    from qa_frame.ext.report.embedded_rows import pack_rows  # noqa: PLC0415
    from qa_frame.ext.report.known_scores import find_known_scores  # noqa: PLC0415
    from qa_frame.ext.report.page import load_template, render  # noqa: PLC0415
    from qa_frame.ext.report.pictures import draw_pictures  # noqa: PLC0415
    from qa_frame.ext.report.report_data import find_verdicts, read_report_data  # noqa: PLC0415
    from qa_frame.stats.grouping import list_keys  # noqa: PLC0415
    from qa_frame.tables.options import require_margin  # noqa: PLC0415  (all of these are rarely needed)
    from qa_frame.tables.restored import without_prefix  # noqa: PLC0415
    from qa_frame.tables.results import label  # noqa: PLC0415

    if samples and question is None:
        raise UnknownOptionError("samples=True asks for the samples of questions; give question=... with their column")
    require_margin(margin, float(ci))
    if title is not None:
        require_text("title", title, "give one")
    with naming_what_is_written(Path(text_of_path("path", path, _REMEDY)), "choose another path"):
        destination = _require_destination(path, overwrite=overwrite)
    template = load_template()
    require_matplotlib()
    items = metrics if isinstance(metrics, str) else as_items(metrics)
    source, names = without_prefix(read_source(data), items)
    arguments = ReportArguments(
        by=by,
        question=question,
        samples=samples,
        within=within,
        metrics=items,
        rank_by=rank_by,
        title=title,
        human=human,
        macro=macro,
        baseline=baseline,
        margin=margin,
        cluster=cluster,
        correction=correction,
        ci=ci,
    ).renamed(names)
    keys = [*list_keys(arguments.by), *list_keys(arguments.within)]
    known = find_known_scores(source, arguments.metrics, keys)
    known, verdicts = find_verdicts(source, known, arguments.human, keys)
    report_data = read_report_data(source, known, arguments, human=verdicts)
    packages = {"qa_frame": __version__, "Python": platform.python_version()}
    packages |= {"pandas": pd.__version__, "pyarrow": pa.__version__, "numpy": np.__version__}
    versions = [f"{name} {version}" for name, version in packages.items()]
    page = render(
        template,
        report_data,
        pack_rows(report_data),
        title=f"Results by {label(by)}" if title is None else title,
        pictures=draw_pictures(report_data),
        facts=[("scores", known.signature), ("settings", arguments.as_written()), ("versions", ", ".join(versions))],
        files=_noted_digests(source),
    )
    with replacing(destination) as part:
        part.write_bytes(page.encode())
    return destination


def _noted_digests(source: Source) -> list[tuple[str, str]]:
    """Return the files that the rows were read from, with the SHA-256 that `read_results` noted of them.

    Notes may come with a frame from elsewhere, so no file is opened here.
    """
    noted = source.notes.get("qa_files")
    files = noted.items() if isinstance(noted, Mapping) else ()
    digests = ((str(path), str(note.get("sha256"))) for path, note in files if isinstance(note, Mapping))
    return [(cut(path, _MOST_OF_PATH), digest) for path, digest in digests if _DIGEST.fullmatch(digest)]


# --- the file


def _require_destination(path: str | os.PathLike[str], *, overwrite: bool) -> Path:
    """Return the path of the page to write.

    Raise UnknownOptionError where its ending is not that of HTML, and ResultWriteError where a folder is there, or a
    file that is no report and must not be replaced.
    """
    destination = require_path("path", path, _REMEDY)
    if destination.suffix.lower() not in {".html", ".htm", ""}:
        raise UnknownOptionError(
            f"path={str(destination)!r} ends in {destination.suffix!r}, and a report is a page of HTML; give it the "
            "ending .html, and let a browser print it where another format is needed"
        )
    if destination.is_dir():
        raise ResultWriteError(f"path={str(destination)!r} is a folder; name a file in it")
    if destination.exists() and not (overwrite or is_report(destination)):
        raise ResultWriteError(
            f"path={str(destination)!r} is there already, and is no report; choose another, or give overwrite=True"
        )
    return destination


def is_report(path: Path) -> bool:
    """Return whether `report` wrote this file, and may thus replace it: a cell of a notebook is run again."""
    if not path.is_file():  # a pipe would wait for its writer
        return False
    with path.open("rb") as stream:
        head = stream.read(2_000)
    return head.startswith(b"<!doctype html>") and b'<meta name="generator" content="qa_frame">' in head
