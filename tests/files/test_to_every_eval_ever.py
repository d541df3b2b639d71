"""What `to_every_eval_ever` writes: the same scores when read again, and a file that the schema's validator accepts."""

from __future__ import annotations

import hashlib
import json

import pandas as pd
import pyarrow as pa
import pytest

import qa_frame


@pytest.fixture
def rows():
    rows = qa_frame.sample()
    rows["model"] = "acme/" + rows["model"]
    rows.index = [7] * len(rows)
    return rows


@pytest.fixture
def paths(rows, tmp_path):
    return qa_frame.to_every_eval_ever(rows, tmp_path, metrics=["em", "f1"], organization="Acme")


@pytest.mark.usefixtures("paths")
def test_samples_have_the_same_scores_when_read_again(rows, tmp_path):
    again = qa_frame.read_results(tmp_path, kind="every_eval_ever")
    keys = ["model", "dataset", "question_id"]
    for metric in ("em", "f1"):
        ours = rows.qa.score("response", "answers", metrics=metric).dropna(subset=metric)
        read = again[again["evaluation_result_id"].str.endswith(f"/{metric}")]
        scored = read.qa.score("response", "answers", metrics=metric)
        assert scored[metric].tolist() == scored["harness_score"].tolist()
        assert (scored["harness_score"] == 1).tolist() == scored["harness_is_correct"].tolist()
        pd.testing.assert_series_equal(
            scored.astype(dict.fromkeys(keys, object)).set_index(keys)[metric].sort_index(),
            ours.astype(dict.fromkeys(keys, object)).set_index(keys)[metric].sort_index(),
            check_index_type=False,
        )


def test_averages_are_those_of_the_summary(rows, paths):
    table = rows.qa.summary(by=["model", "dataset"], metrics=["em", "f1"], pred="response", gold="answers", ci=0.95)
    assert len(paths) == len(table)
    for path in paths:
        document = json.loads(path.read_text("utf-8"))
        for result in document["evaluation_results"]:
            metric, details = result["metric_config"]["metric_id"], result["score_details"]
            expected = table.loc[document["model_info"]["id"], result["evaluation_name"]]
            interval = details["uncertainty"]["confidence_interval"]
            found = [details["score"], interval["lower"], interval["upper"]]
            assert found == pytest.approx(expected[[metric, f"{metric}_lo", f"{metric}_hi"]].tolist(), abs=1e-12)
        samples = path.with_name(f"{path.stem}_samples.jsonl").read_bytes()
        detailed = document["detailed_evaluation_results"]
        assert detailed["checksum"] == hashlib.sha256(samples).hexdigest()
        assert detailed["total_rows"] == samples.count(b"\n")


def test_names_follow_from_the_results(rows, paths, tmp_path):
    assert qa_frame.to_every_eval_ever(rows, tmp_path, metrics=["em", "f1"], organization="Acme") == paths
    assert qa_frame.to_every_eval_ever(rows, tmp_path, metrics="em", organization="Acme") != paths


def test_rows_without_golds_or_answers_and_names_that_no_file_has(tmp_path):
    rows = pd.DataFrame(
        {
            "response": ["Seine", None, "x"],
            "answers": [["Seine", None], ["1910"], None],
            "model": "a:b",
            "dataset": "rivers?",
        }
    )
    (path,) = qa_frame.to_every_eval_ever(rows, tmp_path, metrics="em", organization="Acme")
    assert path.relative_to(tmp_path).parts[:-1] == ("data", "rivers_", "unknown", "a_b")
    lines = path.with_name(f"{path.stem}_samples.jsonl").read_text("utf-8").splitlines()
    first, second = map(json.loads, lines)
    assert (first["input"]["reference"], first["evaluation"]) == (["Seine"], {"score": 1.0, "is_correct": True})
    assert (second["output"], second["sample_id"]) == ({"raw": []}, "1")
    assert qa_frame.to_every_eval_ever(rows[2:], tmp_path, metrics="em", organization="Acme") == []


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_lists_of_spans_are_written_as_texts(tmp_path, kind):
    rows = pd.DataFrame(
        {
            "response": [["b", "a"], ["c"], None, []],
            "answers": [[["a", "b"], ["a"]], [["c"], None, []], [["d"]], [["e"]]],
            "model": "m",
            "dataset": "drop",
        }
    )
    data = rows if kind == "pandas" else pa.Table.from_pandas(rows)
    (path,) = qa_frame.to_every_eval_ever(data, tmp_path, metrics="f1", convention="drop", organization="Acme")
    lines = path.with_name(f"{path.stem}_samples.jsonl").read_text("utf-8").splitlines()
    samples = [json.loads(line) for line in lines]
    assert [each["input"]["reference"] for each in samples] == [["a, b", "a"], ["c"], ["d"], ["e"]]
    assert [each["output"]["raw"] for each in samples] == [["b, a"], ["c"], [], [""]]
    assert [each["evaluation"]["score"] for each in samples] == [1, 1, 0, 0]


