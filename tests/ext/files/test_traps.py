"""What each harness does that a reader can get wrong."""

from __future__ import annotations

import json
import re
import shutil
import struct
import zipfile
import zlib

import pandas as pd
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.ext.files.open_files import Content
from qa_frame.ext.files.zips import JsonZip
from tests.ext.files import shapes
from tests.ext.files.shapes import ROWS

SEINE = ROWS[0]


def read_lines(tmp_path, *records, **settings):
    return qa_frame.read_results(shapes.write_lines(tmp_path / "log.jsonl", records), **settings)


def golds_of(frame):
    return frame["answers"].tolist()


# --- GSM8K


def test_golds_that_are_whole_solutions_name_the_convention_that_scores_them(tmp_path):
    solution = "9 + 9 = 18 dollars.\n#### 18"
    records = [{"id": n, "prediction": "18", "answer": gold} for n, gold in enumerate((solution, "#### Title\n18"))]
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="golds of 1 row are solutions.*'gsm8k_lm_eval'"):
        frame = read_lines(tmp_path, *records)
    scored = frame.qa.score("response", "answers", convention="gsm8k_lm_eval")
    assert scored["em"].tolist() == [1.0, 0.0]


# --- lm-evaluation-harness


@pytest.mark.parametrize(
    ("target", "doc", "golds"),
    [
        ("['a', \"b's\"]", {}, ["a", "b's"]),
        ("['a', 'b']", {"answer": {"aliases": ["a", "b"]}}, ["a", "b"]),
        ("[1, 2.5]", {}, ["1", "2.5"]),
        ("[1999, None]", {"answer": [1999, None]}, ["1999", None]),
        ("(B)", {}, ["(B)"]),
        ("{'a': 1}", {}, ["{'a': 1}"]),
        ("[see text", {}, ["[see text"]),
        ("[]", {}, []),
        (42, {}, ["42"]),
        (["a", "b"], {}, ["a", "b"]),
        (None, {}, None),
    ],
)
def test_lm_eval_targets(tmp_path, target, doc, golds):
    samples = [shapes.lm_eval_sample(SEINE, target=target, doc=doc), shapes.lm_eval_sample(SEINE, target="a")]
    assert golds_of(read_lines(tmp_path, *samples)) == [golds, ["a"]]


def test_lm_eval_filters_are_rows_and_repeats_are_samples(tmp_path):
    first = shapes.lm_eval_sample(SEINE)
    repeats = shapes.lm_eval_sample(SEINE, filtered_resps=[["a", "b"]], filter="none")
    frame = read_lines(tmp_path, first, repeats)
    assert frame["response"].tolist() == ["The Seine.", "a", "b"]
    assert frame["filter"].tolist() == ["strict", "none", "none"]
    assert frame["sample"].tolist() == [pd.NA, 0, 1]
    assert golds_of(frame) == [SEINE["golds"]] * 3


def test_lm_eval_takes_the_model_from_its_averages_else_from_its_folder(tmp_path):
    path = shapes.lm_eval(tmp_path)
    beside = next(path.parent.glob("results_*.json"))
    shapes.write_document(beside, {"model_name": "acme/heron-7b-chat"})
    assert qa_frame.read_results(path)["model"].unique().tolist() == ["acme/heron-7b-chat"]
    beside.unlink()
    assert qa_frame.read_results(path)["model"].unique().tolist() == ["acme/heron-7b"]
    local = shutil.copytree(path.parent, tmp_path / "__runs__heron")
    assert qa_frame.read_results(local)["model"].unique().tolist() == ["/runs/heron"]


def test_lm_eval_without_a_model_says_how_files_are_told_apart(tmp_path):
    samples = shapes.lm_eval(tmp_path / "logs")
    paths = [shutil.copy(samples, tmp_path / samples.name.replace("T10", hour)) for hour in ("T10", "T11")]
    assert paths[0] != paths[1]
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="names no model: neither results_.*by='file' tells"):
        frame = qa_frame.read_results(paths)
    assert "model" not in frame
    scored = frame.qa.score("response", "answers", metrics="em")
    assert qa_frame.summary(scored, by="file").index.tolist() == [*map(str, paths)]


@pytest.mark.parametrize("names", [None, ["exact_match"], []])
def test_lm_eval_scores_are_those_that_metrics_names_or_all_numbers(tmp_path, names):
    record = shapes.lm_eval_sample(ROWS[0], exact_match=1.0, f1=0.5, doc_hash="a") | {"metrics": names}
    if names is None:
        del record["metrics"]
    path = tmp_path / "samples_nq.jsonl"
    path.write_text(json.dumps(record))
    scores = [name for name in qa_frame.read_results(path) if name.startswith("harness_")]
    assert scores == (["harness_exact_match", "harness_f1"] if names is None else [f"harness_{each}" for each in names])


def test_lm_eval_without_filtered_responses(tmp_path):
    sample = shapes.lm_eval_sample(SEINE)
    del sample["filtered_resps"]
    assert read_lines(tmp_path, sample)["response"].tolist() == ["raw The Seine."]


def test_lm_eval_originals_can_be_named(tmp_path):
    sample = shapes.lm_eval_sample(SEINE, target="a", doc={"answer": {"aliases": ["a", "A"]}})
    assert golds_of(read_lines(tmp_path, sample, gold="doc.answer.aliases")) == [["a", "A"]]
    assert read_lines(tmp_path, sample, pred="resps.0.0")["response"].tolist() == ["raw The Seine."]


def test_lm_eval_multiple_choice_is_refused_or_counted(tmp_path):
    path = shapes.lm_eval_multiple_choice(tmp_path)
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"line 1: holds log-likelihoods"):
        qa_frame.read_results(path)
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="1 record was left out"):
        frame = qa_frame.read_results(path, on_bad_lines="warn")
    assert frame.attrs["qa_files"][str(path)]["left_out"] == 1
    assert frame.columns.tolist() == ["response", "answers"]
    assert not len(frame)


