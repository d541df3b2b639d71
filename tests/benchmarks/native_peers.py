"""The compiled peers of `bench_native`, and `rapidrouge`, which is Python: from a frame to the best score of each row.

Most take lists of strings. Users have columns, so these lists are made here, inside the time, and so is the best score
over the golds of a row. polars and DuckDB take the columns, and normalise a prediction once for all its golds.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

Scores = Mapping[str, Any]
Peer = Callable[[pd.DataFrame, Sequence[str], int], Scores]
"""From a frame, the metrics and the number of threads to scores by the metric's name."""

ROUGE_TYPES = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL"}


@dataclass(frozen=True, slots=True)
class Pairs:
    """Predictions and golds as lists, one pair each, and where the pairs of each row begin."""

    preds: list[str]
    golds: list[str]
    starts: list[int]

    def best(self, scores: Any) -> Any:
        """The largest score of each row."""
        return np.maximum.reduceat(np.asarray(scores, np.float64), self.starts)

    def normalised(self) -> tuple[list[str], list[str]]:
        """Lower-cased, with one space wherever white space is."""
        preds, golds = ([" ".join(text.lower().split()) for text in side] for side in (self.preds, self.golds))
        return preds, golds


def make_pairs(frame: pd.DataFrame) -> Pairs:
    preds, golds = lists(frame)
    starts = np.cumsum([0, *map(len, golds[:-1])]).tolist()
    repeated = [pred for pred, of_row in zip(preds, golds, strict=True) for _ in of_row]
    return Pairs(repeated, [gold for of_row in golds for gold in of_row], starts)


def lists(frame: pd.DataFrame) -> tuple[list[Any], list[Any]]:
    preds, golds = (column.to_pylist() for column in columns(frame).values())
    return preds, golds


def columns(frame: pd.DataFrame) -> dict[str, pa.ChunkedArray]:
    return {name: frame[name].array.__arrow_array__() for name in ("response", "answers")}


def best_of_golds(frame: pd.DataFrame, scores: Any) -> Any:
    """The largest score of each row, of scores that stand in the order of the golds."""
    n_golds = pc.list_value_length(columns(frame)["answers"]).to_numpy()
    return np.maximum.reduceat(np.asarray(scores, np.float64), np.cumsum(n_golds) - n_golds)


# --- ROUGE, BLEU, chrF


def rouge_score_rs(frame: pd.DataFrame, metrics: Sequence[str], _threads: int) -> Scores:
    from rouge_score_rs import rouge_scorer  # noqa: PLC0415  (optional)

    pairs, scorer = make_pairs(frame), rouge_scorer.RougeScorer([ROUGE_TYPES[metric] for metric in metrics])
    found = scorer.score_batch(pairs.golds, pairs.preds)
    return {metric: pairs.best([each[ROUGE_TYPES[metric]].fmeasure for each in found]) for metric in metrics}


def rapidrouge(frame: pd.DataFrame, _metrics: Sequence[str], _threads: int) -> Scores:
    from rapidrouge.rouge_scorer import RougeScorer  # noqa: PLC0415  (optional)

    pairs, scorer = make_pairs(frame), RougeScorer(["rougeL"])
    found = map(scorer.score, pairs.golds, pairs.preds)
    return {"rouge_l": pairs.best([each["rougeL"].fmeasure for each in found])}


def rouge_rust(frame: pd.DataFrame, metrics: Sequence[str], _threads: int) -> Scores:
    import fast_rouge  # noqa: PLC0415  (optional)

    pairs = make_pairs(frame)
    found = fast_rouge.score_batch_flat(pairs.golds, pairs.preds)
    return {metric: pairs.best(getattr(found, f"{ROUGE_TYPES[metric]}_fmeasure")) for metric in metrics}


def bleuscore(frame: pd.DataFrame, _metrics: Sequence[str], _threads: int) -> Scores:
    from bleuscore import compute  # noqa: PLC0415  (optional)

    pairs = make_pairs(frame)
    both = zip(pairs.preds, pairs.golds, strict=True)
    return {"bleu4": pairs.best([compute([[gold]], [pred], max_order=4)["bleu"] for pred, gold in both])}


def fastchrf(frame: pd.DataFrame, _metrics: Sequence[str], _threads: int) -> Scores:
    from fastchrf import pairwise_chrf  # noqa: PLC0415  (optional)

    preds, golds = lists(frame)
    found = pairwise_chrf([[pred] for pred in preds], golds)
    return {"chrf": [max(of_pred) / 100 for (of_pred,) in found]}


# --- edit distances


def cpdist(frame: pd.DataFrame, metrics: Sequence[str], threads: int) -> Scores:
    from rapidfuzz import process  # noqa: PLC0415
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

    (metric,) = metrics
    pairs = make_pairs(frame)
    found = process.cpdist(
        *pairs.normalised(),
        scorer=Levenshtein.normalized_similarity,
        score_cutoff=0.5 if metric == "anls" else None,
        dtype=np.float64,
        workers=threads,
    )
    return {metric: pairs.best(found)}