def test_golds_of_drop_as_read_results_gives_them(tmp_path):
    record = {"response": "Seine", "answers": [["Seine"], ["Loire", "Seine"]], "model": "m", "dataset": "drop"}
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps(record))
    rows = qa_frame.read_results(results)
    (path,) = qa_frame.to_every_eval_ever(rows, tmp_path / "out", convention="drop", metrics="em", organization="Acme")
    sample = json.loads(path.with_name(f"{path.stem}_samples.jsonl").read_text("utf-8"))
    assert sample["input"]["reference"] == ["Seine", "Loire, Seine"]
    with pytest.raises(qa_frame.ColumnTypeError, match=r"gold='answers' holds .*convention='drop'"):
        qa_frame.to_every_eval_ever(rows, tmp_path / "out", metrics="em", organization="Acme")


def test_a_gold_is_written_as_it_was_scored(tmp_path):
    rows = pd.DataFrame({"response": ["a", "b", "c"], "answers": ["['a']", "b", "c"], "model": "m", "dataset": "d"})
    with pytest.warns(qa_frame.GoldFormatWarning, match="scored as they stand"):
        (path,) = qa_frame.to_every_eval_ever(rows, tmp_path, metrics="em", organization="Acme")
    samples = map(json.loads, path.with_name(f"{path.stem}_samples.jsonl").read_text("utf-8").splitlines())
    assert [each["input"]["reference"] for each in samples] == [["['a']"], ["b"], ["c"]]


@pytest.mark.parametrize("name", ["model", "dataset", "question_id", "question"])
@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_two_columns_of_one_name_are_an_error(tmp_path, name, kind):
    names = [*{"response", "answers", "model", "dataset"} - {name}, name, name]
    table = pa.Table.from_arrays([pa.array(["a"])] * len(names), names)
    data = table.to_pandas() if kind == "pandas" else table
    with pytest.raises(qa_frame.ColumnNotFoundError, match=f"data has 2 columns '{name}'; rename"):
        qa_frame.to_every_eval_ever(data, tmp_path, organization="Acme")


def test_misuse(rows, tmp_path):
    with pytest.raises(qa_frame.ColumnNotFoundError, match="df\\['model'\\] = "):
        qa_frame.to_every_eval_ever(rows.drop(columns="model"), tmp_path, organization="Acme")
    with pytest.raises(qa_frame.QaFrameError, match="relationship"):
        qa_frame.to_every_eval_ever(rows, tmp_path, organization="Acme", relationship="friend")
    with pytest.raises(qa_frame.QaFrameError, match="organization"):
        qa_frame.to_every_eval_ever(rows, tmp_path, organization="")


