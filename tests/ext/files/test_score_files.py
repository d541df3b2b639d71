"""Files scored in a stream: the same numbers as in memory, files kept as they were, and nothing half written."""

from __future__ import annotations

import contextlib
import gc
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qa_frame
from qa_frame import replacement
from qa_frame.ext.files import inputs, json_lines, parquet_files
from qa_frame.ext.files.inputs import find_inputs

NAMES = ["em", "f1", "recall", "contains", "rouge_l", "bleu"]
RULES = {"pred": "response", "gold": "answers"}


def make_table(n_copies: int = 2) -> pa.Table:
    """The sample some times over, with a column of each kind that a file may have."""
    sample = pd.concat([qa_frame.sample()] * n_copies, ignore_index=True)
    table = pa.Table.from_pandas(sample, preserve_index=False).replace_schema_metadata({"made by": "a run"})
    rows = np.arange(len(sample))
    extra = {
        "rank": pa.array(rows, pa.uint16()),
        "when": pa.array(rows * 10**9, pa.timestamp("us", "UTC")),
        "context": pa.array([[{"title": str(row), "score": row / 7}] for row in rows]),
        "kind": pa.array(rows % 3).cast(pa.string()).dictionary_encode(),
    }
    for name, column in extra.items():
        table = table.append_column(name, column)
    return table


TABLE = make_table()


