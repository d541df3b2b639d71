"""Why a response ended is kept from every kind of file that says it, and counted."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import qa_frame
from qa_frame.errors import ScoringWarning
from qa_frame.frames.names import are_cut_off
from tests.ext.files import shapes


def ends_of(frame):
    return [None if pd.isna(each) else each for each in frame["finish_reason"]]


def rewritten(path, change):
    """The file with each of its records changed."""
    lines = [change(json.loads(line)) for line in path.read_text("utf-8").splitlines()]
    return shapes.write_lines(path, lines)


def test_inspect(tmp_path):
    """`stop_reason` of the first choice, as `inspect_ai.model.ChatCompletionChoice` has it."""
    assert ends_of(qa_frame.read_results(shapes.inspect_json(tmp_path))) == ["stop"] * 5
    sample = shapes.inspect_sample(shapes.ROWS[0])
    sample["output"]["choices"][0]["stop_reason"] = "max_tokens"
    path = shapes.write_zip(
        tmp_path / "a.eval", {"samples/7_epoch_1.json": sample, "header.json": shapes.inspect_header()}
    )
    assert ends_of(qa_frame.read_results(path)) == ["max_tokens"]


def test_helm(tmp_path):
    """`finish_reason` of `helm.common.request.GeneratedOutput`, a dict with `reason`, of each completion."""
    completions = [{"text": "a", "finish_reason": {"reason": "length"}}, {"text": "b", "finish_reason": None}]
    state = shapes.helm_state(shapes.ROWS[0], result={"success": True, "completions": completions})
    path = shapes.write_document(tmp_path / "scenario_state.json", {"request_states": [state]})
    assert ends_of(qa_frame.read_results(path)) == ["length", None]


def test_evalscope(tmp_path):
    """`predictions/` has `model_output.choices[0].stop_reason` for each `index` of `reviews/`."""
    path = shapes.evalscope(tmp_path)
    assert "finish_reason" not in qa_frame.read_results(path)
    indices = [json.loads(line)["index"] for line in path.read_text("utf-8").splitlines()]
    outputs = [{"choices": [{"stop_reason": "max_tokens" if place == 1 else "stop"}]} for place in range(len(indices))]
    records = [
        {"index": index, "model_output": output, "messages": []} for index, output in zip(indices, outputs, strict=True)
    ]
    beside = path.parents[2] / "predictions" / path.parent.name / path.name
    shapes.write_lines(beside, reversed(records))
    assert ends_of(qa_frame.read_results(path)) == ["stop", "max_tokens", "stop", "stop", "stop"]
    beside.write_text("{", "utf-8")
    assert "finish_reason" not in qa_frame.read_results(path)


def test_olmes_lm_eval_and_promptfoo(tmp_path):
    output = {"finish_reason": "length"}
    path = rewritten(
        shapes.olmes(tmp_path),
        lambda record: record | {"model_output": [each | output for each in record["model_output"]]},
    )
    assert ends_of(qa_frame.read_results(path)) == ["length"] * 5
    path = rewritten(shapes.lm_eval(tmp_path), lambda record: record | output)
    assert ends_of(qa_frame.read_results(path)) == ["length"] * 5
    path = rewritten(
        shapes.promptfoo_lines(tmp_path),
        lambda record: record | {"response": record["response"] | {"finishReason": "length"}},
    )
    assert ends_of(qa_frame.read_results(path)) == ["length"] * 5


@pytest.mark.parametrize("name", ["finish_reason", "stop_reason", "finishReason", "done_reason"])
@pytest.mark.parametrize("write", ["to_parquet", "to_json", "to_csv"])
def test_plain_tables(tmp_path, name, write):
    """OpenAI and vLLM write `finish_reason`, Anthropic `stop_reason`, Ollama `done_reason`."""
    path = tmp_path / f"run.{write[3:]}"
    frame = pd.DataFrame({"response": ["a", "b"], "answers": ["a", "b"], name: ["length", None]})
    getattr(frame, write)(path, **({"orient": "records"} if write == "to_json" else {"index": False}))
    assert ends_of(qa_frame.read_results(path)) == ["length", None]
    n = (
        qa_frame.summary_files(path, pred="response", gold="answers", metrics="em")["n_truncated"]
        if write == "to_parquet"
        else [1]
    )
    assert list(n) == [1]


@pytest.mark.parametrize(
    ("reason", "is_cut"),
    [
        *(("length", True), ("max_tokens", True), ("MAX_TOKENS", True), ("model_length", True)),
        *(("FinishReason.MAX_TOKENS", True), ("max_output_tokens", True), ("stop", False), ("eos_token", False)),
        *(("content_filter", False), ("tool_calls", False), ("", False), (None, False), (1.0, False)),
    ],
)
def test_what_counts_as_cut_off(reason, is_cut):
    assert are_cut_off(pd.Series([reason, "stop"])).tolist() == [is_cut, False]


def cut_frame():
    rows = {"response": ["Paris"] * 40, "answers": ["Paris"] * 40, "model": ["a"] * 20 + ["b"] * 20}
    return pd.DataFrame({**rows, "question_id": [*range(20)] * 2, "finish_reason": ["length"] * 8 + ["stop"] * 32})


@pytest.mark.needs("audit", "report")
@pytest.mark.thorough
def test_summary_compare_audit_and_report_say_it(tmp_path):
    scored = cut_frame().qa.score("response", "answers", metrics="f1")
    said = r"40 % of a's answers were cut off at a limit of length, .* \(b: 0 %\)"
    with pytest.warns(ScoringWarning, match=said):
        summary = scored.qa.summary(by="model")
    assert summary["n_truncated"].tolist() == [8, 0]
    with pytest.warns(ScoringWarning, match=said):
        scored.qa.compare(by="model", question="question_id")
    with pytest.warns(ScoringWarning, match=said):
        found = scored.qa.audit(by="model").set_index("finding")
    assert found.loc["cut_off", "count"] == 8
    assert found.loc["cut_off", "remedy"].endswith("their share: 'a' 40%, 'b' 0%")
    with pytest.warns(ScoringWarning, match=said):
        scored.qa.report(tmp_path / "report.html", by="model", question="question_id")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "were cut off at a limit of length" in page.partition("</p>")[0] + page.partition("</p>")[2][:5000]


@pytest.mark.needs("audit")
def test_where_it_is_not_known_nothing_changes():
    frame = cut_frame().drop(columns="finish_reason")
    scored = frame.qa.score("response", "answers", metrics="f1")
    assert "n_truncated" not in scored.qa.summary(by="model")
    assert scored.qa.audit().empty


def test_pools_add_it_up():
    pool = qa_frame.Pool(by="model", metrics="f1")
    for part in (cut_frame()[:10], cut_frame()[10:].drop(columns="finish_reason")):
        pool.update(part.qa.score("response", "answers", metrics="f1"))
    with pytest.warns(ScoringWarning):
        assert pool.summary()["n_truncated"].tolist() == [8, 0]


def test_a_column_of_dicts_is_read_as_helm_writes_it():
    assert are_cut_off(pd.Series([{"reason": "length"}, {"reason": "stop"}, None, ["length"]])).tolist() == [
        True,
        False,
        False,
        False,
    ]