@pytest.mark.parametrize("name", ["model", "dataset", "question_id"])
@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_a_null_is_not_written_as_text(rows, tmp_path, name, kind):
    data = rows.reset_index(drop=True).astype({name: object})
    data.loc[3, name] = None
    data = data if kind == "pandas" else pa.Table.from_pandas(data, preserve_index=False)
    with pytest.raises(qa_frame.ColumnTypeError, match=f"'{name}' is null at .*3"):
        qa_frame.to_every_eval_ever(data, tmp_path, organization="Acme")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("factor", "kind"), [(1, "Wilson's interval, Student's t"), (7, "Student's t")], ids=["0 to 1", "0 to 7"]
)
def test_the_interval_of_an_own_metric_is_named_by_its_kind(rows, tmp_path, factor, kind):
    def first_letters(preds, golds):
        return [factor * float(pred[:2] == gold[:2]) for pred, gold in zip(preds, golds, strict=True)]

    own = qa_frame.PairMetric("own", first_letters)
    paths = qa_frame.to_every_eval_ever(rows, tmp_path, metrics=[own, "f1"], organization="Acme")
    scored = rows.qa.score("response", "answers", metrics=[own, "f1"])
    table = scored.qa.summary(by=["model", "dataset"], metrics=["own"], ci=0.95)
    assert table["own_hi"].max() > 1 or factor == 1
    for path in paths:
        document = json.loads(path.read_text("utf-8"))
        of_own, of_f1 = document["evaluation_results"]
        figures = table.loc[document["model_info"]["id"], of_own["evaluation_name"]]
        interval, other = (each["score_details"]["uncertainty"]["confidence_interval"] for each in (of_own, of_f1))
        assert (interval["lower"], interval["upper"]) == tuple(figures[["own_lo", "own_hi"]])
        assert (interval["method"], other["method"]) == (kind, "Wilson's interval, Student's t")
        assert not {"metric_unit", "max_score"} & of_own["metric_config"].keys()
        assert (
            of_f1["score_details"]["uncertainty"]["confidence_interval"]["method"] == "Wilson's interval, Student's t"
        )


def test_no_intervals_where_none_are_asked_for(rows, tmp_path):
    (path, *_) = qa_frame.to_every_eval_ever(rows, tmp_path, metrics="em", organization="Acme", ci=None)
    (result,) = json.loads(path.read_text("utf-8"))["evaluation_results"]
    assert result["score_details"]["uncertainty"].keys() == {"num_samples"}


def test_a_column_of_choices_is_read(tmp_path):
    rows = pd.DataFrame({"response": ["Seine"], "answers": [["B"]], "options": [["Loire", "Seine"]]})
    rows[["model", "dataset"]] = "m", "d"
    rules = {"metrics": "em", "extract": "choice", "choices": "options"}
    (path,) = qa_frame.to_every_eval_ever(rows, tmp_path, organization="Acme", **rules)
    assert json.loads(path.read_text("utf-8"))["evaluation_results"][0]["score_details"]["score"] == 1


def test_the_validator_of_the_schema_finds_no_fault(paths, tmp_path):
    core = pytest.importorskip("every_eval_ever.validator.validation_core")
    names = frozenset(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json*"))
    assert len(names) == 2 * len(paths)
    for name in names:
        report = core.validate_file(
            tmp_path / name,
            repo_path=name,
            available_files=names,
            read_repo_file=lambda other: (tmp_path / other).read_text("utf-8"),
            run_semantic_checks=True,
        )
        assert (report.valid, report.errors, report.warnings) == (True, [], [])


def test_any_kind_of_frame_is_taken(rows, tmp_path):
    pl = pytest.importorskip("polars")
    table = pa.Table.from_pandas(rows, preserve_index=False)
    written = []
    for name, data in (("pandas", rows), ("arrow", table), ("polars", pl.from_arrow(table))):
        paths = qa_frame.to_every_eval_ever(data, tmp_path / name, metrics="f1", organization="Acme")
        written.append([path.with_name(f"{path.stem}_samples.jsonl").read_bytes() for path in paths])
    assert written[0] == written[1] == written[2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"folder": 1}, "folder=1 is not a path"),
        ({"organization": ""}, "organization='' is no name"),
        ({"organization": 3}, "organization=3 is not text"),
        ({"pred": "reply"}, "pred='reply' is not a column"),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(rows, tmp_path, wrong, message):
    with pytest.raises(qa_frame.QaFrameError, match=message):
        qa_frame.to_every_eval_ever(rows, **{"folder": tmp_path, "organization": "Acme", **wrong})
