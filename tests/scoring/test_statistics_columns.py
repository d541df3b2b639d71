"""The statistics that `score(stats=True)` adds: plain counts, and all that is needed to pool later, elsewhere."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sacrebleu
from hypothesis import given, settings

import qa_frame
from qa_frame import conventions
from qa_frame.scoring.metrics import ALL_STATISTICS, BLEU_STATISTICS, METRICS, STATISTICS
from qa_frame.scoring.metrics.chrf import CHRF_STATISTICS
from qa_frame.scoring.metrics.overlap import OVERLAP_STATISTICS
from tests.reference import kernels as twins
from tests.reference.oracles import mteval_tokens, normalize_answer
from tests.reference.oracles_of_conventions import (
    common_run,
    first_line,
    mixed_segmentation,
    squad2_golds,
)
from tests.strategies import Row, each_convention, frames

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "statistics.ipynb"

# --- plain counts

Tokeniser = Callable[[str], list[object]]


def squad_tokens(text: str) -> list[object]:
    return list(normalize_answer(text).split())


def sacrebleu_tokens(text: str) -> list[object]:
    return list(mteval_tokens(text.rstrip()))


def multiset(left: list[object], right: list[object]) -> int:
    return (Counter(left) & Counter(right)).total()


OVERLAP_TOKENS: dict[str, tuple[Tokeniser, Callable[[list[object], list[object]], int]]] = {
    "squad": (squad_tokens, multiset),
    "squad2": (squad_tokens, multiset),
    "mindformers": (lambda text: list(mixed_segmentation(text)), common_run),
}
BLEU_TOKENS: dict[str, Tokeniser] = {"squad": sacrebleu_tokens, "squad2": sacrebleu_tokens}


def golds_of(name: str, golds: list[str]) -> list[str]:
    counting = squad2_golds(golds)
    return counting if name == "squad2" and (counting != [""] or not golds) else golds


def statistics_of(name: str, pred: str | None, golds: list[str], *, reduce: str, missing: str) -> list[int]:
    """The statistics of one row, by hand."""
    golds = golds_of(name, golds)
    n_statistics = len(OVERLAP_STATISTICS) + (len(BLEU_STATISTICS) if name in BLEU_TOKENS else 0)
    if not golds or (pred is None and missing == "null"):
        return [0] * n_statistics
    pred = first_line(pred or "") if name == "mindformers" else pred or ""
    tokens, common = OVERLAP_TOKENS[name]
    f1 = score_pairs(name, pred, golds)
    winner = golds[0] if reduce == "first" else golds[f1.index(max(f1))]
    found = [common(tokens(winner), tokens(pred)), len(tokens(pred)), len(tokens(winner))]
    if name in BLEU_TOKENS:
        cut = BLEU_TOKENS[name]
        counted = [cut(gold) for gold in (golds[:1] if reduce == "first" else golds)]
        found += twins.clipped_over_golds(cut(pred), counted, orders=4)
        found += [len(cut(pred)), twins.closest_length(cut(pred), counted)]
    return found


def score_pairs(name: str, pred: str, golds: list[str]) -> list[float]:
    """F1 of each gold; equals are equals as the package rounds."""
    frame = pd.DataFrame({"pred": [pred] * len(golds), "gold": golds}, dtype="string")
    return frame.qa.score("pred", "gold", metrics="f1", convention=name)["f1"].to_list()


def rows_with_gaps(rows: list[Row]) -> list[tuple[str | None, list[str]]]:
    return [*rows, (None, rows[0][1]), (rows[0][0], []), ("", ["", *rows[0][1]])]


def with_stats(rows: list[tuple[str | None, list[str]]], name: str, **options: object) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    frame = frame.astype({"pred": "string"})
    return frame.qa.score("pred", "golds", convention=name, stats=True, append=False, **options)


@pytest.mark.thorough
@pytest.mark.parametrize("name", each_convention(OVERLAP_TOKENS))
@settings(deadline=None, max_examples=8)
@given(rows=frames(max_rows=4))
def test_statistics_are_plain_counts(name, rows):
    gaps = rows_with_gaps(rows)
    for reduce, missing in (("max", "zero"), ("first", "null"), ("best", "null"), ("mean", "zero")):
        scored = with_stats(gaps, name, reduce=reduce, missing=missing)
        columns = [column for column in scored if column in STATISTICS]
        assert (scored[columns].dtypes == np.int64).all()
        expected = [statistics_of(name, *row, reduce=reduce, missing=missing) for row in gaps]
        assert scored[columns].to_numpy().tolist() == expected


def counts_overlap(name: str) -> bool:
    """Whether there are statistics of the overlap: not where answers may be lists."""
    rules = conventions[name]
    return METRICS["f1"].is_in(rules) and not rules.spans


@pytest.mark.parametrize("name", each_convention(filter(counts_overlap, conventions)))
@pytest.mark.parametrize("reduce", ["first", "best"])
def test_precision_and_recall_follow_from_the_statistics(name, reduce):
    metrics = ["f1", "precision", "recall"]
    frame = qa_frame.sample()
    scored = frame.qa.score("response", "answers", metrics=metrics, convention=name, reduce=reduce, stats=True)
    scored = scored[(scored["pred_len"] > 0) & (scored["gold_len"] > 0)]
    assert len(scored) > 50  # few texts hold numbers, which are all tokens of some conventions
    digits = conventions[name].overlap.digits
    for metric, length in (("precision", "pred_len"), ("recall", "gold_len")):
        expected = (scored["overlap"] / scored[length]).tolist()
        assert scored[metric].tolist() == [value if digits is None else round(value, digits) for value in expected]


@pytest.mark.parametrize("name", each_convention(conventions))
def test_statistics_stand_behind_the_scores(name):
    rows = [("a cat", ["cat", "the cat sat"])]
    plain = with_stats(rows, name).drop(columns=list(ALL_STATISTICS), errors="ignore")
    pd.testing.assert_frame_equal(plain, score_rows(rows, name))
    columns = list(with_stats(rows, name))
    has_bleu = conventions[name].bleu or conventions[name].bleu_n
    expected = [*(OVERLAP_STATISTICS if counts_overlap(name) else ()), *(BLEU_STATISTICS if has_bleu else ())]
    expected += [each for metric in plain for each in CHRF_STATISTICS.get(metric, ())]
    assert columns == [*plain, *expected]
    prefixed = with_stats(rows, name, prefix="x_")
    assert list(prefixed) == [f"x_{column}" for column in columns]


def score_rows(rows: list[tuple[str | None, list[str]]], name: str) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    return frame.qa.score("pred", "golds", convention=name, append=False)


def test_statistics_of_arrow_tables_are_integers():
    table = pa.table({"pred": ["a cat", None], "golds": [["cat"], None]})
    scored = qa_frame.score(table, "pred", "golds", metrics="em", stats=True, append=False)
    assert scored.column_names == ["em", *STATISTICS]
    assert {str(scored.schema.field(name).type) for name in STATISTICS} == {"int64"}
    assert scored.slice(1).to_pylist() == [{"em": None, **dict.fromkeys(STATISTICS, 0)}]


@settings(deadline=None, max_examples=25)
@given(rows=frames(max_rows=4))
def test_statistics_of_a_row_are_those_of_sacrebleu(rows):
    scored = with_stats(rows, "squad")
    for (pred, golds), found in zip(rows, scored[list(BLEU_STATISTICS)].to_numpy().tolist(), strict=True):
        peer = sacrebleu.corpus_bleu([pred], [[gold] for gold in golds], smooth_method="none")
        assert found == [*peer.counts, peer.sys_len, peer.ref_len]
        assert [max(found[4] - order, 0) for order in range(4)] == peer.totals


def corpus_bleu(scored: pd.DataFrame) -> float:
    """From sums alone."""
    total = scored[list(BLEU_STATISTICS)].sum()
    lengths = scored["bleu_pred_len"].to_numpy()
    possible = [np.maximum(lengths - order, 0).sum() for order in range(4)]
    matches = [total[f"bleu_match{order}"] for order in (1, 2, 3, 4)]
    if not all(matches):
        return 0.0
    precisions = np.log(np.array(matches) / np.array(possible)).mean()
    return float(np.exp(min(0.0, 1 - total["bleu_ref_len"] / total["bleu_pred_len"]) + precisions))


@settings(deadline=None, max_examples=25)
@given(rows=frames(max_rows=6))
def test_sums_of_statistics_are_the_corpus_bleu_of_sacrebleu(rows):
    rows = [*rows, ("the cat sat on the mat", ["the cat sat on a mat", "a cat sat on the mat"])]
    most = max(len(golds) for _, golds in rows)
    refs = [[golds[place] if place < len(golds) else None for _, golds in rows] for place in range(most)]
    peer = sacrebleu.corpus_bleu([pred for pred, _ in rows], refs, smooth_method="none")
    assert corpus_bleu(with_stats(rows, "squad")) == pytest.approx(peer.score / 100, rel=0, abs=1e-9)


# --- pooled elsewhere


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", stats=True)


def sql_of_the_notebook() -> str:
    """The query that users are shown."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    (query,) = re.findall(r"```sql\n(.*?)```", "".join("".join(cell["source"]) for cell in cells), flags=re.DOTALL)
    return query