def test_lm_eval_rolling_log_likelihood_is_refused(tmp_path):
    arguments = {"gen_args_0": {"arg_0": "a text"}}
    sample = shapes.lm_eval_sample(SEINE, arguments=arguments, resps=[["-12.5"]], filtered_resps=["-12.5"])
    with pytest.raises(qa_frame.errors.ResultFileError, match="log-likelihoods"):
        read_lines(tmp_path, sample)


def test_lm_eval_older_layouts(tmp_path):
    arguments = [["Q: a\nA:", {"until": ["\n"]}]]
    generated = shapes.lm_eval_sample(SEINE, arguments=arguments)
    assert read_lines(tmp_path, generated)["response"].tolist() == ["The Seine."]
    pair = shapes.lm_eval_sample(SEINE, arguments=[], filtered_resps=[["-1.0", "False"]])
    with pytest.raises(qa_frame.errors.ResultFileError, match="log-likelihoods"):
        read_lines(tmp_path, pair)


def test_lm_eval_averages_name_the_right_file(tmp_path):
    shapes.lm_eval(tmp_path)
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"read the samples_\*\.jsonl files"):
        qa_frame.read_results(tmp_path / "acme__heron-7b" / f"results_{shapes.DATE}.json")


# --- inspect


def read_eval(tmp_path, members, **settings):
    return qa_frame.read_results(shapes.write_zip(tmp_path / "log.eval", members), **settings)


def test_inspect_content_may_be_parts(tmp_path):
    parts = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": "The"},
        {"type": "text", "text": "Seine"},
    ]
    output = {"choices": [{"message": {"role": "assistant", "content": parts}}], "completion": "not this"}
    sample = shapes.inspect_sample(SEINE, output=output, target="Seine")
    frame = read_eval(tmp_path, {"samples/7_epoch_1.json": sample, "header.json": shapes.inspect_header()})
    assert frame["response"].tolist() == ["The\nSeine"]
    assert golds_of(frame) == [["Seine"]]


def test_inspect_epochs_are_rows(tmp_path):
    members = {**shapes.inspect_members(ROWS, epochs=(1, 2)), "header.json": shapes.inspect_header()}
    frame = read_eval(tmp_path, members)
    assert frame["epoch"].tolist() == [1] * 5 + [2] * 5


def test_inspect_failed_samples_have_null_responses(tmp_path):
    failed = shapes.inspect_sample(SEINE, output={"choices": [], "completion": ""}, error={"message": "timeout"})
    members = {**shapes.inspect_members(ROWS), "samples/7_epoch_1.json": failed, "header.json": shapes.inspect_header()}
    frame = read_eval(tmp_path, members)
    assert frame["response"].isna().tolist() == [True, False, False, False, False]
    assert frame["error"].tolist() == ["timeout", *[pd.NA] * 4]


def test_inspect_unfinished_run(tmp_path):
    members = {"_journal/start.json": {"version": 2, "eval": shapes.inspect_header()["eval"]}}
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="unfinished run"):
        frame = read_eval(tmp_path, members | shapes.inspect_members(ROWS[:2]))
    assert frame["model"].tolist() == [shapes.MODEL] * 2
    assert frame["run_status"].tolist() == ["started"] * 2


@pytest.mark.parametrize("status", ["error", "cancelled"])
def test_inspect_says_that_a_run_ended_badly(tmp_path, status):
    members = {"header.json": {**shapes.inspect_header(), "status": status}}
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=f"a run with the status '{status}'; the samples that"):
        read_eval(tmp_path, members | shapes.inspect_members(ROWS[:2]))


def test_inspect_samples_in_folders_and_with_slashes_in_their_ids(tmp_path):
    members = {
        "samples/a/7_epoch_1/sample.json": shapes.inspect_sample(SEINE, id="a/7"),
        "samples/a/7_epoch_1/messages/0.json": [],
        "samples/b/8_epoch_1.json": shapes.inspect_sample(ROWS[1], id="b/8"),
        "header.json": shapes.inspect_header(),
    }
    assert read_eval(tmp_path, members)["question_id"].tolist() == ["a/7", "b/8"]


def inspect_log_with_list(listed=ROWS):
    summaries = [{"id": row["id"], "epoch": 1, "input": "\ud83d"} for row in listed]
    return {**shapes.inspect_members(ROWS), "summaries.json": summaries, "header.json": shapes.inspect_header()}


@pytest.mark.parametrize("name", ["sampels/7_epoch_1.json", "samples/7.json", "samples/7_epoch_1.jsoo", None])
def test_inspect_samples_that_its_list_has_and_no_member_of_their_name(tmp_path, name):
    members = inspect_log_with_list()
    first = next(iter(members))
    sample = members.pop(first)
    members |= {} if name is None else {name: sample}
    with pytest.raises(
        qa_frame.errors.ResultFileError, match=rf"{first}: is listed in summaries\.json, and no member has"
    ):
        read_eval(tmp_path, members)
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=rf"1 record was left out, first {first}: is listed"):
        frame = read_eval(tmp_path, members, on_bad_lines="warn")
    assert len(frame) == len(ROWS) - 1
    assert frame.attrs["qa_files"][str(tmp_path / "log.eval")]["left_out"] == 1


def test_inspect_lists_that_say_nothing(tmp_path):
    """A whole list, one of samples that are read under another name, and lists that are damaged or not there."""
    whole = inspect_log_with_list()
    renamed = {name.replace(f"/{SEINE['id']}_", "/w_"): document for name, document in whole.items()}
    others = [{**whole, "summaries.json": listed} for listed in (ROWS[:1], {"id": 1}, None, [1], "a")]
    for members in (whole, renamed, inspect_log_with_list(ROWS[:2]), *others):
        assert len(read_eval(tmp_path, members)) == len(ROWS)


