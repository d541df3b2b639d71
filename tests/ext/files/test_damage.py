"""Files that are damaged or made to do harm: each an error of this package that names the file, whoever reads it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import struct
import threading
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qa_frame
from qa_frame.ext.files import open_files, parquet_files
from qa_frame.ext.files.open_files import Content
from qa_frame.ext.files.read_results import Reading
from qa_frame.ext.files.records import ResultFile
from tests.ext.files import shapes

GOOD = b'{"response": "a", "answers": ["a"]}\n'
NESTED = b"[" * 500 + b'"a"' + b"]" * 500
NESTED_TEXTS = b'{"text": ' * 500 + b'"a"' + b"}" * 500
RULES = {"pred": "response", "gold": "answers", "metrics": "em", "n_jobs": 1}


def eval_log(compression=zipfile.ZIP_DEFLATED):
    """The bytes of a log of inspect."""
    stream = io.BytesIO()
    sample = {"id": 1, "epoch": 1, "output": {"completion": "a"}, "target": "a", "scores": {}}
    with zipfile.ZipFile(stream, "w", compression) as file:
        file.writestr("header.json", json.dumps({"status": "success", "eval": {"task": "t", "model": "m"}}))
        file.writestr("samples/1_epoch_1.json", json.dumps(sample))
    return bytearray(stream.getvalue())


def changed(content, at, new):
    content[at : at + len(new)] = new
    return bytes(content)


def of_strange_version():
    content = eval_log()
    return changed(content, content.index(b"PK\x01\x02") + 6, b"\xff")


def with_damaged_lzma():
    content = eval_log(zipfile.ZIP_LZMA)
    at = content.index(b"samples/1_epoch_1.json") + len("samples/1_epoch_1.json")
    return changed(content, at + 9, b"\xff" * 12)


def of_zstd(offset=None):
    """A log of zstd's; its member stands at another place where that is given, counted from the end."""
    content = eval_log(zipfile.ZIP_STORED)
    for magic, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = -1
        while (at := content.find(magic, at + 1)) >= 0:
            content[at + place : at + place + 2] = struct.pack("<H", 93)
    if offset is not None:
        at = content.rindex(b"PK\x01\x02")
        content[at + 42 : at + 46] = struct.pack("<I", len(content) - offset)
    return bytes(content)


FILES = {
    "a zip of a strange version": ("log.eval", of_strange_version(), "is not a whole zip"),
    "a zip with damaged LZMA": ("log.eval", with_damaged_lzma(), "header.*is compressed by method 14"),
    "a zip whose offset is near the end": ("log.eval", of_zstd(offset=7), "header|cannot be decompressed"),
    "a zip that zstd did not compress": ("log.eval", of_zstd(), "cannot be decompressed"),
    "a heading that is not CSV": ("run.csv", b'"respon"se,answers\na,a\n', "its heading is not valid CSV"),
    "a heading with quotes": ("run.csv", b'response,"ans"wers\na,a\n', "its heading is not valid CSV"),
    "UTF-16 with a mark": ("run.jsonl", GOOD.decode().encode("utf-16"), "is written in UTF-16"),
    "UTF-16 without a mark": ("run.jsonl", GOOD.decode().encode("utf-16-le"), "line 1: is not valid JSON"),
}
"""By what is wrong with a whole file: its name, its bytes, and what is said of it."""

LINES = {
    "bytes ED A0 80": (b'{"response": "a\xed\xa0\x80", "answers": ["a"]}\n', "line 2: is not UTF-8"),
    "those bytes in another value": (b'{"response": "a", "answers": ["a"], "x": "\xed\xa0\x80"}\n', "is not UTF-8"),
    "a line of UTF-16": (GOOD.decode().strip().encode("utf-16-le") + b"\n", "line 2: is not valid JSON"),
    "golds in 500 lists": (b'{"response": "a", "answers": ' + NESTED + b"}\n", r"line 2|answers|gold"),
    "golds in 500 dicts": (b'{"response": "a", "answers": ' + NESTED_TEXTS + b"}\n", r"line 2|answers|gold"),
    "a response in 500 lists": (b'{"response": ' + NESTED + b', "answers": ["a"]}\n', r"line 2|response|pred"),
}
"""The same, of a line in a file of JSON lines."""


