"""`qa_frame.to_every_eval_ever`: rows of results → files of the schema Every Eval Ever, version 0.3.0."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import uuid
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.api.score import score
from qa_frame.api.summary import summary
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnTypeError,
    UnknownOptionError,
    require_choice,
    require_path,
    require_text,
)
from qa_frame.frames.kinds import read_source
from qa_frame.frames.names import name_rows, require_column, require_single
from qa_frame.frames.text_columns import read_texts
from qa_frame.replacement import Replacement
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Metrics
from qa_frame.version import __version__

_VERSION = "0.3.0"
_RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]$')
_PROPORTION = {"metric_unit": "proportion", "score_type": "continuous", "min_score": 0.0, "max_score": 1.0}


@takes_rules(after="metrics")
def to_every_eval_ever(
    data: Any,
    folder: str | os.PathLike[str],
    *,
    pred: Hashable = "response",
    gold: Hashable = "answers",
    metrics: Metrics = None,
    organization: str,
    relationship: str = "third_party",
    ci: float | None = 0.95,
    **rules: Unpack[RuleArguments],
) -> list[Path]:
    """Score rows of results and write them as Every Eval Ever has them: averages with intervals, and each sample.

    Each model and data set has two files, `data/<dataset>/<developer>/<model>/<uuid>.json` with the averages and
    `<uuid>_samples.jsonl` beside it with one line per row and metric. `qa_frame.read_results` reads the second. The
    uuid follows from what is written, so that the same results have the same names.

    Parameters
    ----------
    data
        A frame of pandas or polars, or an Arrow table, with `pred`, `gold` and the columns `model` and `dataset`, and
        `question_id` and `question` where there are any, as `qa_frame.schema` describes them. A model such as
        `"acme/heron"` names its developer.
    folder
        The folder in which `data/` is made.
    pred, gold
        The columns of predictions and of golds.
    metrics
        Names of metrics, or `"all"`, as `qa_frame.score` takes them. By default those of the convention.
    {rules}
    organization
        Who evaluated: the schema's `source_organization_name`.
    relationship
        How the evaluator stands to the model: `"first_party"`, `"third_party"`, `"collaborative"` or `"other"`.
    ci
        The level of the confidence intervals. None for none.

    Returns
    -------
    list of pathlib.Path
        The files with the averages, by model and data set. Rows without a score for a metric are in none of its
        samples; a metric that scores no row of a data set is left out, and so is a data set without any.

    Raises
    ------
    ColumnNotFoundError
        If `model` or `dataset` is not a column, or a column that is written is there twice.
    ColumnTypeError
        If a model, a data set or a question's id is null.
    UnknownOptionError
        If `organization` is not text or `relationship` is none of the four.

    Notes
    -----
    The schema is that of https://github.com/evaleval/every_eval_ever. `is_correct` of a sample says whether its score
    is 1. An answer that is a list of spans is one text there, with ", " between them. What a frame cannot tell, such as
    who deployed the model, is "unknown".

    Examples
    --------
    >>> import tempfile, qa_frame
    >>> rows = qa_frame.sample()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = qa_frame.to_every_eval_ever(rows, folder, metrics="f1", organization="Acme")
    ...     again = qa_frame.read_results(folder, kind="every_eval_ever")
    >>> len(paths) == len(rows[["model", "dataset"]].drop_duplicates())
    True
    >>> sorted(again["model"].unique())
    ['heron-7b', 'lynx-70b', 'otter-chat']
    """
    target = require_path("folder", folder, "give the path of a folder")
    require_text("organization", organization, "give a name, such as 'Acme'")
    if not organization:
        raise UnknownOptionError("organization='' is no name; give one, such as 'Acme'")
    require_choice("relationship", relationship, _RELATIONSHIPS)
    frame = _read(data, pred, gold, rules.get("choices"))
    scores = score(frame, pred, gold, metrics=metrics, append=False, **rules)
    rows = _rows(frame, pred, gold).join(scores)
    convention = make_rules(**rules).convention.name
    source = {
        "source_type": "evaluation_run",
        "source_organization_name": organization,
        "evaluator_relationship": relationship,
    }
    written = []
    for _, part in rows.groupby(["model", "dataset"], sort=True):
        results = list(_results(part, scores.columns.tolist(), convention, ci))
        if results:
            written.append(_write(target, part, {"source_metadata": source, "evaluation_results": results}))
    return written


def _read(data: Any, pred: Hashable, gold: Hashable, choices: Hashable) -> pd.DataFrame:
    """Return the columns that are scored or written, as a pandas frame whose index counts the rows."""
    source = read_source(data)
    for name in ("model", "dataset"):
        if name not in source.names:
            raise ColumnNotFoundError(f"{name!r} is not a column of data; add it: df[{name!r}] = 'its name'")
    for argument, column in {"pred": pred, "gold": gold, "choices": choices}.items():
        if column is not None:
            require_column(column, source.names, argument)
    wanted = {"model", "dataset", "question_id", "question", pred, gold, choices}
    require_single(wanted, source.names)
    names = [name for name in source.names if name in wanted]
    frame = source.as_pandas({"data": names})[names]
    for name in ("model", "dataset", "question_id"):
        is_null = frame[name].isna().to_numpy() if name in frame else np.zeros(0, bool)
        if is_null.any():
            where = name_rows(np.flatnonzero(is_null), frame.index)
            raise ColumnTypeError(f"{name!r} is null at {where}, and each sample needs it; fill it, or drop these rows")
    return frame.reset_index(drop=True)


def _rows(frame: pd.DataFrame, pred: Hashable, gold: Hashable) -> pd.DataFrame:
    """Return what a sample tells of each row, in columns of Python's own values."""
    responses = read_texts(frame[pred], f"pred={pred!r}", frame.index, levels=1).to_pylist()
    golds = read_texts(frame[gold], f"gold={gold!r}", frame.index, levels=2).to_pylist()
    numbers = frame.index.to_series()
    columns = {
        "model": frame["model"].astype(str),
        "dataset": frame["dataset"].astype(str),
        "sample_id": frame.get("question_id", numbers).astype(str),
        "question": frame["question"].astype(object).fillna("") if "question" in frame else "",
        "response": pd.Series(map(_joined, responses), dtype=object),
        "golds": [[_joined(gold) for gold in _golds(each) if gold not in (None, [])] for each in golds],
    }
    return pd.DataFrame(columns, numbers)