def polyleven(frame: pd.DataFrame, _metrics: Sequence[str], _threads: int) -> Scores:
    from polyleven import levenshtein  # noqa: PLC0415  (optional)

    pairs = make_pairs(frame)
    preds, golds = pairs.normalised()
    n_letters = np.fromiter(map(max, map(len, preds), map(len, golds)), np.int64, len(preds))
    distances = np.fromiter(map(levenshtein, preds, golds), np.int64, len(preds))
    return {"edit_similarity": pairs.best(1 - distances / np.maximum(n_letters, 1))}


def polars_ds(frame: pd.DataFrame, _metrics: Sequence[str], threads: int) -> Scores:
    from polars_ds import str_leven  # noqa: PLC0415  (optional)

    def normalise(text: Any) -> Any:
        return text.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()

    similarity = str_leven("pred", "gold", parallel=threads > 1, return_sim=True)
    return {"edit_similarity": best_of_golds(frame, polars_pairs(frame, normalise).select(similarity).to_series())}


def duckdb(frame: pd.DataFrame, _metrics: Sequence[str], threads: int) -> Scores:
    """Its `\\s` is white space of ASCII alone, and its `lower` makes one letter of İ, where Python makes two.

    Before version 2, its `levenshtein` counts bytes.
    """
    import duckdb as package  # noqa: PLC0415  (optional)

    def plain(text: str) -> str:
        letters = f"lower(replace({text}, 'İ', 'i̇'))"
        return rf"trim(regexp_replace({letters}, '[\s\x{{0B}}\x{{1C}}-\x{{1F}}\x{{85}}\p{{Z}}]+', ' ', 'g'))"

    query = f"""
        SELECT 1 - levenshtein(pred, gold) / greatest(length(pred), length(gold), 1) AS score
        FROM (SELECT pred, {plain("gold")} AS gold
              FROM (SELECT {plain("response")} AS pred, unnest(answers) AS gold FROM texts))
    """
    with package.connect(config={"threads": threads}) as connection:
        connection.register("texts", pa.table(columns(frame)))
        return {"edit_similarity": best_of_golds(frame, connection.sql(query).fetchnumpy()["score"])}


# --- exact match and contains


def polars_expressions(frame: pd.DataFrame, _metrics: Sequence[str], _threads: int) -> Scores:
    import polars as pl  # noqa: PLC0415  (optional)

    def normalise(text: Any) -> Any:
        letters = text.str.to_lowercase().str.replace_all(r"[!-/:-@\[-`{-~]", "")
        return letters.str.replace_all(r"\b(?:a|an|the)\b", " ").str.replace_all(r"\s+", " ").str.strip_chars()

    pred, gold = pl.col("pred"), pl.col("gold")
    found = polars_pairs(frame, normalise).select(em=pred == gold, contains=pred.str.contains(gold, literal=True))
    return {column.name: best_of_golds(frame, column) for column in found}


def polars_pairs(frame: pd.DataFrame, normalise: Callable[[Any], Any]) -> Any:
    """`pred` and `gold` of each pair, normalised."""
    import polars as pl  # noqa: PLC0415  (optional)

    texts = pl.DataFrame(columns(frame))
    rows = texts.lazy().select(pred=normalise(pl.col("response")), gold="answers")
    return rows.explode("gold").with_columns(normalise(pl.col("gold"))).collect()


# --- all of them

_LISTED: Mapping[tuple[str, ...], Mapping[str, Peer]] = {
    ("em", "contains"): {"polars": polars_expressions},
    ("rouge_l",): {"rouge-score-rs": rouge_score_rs, "rapidrouge": rapidrouge},
    ("rouge_1", "rouge_2", "rouge_l"): {"rouge-score-rs": rouge_score_rs, "rouge-rust": rouge_rust},
    ("bleu4",): {"bleuscore": bleuscore},
    ("chrf",): {"fastchrf": fastchrf},
    ("edit_similarity",): {"RapidFuzz": cpdist, "polyleven": polyleven, "polars-ds": polars_ds, "DuckDB": duckdb},
    ("anls",): {"RapidFuzz": cpdist},
}
_MODULES = {"rouge-rust": "fast_rouge"}


@cache
def installed_peers() -> Mapping[tuple[str, ...], Mapping[str, Peer]]:
    """By the metrics of one call, the peers that have them all; those that are not installed are named, once."""
    return {
        metrics: {package: peer for package, peer in peers.items() if is_installed(package)}
        for metrics, peers in _LISTED.items()
    }


@cache
def is_installed(package: str) -> bool:
    is_there = importlib.util.find_spec(_MODULES.get(package, package.lower().replace("-", "_"))) is not None
    if not is_there:
        sys.stderr.write(f"{package} is not installed, and is left out\n")
    return is_there