@pytest.mark.parametrize(("name", "content", "message"), FILES.values(), ids=FILES)
@pytest.mark.parametrize("on_bad_lines", ["error", "skip"])
def test_damaged_files(tmp_path, name, content, message, on_bad_lines):
    path = tmp_path / name
    path.write_bytes(content)
    (tmp_path / "good.jsonl").write_bytes(GOOD)
    for source in (path, tmp_path):
        with pytest.raises(qa_frame.errors.ResultFileError, match=message) as error:
            qa_frame.read_results(source, on_bad_lines=on_bad_lines)
        assert str(path) in str(error.value)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(("line", "message"), LINES.values(), ids=LINES)
def test_damaged_lines(tmp_path, line, message, streamed):
    path = tmp_path / "run.jsonl"
    path.write_bytes(GOOD + line + GOOD)
    calls = [lambda: qa_frame.read_results(path)]
    if streamed:
        calls = [
            lambda: qa_frame.score_files(path, tmp_path / "out", **RULES),
            lambda: qa_frame.summary_files(path, **RULES),
        ]
    else:
        assert len(qa_frame.read_results(path, on_bad_lines="skip")) == 2
    for call in calls:
        with pytest.raises(qa_frame.QaFrameError, match=message) as error:
            call()
        assert str(path) in str(error.value)
    assert not (tmp_path / "out" / "run.jsonl").exists()


# --- JSON


def test_a_line_that_has_a_score_is_written_anew(tmp_path):
    """Its other values stay; a number beyond all floats becomes text, and a lone surrogate U+FFFD, as they are read."""
    old = r'{ "response": "Seine" , "em": 7, "x": "\ud800", "y": 1e400, "z": 1.50, "answers": ["Seine"],"é":"\u00e9" }'
    path, target = tmp_path / "run.jsonl", tmp_path / "out.jsonl"
    path.write_text(old + "\n", "utf-8")
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="1 lone surrogate"):
        qa_frame.score_files(path, target, **{**RULES, "metrics": ["em", "f1"]})
    kept = {"response": "Seine", "em": 1.0, "x": "\ufffd", "y": "1e400", "z": 1.5, "answers": ["Seine"], "é": "é"}
    assert json.loads(target.read_text("utf-8")) == {**kept, "f1": 1.0, "qa_rules": "squad 35a89cdf", "qa_flags": ""}
    qa_frame.score_files(target, tmp_path / "again.jsonl", **{**RULES, "metrics": ["f1", "em"]})
    assert (tmp_path / "again.jsonl").read_text("utf-8") == target.read_text("utf-8")