def _golds(found: list[Any] | str | None) -> list[Any]:
    return found if isinstance(found, list) else [found]


def _joined(answer: list[str | None] | str | None) -> str | None:
    """Return the text of an answer, which may be a list of spans or names: the schema has no lists of these."""
    return ", ".join(filter(None, answer)) if isinstance(answer, list) else answer


def _results(part: pd.DataFrame, metrics: list[str], convention: str, ci: float | None) -> Iterator[dict[str, Any]]:
    """Yield the average of each metric with its interval."""
    dataset = part["dataset"].iloc[0]
    figures = summary(part, metrics=metrics, ci=ci).iloc[0]
    for metric in metrics:
        scored = part[metric].dropna()
        if scored.empty:
            continue
        uncertainty: dict[str, Any] = {"num_samples": len(scored)}
        if len(scored) > 1 and ci is not None:
            # The scores of a user's own metric may be any numbers; their interval is another one then.
            kind = "Wilson's interval, Student's t" if scored.between(0, 1).all() else "Student's t"
            bounds = {"lower": float(figures[f"{metric}_lo"]), "upper": float(figures[f"{metric}_hi"])}
            uncertainty["confidence_interval"] = {**bounds, "confidence_level": ci, "method": kind}
        yield {
            "evaluation_result_id": f"{dataset}/{metric}",
            "evaluation_name": dataset,
            "source_data": {"dataset_name": dataset, "source_type": "other"},
            "metric_config": {
                "metric_id": metric,
                "metric_name": metric,
                "metric_parameters": {"convention": convention},
                "lower_is_better": False,
                **(_PROPORTION if metric in METRICS else {}),
            },
            "score_details": {"score": float(figures[metric]), "uncertainty": uncertainty},
        }


def _write(folder: Path, part: pd.DataFrame, about: dict[str, Any]) -> Path:
    """Write the averages and the samples of one model and data set; return the path of the averages."""
    model, dataset = part["model"].iloc[0], part["dataset"].iloc[0]
    named = hashlib.sha256(json.dumps([model, about, part.to_json()]).encode()).digest()
    number = uuid.UUID(bytes=named[:16], version=4)
    developer, _, name = model.rpartition("/")
    parts = (_NOT_IN_NAMES.sub("_", each) for each in (dataset, developer or "unknown", name))
    stem = "/".join(("data", *parts, str(number)))
    evaluation = f"{dataset}/{model}/{number}"
    lines = [_as_json(each) for result in about["evaluation_results"] for each in _samples(part, evaluation, result)]
    content = "".join(f"{line}\n" for line in lines).encode()
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    aggregate = {
        "schema_version": _VERSION,
        "evaluation_id": evaluation,
        "retrieved_timestamp": str(time.time()),
        "eval_library": {"name": "qa_frame", "version": __version__},
        "model_info": {"name": model, "id": model, "developer": developer or "unknown", "additional_details": unknown},
        **about,
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{stem}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(content).hexdigest(),
            "total_rows": len(lines),
        },
    }
    path = folder / f"{stem}.json"
    for target, written in ((folder / f"{stem}_samples.jsonl", content), (path, _as_json(aggregate, 2).encode())):
        with Replacement(target) as replacement:
            replacement.stream.write(written)
    return path


def _as_json(value: dict[str, Any], indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def _samples(part: pd.DataFrame, evaluation: str, result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the line of each row that a result, the average of a metric, is made of."""
    metric = result["metric_config"]["metric_id"]
    columns = ["model", "sample_id", "question", "response", "golds", metric]
    for model, sample, question, response, golds, value in part[columns].dropna(subset=metric).to_dict("split")["data"]:
        yield {
            "schema_version": _VERSION,
            "evaluation_id": evaluation,
            "model_id": model,
            "evaluation_name": result["evaluation_name"],
            "evaluation_result_id": result["evaluation_result_id"],
            "sample_id": sample,
            "interaction_type": "single_turn",
            "input": {"raw": str(question), "reference": golds},
            "output": {"raw": [] if response is None else [response]},
            "answer_attribution": [],
            "evaluation": {"score": float(value), "is_correct": bool(value == 1)},
        }
