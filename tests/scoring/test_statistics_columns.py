"""The statistics that `score(stats=True)` adds are all that is needed to pool later, elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest
import sacrebleu

import qa_frame
from qa_frame.scoring.metrics import STATISTICS

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "statistics.ipynb"


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", stats=True)


def sql_of_the_notebook() -> str:
    """The query that users are shown."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    (query,) = re.findall(r"```sql\n(.*?)```", "".join("".join(cell["source"]) for cell in cells), flags=re.DOTALL)
    return query


def test_sums_in_sql_give_what_summary_gives(scored, tmp_path):
    path = tmp_path / "scored.parquet"
    scored.to_parquet(path)
    assert {str(pq.read_schema(path).field(name).type) for name in STATISTICS} == {"int64"}
    connection = duckdb.connect()
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
    summary = sample.qa.summary(by=by, pred="response", gold="answers", reduce=reduce)
    for group, rows in sample[has_golds].groupby(by):
        golds = [list(golds)[: 1 if reduce == "first" else None] for golds in rows["answers"]]
        longest = max(map(len, golds))
        references = [[each[place] if place < len(each) else None for each in golds] for place in range(longest)]
        expected = sacrebleu.corpus_bleu(rows["response"].tolist(), references, smooth_method="none").score / 100
        assert summary.loc[group, "corpus_bleu"] == pytest.approx(expected, rel=1e-12)