def test_numbers_beyond_all_floats(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(
        b'{"response": 1e400, "answers": [-1e999], "n": 1e400}\n{"response": "a", "answers": [], "n": 1}\n'
    )
    frame = qa_frame.read_results(path)
    assert frame["response"].tolist() == ["1e400", "a"]
    assert frame["answers"].tolist()[0] == ["-1e999"]
    assert frame["n"].tolist() == ["1e400", "1"]
    table = tmp_path / "run.csv"
    table.write_text("response,answers,n,m\n1e400,a,1e400,9223372036854775808\na,a,1,1\n", "utf-8")
    frame = qa_frame.read_results(table)
    assert frame[["response", "n"]].to_numpy().tolist() == [["1e400", "1e400"], ["a", "1"]]
    assert frame["m"].tolist() == ["9223372036854775808", "1"]


# --- sizes


def zip_of(n_bytes):
    content = io.BytesIO(eval_log())
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("samples/2_epoch_1.json", b" " * n_bytes)
    return content.getvalue()


def zip_that_lies(n_bytes):
    """A member that says it is small."""
    content = bytearray(zip_of(n_bytes))
    for magic, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.rindex(magic) + place
        content[at : at + 4] = struct.pack("<I", 10)
    return bytes(content)


LIMIT = 1 << 20
LARGE = {
    "a line": ("run.jsonl", GOOD + b'{"x": "' + b"y" * LIMIT + b'"}', "line 2"),
    "a first line": ("run.jsonl", b'{"x": "' + b"y" * LIMIT + b'"}\n' + GOOD, "line 1"),
    "a line without end": ("run.jsonl.gz", gzip.compress(GOOD + b" " * (30 * LIMIT)), "line 2"),
    "a line of zstd": ("run.jsonl.zst", pa.compress(GOOD + b" " * (30 * LIMIT), "zstd", asbytes=True), "line 2"),
    "a member": ("run.eval", zip_of(30 * LIMIT), "samples/2_epoch_1.json"),
    "a document": ("run.json", b"[\n" + GOOD + b"," + GOOD + b" " * LIMIT + b"]", ""),
    "a field": ("run.csv", b"response,answers\na,a\n" + b"b" * LIMIT + b",a\n", "line 3"),
    "a field of many lines": ("run.csv", b'response,answers\na,a\n"' + b"b\n" * LIMIT + b'",a\n', r"line \d+"),
}


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(Content, "max_record_bytes", LIMIT)


@pytest.mark.parametrize("on_bad_lines", ["error", "skip"])
@pytest.mark.parametrize(("name", "content", "place"), LARGE.values(), ids=LARGE)
@pytest.mark.usefixtures("small_limit")
def test_large_records_are_refused(tmp_path, name, content, place, on_bad_lines):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(qa_frame.errors.ResultFileError, match=rf"{name}(, )?{place} takes more than 1,048,576 bytes"):
        qa_frame.read_results(path, on_bad_lines=on_bad_lines)
    if "jsonl" in name:
        for call in (
            qa_frame.summary_files,
            lambda *given, **rules: qa_frame.score_files(*given, tmp_path / "out", **rules),
        ):
            with pytest.raises(qa_frame.errors.ResultFileError, match=f"{place} takes more than 1,048,576 bytes"):
                call(path, **RULES)
    else:
        Content.max_record_bytes = 40 * LIMIT
        qa_frame.read_results(path, on_bad_lines="skip")


@pytest.mark.usefixtures("small_limit")
def test_a_member_that_says_it_is_small(tmp_path):
    path = tmp_path / "run.eval"
    path.write_bytes(zip_that_lies(30 * LIMIT))
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"2_epoch_1\.json: cannot be decompressed"):
        qa_frame.read_results(path)
    assert len(qa_frame.read_results(path, on_bad_lines="skip")) == 1


def test_a_repeated_text_is_not_held_for_every_row(tmp_path, monkeypatch):
    """What is read at once is counted as it is in memory, not as the dictionary that the file has."""
    n_rows, context = 4000, "word " * 4000
    contexts = pa.DictionaryArray.from_arrays(pa.array([0] * n_rows, pa.int32()), pa.array([context]))
    table = pa.table({"response": ["a"] * n_rows, "answers": [["a"]] * n_rows, "context": contexts})
    path = tmp_path / "run.parquet"
    pq.write_table(table, path, store_schema=False)
    assert path.stat().st_size < 50_000
    assert pq.read_schema(path).field("context").type == pa.string()
    sizes = []
    tables = parquet_files.ParquetInput.tables

    def watched(self, **options):
        for each in tables(self, **options):
            sizes.append(each.nbytes)
            yield each

    monkeypatch.setattr(parquet_files.ParquetInput, "tables", watched)
    qa_frame.score_files(path, tmp_path / "out.parquet", **RULES)
    assert max(sizes) < 3 * (8 << 20)
    assert sum(sizes) > n_rows * len(context)
    assert pq.read_table(tmp_path / "out.parquet", columns=["em", "context"]).num_rows == n_rows
    assert max(batch.nbytes for batch in Reading(path).batches()) < 3 * (8 << 20)


def in_dictionary(n_rows, text):
    return pa.DictionaryArray.from_arrays(pa.array([0] * n_rows, pa.int32()), pa.array([text]))


LONG = "x y" * 1_000_000


def line_of_lists():
    return b'{"response": "a", "answers": ["a"], "x": [' + b"[]," * (20 << 20) + b"[]]}"


