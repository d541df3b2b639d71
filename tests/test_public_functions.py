"""All public functions give the same scores: memory, workers, files, engines and the command line, on published results."""

from __future__ import annotations

import importlib
import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qa_frame

DATA = Path(__file__).parents[2] / "shared" / "data"

pytestmark = [
    pytest.mark.whole,
    pytest.mark.thorough,
    pytest.mark.skipif(not DATA.is_dir(), reason="the published results are not part of the project"),
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore:.* times as long as the gold:qa_frame.errors.ScoringWarning"),
]

RULES = {"pred": "response", "gold": "answers"}
COLUMNS = ["model", "dataset", "question", "response", "answers"]


@pytest.fixture(scope="module", params=["openqa_eval", "evouna"])
def whole(request):
    """Some 10,000 rows, from everywhere in the results."""
    table = pq.read_table(DATA / f"{request.param}.parquet", columns=COLUMNS)
    return table.take(np.arange(0, len(table), max(1, len(table) // 10_000)))


@pytest.fixture(scope="module", params=["squad", "remem"])
def convention(request):
    return request.param


@pytest.fixture(scope="module")
def expected(whole, convention):
    """The scores and the summary of the whole table, in one process."""
    scores = qa_frame.score(whole, **RULES, convention=convention, append=False)
    scored = whole.to_pandas().qa.score(**RULES, convention=convention, stats=True)
    summary = scored.qa.summary(["model", "dataset"], ci=0.95)
    return scores, summary


@pytest.fixture(scope="module")
def ragged(whole, tmp_path_factory):
    """The same rows in seven files of very different sizes."""
    folder = tmp_path_factory.mktemp("ragged")
    bounds = [0, 1, 100, 3_000, 3_010, len(whole) // 2, len(whole) - 3, len(whole)]
    for number, (start, stop) in enumerate(itertools.pairwise(bounds)):
        pq.write_table(whole.slice(start, stop - start), folder / f"{number}.parquet", row_group_size=2_000)
    return folder


def same_scores(found: pa.Table, wanted: pa.Table) -> None:
    for name in wanted.column_names:
        left, right = (table[name].to_numpy(zero_copy_only=False) for table in (found, wanted))
        np.testing.assert_array_equal(left, right, err_msg=name)


def same_summary(found: pd.DataFrame, wanted: pd.DataFrame) -> None:
    if "model" in found:
        found = found.set_index(["model", "dataset"])
    assert found.index.tolist() == wanted.index.tolist()
    pd.testing.assert_frame_equal(found.set_axis(wanted.index), wanted, check_exact=True, check_dtype=False)


def test_workers(whole, convention, expected):
    same_scores(qa_frame.score(whole, **RULES, convention=convention, append=False, n_jobs=2), expected[0])


@pytest.mark.needs("files")
def test_files(ragged, convention, expected, tmp_path):
    qa_frame.score_files(ragged, tmp_path / "out", **RULES, convention=convention)
    scored = pa.concat_tables([pq.read_table(path) for path in sorted((tmp_path / "out").iterdir())])
    same_scores(scored, expected[0])
    by = ["model", "dataset"]
    same_summary(qa_frame.summary_files(ragged, by, **RULES, convention=convention, ci=0.95), expected[1])
    wanted = expected[1].filter(regex="^(?!corpus_bleu|f1_micro)")
    same_summary(qa_frame.summary_files(tmp_path / "out", by, ci=0.95), wanted)


@pytest.mark.needs("engines")
def test_polars(whole, convention, expected):
    importlib.import_module("qa_frame.engines.polars")
    frame = pl.from_arrow(whole)
    scored = frame.lazy().qa.score(**RULES, convention=convention, append=False)
    for engine in ("in-memory", "streaming"):
        same_scores(scored.collect(engine=engine).to_arrow(), expected[0])
    scored = frame.lazy().qa.score(**RULES, convention=convention, stats=True)
    summary = scored.qa.summary(["model", "dataset"], ci=0.95)
    same_summary(summary.to_pandas(), expected[1])


@pytest.mark.needs("engines")
def test_dask(whole, convention, expected):
    dask = pytest.importorskip("dask", reason="dask is not installed")
    dd = importlib.import_module("dask.dataframe")
    importlib.import_module("qa_frame.engines.dask")
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dd.from_pandas(whole.to_pandas(types_mapper=pd.ArrowDtype), npartitions=5, sort=False)
        scored = frame.qa.score(**RULES, convention=convention, append=False).compute()
        same_scores(pa.Table.from_pandas(scored, preserve_index=False), expected[0])
        scored = frame.qa.score(**RULES, convention=convention, stats=True)
        summary = scored.qa.summary(["model", "dataset"], ci=0.95)
    same_summary(summary, expected[1])


@pytest.mark.needs("shell")
def test_the_command_line(ragged, convention, expected, tmp_path, capsys):
    main = importlib.import_module("qa_frame.ext.shell").main
    names = ["--pred", "response", "--gold", "answers", "--convention", convention]
    assert main(["score", str(ragged), "-o", f"{tmp_path / 'out'}/", *names]) == 0
    scored = pa.concat_tables([pq.read_table(path) for path in sorted((tmp_path / "out").iterdir())])
    same_scores(scored, expected[0])
    capsys.readouterr()
    assert main(["summary", str(ragged), "--by", "model,dataset", "--ci", "0.95", "--json", *names]) == 0
    found = pd.DataFrame(json.loads(capsys.readouterr().out))
    wanted = expected[1].filter(regex="^(?!corpus_bleu|f1_micro)")  # which the command shows where they are asked for
    same_summary(found.astype(dict.fromkeys(["n_missing", "n_no_gold"], "Int64")), wanted)