def test_inspect_damaged_samples_are_counted_once(tmp_path):
    members = inspect_log_with_list()
    members[next(iter(members))] = {"no": "sample"}
    frame = read_eval(tmp_path, members, on_bad_lines="skip")
    assert frame.attrs["qa_files"][str(tmp_path / "log.eval")]["left_out"] == 1


def test_inspect_logs_without_samples_and_version_are_recognised(tmp_path):
    header = {"status": "error", "eval": {"task": "t", "model": "m"}, "plan": {}}
    path = shapes.write_document(tmp_path / "log.json", header, indent=2)
    with pytest.raises(qa_frame.errors.ResultFileError, match="holds no records: its run may have failed"):
        qa_frame.read_results(path)
    frame = read_lines(tmp_path, {"response": "a", "answers": ["a"], "eval": "facts", "status": "done"})
    assert frame[["eval", "status"]].iloc[0].tolist() == ["facts", "done"]


def test_inspect_attachments_are_resolved(tmp_path):
    output = {"choices": [{"message": {"content": "attachment://abc"}}]}
    sample = shapes.inspect_sample(SEINE, output=output, attachments={"abc": "The Seine."}, input="attachment://abc")
    frame = read_eval(tmp_path, {"samples/7_epoch_1.json": sample, "header.json": shapes.inspect_header()})
    assert frame[["response", "question"]].iloc[0].tolist() == ["The Seine."] * 2


def test_inspect_scores_of_several_values(tmp_path):
    scores = {"rubric": {"value": {"facts": 1.0, "style": 0}}, "list": {"value": [1, 2]}, "f1": {"value": float("nan")}}
    sample = shapes.inspect_sample(SEINE, scores=scores)
    frame = read_eval(tmp_path, {"samples/7_epoch_1.json": sample, "header.json": shapes.inspect_header()})
    assert [name for name in frame if name.startswith("harness_")] == [
        "harness_rubric_facts",
        "harness_rubric_style",
        "harness_f1",
    ]


def test_inspect_grades_are_numbers(tmp_path):
    """As the metrics of inspect read them, by `value_to_float`. Texts that are no grades stay as they are."""
    grades = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
    members = {"header.json": shapes.inspect_header()}
    for number, grade in enumerate(grades):
        values = {"match": {"value": grade}, "rubric": {"value": {"facts": grade}}, "choice": {"value": "B"}}
        members[f"samples/{number}_epoch_1.json"] = shapes.inspect_sample(SEINE, scores=values)
    frame = read_eval(tmp_path, members)
    for name in ("harness_match", "harness_rubric_facts"):
        assert frame[name].tolist() == list(grades.values())
        assert frame[name].dtype.pyarrow_dtype == pa.float64()
    assert set(frame["harness_choice"]) == {"B"}


def test_inspect_extracted_answers_can_be_named(tmp_path):
    scores = {"f1": {"value": 1.0, "answer": "Seine"}}
    members = {
        "samples/7_epoch_1.json": shapes.inspect_sample(SEINE, scores=scores),
        "header.json": shapes.inspect_header(),
    }
    assert read_eval(tmp_path, members, pred="scores.f1.answer")["response"].tolist() == ["Seine"]


def write_zstd_zip(path, name, content, checksum=None):
    """A zip of one member that zstd compressed, which `zipfile` cannot write before Python 3.14."""
    compressed = pa.compress(content, "zstd", asbytes=True)
    crc = zlib.crc32(content) if checksum is None else checksum
    sizes = struct.pack("<LLLHH", crc, len(compressed), len(content), len(name), 0)
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 45, 0, 93, 0, 33) + sizes + name.encode() + compressed
    central = b"PK\x01\x02" + struct.pack("<HHHHHH", 45, 45, 0, 93, 0, 33) + sizes
    central += struct.pack("<HHHLL", 0, 0, 0, 0, 0) + name.encode()
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    path.write_bytes(local + central + end)
    return path


def test_zips_that_zstd_compressed(tmp_path):
    path = write_zstd_zip(tmp_path / "log.eval", "samples/é_epoch_1.json".replace("é", "e"), b'{"id": 1}')
    assert zipfile.ZipFile(path).infolist()[0].compress_type == 93
    assert JsonZip(Content(path)).read("samples/e_epoch_1.json") == {"id": 1}


def test_damaged_members_of_zips_are_found(tmp_path):
    path = write_zstd_zip(tmp_path / "log.eval", "header.json", b'{"id": 1}', checksum=7)
    with pytest.raises(
        qa_frame.errors.ResultFileError, match=r"header cannot be decompressed \(its checksum is wrong\)"
    ):
        qa_frame.read_results(path)
    members = {"samples/7_epoch_1.json": shapes.inspect_sample(SEINE), "header.json": shapes.inspect_header()}
    whole = shapes.write_zip(tmp_path / "whole.eval", members, zipfile.ZIP_STORED)
    whole.write_bytes(whole.read_bytes().replace(b"The Seine.", b"The Sauna."))
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"samples/7_epoch_1\.json: cannot be decompressed"):
        qa_frame.read_results(whole)


# --- lighteval


def test_lighteval_indices_texts_and_samples(tmp_path):
    row = shapes.lighteval_row(SEINE, text=["a", "b"])
    row["doc"] |= {"choices": ["no", "yes"], "gold_index": 1}
    frame = qa_frame.read_results(shapes.write_table(tmp_path / "details.parquet", [row]))
    assert frame["response"].tolist() == ["a", "b"]
    assert frame["sample"].tolist() == [0, 1]
    assert golds_of(frame) == [["yes"]] * 2


