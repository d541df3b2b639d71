"""The same answers to the same questions, written as each harness writes them.

Each function writes the files of one run into a folder and returns the path of the one to read.
"""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

ROWS = [
    {"id": "7", "question": "Which river crosses Paris?", "response": "The Seine.", "golds": ["Seine", "the 'Seine'"]},
    {"id": "8", "question": "When did it flood?", "response": "in 1910", "golds": ["1910"]},
    {"id": "9", "question": "Où finit-elle ?", "response": "à Honfleur\nou au Havre", "golds": ["Le Havre", "Havre"]},
    {"id": "10", "question": "How long is it?", "response": "", "golds": ["777 km"]},
    {"id": "11", "question": "Who paints it?", "response": 'Monet, "the" painter', "golds": ["Monet", "Claude Monet"]},
]
MODEL, TASK, DATE = "acme/heron-7b", "rivers", "2026-01-05T10-11-12.345678"


def write_lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return path


def write_document(path, document, indent=4):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False, indent=indent), "utf-8")
    return path


# --- lm-evaluation-harness


def lm_eval_sample(row, **other):
    sample = {
        "doc_id": int(row["id"]),
        "doc": {"question": row["question"], "answers": row["golds"], "contexts": ["a", "b"]},
        "target": str(row["golds"]),
        "arguments": {"gen_args_0": {"arg_0": f"Q: {row['question']}\nA:", "arg_1": {"until": ["\n"]}}},
        "resps": [["raw " + row["response"]]],
        "filtered_resps": [row["response"]],
        "filter": "strict",
        "metrics": ["exact_match"],
        "doc_hash": "d0",
        "prompt_hash": "d1",
        "target_hash": "d2",
        "exact_match": 0.0,
    }
    return sample | other


def lm_eval(folder, rows=ROWS):
    folder = folder / "acme__heron-7b"
    write_document(folder / f"results_{DATE}.json", {"results": {}, "configs": {}, "versions": {}, "model_name": MODEL})
    return write_lines(folder / f"samples_{TASK}_{DATE}.jsonl", map(lm_eval_sample, rows))


def lm_eval_multiple_choice(folder):
    request = {"arg_0": "Q: Which river?\nA:", "arg_1": " Seine"}
    sample = lm_eval_sample(
        ROWS[0],
        target="0",
        arguments={"gen_args_0": request, "gen_args_1": {**request, "arg_1": " Loire"}},
        resps=[[["-9.0", "False"]], [["-7.5", "True"]]],
        filtered_resps=[["-9.0", "False"], ["-7.5", "True"]],
    )
    return write_lines(folder / "acme__heron-7b" / f"samples_choice_{DATE}.jsonl", [sample])


# --- inspect


def inspect_sample(row, epoch=1, **other):
    sample = {
        "id": row["id"],
        "epoch": epoch,
        "input": row["question"],
        "target": row["golds"],
        "messages": [{"role": "user", "content": row["question"]}],
        "output": {
            "model": MODEL,
            "choices": [{"message": {"role": "assistant", "content": row["response"]}, "stop_reason": "stop"}],
        },
        "scores": {"f1": {"value": 0.5, "answer": row["response"]}, "match": {"value": "I", "history": []}},
        "metadata": {"lang": "en", "nested": {"left": "out"}},
        "events": [],
        "attachments": {},
    }
    return sample | other


def inspect_header(status="success"):
    return {"version": 2, "status": status, "eval": {"task": TASK, "model": MODEL, "dataset": {}}, "plan": {}}


def inspect_members(rows, epochs=(1,)):
    return {f"samples/{row['id']}_epoch_{epoch}.json": inspect_sample(row, epoch) for epoch in epochs for row in rows}


