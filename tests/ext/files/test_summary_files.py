"""Summaries of files: those of all rows in one frame, to the last bit."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qa_frame
from qa_frame.ext.files import inputs, json_lines, parquet_files
from qa_frame.tables.row_sums import RowSums
from tests.ext.files.test_score_files import RULES, TABLE, cut_ragged, read_lines, to_lines
from tests.scored_first import scored_first

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(parquet_files, "_ROWS_AT_ONCE", 100)
    monkeypatch.setattr(json_lines, "_BYTES_AT_ONCE", 20_000)
    monkeypatch.setattr(inputs, "_FEWEST_ROWS", 50)


@pytest.fixture(params=["both", *(pytest.param(kind, marks=pytest.mark.thorough) for kind in ("parquet", "jsonl"))])
def runs(request, tmp_path):
    """The table in seven ragged files."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for number, part in enumerate(cut_ragged(TABLE)):
        if request.param == "parquet" or (request.param == "both" and number % 2):
            pq.write_table(part, folder / f"part-{number}.parquet")
        else:
            to_lines(part, folder / f"part-{number}.jsonl")
    return folder


def same(found, wanted):
    pd.testing.assert_frame_equal(found, wanted, check_exact=True)
    assert found.attrs == wanted.attrs


WHOLE = TABLE.to_pandas()


def of_files(source, by, *, ci=None, n_jobs=1, rows=False, asking, **options):
    """The summary of files by a Pool."""
    pool = qa_frame.summary_files(source, by, as_pool="rows" if rows else "sums", n_jobs=n_jobs, **options)
    return pool.summary(ci=ci, **asking)


def pooled(by, **options):
    """The summary of one frame with the rows of all files."""
    scored, others = scored_first(WHOLE, options, stats=True)
    return qa_frame.summary(scored, by, **others)


@pytest.mark.parametrize(("convention", "n_jobs"), [("squad", 1), ("context_bench", 2), ("remem", None)])
def test_the_summary_of_files_is_that_of_one_frame(runs, convention, n_jobs):
    options = {**RULES, "convention": convention, "ci": 0.95}
    for by in (None, "model", ["dataset", "model"]):
        same(qa_frame.summary_files(runs, by, n_jobs=n_jobs, **options), pooled(by, **options))
        found = of_files(runs, by, n_jobs=n_jobs, asking={"percent": True}, **options)
        same(found, pooled(by, **options, percent=True))


BOOTSTRAP = {"method": "bootstrap", "n_resamples": 50}


@pytest.mark.parametrize(
    ("options", "asking"),
    [
        ({"cluster": "question_id", "ci": 0.9}, {}),
        ({"ci": 0.95, "rows": True}, BOOTSTRAP),
        ({"ci": 0.95, "cluster": "question_id"}, BOOTSTRAP),
        ({"missing": "null", "reduce": "best", "metrics": ["em", "f1", "precision"]}, {}),
        ({"metrics": ["f1", "f1_median"], "ci": 0.9, "rows": True}, {"n_resamples": 50}),
        ({"ci": 0.95, "macro": "dataset"}, {"weights": "size", "datasets": "random"}),
        ({"question": ["question_id", "dataset"], "threshold": 0.3}, {"pass_at": 1, "pass_all": 1}),
        ({"ci": 0.95}, {"long": True}),
        ({}, {"dropna": True, "observed": False}),
    ],
    ids=str,
)
def test_every_option(runs, options, asking):
    found = of_files(runs, "model", asking=asking, **RULES, **options)
    others = {name: value for name, value in options.items() if name != "rows"}
    same(found, pooled("model", **RULES, **others, **asking))


def by_length(preds, golds):
    return [len(pred) / (1 + len(pred) + len(gold)) for pred, gold in zip(preds, golds, strict=True)]


@pytest.mark.parametrize("is_scored", [False, True])
def test_the_pools_of_two_machines_are_that_of_all_files(runs, tmp_path, is_scored):
    """Whichever is merged into which, and after a pickle."""
    own = qa_frame.PairMetric("length", by_length)
    source, options = runs, {**RULES, "metrics": ["em", "f1", "corpus_bleu", own], "cluster": "question_id"}
    if is_scored:
        qa_frame.score_files(runs, tmp_path / "scored", **RULES, stats=True, n_jobs=1)
        source, options = tmp_path / "scored", {"cluster": "question_id"}
    files = sorted(path for path in source.iterdir() if path.suffix in {".parquet", ".jsonl"})
    parts = [
        qa_frame.summary_files(part, "model", n_jobs=1, as_pool="sums", **options) for part in (files[:3], files[3:])
    ]
    sent = [pickle.dumps(part) for part in parts]
    wanted = qa_frame.summary_files(source, "model", ci=0.95, n_jobs=1, **options)
    for here, there in (sent, sent[::-1]):
        same(pickle.loads(here).merge(pickle.loads(there)).summary(ci=0.95), wanted)
    whole = qa_frame.summary_files(source, "model", as_pool="sums", n_jobs=1, **options).summary(ci=0.95, percent=True)
    same(parts[0].merge(parts[1]).summary(ci=0.95, percent=True), whole)