def test_lighteval_multiple_choice_is_refused(tmp_path):
    row = shapes.lighteval_row(SEINE, text=[], logprobs=[-1.0, -2.0])
    with pytest.raises(qa_frame.errors.ResultFileError, match="row 1: holds log-likelihoods"):
        qa_frame.read_results(shapes.write_table(tmp_path / "details.parquet", [row]))


# --- HELM


def test_helm_letters_become_choices(tmp_path):
    state = shapes.helm_state(SEINE, output_mapping={"A": "Loire", "B": "Seine"})
    state["result"]["completions"] = [{"text": " B"}, {"text": "C"}]
    path = shapes.write_document(tmp_path / "scenario_state.json", {"adapter_spec": {}, "request_states": [state]})
    assert qa_frame.read_results(path)["response"].tolist() == ["Seine", "C"]


def test_helm_requests_without_result_or_text(tmp_path):
    failed = shapes.helm_state(SEINE, result=None)
    choice = shapes.helm_state(SEINE, reference_index=0)
    path = shapes.write_document(tmp_path / "state.json", {"adapter_spec": {}, "request_states": [failed, choice]})
    with pytest.raises(qa_frame.errors.ResultFileError, match="request 2: asks for the log-likelihood"):
        qa_frame.read_results(path)
    assert qa_frame.read_results(path, on_bad_lines="skip")["response"].tolist() == [pd.NA]


@pytest.mark.parametrize("other", [{"stats": []}, {"predicted_text": "a"}])
def test_other_files_of_helm_name_the_right_one(tmp_path, other):
    path = shapes.write_document(tmp_path / "per_instance_stats.json", [{"instance_id": "id0", **other}])
    with pytest.raises(qa_frame.errors.ResultFileError, match=r"read scenario_state\.json"):
        qa_frame.read_results(path)


# --- SQuAD


def test_the_two_files_of_squad_are_told_how_to_be_joined(tmp_path):
    qas = [{"id": f"5733be284776f4190066118{n}", "answers": [{"text": "Seine", "answer_start": 4}]} for n in range(2)]
    dataset = shapes.write_document(tmp_path / "dev.json", {"data": [{"paragraphs": [{"context": "", "qas": qas}]}]})
    predictions = shapes.write_document(tmp_path / "predictions.json", {"5733be284776f41900661180": "the Seine"})
    for path in (dataset, predictions):
        with pytest.raises(qa_frame.errors.ResultFileError, match="join the two files") as raised:
            qa_frame.read_results(path)
        call = re.search(r"qa_frame\.read_results\(.*?\)", str(raised.value))[0]
        with pytest.warns(qa_frame.errors.ResultFileWarning, match="1 gold without a row"):
            frame = eval(call, {"dataset": dataset, "predictions": predictions, "qa_frame": qa_frame})
        assert frame.qa.score("response", "answers")["em"].tolist() == [1.0]
    with pytest.raises(qa_frame.errors.ResultFileError, match="name its values with pred= and gold="):
        qa_frame.read_results(predictions)
    named = shapes.write_document(tmp_path / "named.json", {"20240101": "a", "20240102": "b"})
    assert qa_frame.read_results(named, pred="20240101", gold="20240102")["answers"].tolist() == [["b"]]


@pytest.mark.parametrize(
    "name", ["0", "12", "6566495-0-0", "5ae63bd25542996de7b71e7f", "a0b1c2d3-1f2e-4d5c-8b6a-0123456789ab"]
)
def test_predictions_by_question_id_are_known_by_their_ids(tmp_path, name):
    with pytest.raises(qa_frame.errors.ResultFileError, match="holds predictions by id"):
        qa_frame.read_results(shapes.write_document(tmp_path / "predictions.json", {name: "the Seine"}))


@pytest.mark.parametrize(
    "document",
    [
        {"accuracy@1": "0.5"},
        {"answer1": "x", "response1": "y"},
        {"f1": "0.5"},
        {"0-shot": "0.5"},
        {"deadbeef": "x"},
        {"5733be284776f41900661180": 1},
        {"data": [1, 2]},
        {"data": ["paragraphs"]},
        {"data": []},
    ],
    ids=str,
)
def test_other_objects_are_not_taken_for_files_of_squad(tmp_path, document):
    with pytest.raises(
        qa_frame.errors.ResultFileError, match=r"is of no known kind.*Name its values with pred= and gold="
    ):
        qa_frame.read_results(shapes.write_document(tmp_path / "other.json", document))


# --- OpenCompass


def read_opencompass(tmp_path, **record):
    path = shapes.write_document(tmp_path / "rivers.json", {"0": {"origin_prompt": "Which river?", **record}})
    return qa_frame.read_results(path)


def test_opencompass_without_golds_warns(tmp_path):
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="holds no golds"):
        frame = read_opencompass(tmp_path, prediction="Seine")
    assert golds_of(frame) == [None]
    scored = frame.qa.score("response", "answers")
    assert scored["f1"].isna().all()
    assert scored.qa.score(pred="response", gold="answers", stats=True).qa.summary()["n_no_gold"].tolist() == [1]


def test_opencompass_turns_and_samples(tmp_path):
    turns = read_opencompass(tmp_path, origin_prompt=["a", "b"], prediction=["x", "y"], gold=["1", "2"])
    assert golds_of(turns) == [["1"], ["2"]]
    assert turns["turn"].tolist() == [0, 1]
    samples = read_opencompass(tmp_path, prediction=["x", "y"], gold="1")
    assert golds_of(samples) == [["1"], ["1"]]
    assert samples["sample"].tolist() == [0, 1]


