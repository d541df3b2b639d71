"""Where `score_files` writes: what stands there is kept, made again or left alone, and never lost."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qa_frame

RULES = {"pred": "response", "gold": "answers", "n_jobs": 1}
SAMPLE = qa_frame.sample().head(12)
ENDINGS = [".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst"]
every_ending = pytest.mark.parametrize("ending", ENDINGS)
OLD = 1_000_000_000

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and names are those of POSIX")


def write(path, frame=SAMPLE):
    """A file of these rows, in the format of its ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        frame.to_parquet(path)
        return path
    lines = "".join(json.dumps(row) + "\n" for row in pa.Table.from_pandas(frame, preserve_index=False).to_pylist())
    raw = lines.encode()
    packed = {".gz": gzip.compress, ".zst": lambda raw: pa.compress(raw, "zstd", asbytes=True)}
    path.write_bytes(packed.get(path.suffix, bytes)(raw))
    return path


def score(source, target, **options):
    """The status of each file."""
    return qa_frame.score_files(source, target, **{**RULES, **options})["status"].tolist()


def age(path):
    os.utime(path, (OLD, OLD))


def refuses(match, source, target, error=qa_frame.errors.ResultFileError, **options):
    with pytest.raises(error, match=match):
        score(source, target, **options)


# --- what another made


@every_ending
@pytest.mark.parametrize("is_older", [True, False])
def test_what_is_not_ours_is_not_touched(tmp_path, ending, is_older):
    source, target = write(tmp_path / f"run{ending}"), tmp_path / f"out{ending}"
    target.write_text("my notes")
    if is_older:
        age(target)
    refuses("has no note that score_files made it as it is; .*overwrite=True", source, target)
    assert target.read_text() == "my notes"
    assert score(source, target, overwrite=True) == ["written"]
    assert score(source, target) == ["kept"]


@every_ending
def test_rows_of_another_schema_are_not_touched(tmp_path, ending):
    source = write(tmp_path / f"run{ending}")
    target = write(tmp_path / f"out{ending}", pd.DataFrame({"verdict": [1, 2]}))
    age(target)
    before = target.read_bytes()
    refuses("overwrite=True", source, target)
    assert target.read_bytes() == before


def test_a_column_that_was_added_by_hand_is_not_lost(tmp_path):
    source, target = write(tmp_path / "run.parquet"), tmp_path / "out.parquet"
    score(source, target)
    pd.read_parquet(target).assign(verdict=True).to_parquet(target)
    age(target)
    refuses("columns or rules differ", source, target)
    assert "verdict" in pq.read_schema(target).names


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_lines_that_were_changed_are_not_ours(tmp_path, ending):
    source, target = write(tmp_path / f"run{ending}"), tmp_path / f"out{ending}"
    score(source, target)
    changed = target.read_bytes()[:-1] + b" "  # of the same size
    target.write_bytes(changed)
    os.utime(target, (OLD + 10**9, OLD + 10**9))
    refuses("has no note", source, target)
    assert target.read_bytes() == changed