def cut_ragged(table: pa.Table, n_parts: int = 7) -> list[pa.Table]:
    bounds = np.sort(np.random.default_rng(0).integers(0, len(table), n_parts - 1)).tolist()
    return [table.slice(a, b - a) for a, b in zip([0, *bounds], [*bounds, len(table)], strict=True)]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Let small files have many pieces."""
    monkeypatch.setattr(parquet_files, "_ROWS_AT_ONCE", 100)
    monkeypatch.setattr(json_lines, "_BYTES_AT_ONCE", 20_000)
    monkeypatch.setattr(inputs, "_FEWEST_ROWS", 50)


@pytest.fixture
def runs(tmp_path):
    """A folder with seven ragged files, one of them without rows."""
    folder = tmp_path / "runs"
    folder.mkdir()
    parts = [*cut_ragged(TABLE, 6), TABLE.slice(0, 0)]
    for number, part in enumerate(parts):
        pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=40, compression="gzip")
    return folder


def to_lines(table: pa.Table, path: Path) -> Path:
    lines = [json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist()]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def expected(table: pa.Table = TABLE, **options) -> pa.Table:
    return qa_frame.score(table, "response", "answers", append=False, **options)


# --- the same numbers


@pytest.mark.parametrize(("convention", "n_jobs"), [("squad", 1), ("context_bench", 2), ("remem", None)])
def test_scores_of_files_are_those_in_memory(tmp_path, runs, convention, n_jobs):
    done = qa_frame.score_files(runs, tmp_path / "out", **RULES, convention=convention, stats=True, n_jobs=n_jobs)
    files = sorted((tmp_path / "out").iterdir())
    assert [file.name for file in files] == [f"part-{number}.parquet" for number in range(7)]
    found = pa.concat_tables([pq.read_table(file) for file in files])
    wanted = expected(convention=convention, stats=True)
    assert found.select(wanted.column_names).equals(wanted)
    assert found.select(TABLE.column_names).equals(TABLE)
    assert done["status"].eq("written").all()
    sums = done[["n_rows", "n_missing", "n_no_gold"]].sum()
    assert sums.tolist() == [720, TABLE["response"].null_count, 30]


@pytest.mark.parametrize(("suffix", "n_jobs"), [(".jsonl", 2), (".jsonl.gz", 1), (".jsonl.zst", 2), (".ndjson", 1)])
def test_lines_get_scores_at_their_ends(tmp_path, suffix, n_jobs):
    plain = to_lines(TABLE, tmp_path / "run.jsonl")
    source = tmp_path / f"run{suffix}"
    if suffix == ".jsonl.gz":
        source.write_bytes(gzip.compress(plain.read_bytes()))
    elif suffix == ".jsonl.zst":
        source.write_bytes(pa.compress(plain.read_bytes(), "zstd", asbytes=True))
    elif suffix == ".ndjson":
        shutil.copy(plain, source)
    target = tmp_path / f"scored{suffix}"
    done = qa_frame.score_files(source, target, **RULES, n_jobs=n_jobs)
    with pa.input_stream(str(target)) as stream:  # decompresses by the name
        written = stream.read().decode().splitlines()
    assert [line[: len(old) - 1] for line, old in zip(written, plain.read_text("utf-8").splitlines(), strict=True)] == [
        line[:-1] for line in plain.read_text("utf-8").splitlines()
    ]
    scores = pa.table({name: [json.loads(line)[name] for line in written] for name in NAMES})
    assert scores.cast(expected().schema).equals(expected())
    assert done.loc[0, ["n_rows", "n_missing", "n_no_gold"]].tolist() == [720, TABLE["response"].null_count, 30]


def test_no_bytes_of_a_parquet_file_stay(tmp_path):
    """Arrow could read all columns ahead, and keep what it has read to the end of the file."""
    text = np.random.default_rng(0).bytes(12_000_000).hex()
    table = pa.table({"response": [text[start : start + 100] for start in range(0, len(text), 100)]})
    pq.write_table(table, tmp_path / "run.parquet", row_group_size=20_000, use_dictionary=False, compression="none")
    del table
    at_start, file = pa.total_allocated_bytes(), find_inputs(tmp_path / "run.parquet")[0]
    tables = parquet_files.ParquetInput(file.content).tables(most_rows=1_000_000)
    assert max(pa.total_allocated_bytes() for _ in tables) - at_start < 8_000_000


@pytest.mark.parametrize("rows", [7, pytest.param(1, marks=pytest.mark.thorough), 10**6])
def test_scores_do_not_depend_on_pieces(tmp_path, runs, monkeypatch, rows):
    monkeypatch.setattr(parquet_files, "_ROWS_AT_ONCE", rows)
    qa_frame.score_files(runs / "part-2.parquet", tmp_path / "one.parquet", **RULES, n_jobs=1)
    found = pq.read_table(tmp_path / "one.parquet")
    assert found.select(NAMES).equals(expected(found))


# --- what is kept


def test_parquet_keeps_what_it_had(tmp_path, runs):
    source, target = runs / "part-1.parquet", tmp_path / "scored.parquet"
    pq.write_table(TABLE, source, row_group_size=300, compression="gzip")
    qa_frame.score_files(source, target, **RULES, n_jobs=1)
    old, new = pq.read_metadata(source), pq.read_metadata(target)
    old_schema, new_schema = pq.read_schema(source), pq.read_schema(target)
    assert new_schema.names == [*old_schema.names, "qa_rules", "qa_flags", *NAMES]
    assert [new_schema.field(name).type for name in old_schema.names] == old_schema.types
    assert new_schema.metadata[b"made by"] == b"a run"
    assert old.num_row_groups > 1
    sizes = [[meta.row_group(group).num_rows for group in range(meta.num_row_groups)] for meta in (old, new)]
    assert sizes[0] == sizes[1]
    assert {new.row_group(0).column(number).compression for number in range(new.num_columns)} == {"GZIP"}


def test_what_pandas_noted_is_found_in_its_file(tmp_path):
    scored = qa_frame.sample().qa.score("response", "answers")
    scored.to_parquet(tmp_path / "scored.parquet")
    found = qa_frame.summary_files(tmp_path / "scored.parquet", "model", n_jobs=1)
    pd.testing.assert_frame_equal(found, scored.qa.summary("model"), check_exact=True)
    table = pq.read_table(tmp_path / "scored.parquet")
    assert qa_frame.summary(table, "model")["n_missing"].to_pylist() == [4, 2, 2]
    odd = table.replace_schema_metadata({"PANDAS_ATTRS": "no JSON"})
    assert qa_frame.summary(odd, "model")["n_missing"].to_pylist() == [None] * 3


def test_the_new_columns_alone(tmp_path, runs):
    qa_frame.score_files(runs, tmp_path / "out", **RULES, append=False, prefix="squad_", n_jobs=1)
    names = [f"squad_{name}" for name in NAMES]
    assert pq.read_schema(tmp_path / "out" / "part-0.parquet").names == names
    source = to_lines(TABLE, tmp_path / "run.jsonl")
    qa_frame.score_files(source, tmp_path / "scored.jsonl", **RULES, append=False, prefix="squad_", n_jobs=1)
    assert list(read_lines(tmp_path / "scored.jsonl")[0]) == names


def test_scores_that_are_there_are_replaced(tmp_path, runs):
    once, twice = tmp_path / "once", tmp_path / "twice"
    qa_frame.score_files(runs, once, **RULES, convention="context_bench", metrics=["em", "f1"], n_jobs=1)
    qa_frame.score_files(once, twice, **RULES, metrics=["em", "f1"], n_jobs=1)
    found = pq.read_table(twice / "part-3.parquet")
    assert found.column_names == [*TABLE.column_names, "qa_rules", "qa_flags", "em", "f1"]
    assert found.select(["em", "f1"]).equals(expected(found, metrics=["em", "f1"]))
    lines = to_lines(TABLE.append_column("em", pa.array([0.5] * len(TABLE))), tmp_path / "run.jsonl")
    qa_frame.score_files(lines, tmp_path / "scored.jsonl", **RULES, metrics="em", n_jobs=1)
    assert [line["em"] for line in read_lines(tmp_path / "scored.jsonl")] == expected()["em"].to_pylist()


def test_folders_keep_their_shape(tmp_path, runs):
    nested = tmp_path / "nested" / "year=2024" / "model=a"
    nested.mkdir(parents=True)
    shutil.copy(runs / "part-0.parquet", nested / "x.parquet")
    (tmp_path / "nested" / "_SUCCESS").touch()
    (tmp_path / "nested" / ".hidden.parquet").touch()
    done = qa_frame.score_files(tmp_path / "nested", tmp_path / "out", **RULES, n_jobs=1)
    assert done["destination"].tolist() == [str(tmp_path / "out" / "year=2024" / "model=a" / "x.parquet")]
    assert "year" not in pq.ParquetFile(done["destination"][0]).schema_arrow.names
    done = qa_frame.score_files(f"{tmp_path}/nested/**/*.parquet", tmp_path / "again", **RULES, n_jobs=1)
    assert done["destination"].tolist() == [str(tmp_path / "again" / "year=2024" / "model=a" / "x.parquet")]


# --- again


def test_the_same_call_again_keeps_what_is_complete(tmp_path, runs):
    qa_frame.score_files(runs, tmp_path / "out", **RULES, n_jobs=1)
    before = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "out").iterdir()}
    (tmp_path / "out" / "part-2.parquet").unlink()
    done = qa_frame.score_files(runs, tmp_path / "out", **RULES, n_jobs=1).set_index("source")
    assert done.pop("status").tolist() == ["kept"] * 2 + ["written"] + ["kept"] * 4
    assert done["n_rows"].sum() == len(TABLE)
    assert done["n_missing"].isna().sum() == 6
    after = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "out").iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"part-2.parquet"}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_source_that_an_older_file_replaced_is_scored_again(tmp_path, form):
    rows = [{"response": "a", "answers": ["b"]}, {"response": "b", "answers": ["b"]}]
    paths = [tmp_path / f"{name}.{form}" for name in ("old", "new")]
    for path, row in zip(paths, rows, strict=True):
        if form == "jsonl":
            path.write_text(json.dumps(row) + "\n", "utf-8")
        else:
            pq.write_table(pa.Table.from_pylist([row]), path)
    os.utime(paths[0], (1, 1))
    source, call = tmp_path / f"run.{form}", {"pred": "response", "gold": "answers", "metrics": "em", "n_jobs": 1}
    for path in reversed(paths):
        path.replace(source)
        assert qa_frame.score_files(source, tmp_path / "out", **call)["status"].tolist() == ["written"]
    assert qa_frame.score_files(source, tmp_path / "out", **call)["status"].tolist() == ["kept"]
    assert qa_frame.summary_files(tmp_path / "out", n_jobs=1)["em"].tolist() == [0.0]


# --- what cannot be done


def refuses(error, match, *arguments, **options):
    with pytest.raises(error, match=match):
        qa_frame.score_files(*arguments, **{**RULES, "n_jobs": 1, **options})


def test_a_missing_column_is_named_before_anything_is_written(tmp_path, runs):
    pq.write_table(TABLE.drop_columns("answers"), runs / "part-9.parquet")
    refuses(qa_frame.errors.ColumnNotFoundError, r"part-9\.parquet: gold='answers'", runs, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    lines = to_lines(TABLE.drop_columns("answers"), tmp_path / "run.jsonl")
    refuses(qa_frame.errors.ColumnNotFoundError, r"run\.jsonl: gold='answers'", lines, tmp_path / "out")


@pytest.mark.thorough
def test_schemas_may_differ_in_how_text_is_stored_but_not_in_what_they_hold(tmp_path, runs):
    fields = {"response": pa.large_string(), "answers": pa.large_list(pa.large_string())}
    large = TABLE.select(list(fields)).cast(pa.schema(fields))
    pq.write_table(large, runs / "part-8.parquet")
    qa_frame.score_files(runs, tmp_path / "out", **RULES, n_jobs=1)
    found = pq.read_table(tmp_path / "out" / "part-8.parquet")
    assert found.schema.field("response").type == pa.large_string()
    assert found.select(NAMES).equals(expected())
    numbers = TABLE.set_column(TABLE.column_names.index("response"), "response", pa.array(np.arange(len(TABLE)) / 2))
    pq.write_table(numbers, runs / "part-9.parquet")
    refuses(qa_frame.errors.ColumnTypeError, r"part-9\.parquet: pred='response' holds double", runs, tmp_path / "out2")


def test_a_truncated_file_is_named_and_the_others_are_complete(tmp_path, runs):
    broken = runs / "part-9.parquet"
    broken.write_bytes((runs / "part-1.parquet").read_bytes()[:-100])
    refuses(qa_frame.errors.ResultFileError, r"part-9\.parquet cannot be read", runs, tmp_path / "out")
    content = bytearray((runs / "part-1.parquet").read_bytes())
    content[200:2000] = bytes(1800)  # the footer is whole, the pages are not
    broken.write_bytes(content)
    refuses(qa_frame.errors.ResultFileError, r"part-9\.parquet", runs, tmp_path / "out")
    assert not list((tmp_path / "out").glob(".*"))
    assert not (tmp_path / "out" / "part-9.parquet").exists()
    broken.unlink()
    qa_frame.score_files(runs, tmp_path / "out", **RULES, n_jobs=1)
    assert pq.read_table(tmp_path / "out").select(NAMES).equals(expected())


@pytest.mark.parametrize("indent", [None, 1])
def test_one_json_document_is_no_json_lines(tmp_path, indent):
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps([{"response": "a", "answers": ["a"]}], indent=indent))
    said = r"run\.jsonl is one JSON document, .*; read it with qa_frame\.read_results"
    with pytest.raises(qa_frame.errors.ResultFileError, match=said):
        qa_frame.score_files(path, tmp_path / "out.jsonl", **RULES)
    with pytest.raises(qa_frame.errors.ResultFileError, match=said):
        qa_frame.summary_files(path, **RULES)


@pytest.mark.parametrize(
    ("line", "found"),
    [("{broken", "not valid JSON"), ("[1]", "JSON list"), ('{"response": 7.5, "answers": []}', "float")],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bad_line_is_named(tmp_path, line, found, n_jobs):
    path = to_lines(TABLE, tmp_path / "run.jsonl")
    lines = path.read_text("utf-8").splitlines()
    lines[700] = line
    path.write_text("\n".join(lines), "utf-8")
    target = tmp_path / "scored.jsonl"
    refuses(qa_frame.QaFrameError, rf"run\.jsonl.*(line 701.*{found}|{found}.*line 701)", path, target, n_jobs=n_jobs)
    assert not target.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.jsonl"]


def test_a_bad_row_is_named_by_its_place_in_the_file(tmp_path):
    texts = pa.array([b"fine"] * 150 + [b"\xff"] + [b"fine"] * 9, pa.binary())
    pq.write_table(pa.table({"response": texts, "answers": [["x"]] * 160}), tmp_path / "run.parquet")
    refuses(
        qa_frame.errors.InvalidTextError, r"run\.parquet: .*row 150", tmp_path / "run.parquet", tmp_path / "out.parquet"
    )


def test_wrong_arguments(tmp_path, runs):
    refuses(qa_frame.errors.ResultFileNotFoundError, "is no file", tmp_path / "none.parquet", tmp_path / "out")
    refuses(qa_frame.errors.ResultFileNotFoundError, "matches no file", f"{runs}/*.jsonl", tmp_path / "out")
    refuses(qa_frame.errors.ResultFileNotFoundError, "no file", [], tmp_path / "out")
    refuses(qa_frame.errors.UnknownOptionError, "source=7", 7, tmp_path / "out")
    refuses(qa_frame.errors.UnknownOptionError, "source=7", [7], tmp_path / "out")
    refuses(qa_frame.errors.UnknownOptionError, "destination=7", runs, 7)
    refuses(qa_frame.errors.UnknownOptionError, "overwrite='yes'", runs, tmp_path / "out", overwrite="yes")
    refuses(qa_frame.errors.ResultFileError, "is a source itself", runs, runs)
    refuses(qa_frame.errors.ResultFileError, "ends in '.csv'", runs / "part-0.parquet", tmp_path / "out.csv")
    renamed = TABLE.rename_columns({"response": "f1"})
    pq.write_table(renamed, tmp_path / "f1.parquet")
    refuses(
        qa_frame.errors.ColumnOverwriteError,
        r"f1\.parquet: .*'f1'",
        tmp_path / "f1.parquet",
        tmp_path / "out",
        pred="f1",
    )
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(runs / "part-0.parquet", other / "part-0.parquet")
    both = [runs / "part-0.parquet", other / "part-0.parquet"]
    refuses(qa_frame.errors.ResultFileError, "would both become", both, tmp_path / "out")
    (runs / "notes.csv").write_text("x")
    refuses(qa_frame.errors.ResultFileError, r"notes\.csv: is neither Parquet nor JSON Lines", runs, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# --- faults


LIMITED = """
import resource, sys
import qa_frame
resource.setrlimit(resource.RLIMIT_FSIZE, (130_000, 130_000))
try:
    qa_frame.score_files(sys.argv[1], sys.argv[2], pred="response", gold="answers", n_jobs=1)