def test_opencompass_records_that_are_no_objects(tmp_path):
    document = {"0": {"prediction": "a", "gold": "a"}, "1": [1]}
    path = shapes.write_document(tmp_path / "rivers.json", document)
    with pytest.raises(qa_frame.errors.ResultFileError, match="record '1': is a JSON list"):
        qa_frame.read_results(path)
    assert len(qa_frame.read_results(path, on_bad_lines="skip")) == 1


def test_opencompass_probabilities_are_refused(tmp_path):
    with pytest.raises(qa_frame.errors.ResultFileError, match="record '0': holds the probabilities"):
        read_opencompass(tmp_path, prediction=[0.5, 0.5], gold=1)


# --- the others


def test_flashrag_indices_become_choices(tmp_path):
    record = {"id": "1", "question": "q", "golden_answers": [1], "choices": ["no", "yes"], "output": {"pred": "yes"}}
    path = shapes.write_document(tmp_path / "intermediate_data.json", [record])
    assert golds_of(qa_frame.read_results(path)) == [["yes"]]


def test_openai_evals_without_an_expected_answer(tmp_path):
    """A null among the expected answers is a row without golds, and no other event."""
    events = [
        {"run_id": "r", "event_id": 0, "sample_id": "s", "type": "match", "data": {"sampled": "a", "expected": gold}}
        for gold in ("Seine", None)
    ]
    assert golds_of(read_lines(tmp_path, *events)) == [["Seine"], None]
    with pytest.warns(qa_frame.errors.ResultFileWarning, match="holds no golds"):
        read_lines(tmp_path, events[1])


def test_openai_evals_events(tmp_path):
    own = {"run_id": "r", "event_id": 0, "sample_id": "s", "created_by": "", "created_at": ""}
    events = [
        {**own, "type": "sampling", "data": {"prompt": "Which river?", "sampled": ["a"]}},
        {**own, "type": "metrics", "data": {"score": 1}},
        {**own, "type": "match", "data": {"correct": True, "ideal": "Seine", "picked": "Seine"}},
    ]
    frame = read_lines(tmp_path, *events)
    assert frame[["response", "question", "harness_correct"]].iloc[0].tolist() == ["Seine", "Which river?", True]
    with pytest.raises(qa_frame.errors.ResultFileError, match="no event with both 'sampled' and 'expected'"):
        read_lines(tmp_path, *events[:2])


def test_every_eval_ever_conversations(tmp_path):
    record = {"evaluation_id": "e", "sample_id": "1", "input": {"raw": "q", "reference": ["a"]}, "evaluation": {}}
    messages = [{"role": "assistant", "content": "long talk"}, {"role": "user", "content": "thanks"}]
    conversation = {**record, "output": None, "messages": messages, "answer_attribution": []}
    extracted = {**conversation, "answer_attribution": [{"extracted_value": "a", "is_terminal": True}]}
    assert read_lines(tmp_path, conversation, extracted)["response"].tolist() == ["long talk", "a"]


def test_longbench_predictions_are_whole(tmp_path):
    record = {"pred": "Seine\nPassage: more", "answers": ["Seine"], "all_classes": ["a", "b"], "length": 10}
    frame = read_lines(tmp_path, record)
    assert frame["response"].tolist() == ["Seine\nPassage: more"]
    assert frame["length"].tolist() == [10]


# --- plain tables


def test_plain_names_of_the_users_own(tmp_path):
    record = {"out": {"text": "Seine"}, "ref": {"all": ["a", "b"]}, "response": "kept", "n": 1, "list": [1, "x"]}
    with pytest.raises(qa_frame.errors.ResultFileError, match="is of no known kind: its first record has the names"):
        read_lines(tmp_path, record)
    frame = read_lines(tmp_path, record, pred="out.text", gold="ref.all")
    assert frame["response"].tolist() == ["Seine"]
    assert golds_of(frame) == [["a", "b"]]
    assert frame[["n", "list"]].iloc[0].tolist() == [1, '[1, "x"]']
    assert frame["response_in_file"].tolist() == ["kept"]


def test_plain_golds(tmp_path):
    golds = ["a", ["a", "b"], 1999.0, None, {"text": ["x"], "answer_start": [0]}, [], "[1, 2]", float("nan")]
    frame = read_lines(tmp_path, *({"pred": "a", "gold": gold} for gold in golds))
    assert golds_of(frame) == [["a"], ["a", "b"], ["1999"], None, ["x"], [], ["[1, 2]"], None]


def test_plain_responses(tmp_path):
    responses = ["a", "", None, 42, 0.5, True, ["a", "b"], []]
    path = shapes.write_lines(tmp_path / "log.jsonl", [{"pred": each, "gold": "a"} for each in responses])
    texts = ["a", "", pd.NA, "42", "0.5", "True"]
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=r"of 1 row are lists.* give lists='samples'"):
        spans = qa_frame.read_results(path)["response"]
    assert spans.tolist() == [*(None if text is pd.NA else [text] for text in texts), ["a", "b"], None]
    assert qa_frame.read_results(path, lists="samples")["response"].tolist() == [*texts, "a", "b", pd.NA]


@pytest.mark.parametrize("write", [shapes.write_lines, shapes.write_table])
def test_golds_written_as_text_are_refused(tmp_path, write):
    path = write(tmp_path / "log.parquet", [{"pred": "a", "gold": "['a', 'b']"}] * 3)
    with pytest.raises(qa_frame.errors.GoldFormatError, match=r"qa_frame\.to_golds"):
        qa_frame.read_results(path)


