"""Write the embedded sample: three fictional models answering 120 hand-written questions.

Run this file to rewrite ``qa_frame/data/sample.parquet``. Nothing here is random, so the rows are the
same on every run: question by question as ``questions.jsonl`` has them, one row per model.

A line of that file is one question, its acceptable answers, what each model replied, and the verdicts on that. The odd
spacing, case and markup are deliberate. The data set "facts" has short answers: names, dates, numbers, titles. "explain"
has one or two sentences: why, how and describe; some of its questions also accept a short answer.

A reply of null never arrived. ``answers`` is empty when the question has no answer at all, and null when nobody recorded
one. ``human`` is a letter a model: ``y`` right, ``n`` wrong, ``-`` where there is no reply to judge or nothing to judge
it by. It stands in for a fair human grader; no annotator gave it.

Right is a reply that states the asked fact, in whatever words, notation, language or length, or that says so
where a question has no answer. Spelling counts only where it names another thing. A few words on "why" or
"how" are right if they name the cause. Wrong is a reply that is empty, evades, restates the question, answers
only a part of it, or names something else.
"""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

QUESTIONS = Path(__file__).with_name("questions.jsonl")
TARGET = Path(__file__).resolve().parents[2] / "qa_frame" / "data" / "sample.parquet"

MODELS = ("heron-7b", "lynx-70b", "otter-chat")

SCHEMA = pa.schema(
    [
        pa.field("question_id", pa.string()),
        pa.field("model", pa.string()),
        pa.field("dataset", pa.string()),
        pa.field("question", pa.string()),
        pa.field("response", pa.string()),
        pa.field("answers", pa.list_(pa.string())),
        pa.field("human", pa.bool_()),
    ]
)

VERDICTS = {"y": True, "n": False, "-": None}


def read_verdicts(entry: dict[str, Any]) -> list[bool | None]:
    """Return the verdicts on a question, model by model: ``None`` exactly where there is nothing to judge."""
    human = entry["human"]
    allowed = ["-" if entry["answers"] is None or entry[model] is None else "yn" for model in MODELS]
    if len(human) != len(allowed) or not all(map(str.__contains__, allowed, human)):
        raise ValueError(f"{entry['question_id']}: human={human!r}; give one letter each of {allowed}")
    return [VERDICTS[letter] for letter in human]


def build() -> pa.Table:
    """Return the sample as a table: question by question, model by model."""
    entries = [json.loads(line) for line in QUESTIONS.read_text("utf-8").split("\n")[:-1]]
    rows = [
        {**entry, "model": model, "response": entry[model], "human": verdict}
        for entry in entries
        for model, verdict in zip(MODELS, read_verdicts(entry), strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(build(), TARGET, compression="zstd")