BOMBS = {
    "a text for all rows": (
        "run.parquet",
        lambda: {"response": in_dictionary(10**6, LONG), "answers": ["a"] * 10**6},
    ),
    "a context for all rows": (
        "run.parquet",
        lambda: {"response": ["a"] * 10**6, "answers": ["a"] * 10**6, "context": in_dictionary(10**6, LONG)},
    ),
    "a row of many golds": (
        "run.parquet",
        lambda: {"response": ["a"], "answers": pa.ListArray.from_arrays([0, 5000], in_dictionary(5000, LONG))},
    ),
    "a text": ("run.parquet", lambda: {"response": ["a", "b" * (300 << 20)], "answers": ["a", "b"]}),
    "nulls": (
        "run.parquet",
        lambda: {name: pa.nulls(20 << 20, pa.string()) for name in ("response", "answers")},
    ),
    "lists": ("run.jsonl.gz", lambda: GOOD + line_of_lists()),
    "a document": ("run.json.gz", lambda: b"[" + line_of_lists() + b"]"),
    "rows": ("run.jsonl.zst", lambda: GOOD * (5 << 20)),
    "many members": ("run.eval", bytes),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "content"), BOMBS.values(), ids=BOMBS)
def test_a_small_file_does_not_fill_the_memory(tmp_path, name, content):
    path = tmp_path / name
    if name.endswith("parquet"):
        pq.write_table(pa.table(content()), path, compression="zstd", store_schema=False)
    elif name.endswith("eval"):
        path.write_bytes(eval_log())
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
            for number in range(9):
                file.writestr(f"samples/{number + 2}_epoch_1.json", b" " * (20 << 20))
    else:
        raw = content()
        path.write_bytes(gzip.compress(raw, 1) if name.endswith("gz") else pa.compress(raw, "zstd", asbytes=True))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"run.*(takes|becomes) more than .* without compression"):
        qa_frame.read_results(path, on_bad_lines="skip")
    if "parquet" in name:
        with pytest.raises(qa_frame.errors.ResultFileError, match=r"run.*(takes|becomes) more than"):
            qa_frame.score_files(path, tmp_path / "out.parquet", **RULES)


@pytest.mark.parametrize("stored", [True, False], ids=["categories", "texts"])
@pytest.mark.thorough
def test_long_texts_that_rows_share_are_read_and_scored(tmp_path, stored):
    golds = pa.ListArray.from_arrays(pa.array(range(41), pa.int32()), in_dictionary(40, LONG))
    shared = in_dictionary(40, LONG)
    path, target = tmp_path / "run.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"response": shared, "answers": golds, "n": range(40)}), path, store_schema=stored)
    most = 0
    for table in parquet_files.ParquetInput(Content(path)).tables(most_rows=40):
        most = max(most, sum(column.nbytes for column in table.columns[1:]))
    assert most <= 70 << 20
    assert qa_frame.score_files(path, target, **RULES)["n_rows"].item() == 40
    assert pq.read_table(target, columns=["em"])["em"].to_pylist() == [1.0] * 40
    assert pq.read_schema(target).field("answers").type == pq.read_schema(path).field("answers").type
    assert qa_frame.read_results(path)["response"].str.len().unique().tolist() == [len(LONG)]


def test_an_integer_of_many_digits_is_to_be_text(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(GOOD + b'{"response": "a", "answers": ["a"], "n": ' + b"1" * 200_000 + b"}\n")
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"line 2: has an integer .* write it as text") as caught:
        qa_frame.read_results(path)
    assert "set_int_max_str_digits" not in str(caught.value)


# --- CSV in threads


def rows_of_long_fields(path):
    path.write_bytes(b"response,answers\n" + (b"b" * 150_000 + b",a\n") * 60)
    return ResultFile(Content(path), "skip").records()


def test_files_that_are_read_at_once_do_not_disturb_each_other(tmp_path):
    """The first ends while the second still reads fields that are longer than `csv` allows by itself."""
    csv.field_size_limit(131_072)
    first, second = rows_of_long_fields(tmp_path / "1.csv"), rows_of_long_fields(tmp_path / "2.csv")
    next(first), next(second)
    assert [len(list(first)), len(list(second))] == [59, 59]


# --- folders