except qa_frame.errors.ResultWriteError as error:
    print(error)
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="limits of file sizes are those of Linux")
def test_a_full_disk(tmp_path, runs):
    big = make_table(20)
    pq.write_table(big, runs / "part-3.parquet")
    printed = subprocess.run(
        [sys.executable, "-c", LIMITED, str(runs), str(tmp_path / "out")], capture_output=True, text=True, check=True
    ).stdout
    assert "part-3.parquet cannot be written: File too large" in printed
    left = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert left == ["part-0.parquet", "part-1.parquet", "part-2.parquet"]
    for name in left:
        assert pq.read_metadata(tmp_path / "out" / name).num_rows == pq.read_metadata(runs / name).num_rows


HALTING = """
import contextlib, signal, sys, time
import qa_frame
from qa_frame.ext.files import parquet_files, score_files

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever has started this may ignore it
open_output = score_files.parquet_output
n_written = 0
@contextlib.contextmanager
def halting_output(*arguments, **settings):
    def write_and_halt(table):
        global n_written
        write(table)
        n_written += 1
        if n_written == 6:
            print("halted", flush=True)
            time.sleep(100_000)  # until it is stopped
    with open_output(*arguments, **settings) as write:
        yield write_and_halt
score_files.parquet_output = halting_output
parquet_files._ROWS_AT_ONCE = 100
try:
    qa_frame.score_files(sys.argv[1], sys.argv[2], pred="response", gold="answers", n_jobs=int(sys.argv[3]))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize(
    ("sent", "n_jobs"),
    [
        (signal.SIGINT, 1),
        pytest.param(signal.SIGINT, 2, marks=pytest.mark.thorough),
        pytest.param(signal.SIGKILL, 2, marks=pytest.mark.thorough),
    ],
)
def test_a_run_that_is_stopped_leaves_nothing_half_written_and_can_go_on(tmp_path, runs, sent, n_jobs):
    out = tmp_path / "out"
    sources = {file.name: file.read_bytes() for file in runs.iterdir()}
    with subprocess.Popen(
        [sys.executable, "-c", HALTING, str(runs), str(out), str(n_jobs)],
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as run:
        assert run.stdout.readline() == b"halted\n"
        if sent == signal.SIGINT:
            os.killpg(run.pid, sent)  # as a terminal does
        else:
            run.send_signal(sent)
    assert run.returncode == (130 if sent == signal.SIGINT else -signal.SIGKILL)
    finished = {file.name for file in out.glob("*.parquet")}
    assert len(finished) < 7
    for name in finished:
        assert pq.read_metadata(out / name).num_rows == pq.read_metadata(runs / name).num_rows
    assert len(list(out.glob(".*"))) == (sent == signal.SIGKILL)
    done = qa_frame.score_files(runs, out, **RULES, n_jobs=1)
    assert set(done.loc[done["status"] == "kept", "source"].map(lambda path: Path(path).name)) == finished
    assert sorted(file.name for file in out.iterdir()) == sorted(sources)
    assert pq.read_table(out).select(NAMES).equals(expected())
    assert {file.name: file.read_bytes() for file in runs.iterdir()} == sources


@pytest.mark.thorough
def test_a_worker_that_dies_leaves_nothing_half_written(tmp_path, runs):
    def deadly(_):
        os.kill(os.getpid(), signal.SIGKILL)

    refuses(qa_frame.errors.WorkerError, "n_jobs=1", runs, tmp_path / "out", reduce=deadly, n_jobs=2)
    assert not [file for file in tmp_path.glob("out/*") if file.name.startswith(".")]
    qa_frame.score_files(runs, tmp_path / "out", **RULES, n_jobs=2)
    assert pq.read_table(tmp_path / "out").select(NAMES).equals(expected())


@pytest.mark.filterwarnings("ignore:unclosed file")  # as Ctrl-C leaves it
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_while_a_part_is_made_leaves_none(tmp_path):
    """Wherever it comes: in each call of a function until the file is written."""

    def write(n_calls):
        """Write a file, interrupted at this call. Whether it was."""
        n_left = n_calls

        def count(frame, event, _):
            nonlocal n_left
            if event == "call" and frame.f_code.co_filename == replacement.__file__:
                n_left -= 1
                if not n_left:
                    sys.setprofile(None)
                    raise KeyboardInterrupt

        try:
            sys.setprofile(count)
            with replacement.Replacement(tmp_path / "out" / "a.txt") as made:
                made.stream.write(b"all")
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False

    n_calls = 1
    gc.freeze()  # what the other tests have left, which would be gone through each time
    while write(n_calls):
        gc.collect()
        assert [file.read_bytes() for file in tmp_path.glob("out/*")] in ([], [b"all"])
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        n_calls += 1
    gc.unfreeze()
    assert n_calls > 8
    assert (tmp_path / "out" / "a.txt").read_bytes() == b"all"


@pytest.mark.skipif(replacement.fcntl is None, reason="Windows removes no open file")
def test_a_part_that_another_run_removes_before_it_is_locked_is_made_anew(tmp_path, monkeypatch):
    target = tmp_path / "scored.parquet"
    lock, names = replacement._lock, []

    def lock_late(stream):
        names.append(Path(stream.name).name)
        if len(names) == 1:  # another run has taken it for one that was left, and removed it
            replacement._remove_if_left(Path(stream.name))
            assert not Path(stream.name).exists()
        with Path(stream.name).open("rb") if len(names) == 2 else contextlib.nullcontext() as other:
            assert other is None or lock(other)  # another run is about to remove it
            return lock(stream)

    monkeypatch.setattr(replacement, "_lock", lock_late)
    with replacement.Replacement(target) as made:
        made.stream.write(b"all")
    assert target.read_bytes() == b"all"
    assert len(set(names)) == 3
    assert [file.name for file in tmp_path.iterdir()] == ["scored.parquet"]


def test_a_part_that_is_left_is_locked_while_it_is_removed(tmp_path, monkeypatch):
    """Else the run that has just made it could lock it in between, and write into a file without a name."""
    fcntl = pytest.importorskip("fcntl")
    left, seen = tmp_path / ".scored.txt.0badcafe.part", []
    left.touch()

    def unlink(path):
        with path.open("rb") as stream, pytest.raises(BlockingIOError):
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        seen.append(path)

    monkeypatch.setattr(Path, "unlink", unlink)
    replacement._remove_if_left(left)
    assert seen == [left]


WRITERS = """
import sys
from pathlib import Path
from qa_frame.replacement import Replacement
target, text = Path(sys.argv[1]), sys.argv[2].encode() * 1000
print("ready", flush=True)
sys.stdin.readline()
for _ in range(300):
    with Replacement(target) as made:
        made.stream.write(text)