@posix
@pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
def test_a_missing_folder_in_a_path_hides_no_source(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    source = write(Path(f"d/run{ending}"))
    before = source.read_bytes()
    Path("link").symlink_to("new/../d")
    refused = "is a source itself"
    refuses(refused, source, f"new/../{source}", append=False)
    refuses(refused, source, f"{source}/../run{ending}")
    for folder in ("new/../d", "d/new/..", "link"):
        refuses(refused, "d", folder, append=False)
    refuses(refused, f"*/../d/run{ending}", "new/..")
    assert source.read_bytes() == before
    done = qa_frame.score_files(source, f"new/../out{ending}", **RULES)
    assert Path(done["destination"].item()).samefile(f"out{ending}")


# --- other rules


@pytest.mark.parametrize("ending", [".parquet", ".jsonl.gz"])
@pytest.mark.parametrize(
    "rules",
    [
        {"extract": "first_line"},
        {"reduce": "min"},
        {"missing": "null"},
        {"convention": "squad2"},
        {"gold": "question"},
        {"prefix": "x_"},
        {"stats": True},
        {"append": False},
        {"metrics": ["f1", "em", "recall", "contains", "rouge_l", "bleu"]},
    ],
    ids=str,
)
@pytest.mark.parametrize("is_older", [True, False])
def test_results_of_other_rules_are_not_kept(tmp_path, ending, rules, is_older):
    source, target = write(tmp_path / f"run{ending}"), tmp_path / f"out{ending}"
    score(source, target)
    if is_older and "append" not in rules and list(rules) != ["metrics"]:
        age(target)
    before = target.read_bytes()
    refuses("rules differ; .*overwrite=True", source, target, **rules)
    assert target.read_bytes() == before
    assert score(source, target, overwrite=True, **rules) == ["written"]
    assert score(source, target, **rules) == ["kept"]


@every_ending
def test_results_that_are_older_than_their_source_are_made_again(tmp_path, ending):
    source, target = write(tmp_path / f"run{ending}"), tmp_path / f"out{ending}"
    score(source, target)
    age(target)
    write(source, SAMPLE.head(5).assign(more="x"))
    assert score(source, target) == ["written"]
    assert score(source, target) == ["kept"]
    assert qa_frame.summary_files(target, n_jobs=1)["n_rows"].tolist() == [5]


# --- notes


def test_a_note_stays_with_its_folder_and_is_read_by_nobody(tmp_path):
    write(tmp_path / "runs" / "deep" / "run.jsonl")
    score(tmp_path / "runs", tmp_path / "out")
    shutil.copytree(tmp_path / "out", tmp_path / "moved", copy_function=shutil.copyfile)  # with new times
    assert score(tmp_path / "runs", tmp_path / "moved") == ["kept"]
    assert qa_frame.read_results(tmp_path / "moved").attrs["qa_files"].keys() == {
        str(tmp_path / "moved" / "deep" / "run.jsonl")
    }
    assert qa_frame.summary_files(tmp_path / "moved", n_jobs=1)["n_rows"].tolist() == [12]
    assert sorted(path.name for path in (tmp_path / "out" / "deep").iterdir()) == [
        ".run.jsonl.qa_frame.json",
        "run.jsonl",
    ]


@pytest.mark.parametrize("note", [b"", b"[]", b'{"files": 3}', b'{"files": [{"size": null}, 7]}', b"[" * 10**5])
def test_a_damaged_note_is_none(tmp_path, note):
    source, target = write(tmp_path / "run.jsonl"), tmp_path / "out.jsonl"
    score(source, target)
    (tmp_path / ".out.jsonl.qa_frame.json").write_bytes(note)
    refuses("has no note", source, target)
    assert score(source, target, overwrite=True) == ["written"]
    assert score(source, target) == ["kept"]


KILLED = """
import os, sys
import qa_frame
from qa_frame.replacement import Replacement

left, commit = int(sys.argv[3]), Replacement.commit
def counting(self):
    global left
    if not left:
        os._exit(9)
    left -= 1
    commit(self)
Replacement.commit = counting
qa_frame.score_files(sys.argv[1], sys.argv[2], pred="response", gold="answers", reduce=sys.argv[4], overwrite=True,
                     n_jobs=1)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("n_commits", "kept"), [(0, "max"), (1, "max"), (2, "min")])
def test_a_run_that_is_killed_beside_its_note_is_no_dead_end(tmp_path, n_commits, kept):
    """The results that stand there keep their note, whatever the note of the next ones says already."""
    source, target = write(tmp_path / "run.jsonl"), tmp_path / "out.jsonl"
    score(source, target, reduce="max")
    words = [str(source), str(target), str(n_commits), "min"]
    assert subprocess.run([sys.executable, "-c", KILLED, *words], check=False).returncode == (9 if n_commits < 2 else 0)
    other = {"max": "min", "min": "max"}[kept]
    assert score(source, target, reduce=kept) == ["kept"]
    refuses("rules differ", source, target, reduce=other)
    assert score(source, target, reduce=other, overwrite=True) == ["written"]
    assert score(source, target, reduce=other) == ["kept"]
    assert {path.name for path in tmp_path.iterdir()} == {"run.jsonl", "out.jsonl", ".out.jsonl.qa_frame.json"}


# --- which place is meant


@every_ending
@pytest.mark.filterwarnings("ignore:destination=:qa_frame.errors.ResultFileWarning")
@pytest.mark.parametrize("source", ["runs", "runs/**/*.*"])
def test_a_destination_inside_the_source(tmp_path, ending, source):
    runs = tmp_path / "runs"
    write(runs / f"a{ending}")
    write(runs / "deep" / f"b{ending}")
    assert score(tmp_path / source, runs / "scored") == ["written"] * 2
    assert score(tmp_path / source, runs / "scored") == ["kept"] * 2
    (runs / "scored" / f"a{ending}").unlink()
    assert score(tmp_path / source, runs / "scored") == ["written", "kept"]
    assert score(tmp_path / source, runs / "scored", overwrite=True) == ["written"] * 2
    assert not (runs / "scored" / "scored").exists()


def test_a_destination_inside_the_source_is_said(tmp_path):
    write(tmp_path / "runs" / "a.jsonl")
    with pytest.warns(
        qa_frame.errors.ResultFileWarning, match="stands inside the folder of the sources; give a folder"
    ):
        score(tmp_path / "runs", tmp_path / "runs" / "scored")
    assert score(tmp_path / "runs" / "*.jsonl", tmp_path / "runs" / "other") == ["written"]  # which it does not name


@pytest.mark.parametrize("name", ["a", "c"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_source_below_the_destination_is_not_passed_over(tmp_path, name, overwrite):
    runs = tmp_path / "runs"
    write(runs / "a.jsonl")
    mine = write(runs / "scored" / f"{name}.jsonl")
    before = mine.read_bytes()
    refuses(rf"{name}\.jsonl stands below it and is no result", runs, runs / "scored", overwrite=overwrite)
    assert mine.read_bytes() == before


@posix
@every_ending
def test_a_link_at_the_destination_stays_a_link(tmp_path, ending):
    source, link, real = (
        write(tmp_path / f"run{ending}"),
        tmp_path / f"link{ending}",
        tmp_path / "far" / f"real{ending}",
    )
    link.symlink_to(real)
    assert score(source, link) == ["written"]
    assert link.is_symlink()
    assert real.is_file()
    assert score(source, link) == ["kept"]
    assert score(source, real) == ["kept"]
    real.write_text("mine")
    refuses("has no note", source, link)


@posix
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("tie", ["symlink_to", "hardlink_to"])
def test_a_source_by_another_name_is_never_the_destination(tmp_path, overwrite, tie):
    source, link = write(tmp_path / "run.jsonl"), tmp_path / "link.jsonl"
    before = source.read_bytes()
    getattr(link, tie)(source)
    refuses("is a source itself", source, link, overwrite=overwrite)
    assert source.read_bytes() == before == link.read_bytes()


@posix
def test_what_is_no_file_is_not_replaced(tmp_path):
    source, target = write(tmp_path / "run.jsonl"), tmp_path / "out" / "run.jsonl"
    target.mkdir(parents=True)
    refuses("is no file", source, tmp_path / "out", overwrite=True)
    target.rmdir()
    os.mkfifo(target)
    refuses("is no file", source, tmp_path / "out", overwrite=True)


def test_the_header_of_gzip_names_no_file(tmp_path):
    source, target = write(tmp_path / "run.jsonl.gz"), tmp_path / "out.jsonl.gz"
    score(source, target)
    assert target.read_bytes()[3] == 0  # no flags: no name, no comment
    first = target.read_bytes()
    score(source, target, overwrite=True)
    assert target.read_bytes() == first
    assert zlib.decompress(first, 31).count(b"\n") == 12


# --- what cannot be


@every_ending
@pytest.mark.parametrize("length", [201, 240, 255])
def test_long_names(tmp_path, ending, length):
    name = "ä" * ((length - len(ending)) // 2) + "x" * ((length - len(ending)) % 2) + ending
    target = tmp_path / name
    assert len(os.fsencode(name)) == length
    assert score(write(tmp_path / f"run{ending}"), target) == ["written"]
    assert score(tmp_path / f"run{ending}", target) == ["kept"]


def test_names_that_are_too_long(tmp_path):
    source = write(tmp_path / "run.jsonl")
    for target in (tmp_path / ("x" * 300), tmp_path / f"{'x' * 300}.jsonl", f"{tmp_path}{'/x' * 3000}.jsonl"):
        refuses("x(.jsonl)? cannot be written: .*Choose another destination", source, target, OSError)
        refuses("cannot be written", source, target, qa_frame.errors.ResultWriteError, overwrite=True)


@posix
def test_links_in_a_circle(tmp_path):
    link = tmp_path / "link.jsonl"
    link.symlink_to(link)
    refuses("link.jsonl cannot be written", write(tmp_path / "run.jsonl"), link, qa_frame.errors.ResultWriteError)


@posix
def test_a_folder_that_may_not_be_entered(tmp_path, monkeypatch):
    source, locked = write(tmp_path / "run.jsonl"), tmp_path / "locked"
    locked.mkdir(0o000)
    if os.access(locked, os.X_OK):  # as for root
        stat = os.stat

        def refusing(path, **options):
            if str(path).startswith(f"{locked}/"):
                raise PermissionError(13, "Permission denied", str(path))
            return stat(path, **options)

        monkeypatch.setattr(os, "stat", refusing)
        monkeypatch.setattr(Path, "stat", refusing)  # which has an `os.stat` of its own before Python 3.11
    for target in (locked / "out.jsonl", locked / "out"):
        refuses("cannot be written: Permission denied", source, target, qa_frame.errors.ResultWriteError)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_source_whose_name_is_not_utf_8(tmp_path):
    write(tmp_path / "run.jsonl").rename(tmp_path / os.fsdecode(b"r\xff.jsonl"))
    refuses(r"r\\udcff\.jsonl: its name is not UTF-8; rename it", tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@posix
def test_a_place_below_a_file_or_at_standard_output(tmp_path, monkeypatch):
    source = write(tmp_path / "run.parquet")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").write_text("my notes")
    for target in ("notes/out", "notes/out/x.parquet", tmp_path / "notes" / "x.parquet"):
        refuses("a file stands where it needs a folder; nothing is left of it. Choose another", source, target, OSError)
    refuses(r"destination='-' is no place for files", source, "-", error=qa_frame.errors.UnknownOptionError)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["notes", "run.parquet"]
    assert score(source, "./-") == ["written"]
    assert (tmp_path / "-" / "run.parquet").is_file()


@posix
@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_has_no_advice_of_space(tmp_path):
    source, folder = write(tmp_path / "run.parquet"), tmp_path / "out"
    folder.mkdir(mode=0o500)
    refuses(
        "Permission denied; nothing is left of it. Choose another", source, folder, qa_frame.errors.ResultWriteError
    )
