"""`qa_frame.to_hub_eval_results`: rows of results → a file of evaluation results for the Hub of Hugging Face."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd

from qa_frame._typing import Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.api.summary import summary
from qa_frame.errors import GoldFormatError, UnknownOptionError, plural, require_path, require_text, show
from qa_frame.frames.kinds import Source, read_source
from qa_frame.frames.names import require_single
from qa_frame.replacement import Replacement
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.plan import Metrics
from qa_frame.version import __version__

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3}(?:\d{3})?)?(?:Z|[-+]\d\d:\d\d)?)?", re.ASCII)
_REMEDY = "give one, such as '.eval_results/facts.yaml'"


@takes_rules(after="gold")
def to_hub_eval_results(
    data: Any,
    path: str | os.PathLike[str],
    *,
    dataset_id: str,
    task_id: str,
    metrics: Metrics,
    pred: Hashable = "response",
    gold: Hashable = "answers",
    ci: float = 0.95,
    percent: bool = False,
    notes: str | None = None,
    date: str | None = None,
    source_url: str | None = None,
    **rules: Unpack[RuleArguments],
) -> Path:
    """Score the rows of one model on one task, and write the figure as the Hub of Hugging Face shows it.

    The Hub shows what stands in the files `.eval_results/*.yaml` of a model's repository, on the model's page and on
    the leaderboard of the data set. A file that is there is replaced.

    Parameters
    ----------
    data
        A frame of pandas or polars, or an Arrow table, with the rows of one model and one data set.
    path
        The file to write, such as `".eval_results/facts.yaml"`. It is JSON, which is valid YAML.
    dataset_id
        The data set on the Hub, such as `"acme/facts"`.
    task_id
        A task that the file `eval.yaml` of this data set names.
    metrics
        The one metric whose figure is the value, as `qa_frame.summary` takes it.
    pred, gold
        The columns of predictions and of golds.
    {rules}
    ci
        The level of the confidence interval in the notes.
    percent
        Whether the value is in percent, from 0 to 100.
    notes
        The notes on the value. By default they name the metric, the convention, the interval and the number of rows.
    date
        When the rows were made, in the form of ISO 8601, such as `"2026-01-05"`. By default the Hub takes the time of
        the commit.
    source_url
        The address where the results can be looked at.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    UnknownOptionError
        If `path` does not end in `.yaml`, a text is none or empty, `date` is no date, `metrics` are several, or the
        column `model` or `dataset` has several values.
    ColumnNotFoundError
        If there are two columns `model`, or two columns `dataset`.
    GoldFormatError
        If no row can be scored.

    Notes
    -----
    `huggingface_hub.parse_eval_result_entries` reads the file, and `huggingface_hub.upload_file` takes it to the Hub.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> rows = qa_frame.sample().query("model == 'lynx-70b' and dataset == 'facts'")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, ".eval_results", "facts.yaml")
    ...     path = qa_frame.to_hub_eval_results(rows, path, dataset_id="acme/facts", task_id="default", metrics="em")
    ...     print(path.read_text("utf-8"))
    [
      {
        "dataset": {
          "id": "acme/facts",
          "task_id": "default"
        },
        "value": 0.6842105263157895,
        "notes": "em of the convention squad over 57 rows, 95 % interval 0.5511 to 0.7927, qa_frame 1.0.0"
      }
    ]
    """
    texts = {"dataset_id": dataset_id, "task_id": task_id, "notes": notes, "date": date, "source_url": source_url}
    for argument, text in texts.items():
        if text is not None or argument.endswith("_id"):
            require_text(argument, text, "give a text that is not empty")
        if text == "":
            raise UnknownOptionError(f"{argument}='' is empty; give a text, or leave it out")
    if date is not None and not _is_date(date):
        raise UnknownOptionError(
            f"date={show(date)} is no date; give one such as '2026-01-05' or '2026-01-05T10:30:00Z'"
        )
    target = require_path("path", path, _REMEDY)
    if target.suffix not in {".yaml", ".yml"}:
        raise UnknownOptionError(f"path={show(path)} is no file of YAML; {_REMEDY}")
    source = read_source(data)
    _require_one("model", source)
    _require_one("dataset", source)
    if ci is None:
        raise UnknownOptionError("ci=None asks for no interval, and the notes name one; give 0.95 for one of 95 %")
    table = summary(source.columns, metrics=metrics, pred=pred, gold=gold, ci=ci, percent=percent, **rules)
    figures = (table if isinstance(table, pd.DataFrame) else table.to_pandas()).iloc[0]
    name, *others = (name for name in figures.index if f"{name}_lo" in figures.index)
    if others:
        raise UnknownOptionError(
            f"metrics={show(metrics)} gives {[name, *others]}, and the file has one value; name one"
        )
    if pd.isna(figures[name]):
        raise GoldFormatError(
            f"no row has a score of {name!r}, so that there is no value; gold={show(gold)} needs golds"
        )
    if notes is None:
        low, high = (figures[f"{name}_{side}"] for side in ("lo", "hi"))
        interval = "" if pd.isna(low) else f"{100 * ci:.4g} % interval {low:.4g} to {high:.4g}, "
        notes = (
            f"{name} of the convention {make_rules(**rules).convention.name} over "
            f"{plural(int(figures['n_scored']), 'row')}, {interval}qa_frame {__version__}"
        )
    entry: dict[str, Any] = {"dataset": {"id": dataset_id, "task_id": task_id}, "value": float(figures[name])}
    entry |= {} if date is None else {"date": date}
    entry |= {} if source_url is None else {"source": {"url": source_url}}
    with Replacement(target) as replacement:
        replacement.stream.write(json.dumps([{**entry, "notes": notes}], ensure_ascii=False, indent=2).encode())
    return target


def _require_one(name: str, source: Source) -> None:
    """Raise UnknownOptionError if a column has several values, where the file is of one."""
    require_single([name], source.names)
    values = list(dict.fromkeys(map(str, source.columns[name]))) if name in source.names else []
    if len(values) > 1:
        raise UnknownOptionError(
            f"data has {len(values)} {name}s, such as {values[0]} and {values[1]}, and the file is of one; give "
            f"the rows of one, or leave the column {name!r} out if they are one"
        )


def _is_date(text: str) -> bool:
    """Whether a text is a date of ISO 8601, perhaps with a time, as YAML and all versions of Python read it."""
    with contextlib.suppress(ValueError):
        return bool(_DATE.fullmatch(text) and dt.datetime.fromisoformat(text.replace("Z", "+00:00")))
    return False