def test_a_pool_of_files_and_one_of_frames_are_merged(runs):
    part = pq.read_table(runs / "part-1.parquet").to_pandas() if (runs / "part-1.parquet").exists() else WHOLE[:40]
    both = qa_frame.summary_files(runs, "model", as_pool="sums", n_jobs=1, **RULES)
    both.merge(qa_frame.Pool("model").update(part.qa.score(**RULES, stats=True)))
    twice = pd.concat([WHOLE, part]).qa.score(**RULES, stats=True)
    same(both.summary(ci=0.9), twice.qa.summary("model", ci=0.9))


@pytest.mark.parametrize("n_jobs", [pytest.param(1, marks=pytest.mark.thorough), 2])
@pytest.mark.thorough
def test_scored_files_are_summarised_from_their_scores(runs, tmp_path, n_jobs):
    qa_frame.score_files(runs, tmp_path / "scored", **RULES, stats=True, n_jobs=1)
    scored = WHOLE.qa.score("response", "answers", stats=True)
    found = qa_frame.summary_files(tmp_path / "scored", "model", ci=0.95, n_jobs=n_jobs)
    wanted = qa_frame.summary(scored, "model", ci=0.95)
    same(found, wanted)
    for note in [*(tmp_path / "scored").glob(".*.qa_frame.json")][:1]:  # then its lines do not say how they were scored
        note.unlink()
        assert qa_frame.summary_files(tmp_path / "scored", n_jobs=1)[["n_missing", "n_no_gold"]].isna().all(axis=None)


def test_only_the_needed_columns_are_read(tmp_path, monkeypatch):
    pq.write_table(TABLE, tmp_path / "run.parquet")
    read = []
    original = parquet_files.ParquetInput.tables

    def tables(self, *, most_rows, columns):
        read.append(columns)
        return original(self, most_rows=most_rows, columns=columns)

    monkeypatch.setattr(parquet_files.ParquetInput, "tables", tables)
    qa_frame.summary_files(tmp_path / "run.parquet", "model", n_jobs=1, **RULES)
    assert [set(columns) for columns in read] == [{"model", "response", "answers"}]


@pytest.mark.parametrize("suffix", ["parquet", pytest.param("jsonl", marks=pytest.mark.thorough)])
def test_folders_are_columns(tmp_path, suffix):
    for (model, dataset), rows in WHOLE.groupby(["model", "dataset"]):
        folder = tmp_path / f"model={model}" / f"dataset={dataset}"
        folder.mkdir(parents=True)
        part = pa.Table.from_pandas(rows.drop(columns=["model", "dataset"]), preserve_index=False)
        if suffix == "parquet":
            pq.write_table(part, folder / "run.parquet")
        else:
            to_lines(part, folder / "run.jsonl")
    wanted = pooled(["model", "dataset"], **RULES)
    same(qa_frame.summary_files(tmp_path, ["model", "dataset"], n_jobs=1, **RULES), wanted)
    same(qa_frame.summary_files(tmp_path, "model", n_jobs=2, **RULES), pooled("model", **RULES))


def test_a_column_of_a_file_comes_before_a_key_of_its_folder(tmp_path):
    (tmp_path / "model=other").mkdir()
    pq.write_table(TABLE, tmp_path / "model=other" / "run.parquet")
    same(qa_frame.summary_files(tmp_path, "model", n_jobs=1, **RULES), pooled("model", **RULES))


def test_lines_need_not_have_every_value(tmp_path):
    path = tmp_path / "run.jsonl"
    lines = [{"response": "Paris", "answers": ["Paris"], "model": "a"}, {"answers": ["Rome"]}, {"response": "Rome"}]
    path.write_text("\n\n".join(map(json.dumps, lines)) + "\n\n", "utf-8")
    found = qa_frame.summary_files(path, "model", metrics="em", n_jobs=1, **RULES)
    assert found[["n_rows", "n", "n_missing", "n_no_gold"]].to_numpy().tolist() == [[1, 1, 0, 0], [2, 1, 1, 1]]
    scored = tmp_path / "scored.jsonl"
    qa_frame.score_files(path, scored, metrics="em", n_jobs=1, **RULES)
    assert [line["em"] for line in read_lines(scored)] == [1.0, 0.0, None]