def test_csv_texts_that_look_like_nulls_and_numbers(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(
        b'\xef\xbb\xbfpred,gold,f1,note\r\nNA,None,0.5,007\r\n,"[""a"", ""b""]",1,x\r\n\r\n"a\r\nb",c,,\r\n'
    )
    frame = qa_frame.read_results(path)
    assert frame["response"].tolist() == ["NA", pd.NA, "a\r\nb"]
    assert golds_of(frame) == [["None"], ["a", "b"], ["c"]]
    assert frame["note"].tolist() == ["007", "x", pd.NA]
    assert frame["f1"].tolist() == [0.5, 1.0, pd.NA]


def test_parquet_keeps_types_and_reads_parts_of_columns(tmp_path):
    rows = [{"out": {"text": "a"}, "pred": "b", "gold": "c", "when": pd.Timestamp("2026-01-05"), "ids": [1, 2]}]
    path = shapes.write_table(tmp_path / "log.parquet", rows)
    frame = qa_frame.read_results(path)
    assert pa.types.is_timestamp(frame["when"].dtype.pyarrow_dtype)
    assert {type(each) for each in frame["ids"].iloc[0]} == {int}
    assert frame["response"].tolist() == ["b"]
    assert qa_frame.read_results(path, pred="out.text")["response"].tolist() == ["a"]


def test_questions_that_are_chats(tmp_path):
    chat = [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "…"},
        {"role": "user", "content": "last"},
    ]
    rows = [{"pred": "a", "gold": "a", "prompt": chat}]
    for path in (shapes.write_lines(tmp_path / "log", rows), shapes.write_table(tmp_path / "log.parquet", rows)):
        assert qa_frame.read_results(path)["question"].tolist() == ["last"]
    frame = read_lines(tmp_path, {"pred": "a", "gold": "a", "prompt": {"text": "q"}, "model": ["m"], "id": 1.0})
    assert frame[["question", "model", "question_id"]].iloc[0].tolist() == ['{"text": "q"}', '["m"]', "1"]


def test_numbers_of_different_widths(tmp_path):
    paths = []
    for name, kind in (("a", pa.int8()), ("b", pa.int64()), ("c", pa.float32())):
        table = pa.table({"pred": ["a"], "gold": ["a"], "n": pa.array([2], kind)})
        pa.parquet.write_table(table, tmp_path / f"{name}.parquet")
        paths.append(tmp_path / f"{name}.parquet")
    assert qa_frame.read_results(paths[:2])["n"].dtype.pyarrow_dtype == pa.int64()
    assert qa_frame.read_results(paths)["n"].tolist() == [2.0, 2.0, 2.0]


def test_parquet_columns_of_other_types(tmp_path):
    table = pa.table(
        {
            "pred": pa.array(["a", None]).dictionary_encode(),
            "gold": pa.array([1999, None]),
            "id": pa.array([1, 2], pa.int8()),
            "model": pa.array(["m", "m"], pa.large_string()),
        }
    )
    pa.parquet.write_table(table, tmp_path / "log.parquet")
    frame = qa_frame.read_results(tmp_path / "log.parquet")
    assert frame["response"].tolist() == ["a", pd.NA]
    assert golds_of(frame) == [["1999"], None]
    assert frame["question_id"].tolist() == ["1", "2"]


@pytest.mark.parametrize("name", ["label", "labels"])
def test_golds_that_are_labels(tmp_path, name):
    assert golds_of(read_lines(tmp_path, {"id": 0, "prediction": "a", name: ["a", "b"]})) == [["a", "b"]]
    said = (
        rf"golds are taken from 'answer' \(such as 'c'\), and not from '{name}' \(such as \['a', 'b'\]\); gold='{name}'"
    )
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=f"{said} is more like the predictions; gold= chooses"):
        assert golds_of(read_lines(tmp_path, {"prediction": "a", "answer": "c", name: ["a", "b"]})) == [["c"]]
    assert golds_of(read_lines(tmp_path, {"prediction": "a", "answer": "a", name: ["a", "b"]})) == [["a"]]