@pytest.mark.whole
def test_sums_in_sql_give_what_summary_gives(scored, tmp_path):
    path = tmp_path / "scored.parquet"
    scored.to_parquet(path)
    assert {str(pq.read_schema(path).field(name).type) for name in STATISTICS} == {"int64"}
    connection = pytest.importorskip("duckdb").connect()
    connection.execute(f"CREATE VIEW scored AS SELECT * FROM read_parquet('{path}')")
    rows = connection.execute(sql_of_the_notebook() + " ORDER BY model").fetchall()
    pooled = pd.DataFrame(rows, columns=["model", "corpus_bleu", "f1_micro"]).set_index("model")
    summary = pd.read_parquet(path).qa.summary(by="model")
    pd.testing.assert_frame_equal(pooled, summary[["corpus_bleu", "f1_micro"]], rtol=1e-12)


@pytest.mark.parametrize("reduce", ["max", "first"])
@pytest.mark.parametrize("by", ["model", "dataset"])
def test_corpus_bleu_is_sacrebleus(reduce, by):
    """With first golds alone it is HF `evaluate`'s, but for white space at a text's end."""
    sample = qa_frame.sample()
    sample["response"] = sample["response"].fillna("").str.rstrip()
    has_golds = sample["answers"].map(lambda golds: golds is not None and len(golds) > 0)
    summary = sample.qa.score(pred="response", gold="answers", reduce=reduce, stats=True).qa.summary(by=by)
    for group, rows in sample[has_golds].groupby(by):
        golds = [list(golds)[: 1 if reduce == "first" else None] for golds in rows["answers"]]
        longest = max(map(len, golds))
        references = [[each[place] if place < len(each) else None for each in golds] for place in range(longest)]
        expected = sacrebleu.corpus_bleu(rows["response"].tolist(), references, smooth_method="none").score / 100
        assert summary.loc[group, "corpus_bleu"] == pytest.approx(expected, rel=1e-12)