# --- what cannot be done


def refuses(error, match, *arguments, **options):
    with pytest.raises(error, match=match):
        qa_frame.summary_files(*arguments, **{**RULES, "n_jobs": 1, **options})


@pytest.mark.thorough
def test_types_that_differ_are_named(tmp_path):
    pq.write_table(TABLE, tmp_path / "1.parquet")
    numbers = TABLE.set_column(TABLE.column_names.index("model"), "model", pa.array(range(len(TABLE))))
    pq.write_table(numbers, tmp_path / "2.parquet")
    refuses(
        qa_frame.errors.ResultFileError,
        r"2\.parquet: column 'model' is int64, where .*1\.parquet has",
        tmp_path,
        "model",
    )
    text = numbers.set_column(TABLE.column_names.index("model"), "model", TABLE["model"].dictionary_encode())
    pq.write_table(text, tmp_path / "2.parquet")
    assert qa_frame.summary_files(tmp_path, "model", n_jobs=1, **RULES)["n_rows"].sum() == 2 * len(TABLE)


def test_what_is_missing_is_named(runs):
    first = min(runs.iterdir()).name
    refuses(
        qa_frame.errors.ColumnNotFoundError,
        rf"{first}: by='modle' is not a column; did you mean 'model'",
        runs,
        "modle",
    )
    refuses(qa_frame.errors.ColumnNotFoundError, rf"{first}: cluster='x'", runs, cluster="x")
    refuses(qa_frame.errors.ColumnNotFoundError, rf"{first}: gold='golds'", runs, gold="golds")
    refuses(qa_frame.errors.ColumnNotFoundError, "part-.*has no score column", runs, pred=None, gold=None)


def test_wrong_arguments(runs):
    refuses(qa_frame.errors.UnknownOptionError, "by=<built-in function", runs, len)
    refuses(qa_frame.errors.UnknownOptionError, "give a name", runs, [WHOLE["model"]])
    refuses(qa_frame.errors.UnknownOptionError, "ci=2", runs, ci=2)
    refuses(qa_frame.errors.UnknownOptionError, "n_jobs=0", runs, n_jobs=0)
    refuses(qa_frame.errors.UnknownOptionError, "pred is given without gold", runs, gold=None)
    refuses(qa_frame.errors.UnknownOptionError, r"as_pool=True is not known.* \['sums', 'rows'\]", runs, as_pool=True)
    refuses(qa_frame.errors.UnknownOptionError, r"ci=0\.9.*\.summary\(ci=0\.9\)", runs, as_pool="sums", ci=0.9)
    refuses(
        qa_frame.errors.UnknownOptionError, "f1_median.* all rows", runs, as_pool="sums", metrics=["f1", "f1_median"]
    )


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch):
    """However long a file is, only a few pieces of it are held."""
    monkeypatch.setattr(parquet_files, "_ROWS_AT_ONCE", 1000)
    held, most = 0, 0
    original = parquet_files.ParquetInput.tables

    def tables(self, **options):
        nonlocal held, most
        for table in original(self, **options):
            held += 1
            most = max(most, held)
            yield table

    def merge(self, other):
        nonlocal held
        held -= 1
        return original_merge(self, other)

    original_merge = RowSums.merge
    monkeypatch.setattr(parquet_files.ParquetInput, "tables", tables)
    monkeypatch.setattr(RowSums, "merge", merge)
    pq.write_table(pa.concat_tables([TABLE] * 30), tmp_path / "run.parquet")
    qa_frame.summary_files(tmp_path / "run.parquet", n_jobs=2, metrics="em", **RULES)
    assert 0 < most < 15


@pytest.mark.thorough
@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_a_folder_whose_key_is_null(tmp_path, suffix):
    for key in ("a", "__HIVE_DEFAULT_PARTITION__"):
        folder = tmp_path / f"run={key}"
        folder.mkdir()
        write = pq.write_table if suffix == "parquet" else to_lines
        write(TABLE, folder / f"x.{suffix}")
    found = qa_frame.summary_files(tmp_path, "run", n_jobs=1, **RULES)
    assert found["n_rows"].tolist() == [len(TABLE)] * 2
    assert found.index.isna().tolist() == [False, True]


# --- patterns in the notes of files