def write_zip(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, document in members.items():
            file.writestr(name, json.dumps(document))
    return path


def inspect_eval(folder, rows=ROWS):
    start = {"_journal/start.json": {"version": 2, "eval": inspect_header()["eval"], "plan": {}}}
    summaries = {"_journal/summaries/1.json": [], "summaries.json": []}
    members = {**start, **inspect_members(rows), **summaries, "header.json": inspect_header()}
    return write_zip(folder / "2026-01-05_rivers_abc.eval", members)


def inspect_json(folder, rows=ROWS):
    document = inspect_header() | {"samples": [inspect_sample(row) for row in rows]}
    return write_document(folder / "2026-01-05_rivers_abc.json", document, indent=2)


# --- lighteval


def lighteval_row(row, **response):
    return {
        "doc": {
            "query": row["question"],
            "choices": ["wrong", *row["golds"]],
            "gold_index": list(range(1, 1 + len(row["golds"]))),
            "id": row["id"],
            "task_name": TASK,
        },
        "metric": {"em": 0.0},
        "model_response": {"text": [row["response"]], "text_post_processed": None, "logprobs": [], **response},
    }


def write_table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def lighteval(folder, rows=ROWS):
    path = folder / "details" / MODEL / DATE / f"details_{TASK}_{DATE}.parquet"
    raw = [lighteval_row(row, text=["<think>so</think>"], text_post_processed=[row["response"]]) for row in rows]
    return write_table(path, raw)


def lighteval_older(folder, rows=ROWS, write=lambda value: value):
    path = folder / "details" / MODEL / DATE / f"details_{TASK}_{DATE}.parquet"
    table = [
        {
            "example": row["question"],
            "full_prompt": "Q: " + row["question"],
            "predictions": write([row["response"]]),
            "gold": write(row["golds"]),
            "choices": write(["", "a"]),
            "gold_index": write([0]),
            "metrics": write({"em": 0.0}),
        }
        for row in rows
    ]
    return write_table(path, table)


def lighteval_oldest(folder, rows=ROWS):
    return lighteval_older(folder, rows, write=str)


# --- HELM


def helm_state(row, **other):
    wrong = {"output": {"text": "wrong"}, "tags": []}
    right = [{"output": {"text": gold}, "tags": ["correct"]} for gold in row["golds"]]
    state = {
        "instance": {
            "input": {"text": row["question"]},
            "references": [wrong, *right],
            "split": "test",
            "id": row["id"],
        },
        "train_trial_index": 0,
        "request": {"prompt": row["question"], "model": MODEL},
        "result": {"success": True, "completions": [{"text": row["response"], "logprob": -1.0}]},
    }
    return state | other


def helm(folder, rows=ROWS):
    write_document(folder / "run_spec.json", {"name": f"{TASK}:model=acme_heron-7b"})
    document = {"adapter_spec": {"model": MODEL}, "request_states": [helm_state(row) for row in rows]}
    return write_document(folder / "scenario_state.json", document, indent=2)


# --- OpenCompass


def opencompass(folder, rows=ROWS):
    path = folder / "predictions" / "heron" / f"{TASK}.json"
    records = [
        {
            "origin_prompt": [{"role": "SYSTEM", "prompt": "Answer."}, {"role": "HUMAN", "prompt": row["question"]}],
            "prediction": row["response"],
            "gold": row["golds"],
        }
        for row in rows
    ]
    return write_document(path, {str(number): record for number, record in enumerate(records)})


# --- retrieval and generation


def flashrag(folder, rows=ROWS):
    records = [
        {
            "id": row["id"],
            "question": row["question"],
            "golden_answers": row["golds"],
            "output": {"prompt": "…", "pred": row["response"], "metric_score": {"em": 0.0}},
        }
        for row in rows
    ]
    return write_document(folder / "intermediate_data.json", records)


def ragas_row(row):
    contexts = {"retrieved_contexts": ["a"], "reference": row["golds"][0], "faithfulness": 0.25}
    return {"user_input": row["question"], "response": row["response"], **contexts}


def ragas(folder, rows=ROWS):
    return write_lines(folder / "ragas.jsonl", map(ragas_row, rows))


def ragas_older(folder, rows=ROWS):
    names = {"question": "question", "response": "answer"}
    return write_lines(
        folder / "ragas.jsonl",
        (
            {new: row[old] for old, new in names.items()} | {"contexts": [], "ground_truth": row["golds"][0]}
            for row in rows
        ),
    )


def deepeval_case(row):
    metrics = [{"name": "Answer Relevancy", "score": 0.5, "success": True}]
    texts = {"input": row["question"], "actualOutput": row["response"], "expectedOutput": row["golds"][0]}
    return {"name": f"case_{row['id']}", **texts, "success": True, "metricsData": metrics}


def deepeval(folder, rows=ROWS):
    return write_document(folder / "20260105_101112", {"testCases": list(map(deepeval_case, rows)), "runDuration": 1.5})


def deepeval_dataset(folder, rows=ROWS):
    names = {"question": "input", "response": "actual_output"}
    cases = [{new: row[old] for old, new in names.items()} | {"expected_output": row["golds"][0]} for row in rows]
    return write_document(folder / "dataset.json", cases)


def ragchecker(folder, rows=ROWS):
    results = [
        {
            "query_id": row["id"],
            "query": row["question"],
            "gt_answer": row["golds"][0],
            "response": row["response"],
            "retrieved_context": [{"doc_id": "0", "text": "…"}],
            "metrics": {"precision": 100.0},
        }
        for row in rows
    ]
    return write_document(folder / "checking_outputs.json", {"results": results, "metrics": {"overall_metrics": {}}})


# --- long contexts


def longbench(folder, rows=ROWS):
    records = ({"pred": row["response"], "answers": row["golds"], "all_classes": None, "length": 8000} for row in rows)
    return write_lines(folder / "pred" / "heron" / f"{TASK}.jsonl", records)


def longbench2(folder, rows=ROWS):
    records = (
        {
            "_id": row["id"],
            "question": row["question"],
            "answer": row["golds"][0],
            "context": "…",
            "response": "The correct answer is …",
            "pred": row["response"],
            "judge": False,
        }
        for row in rows
    )
    return write_lines(folder / "heron.jsonl", records)


def ruler(folder, rows=ROWS):
    records = (
        {
            "index": int(row["id"]),
            "pred": row["response"],
            "input": "… " * 9,
            "outputs": row["golds"],
            "others": {},
            "truncated": -1,
            "length": 4096,
        }
        for row in rows
    )
    return write_lines(folder / "heron" / "synthetic" / "4096" / "pred" / f"{TASK}.jsonl", records)


# --- events, and the schema that many harnesses convert to


def openai_evals(folder, rows=ROWS):
    events = [{"spec": {"completion_fns": [MODEL], "eval_name": TASK, "run_config": {}}}]
    for number, row in enumerate(rows):
        prompt = [{"role": "system", "content": "Answer."}, {"role": "user", "content": row["question"]}]
        sampling = {"prompt": prompt, "sampled": [row["response"]]}
        match = {"correct": False, "expected": row["golds"], "picked": None, "sampled": row["response"]}
        for kind, data in (("sampling", sampling), ("match", match)):
            own = {"run_id": "r", "event_id": number, "sample_id": row["id"], "type": kind, "data": data}
            events.append(own | {"created_by": "", "created_at": "2026-01-05"})
    return write_lines(folder / "260105_rivers.jsonl", [*events, {"final_report": {"accuracy": 0.0}, "run_id": "r"}])


def every_eval_ever(folder, rows=ROWS):
    records = (
        {
            "schema_version": "instance_level_eval_0.2.2",
            "evaluation_id": "e",
            "model_id": MODEL,
            "evaluation_name": TASK,
            "sample_id": row["id"],
            "interaction_type": "single_turn",
            "input": {"raw": row["question"], "reference": row["golds"]},
            "output": {"raw": [row["response"]]},
            "answer_attribution": [
                {"turn_idx": 0, "source": "output.raw", "extracted_value": row["response"], "is_terminal": True}
            ],
            "evaluation": {"score": 0.0, "is_correct": False},
        }
        for row in rows
    )
    return write_lines(folder / "e_samples.jsonl", records)


def every_eval_ever_from_lm_eval(folder, rows=ROWS):
    """The converter of lm-evaluation-harness's samples keeps a list as one text."""
    return every_eval_ever(folder, [{**row, "golds": [str(row["golds"])]} for row in rows])


# --- trackers, and harnesses that write tables


def promptfoo_result(row):
    pairs = [{"type": "icontains-any", "value": row["golds"]}, {"type": "javascript", "value": "output.length < 99"}]
    return {
        "testIdx": int(row["id"]),
        "promptIdx": 0,
        "prompt": {"raw": f"Q: {row['question']}", "label": "Q: {{question}}"},
        "provider": {"id": "openai:heron", "label": MODEL},
        "vars": {"question": row["question"], "expected": "not this"},
        "response": {"output": row["response"]},
        "error": "Expected output to contain one of them",
        "failureReason": 1,
        "score": 0.5,
        "success": False,
        "namedScores": {"Tone": 0.25},
        "testCase": {"vars": {}, "assert": pairs, "metadata": {}},
        "gradingResult": {"pass": False, "componentResults": [{"assertion": one, "score": 0} for one in pairs]},
    }


def promptfoo(folder, rows=ROWS):
    summary = {"version": 3, "prompts": [], "results": list(map(promptfoo_result, rows)), "stats": {"successes": 0}}
    document = {"evalId": "eval-abc", "results": summary, "config": {"description": TASK}, "shareableUrl": None}
    return write_document(folder / "out.json", document, 2)


def promptfoo_lines(folder, rows=ROWS):
    return write_lines(folder / "out.jsonl", map(promptfoo_result, rows))


def evalscope_review(row):
    score = {"value": {"acc": 0.0}, "extracted_prediction": row["response"][:3], "prediction": row["response"]}
    return {
        "index": int(row["id"]),
        "target": row["golds"],
        "messages": [{"role": "user", "content": row["question"]}, {"role": "assistant", "content": row["response"]}],
        "agent_trace": None,
        "sample_score": {
            "score": score,
            "sample_id": int(row["id"]),
            "group_id": int(row["id"]),
            "sample_metadata": {},
        },
    }


def evalscope(folder, rows=ROWS):
    return write_lines(folder / "reviews" / "heron" / f"{TASK}.jsonl", map(evalscope_review, rows))


def olmes(folder, rows=ROWS):
    records = (
        {
            "doc_id": int(row["id"]),
            "native_id": f"dev-{row['id']}",
            "metrics": {"f1": 0.0, "exact_match": 0.0},
            "model_output": [{"continuation": row["response"], "model_answer": row["response"], "num_tokens": 4}],
            "label": row["golds"],
        }
        for row in rows
    )
    write_document(folder / "task-000-rivers-metrics.json", {"task_name": TASK, "model_config": {"model": MODEL}})
    return write_lines(folder / "task-000-rivers-predictions.jsonl", records)


def vlmevalkit_row(row):
    texts = {"question": row["question"], "answer": str(row["golds"]), "prediction": row["response"]}
    return {"index": int(row["id"]), "split": "val", **texts}


def vlmevalkit(folder, rows=ROWS):
    (folder / "heron" / "T20260105-101112").mkdir(parents=True)
    path = folder / "heron" / "T20260105-101112" / f"heron_{TASK}.tsv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(vlmevalkit_row(ROWS[0])), delimiter="\t", quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(map(vlmevalkit_row, rows))
    return path


def vlmevalkit_json(folder, rows=ROWS):
    return write_document(folder / "heron" / f"heron_{TASK}.json", list(map(vlmevalkit_row, rows)))


def mlflow(folder, rows=ROWS):
    """The artifact of `mlflow.evaluate` with a model: its column of predictions is `outputs`."""
    names = ["question_id", "inputs", "targets", "outputs", "token_count", "exact_match/v1"]
    data = [[row["id"], row["question"], row["golds"], row["response"], 4, 0] for row in rows]
    return write_document(folder / "eval_results_table.json", {"columns": names, "data": data}, None)


def mlflow_static(folder, rows=ROWS):
    """The artifact of `mlflow.evaluate` with a table: its columns have the names that the caller gave."""
    names = ["id", "inputs", "ground_truth", "predictions", "exact_match/v1"]
    data = [[row["id"], row["question"], row["golds"], row["response"], 0] for row in rows]
    return write_document(folder / "eval_results_table.json", {"columns": names, "data": data}, None)


def langfuse_row(row):
    return {
        "id": row["id"],
        "traceId": f"t{row['id']}",
        "type": "GENERATION",
        "name": "answer",
        "statusMessage": None,
        "providedModelName": MODEL,
        "input": [{"role": "user", "content": row["question"]}],
        "output": {"role": "assistant", "content": row["response"]} if row["response"] else None,
        "metadata": {"expected_output": row["golds"]},
        "tags": ["a"],
        "correct": [0.5],
        "comments": [],
    }


def langfuse(folder, rows=ROWS):
    return write_document(folder / "events.json", list(map(langfuse_row, rows)), None)


def langfuse_csv(folder, rows=ROWS):
    """All fields are quoted; lists and objects are JSON, and nulls are empty."""
    with Path(folder, "events.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(langfuse_row(ROWS[0])), quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writeheader()
        for row in map(langfuse_row, rows):
            texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in row.items()}
            writer.writerow({name: "" if row[name] is None else text for name, text in texts.items()})
    return folder / "events.csv"


# --- plain tables


def plain_row(row):
    names = {"qid": row["id"], "question": row["question"], "prediction": row["response"], "golds": row["golds"]}
    return {**names, "model_name": MODEL, "task": TASK, "tokens": 12}


def plain_lines(folder, rows=ROWS):
    return write_lines(folder / "results.jsonl", map(plain_row, rows))


def plain_document(folder, rows=ROWS):
    return write_document(folder / "results.json", list(map(plain_row, rows)))


def plain_wrapped(folder, rows=ROWS):
    return write_document(folder / "results.json", {"config": {"seed": 0}, "rows": list(map(plain_row, rows))}, None)


def plain_columns(folder, rows=ROWS):
    """As the reports of haystack (`EvaluationRunResult.detailed_report`), and `DataFrame.to_json(orient="list")`."""
    records = [plain_row(row) for row in rows]
    return write_document(folder / "results.json", {name: [each[name] for each in records] for name in records[0]})


def plain_columns_by_row(folder, rows=ROWS):
    """As `DataFrame.to_json` writes a table, in one line."""
    pd.DataFrame(list(map(plain_row, rows))).to_json(folder / "results.json")
    return folder / "results.json"


def plain_zip(folder, rows=ROWS):
    return write_zip(folder / "results.zip", {"run/results.json": list(map(plain_row, rows))})


def plain_csv(folder, rows=ROWS, name="results.csv", delimiter=","):
    with Path(folder, name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(plain_row(ROWS[0])), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(map(plain_row, rows))
    return folder / name


def plain_tsv(folder, rows=ROWS):
    return plain_csv(folder, rows, "results.tsv", "\t")


def plain_parquet(folder, rows=ROWS):
    return write_table(folder / "results.parquet", list(map(plain_row, rows)))


def plain_feather(folder, rows=ROWS):
    pyarrow.feather.write_feather(pa.Table.from_pylist(list(map(plain_row, rows))), folder / "results.feather")
    return folder / "results.feather"


def leval(folder, rows=ROWS):
    records = [
        {"query": r["question"], "gt": r["golds"], "evaluation": "exam", "heron_pred": r["response"]} for r in rows
    ]
    return write_lines(folder / "coursera.pred.jsonl", records)


def mathvista(folder, rows=ROWS):
    def record(row):
        texts = {"question": row["question"], "answer": row["golds"], "response": f"So: {row['response']}"}
        return {**texts, "prediction": row["response"], "true_false": True, "metadata": {"split": "testmini"}}

    return write_document(folder / "output.json", {row["id"]: record(row) for row in rows})


ALL = [
    *(lm_eval, inspect_eval, inspect_json, lighteval, lighteval_older, lighteval_oldest, helm, opencompass, flashrag),
    *(ragas, ragas_older, deepeval, deepeval_dataset, ragchecker, longbench, longbench2, ruler, openai_evals),
    *(every_eval_ever, every_eval_ever_from_lm_eval, plain_lines, plain_document, plain_wrapped, plain_csv, plain_tsv),
    *(plain_columns, plain_columns_by_row, plain_zip),
    *(plain_parquet, plain_feather, promptfoo, promptfoo_lines, evalscope, olmes, vlmevalkit, vlmevalkit_json),
    *(mlflow, mlflow_static, langfuse, langfuse_csv, leval, mathvista),
]
ONE_GOLD = {ragas, ragas_older, deepeval, deepeval_dataset, ragchecker, longbench2}
NO_QUESTION = {longbench, ruler, olmes}
NO_ID = {
    leval,
    lighteval_older,
    lighteval_oldest,
    ragas,
    ragas_older,
    deepeval,
    deepeval_dataset,
    longbench,
    opencompass,
}
MODELS = {
    **dict.fromkeys(ALL, MODEL),
    **dict.fromkeys(
        [flashrag, ragas, ragas_older, deepeval, deepeval_dataset, ragchecker, longbench2, mlflow, mlflow_static]
    ),
    **dict.fromkeys([opencompass, longbench, ruler, evalscope, vlmevalkit, vlmevalkit_json, leval], "heron"),
    mathvista: None,
}
KINDS = {
    **{shape: shape.__name__ for shape in ALL},
    **dict.fromkeys([inspect_eval, inspect_json], "inspect"),
    lighteval_oldest: "lighteval_older",
    deepeval_dataset: "deepeval",
    every_eval_ever_from_lm_eval: "every_eval_ever",
    **dict.fromkeys([plain_lines, plain_document, plain_wrapped, plain_parquet, plain_feather], "plain"),
    **dict.fromkeys([plain_columns, plain_columns_by_row, plain_zip], "plain"),
    **dict.fromkeys([plain_csv, plain_tsv], "csv"),
    promptfoo_lines: "promptfoo",
    vlmevalkit_json: "vlmevalkit",
    mlflow_static: "mlflow",
    langfuse_csv: "langfuse",
}
SCORES = {
    mathvista: ["harness_true_false"],
    promptfoo: ["harness_score", "harness_success", "harness_Tone"],
    promptfoo_lines: ["harness_score", "harness_success", "harness_Tone"],
    evalscope: ["harness_acc"],
    olmes: ["harness_f1", "harness_exact_match"],
    mlflow: ["harness_exact_match/v1"],
    mlflow_static: ["harness_exact_match/v1"],
    langfuse: ["harness_correct"],
    langfuse_csv: ["harness_correct"],
    lm_eval: ["harness_exact_match"],
    inspect_eval: ["harness_f1", "harness_match"],
    inspect_json: ["harness_f1", "harness_match"],
    lighteval: ["harness_em"],
    lighteval_older: ["harness_em"],
    flashrag: ["harness_em"],
    ragas: ["harness_faithfulness"],
    deepeval: ["harness_Answer Relevancy"],
    ragchecker: ["harness_precision"],
    longbench2: ["harness_judge"],
    openai_evals: ["harness_correct"],
    every_eval_ever: ["harness_score", "harness_is_correct"],
    every_eval_ever_from_lm_eval: ["harness_score", "harness_is_correct"],
}