def refuse_to_list(monkeypatch, folder):
    """Tests may be run by root, who may look into all folders."""
    scandir = os.scandir

    def refusing(path="."):
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)


EVERY_DOOR = {
    "read_results": qa_frame.read_results,
    "summary_files": lambda source: qa_frame.summary_files(source, **RULES),
    "score_files": lambda source: qa_frame.score_files(source, Path(str(source).rstrip("*./")).parent / "out", **RULES),
}
every_door = pytest.mark.parametrize("read", EVERY_DOOR.values(), ids=EVERY_DOOR)


@pytest.fixture
def runs(tmp_path):
    for name in ("a", "b/c", ".hidden", "_part"):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        (folder / "x.jsonl").write_bytes(GOOD)
    return tmp_path / "runs"


@every_door
def test_a_folder_that_may_not_be_looked_into(runs, monkeypatch, read):
    refuse_to_list(monkeypatch, runs / "b")
    with pytest.raises(
        qa_frame.errors.ResultFileError, match=r"b cannot be looked into .*denied.*; make it readable, or give a list"
    ):
        read(runs)
    for pattern in ("**/*.jsonl", "*/*/*.jsonl", "b/*/x.jsonl"):
        with pytest.raises(qa_frame.errors.ResultFileError, match="b cannot be looked into"):
            qa_frame.read_results(f"{runs}/{pattern}")
    assert len(qa_frame.read_results([runs / "a" / "x.jsonl", f"{runs}/a*/*.jsonl", f"{runs}/b/c/*.jsonl"])) == 2


@pytest.mark.parametrize("name", [".hidden", "_part"])
def test_a_folder_that_is_passed_over_need_not_be_readable(runs, monkeypatch, name):
    refuse_to_list(monkeypatch, runs / name)
    assert len(qa_frame.read_results(runs)) == 2


@every_door
@pytest.mark.parametrize("name", ["y.jsonl", "latest"])
def test_a_link_to_nothing(runs, read, name):
    (runs / "a" / name).symlink_to(runs / "gone")
    with pytest.raises(
        qa_frame.errors.ResultFileError, match=f"{name} is a link to nothing that can be read: .*gone'; remove the link"
    ):
        read(runs)
    (runs / "a" / name).unlink()
    read(runs)


def test_a_link_in_a_circle(runs):
    (runs / "a" / "round").symlink_to(runs / "a" / "round")
    with pytest.raises(qa_frame.errors.ResultFileError, match="round is a link to nothing that can be read"):
        qa_frame.read_results(runs)


def test_patterns_through_links(runs, monkeypatch):
    (runs / "a" / "up").symlink_to(runs)
    refuse_to_list(monkeypatch, runs / "a" / "up" / "b")
    assert len(qa_frame.read_results(f"{runs}/*/x.jsonl")) == 2
    for pattern in ("a/up/*/*.jsonl", "*/*/b/x.jsonl"):
        with pytest.raises(qa_frame.errors.ResultFileError, match="up/b cannot be looked into"):
            qa_frame.read_results(f"{runs}/{pattern}")
    refuse_to_list(monkeypatch, runs / ".hidden")
    with pytest.raises(qa_frame.errors.ResultFileError, match="hidden cannot be looked into"):
        qa_frame.read_results(f"{runs}/**/.hidden/*.jsonl")


def test_links_to_folders(runs, tmp_path):
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "y.jsonl").write_bytes(GOOD)
    (runs / "0").symlink_to(tmp_path / "others")
    (runs / "1").symlink_to(runs / "b")
    (runs / "a" / "up").symlink_to(runs)
    (runs / "a" / "far up").symlink_to(tmp_path.parent)
    found = qa_frame.read_results(runs)["file"]
    assert found.tolist() == [str(runs / name) for name in ("0/y.jsonl", "a/x.jsonl", "b/c/x.jsonl")]