"""


@pytest.mark.thorough
def test_processes_with_one_destination(tmp_path):
    """Each writes it many times. Whose file it is at the end does not matter, but it is whole, and nobody fails."""
    target = tmp_path / "scored.txt"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", WRITERS, str(target), letter], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for letter in "abc"
    ]
    for run in runs:
        run.stdout.readline()
    for run in runs:
        run.stdin.write(b"go\n")
        run.stdin.flush()
    for run in runs:
        run.communicate()
        assert run.returncode == 0
    assert target.read_bytes() in {letter * 1000 for letter in (b"a", b"b", b"c")}
    assert [file.name for file in tmp_path.iterdir()] == ["scored.txt"]


def test_a_part_that_another_run_is_writing_stays(tmp_path):
    target = tmp_path / "scored.parquet"
    left = tmp_path / ".scored.parquet.0badcafe.part"
    left.touch()
    with replacement.Replacement(target) as first:
        assert not left.exists()
        with replacement.Replacement(target) as second:
            first.stream.write(b"first")
            second.stream.write(b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"
    assert [file.name for file in tmp_path.iterdir()] == ["scored.parquet"]


@pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
def test_each_folder_is_listed_once(tmp_path, ending, monkeypatch):
    """Parts that killed runs left are removed all the same, those of notes too, but not what only looks like one."""
    source, out = tmp_path / "in", tmp_path / "out"
    for folder in ("a", "b"):
        for number in range(5):
            path = source / folder / f"{number}{ending}"
            path.parent.mkdir(parents=True, exist_ok=True)
            sample = qa_frame.sample().head(3)
            sample.to_parquet(path) if ending == ".parquet" else sample.to_json(path, orient="records", lines=True)
        (out / folder).mkdir(parents=True)
    left = [out / "a" / f".0{ending}.0badcafe.part", out / "b" / f"..1{ending}.qa_frame.json.0badcafe.part"]
    kept = [out / "a" / f".7{ending}.0badcafe.part", out / "a" / f"0{ending}.0badcafe.part"]
    for path in (*left, *kept):
        path.touch()
    listed = []
    for module, function in ((os, "listdir"), (os, "scandir")):
        real = getattr(module, function)
        monkeypatch.setattr(module, function, lambda path=".", real=real: listed.append(str(path)) or real(path))
    qa_frame.score_files(source, out, **RULES, n_jobs=1)
    monkeypatch.undo()
    assert max(map(listed.count, (str(out / "a"), str(out / "b")))) <= 1
    assert [path.exists() for path in (*left, *kept)] == [False, False, True, True]


# --- which files


def test_which_files_a_source_names(tmp_path):
    for name in ("b/2.parquet", "b/1.jsonl", "a.parquet", "b/c/3.jsonl.gz"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch()
    below = [str(file.below) for file in find_inputs(tmp_path)]
    assert below == ["a.parquet", "b/1.jsonl", "b/2.parquet", "b/c/3.jsonl.gz"]
    assert [str(file.below) for file in find_inputs(f"{tmp_path}/b/*.*")] == ["1.jsonl", "2.parquet"]
    assert [file.compression for file in find_inputs(tmp_path / "b" / "c")] == ["gzip"]


def test_keys_of_folders(tmp_path):
    for model, year in (("a b%2Fc", "01"), ("x", "1"), ("%ff", "1")):
        folder = tmp_path / f"model={model}" / f"year={year}"
        folder.mkdir(parents=True)
        (folder / "run.jsonl").touch()
    assert [dict(file.keys) for file in find_inputs(tmp_path)] == [
        {"model": "%ff", "year": "1"},
        {"model": "a b/c", "year": "01"},
        {"model": "x", "year": "1"},
    ]