def test_questions_that_are_numbers_are_text(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(
        '{"question": 17, "response": 3, "answers": [3]}\n{"question": null, "response": "4", "answers": []}\n'
    )
    assert qa_frame.read_results(path)["question"].tolist() == ["17", pd.NA]


def test_promptfoo_golds_of_assertions_and_variables(tmp_path):
    result = shapes.promptfoo_result(shapes.ROWS[0])
    templated = {"type": "equals", "value": "{{ expected }}"}
    rendered = {"assertion": templated, "metadata": {"renderedAssertionValue": "Loire"}}
    listed = {"assertion": {"type": "contains-any", "value": 'Seine, "a, b"'}}
    graded = {**result, "gradingResult": {"componentResults": [rendered, listed]}}
    assert golds_of(read_lines(tmp_path, graded)) == [["Loire", "Seine", "a, b"]]
    failed = {**result, "failureReason": 2, "response": None, "gradingResult": None, "error": "API down"}
    failed["testCase"] = {"assert": [templated, {"type": "not-equals", "value": "no"}]}
    frame = read_lines(tmp_path, failed)
    assert (frame["response"][0], golds_of(frame), frame["error"][0]) == (pd.NA, [["not this"]], "API down")
    without = {**result, "gradingResult": None, "testCase": {}, "response": {"output": {"name": "Monet"}}}
    frame = read_lines(tmp_path, without)
    assert (frame["response"][0], golds_of(frame)) == ('{"name": "Monet"}', [["not this"]])
    assert "error" not in frame  # it tells which assertion was not met


def test_evalscope_predictions_name_the_reviews(tmp_path):
    record = {"index": 0, "model": "heron", "model_output": {"choices": []}, "messages": [], "metadata": {}}
    with pytest.raises(qa_frame.errors.ResultFileError, match="under reviews/"):
        read_lines(tmp_path, record)


def test_evalscope_targets_that_are_one_text_and_failed_samples(tmp_path):
    review = shapes.evalscope_review(shapes.ROWS[0])
    failed = {**review, "target": "Seine", "sample_score": {"score": {"value": {}}, "group_id": 3}}
    written = {**review, "target": '["1910", "in 1910"]'}
    frame = read_lines(tmp_path, failed, written, {**written, "target": [written["target"]]})
    assert (frame["response"][0], frame["question_id"][0]) == (pd.NA, "3")
    assert golds_of(frame) == [["Seine"], ["1910", "in 1910"], ["1910", "in 1910"]]


def drop_files(folder):
    """DROP has lists of spans as golds: three of its files as three tools write them."""
    golds = [["Ann", "Bob"], ["2"]]
    olmes = {"doc_id": 0, "native_id": "q", "metrics": {"f1": 1.0}, "label": golds}
    olmes["model_output"] = [{"continuation": " Ann and Bob"}]
    written = str([tuple(spans) for spans in golds])
    lm_eval = shapes.lm_eval_sample(ROWS[0], target=written, doc={"answers": golds}, filtered_resps=[" Ann and Bob"])
    plain = [{"pred": " Ann and Bob", "gold": golds}]
    return (
        shapes.write_lines(folder / "olmes.jsonl", [olmes]),
        shapes.write_lines(folder / "lm_eval.jsonl", [lm_eval]),
        shapes.write_lines(folder / "plain.jsonl", plain),
        shapes.write_table(folder / "plain.parquet", plain),
    )


def test_golds_that_are_lists_of_spans(tmp_path):
    paths = drop_files(tmp_path)
    for path in paths:
        frame = qa_frame.read_results(path)
        assert [[list(spans) for spans in golds] for golds in frame["answers"]] == [[["Ann", "Bob"], ["2"]]]
        # Of the first gold, "Ann" is one of three tokens, and "Bob" has no span left: (0.5 + 0) / 2.
        assert frame.qa.score("response", "answers", convention="drop", metrics="f1")["f1"].tolist() == [0.25]
    text = shapes.write_lines(tmp_path / "text.jsonl", [{"pred": "a", "gold": ["b", "c"]}, {"pred": "a", "gold": None}])
    frame = qa_frame.read_results([*paths, text])
    assert frame["answers"].tolist()[-2:] == [[["b"], ["c"]], None]
    one = shapes.write_lines(tmp_path / "one.jsonl", [{"pred": "a", "gold": "b"}, {"pred": "a", "gold": [["b", "c"]]}])
    assert qa_frame.read_results(one)["answers"].tolist() == [[["b"]], [["b", "c"]]]


def test_golds_that_are_lists_of_lists_of_lists_or_of_both(tmp_path):
    for golds in ([[["a"]]], [["a"], "b"], [["a"], {"b": 1}]):
        with pytest.raises(qa_frame.errors.ResultFileError, match="line 1"):
            read_lines(tmp_path, {"pred": "a", "gold": golds})


def test_olmes_samples_choices_and_answers_that_were_extracted_in_several_ways(tmp_path):
    record = {"doc_id": 0, "native_id": 4, "metrics": {}, "label": "Seine"}
    two = {**record, "model_output": [{"continuation": "a", "model_answer": ["1", "2"]}, {"continuation": "b"}]}
    frame = read_lines(tmp_path, two, {**two, "label": None})
    assert frame["sample"].tolist() == [0, 1, 0, 1]
    assert set(frame["extracted"]) == {"1"}
    assert golds_of(frame) == [["Seine"], ["Seine"], None, None]
    with pytest.raises(qa_frame.errors.ResultFileError, match="log-likelihoods"):
        read_lines(tmp_path, {**record, "model_output": [{"sum_logits": -1.0}]})


def test_olmo_eval_has_texts_unless_it_asks_for_likelihoods(tmp_path):
    record = {"doc_id": 0, "native_id": "q0", "label": "Paris", "instance_metrics": {}}
    outputs = [{"text": "Paris", "extracted_answer": "Paris"}, {"text": "Rome", "sum_logits": -1.0}]
    frame = read_lines(tmp_path, {**record, "model_output": outputs})
    assert frame["response"].tolist() == ["Paris", "Rome"]
    assert golds_of(frame) == [["Paris"]] * 2
    assert frame["sample"].tolist() == [0, 1]
    for name in ("logprob", "bits_per_byte", "perplexity"):  # the texts are those whose likelihood was asked for
        with pytest.raises(qa_frame.errors.ResultFileError, match="log-likelihoods"):
            read_lines(tmp_path, {**record, "model_output": outputs, "instance_metrics": {name: {name: 1.0}}})


def test_olmo_eval_has_the_numbers_of_options(tmp_path):
    record = {"doc_id": 0, "native_id": "q0", "label": 2, "instance_metrics": {}}
    outputs = [{"text": "So (C) fits."}, {"text": "(A)"}]
    with pytest.warns(qa_frame.errors.ResultFileWarning, match=r"score with extract='choice', gold_is='index0'"):
        frame = read_lines(tmp_path, {**record, "model_output": outputs})
    scored = frame.qa.score("response", "answers", extract="choice", gold_is="index0", metrics="em")
    assert scored["em"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "record",
    [
        {"request_type": "generate_until", "doc": {}, "request": {}, "doc_id": 0, "native_id": 1},
        {"doc": {}, "task_name": "gsm8k", "doc_id": 0, "native_id": 1, "label": "2", "requests": []},
        {"task_name": "gsm8k", "task_config": {}, "model_config": {}, "metrics": {"primary_score": 1.0}},
    ],
    ids=["requests", "recorded inputs", "metrics"],
)
def test_the_other_files_of_olmes_name_its_predictions(tmp_path, record):
    with pytest.raises(
        qa_frame.errors.ResultFileError, match=r"requests of OLMES or its averages.*-predictions\.jsonl"
    ):
        read_lines(tmp_path, record)


def test_vlmevalkit_failures_missing_answers_and_workbooks(tmp_path):
    row = shapes.vlmevalkit_row(shapes.ROWS[0])
    # Most of its clients of interfaces end the text with a space; SKIP_ERR=1 appends the error.
    said = [
        "Failed to obtain answer via API.",
        "Failed to obtain answer via API. ",
        "Failed to obtain answer: <class 'E'>",
    ]
    failed = [{**row, "prediction": text, "answer": float("nan"), "hint": float("nan")} for text in said]
    frame = qa_frame.read_results(shapes.write_document(tmp_path / "a.json", [{**row, "hint": "x"}, *failed]))
    assert frame["response"].tolist() == ["The Seine.", *[pd.NA] * 3]
    assert golds_of(frame) == [["Seine", "the 'Seine'"], *[None] * 3]
    assert frame["error"].tolist() == [pd.NA, *said]
    assert frame["hint"].tolist() == ["x", *[pd.NA] * 3]
    with pytest.raises(qa_frame.errors.ResultFileError, match="workbook of Excel"):
        qa_frame.read_results(shapes.write_zip(tmp_path / "a.xlsx", {"xl/workbook.xml": {}}))


def test_vlmevalkit_answers_that_are_empty_in_a_table(tmp_path):
    (tmp_path / "a.tsv").write_text(
        '"index"\t"question"\t"answer"\t"prediction"\n"0"\t"q"\t""\t"x"\n"1"\t"q"\t"a"\t""\n'
    )
    frame = qa_frame.read_results(tmp_path / "a.tsv")
    assert golds_of(frame) == [None, ["a"]]
    assert frame["response"].tolist() == ["x", ""]


def test_mlflow_columns_of_the_users_own(tmp_path):
    document = {"columns": ["q", "mine", "truth"], "data": [["Which?", "Seine", ["the Seine", "Seine"]]]}
    path = shapes.write_document(tmp_path / "table.json", document)
    frame = qa_frame.read_results(path, pred="mine", gold="truth")
    assert (frame["response"].tolist(), golds_of(frame)) == (["Seine"], [["the Seine", "Seine"]])
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match=r"no record has .response.* pred="):
        qa_frame.read_results(path)