OTHER_PROCESS = """
import re, sys, pandas as pd, qa_frame
from tests.scored_first import scored_first
frame = pd.DataFrame({"response": ["It is 12.", "none", "a" * 50 + "b", None], "answers": [["12"]] * 4})
scored = frame.qa.score("response", "answers", metrics="em", extract=re.compile(sys.argv[2], re.IGNORECASE))
scored.to_parquet(sys.argv[1])
"""


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::qa_frame.errors.ExtractionWarning")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_pattern_of_a_note_is_run_only_if_it_is_given(tmp_path, n_jobs):
    row = {"response": "It is 7", "answers": ["7"]}
    (tmp_path / "run.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    pattern = rf"\d+|note{n_jobs}"  # which no other test gives
    code = "import re, sys, qa_frame; qa_frame.score_files(*sys.argv[1:3], pred='response', gold='answers', n_jobs=1, "
    code += "metrics='em', extract=re.compile(sys.argv[3]))"
    paths = [tmp_path / "run.jsonl", tmp_path / "scored"]
    subprocess.run([sys.executable, "-c", code, *paths, pattern], check=True)
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=r"run\.jsonl: its notes say that its scores are those"):
        found = qa_frame.summary_files(paths[1], n_jobs=n_jobs)
    assert found[["n_missing", "n_no_gold"]].isna().all(axis=None)
    given = qa_frame.summary_files(paths[0], **RULES, metrics="em", extract=re.compile(pattern), n_jobs=1)
    assert qa_frame.summary_files(paths[1], n_jobs=n_jobs)["n_missing"].tolist() == given["n_missing"].tolist() == [0]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::qa_frame.errors.ExtractionWarning")
@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_pattern_of_a_file_is_run_only_if_it_is_given(tmp_path, n_jobs):
    path = tmp_path / "run.parquet"
    pattern = rf"\d+|{n_jobs}"  # which no other test gives
    subprocess.run([sys.executable, "-c", OTHER_PROCESS, path, pattern], check=True)
    said = re.escape(f"its notes say that its scores are those of answers which re.compile({pattern!r}, 2) found")
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=rf"run\.parquet: {said}"):
        found = qa_frame.summary_files(path, n_jobs=n_jobs)
    for read in (pd.read_parquet, pq.read_table):
        with pytest.warns(qa_frame.errors.ResultFileWarning, match=f"data: {said}"):
            table = qa_frame.summary(read(path))
        assert pd.isna(
            pd.DataFrame(table if isinstance(table, pd.DataFrame) else table.to_pydict())["n_missing"].iloc[0]
        )
    assert found[["n_missing", "n_no_gold"]].isna().all(axis=None)
    assert found["em"].tolist() == [0.25]
    given = qa_frame.summary_files(path, n_jobs=n_jobs, extract=re.compile(pattern, re.IGNORECASE))
    assert given[["n_rows", "n_missing", "n_not_extracted", "em"]].to_numpy().tolist() == [[4, 3, 2, 0.25]]
    same(qa_frame.summary_files(path, n_jobs=n_jobs), given)
    same(qa_frame.summary(pd.read_parquet(path)), given)


@pytest.mark.filterwarnings("ignore::qa_frame.errors.ExtractionWarning")
def test_a_pattern_of_a_file_does_no_harm(tmp_path):
    """It would take hours."""
    path = tmp_path / "run.parquet"
    frame = pd.DataFrame({"response": ["It is 12.", "none", "a" * 50 + "b", None], "answers": [["12"]] * 4})
    frame.qa.score("response", "answers", metrics="em", extract=re.compile("a$", re.IGNORECASE)).to_parquet(path)
    table = pq.read_table(path)
    for pattern in ('"(a+)+$"', '["a"]', "7", "null", '"("'):
        metadata = {key: value.replace(b'"a$"', pattern.encode()) for key, value in table.schema.metadata.items()}
        assert metadata != table.schema.metadata
        pq.write_table(table.replace_schema_metadata(metadata), tmp_path / "bad.parquet")
        with pytest.warns(qa_frame.errors.ResultFileWarning, match="a pattern that comes with data and is not run"):
            assert qa_frame.summary_files(tmp_path / "bad.parquet", n_jobs=1)["n_rows"].tolist() == [4]
        with pytest.warns(qa_frame.errors.ResultFileWarning, match="a pattern that comes with data and is not run"):
            assert qa_frame.summary(pd.read_parquet(tmp_path / "bad.parquet"))["n_rows"].tolist() == [4]


def test_files_of_other_rules_are_refused_by_their_marks(tmp_path):
    """As of files whose scoring metadata is lost: their column of rules still tells the two apart."""
    for name in ("squad", "helm"):
        scored = qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"], convention=name)
        scored.to_json(tmp_path / f"{name}.jsonl", orient="records", lines=True)
    with pytest.raises(qa_frame.errors.PoolMismatchError, match="the rules of 'em' differ"):
        qa_frame.summary_files([tmp_path / "squad.jsonl", tmp_path / "helm.jsonl"], "model")
