"""`qa_frame.to_hub_eval_results`: rows of results → a file of evaluation results for the Hub of Hugging Face."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from qa_frame.api.methods import takes_rules
from qa_frame.api.summary import summary
from qa_frame.errors import GoldFormatError, UnknownOptionError, require_path, require_text, show
from qa_frame.frames.kinds import read_source
from qa_frame.replacement import Replacement
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.plan import Metrics
from qa_frame.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Unpack

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
        A frame of pandas or polars, or an Arrow table, with the rows of one model.
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
        When the rows were made, such as `"2026-01-05"`. By default the Hub takes the time of the commit.
    source_url
        The address where the results can be looked at.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    UnknownOptionError
        If `path` does not end in `.yaml`, a text is none or empty, `metrics` are several, or the column `model` has
        several models.
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
    target = require_path("path", path, _REMEDY)
    if target.suffix not in {".yaml", ".yml"}:
        raise UnknownOptionError(f"path={show(path)} is no file of YAML; {_REMEDY}")
    source = read_source(data)
    _require_one_model(source.columns)
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
        low, high = (f"{figures[f'{name}_{side}']:.4g}" for side in ("lo", "hi"))
        notes = (
            f"{name} of the convention {make_rules(**rules).convention.name} over {int(figures['n_scored'])} rows, "
            f"{100 * ci:.4g} % interval {low} to {high}, qa_frame {__version__}"
        )
    entry: dict[str, Any] = {"dataset": {"id": dataset_id, "task_id": task_id}, "value": float(figures[name])}
    entry |= {} if date is None else {"date": date}
    entry |= {} if source_url is None else {"source": {"url": source_url}}
    with Replacement(target) as replacement:
        replacement.stream.write(json.dumps([{**entry, "notes": notes}], ensure_ascii=False, indent=2).encode())
    return target


def _require_one_model(columns: Any) -> None:
    names = columns.columns if isinstance(columns, pd.DataFrame) else columns.column_names
    models = list(columns["model"].unique()) if "model" in names else []
    if len(models) > 1:
        raise UnknownOptionError(
            f"data has {len(models)} models, such as {models[0]!s} and {models[1]!s}, and the file is of one; give the "
            "rows of one"
        )