def test_langfuse_values_that_are_json_and_items_without_answers(tmp_path):
    row = shapes.langfuse_row(shapes.ROWS[0])
    nested = {**row, "output": '{"answer": "Seine", "score": 1}', "metadata": {}, "expectedOutput": {"answer": "Seine"}}
    frame = read_lines(tmp_path, {**nested, "input": {"q": "Which?"}}, {**nested, "output": None, "statusMessage": "x"})
    assert frame["response"].tolist() == ["Seine", pd.NA]
    assert golds_of(frame) == [["Seine"], ["Seine"]]
    assert frame["question"][0] == "Which?"
    assert frame["error"].tolist() == [pd.NA, "x"]
    with pytest.raises(qa_frame.errors.ResultFileError, match="without what was answered"):
        read_lines(tmp_path, {"id": "i", "datasetItemId": "d", "traceId": "t"})


PARTS = [{"type": "text", "content": "The Seine."}]


@pytest.mark.parametrize(
    "output",
    [
        "The Seine.",
        json.dumps("The Seine."),
        [{"role": "user", "content": "no"}, {"role": "assistant", "content": "The Seine."}],
        [{"role": "assistant", "parts": PARTS}],
        json.dumps(json.dumps([{"role": "assistant", "parts": PARTS}])),
        {"role": "assistant", "content": [{"type": "text", "text": "The Seine."}, {"type": "tool_use", "id": "t"}]},
        {"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", "content": "The Seine."}}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "The Seine."}]}}], "model_version": "2"},
        {"messages": [{"type": "human", "content": "no"}, {"type": "ai", "content": "The Seine."}], "next": None},
        {"id": "r", "output": [{"role": "assistant", "content": [{"type": "output_text", "text": "The Seine."}]}]},
    ],
    ids=["text", "JSON", "chat", "parts", "JSON twice", "blocks", "choices", "candidates", "graph", "responses"],
)
def test_langfuse_outputs_as_libraries_write_them(tmp_path, output):
    frame = read_lines(tmp_path, {**shapes.langfuse_row(shapes.ROWS[0]), "output": output})
    assert frame["response"].tolist() == ["The Seine."]


@pytest.mark.parametrize(("expected", "gold"), [(0, "0"), (False, "False"), ("0", "0"), (0.5, "0.5")])
def test_langfuse_golds_that_are_numbers_or_truth_values(tmp_path, expected, gold):
    row = shapes.langfuse_row(shapes.ROWS[0])
    own, nested = {**row, "expectedOutput": expected}, {**row, "metadata": json.dumps({"expected_output": expected})}
    assert golds_of(read_lines(tmp_path, own, nested)) == [[gold], [gold]]


def test_langfuse_questions_scores_and_metadata_that_is_text(tmp_path):
    row = {**shapes.langfuse_row(shapes.ROWS[0]), "input": {"args": ["Which?"], "kwargs": {}}, "metadata": "m"}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "t"}]}
    two = {**row, "correct": [0.5, 1], "grade": ["good"], "output": call, "experimentItemExpectedOutput": ""}
    frame = read_lines(tmp_path, row, two, {**two, "input": [], "experimentItemExpectedOutput": "1910"})
    assert frame["question"].tolist() == ["Which?", "Which?", "[]"]
    assert frame["response"].tolist() == ["The Seine.", *[json.dumps(call)] * 2]
    assert golds_of(frame) == [None, None, ["1910"]]
    assert frame["harness_correct"].tolist() == ["0.5", "[0.5, 1]", "[0.5, 1]"]
    assert frame["harness_grade"].tolist() == [pd.NA, "good", "good"]