# --- pipes


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A thread that is to write may begin late on a busy machine."""
    monkeypatch.setattr(open_files, "_PATIENCE", 600.0)


def fed(path, content):
    """Write into a pipe, in a thread that waits until somebody reads."""
    thread = threading.Thread(target=lambda: Path(path).write_bytes(content), daemon=True)
    thread.start()
    return thread


PIPED = {
    "jsonl": GOOD * 20_000,
    "gzip": gzip.compress(GOOD * 20_000),
    "csv": b"response,answers\n" + b"a,a\n" * 20_000,
}


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "run.jsonl"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("content", PIPED.values(), ids=PIPED)
def test_a_pipe_is_read_once(tmp_path, content):
    """It holds 64 kB at a time, and gives nothing twice."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = fed(path, content)
    assert len(qa_frame.read_results(path)) == 20_000
    thread.join()


@pytest.mark.thorough
def test_pipes_in_a_stream(pipe, tmp_path):
    thread = fed(pipe, GOOD * 20_000)
    assert qa_frame.summary_files(pipe, **RULES)["n_rows"].tolist() == [20_000]
    thread.join()
    thread = fed(pipe, GOOD * 20_000)
    assert qa_frame.score_files(pipe, tmp_path / "out", **RULES)["n_rows"].tolist() == [20_000]
    thread.join()


def test_other_files_in_a_pipe(tmp_path):
    for shape in (shapes.plain_parquet, shapes.inspect_eval, shapes.plain_feather):
        path = tmp_path / f"{shape.__name__}.pipe"
        content = shape(tmp_path)
        os.mkfifo(path)
        thread = fed(path, content.read_bytes())
        pd.testing.assert_frame_equal(qa_frame.read_results(path), qa_frame.read_results(content))
        thread.join()


def test_a_pipe_that_was_opened_by_another():
    """As `<(cat run.jsonl)` gives it: a number of an open file."""
    read, write = os.pipe()
    with os.fdopen(write, "wb") as stream:
        stream.write(GOOD * 10)
    assert len(qa_frame.read_results(f"/dev/fd/{read}")) == 10
    os.close(read)


@every_door
def test_a_pipe_into_which_nothing_writes(pipe, monkeypatch, read):
    monkeypatch.setattr(open_files, "_PATIENCE", 0.0)
    for path in (pipe, pipe.parent):
        with pytest.raises(
            qa_frame.errors.ResultFileError, match=r"run\.jsonl is a pipe that is empty, and nothing writes into it"
        ):
            read(path)


def test_a_device():
    with pytest.raises(qa_frame.errors.ResultFileError, match="/dev/zero is neither a file nor a pipe"):
        qa_frame.read_results("/dev/zero")


# --- Arrow files whose size is known before they are decompressed


def write_arrow(path, table, compression, **options):
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table, **options)
    return path


ARROW = pa.table(
    {
        "response": ["x" * 50] * 1000,
        "answers": [["a"]] * 1000,
        "model": pa.array(["u", None] * 500).dictionary_encode(),
        "n": pa.array(range(1000)),
    }
)


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_the_bytes_of_an_arrow_file_are_counted_without_reading_it(tmp_path, compression):
    path = write_arrow(tmp_path / "a.arrow", ARROW, compression, max_chunksize=300)
    assert ARROW.nbytes <= parquet_files._decompressed_bytes(str(path)) < ARROW.nbytes + 5000
    raw = path.read_bytes()
    for end in range(8, len(raw), 97):  # whatever is cut off, it ends with a number
        path.write_bytes(raw[:end])
        assert 0 <= parquet_files._decompressed_bytes(str(path)) < ARROW.nbytes + 5000


@pytest.mark.parametrize("max_chunksize", [None, 200])
def test_an_arrow_file_that_would_fill_the_memory_is_refused_before_it_is_decompressed(
    tmp_path, max_chunksize, monkeypatch
):
    monkeypatch.setattr(parquet_files, "BYTES_OF_TABLE", 1 << 20)
    table = pa.table({"response": ["x" * 10_000] * 1000, "answers": [["a"]] * 1000})
    path = write_arrow(tmp_path / "a.arrow", table, "zstd", max_chunksize=max_chunksize)
    before = pa.total_allocated_bytes()
    monkeypatch.setattr(pa.ipc, "open_file", None)
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"a\.arrow has .* becomes more than .* bytes"):
        qa_frame.read_results(path)
    assert pa.total_allocated_bytes() - before < 1 << 20
