"""`qa_frame.read_results`: the result files of evaluation harnesses → a pandas frame."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from qa_frame.files.batches import conform, unify
from qa_frame.files.open_files import MAX_RECORD_BYTES
from qa_frame.files.paths import Paths
from qa_frame.files.result_rows import Reading
from qa_frame.frames.conversions import frame_of


def read_results(
    path: Paths,
    kind: str | None = None,
    *,
    pred: str | None = None,
    gold: str | None = None,
    on_bad_lines: str = "error",
    max_record_bytes: int = MAX_RECORD_BYTES,
) -> pd.DataFrame:
    r"""Read the result files of evaluation harnesses: one row per response, for `df.qa.score("response", "answers")`.

    The kind of a file is recognised from its content. Files are read as a stream: memory holds the frame and one
    batch of rows. Only a single JSON document is loaded as a whole.

    Parameters
    ----------
    path
        A file, a pattern such as `"logs/**/*.jsonl"`, a folder, or a list of these. In a folder all files of known
        kinds are read, also below links to other folders, except names that begin with `.` or `_`. A folder below it
        that cannot be read is an error, and so is a link to nothing. A file that several paths name is read once.
        gzip and zstd are decompressed. A pipe, such as `/dev/stdin`, is read once, into a temporary file.
    kind
        The kind, from the table below; by default each file's own. Files of several kinds give one frame. In a folder,
        only files of this kind are read.
    pred, gold
        The places of the prediction and of the gold in a record, if they differ from those in the table: a name, or a
        path such as `"scores.match.answer"` or `"doc.answer.aliases"`. A file of an unknown kind can be read if both
        are given. One that no record of a file has raises ColumnNotFoundError, whatever `on_bad_lines` says.
    on_bad_lines
        How records that cannot be read (damaged, or without text) are handled: `"error"`, or leave them out with
        (`"warn"`) or without (`"skip"`) a warning. How many were left out stands in `frame.attrs["qa_files"]`.
    max_record_bytes
        How large a line, a row of CSV, a JSON document or a member of a zip may be, decompressed: by default 1 GiB. A
        larger one is an error whatever `on_bad_lines` says, before memory holds it.

    Returns
    -------
    pandas.DataFrame
        Columns of text, numbers and truth values are Arrow-backed (`pd.ArrowDtype`). Lists and dicts are objects of
        Python, because pandas can neither count, sort nor read again Arrow's types of them. `to_parquet` and
        `pandas.read_parquet` give the same rows and scores, with numpy arrays for lists. A column of nulls alone is
        left out, except the first two.

        - `response`: text. Null if the run failed for this question.
        - `answers`: lists of text, the golds. Null if the file has no golds. Where golds are lists of spans, as in
          DROP, they are so here: `score` takes them with a convention such as `drop`.
        - `question_id`, `question`, `model`, `dataset`: text, where the files say so.
        - `file`: text, the path; unless `path` is one single file.
        - `sample`: int64, from 0, where a record has several responses: one row each.
        - `harness_*`: the harness's own scores; `metadata_*`: its metadata; others as the table says.

        `frame.attrs["qa_files"]` has each file's kind, its rows, and how many records were left out;
        `frame.attrs["qa_files_not_read"]` the files of a folder that are not result files.

    Raises
    ------
    ResultFileNotFoundError
        If a path or a pattern matches no file.
    ResultFileError
        If a file or folder cannot be read, or a file is damaged, of no known kind, of another kind than `kind`, or
        without text or records. It names the file and the line.
    ColumnNotFoundError
        If no record of a file has the place that `pred` or `gold` names.
    GoldFormatError
        If most golds of a file are lists that were written out as text, and its kind does not write them so.

    Warns
    -----
    ResultFileWarning
        If records were left out, a file holds no golds, some golds look like lists that were written out, or its run
        was not finished. Also if JSON holds lone surrogates, such as half of an emoji that was cut. No column of text
        can hold them: they are read as U+FFFD, which is no letter, digit or punctuation either.

    Notes
    -----
    The sources of the two columns:

    =================  =========================================  ===========================================
    kind               response                                   answers
    =================  =========================================  ===========================================
    `lm_eval`          `filtered_resps`, else `resps`             `target`
    `inspect`          `output.choices[0].message`, its text      `target`
    `lighteval`        `text_post_processed`, else `text`         `doc.choices` at `doc.gold_index`
    `lighteval_older`  `predictions`                              `gold`, else `choices` at `gold_index`
    `helm`             `result.completions`                       `instance.references` tagged `correct`
    `opencompass`      `prediction`                               `gold`
    `every_eval_ever`  `output.raw`, else the extracted answer    `input.reference`
    `openai_evals`     `sampled`, else `picked`                   `expected`, else `ideal`
    `flashrag`         `output.pred`                              `golden_answers`
    `longbench`        `pred`                                     `answers`; of `longbench2` `answer`
    `ruler`            `pred`                                     `outputs`
    `ragas`            `response`; of `ragas_older` `answer`      `reference`; of `ragas_older` `ground_truth`
    `deepeval`         `actual_output`, `actualOutput`            `expected_output`, `expectedOutput`
    `ragchecker`       `response`                                 `gt_answer`
    `promptfoo`        `response.output`                          the values of assertions, else a variable
    `evalscope`        `sample_score.score.prediction`            `target`
    `olmes`            `model_output`, its `continuation`         `label`
    `vlmevalkit`       `prediction`                               `answer`
    `mlflow`           `outputs`, `predictions`, else as `plain`  `targets`, else as `plain`
    `langfuse`         `output`, its text                         `expectedOutput`, also in `metadata`
    `plain`, `csv`     first of `response`, `prediction`, …       first of `answers`, `golds`, `references`, …
    =================  =========================================  ===========================================

    More about them:

    - `lm_eval` (`samples_*.jsonl`): a line is one `doc_id` and one `filter`, so keep one filter, or let `by=` name it,
      too; what would count an answer twice says so. A target that is a list written out is read as the list. Multiple
      choice has no text, and raises an error.
    - `inspect` (`.eval`, `.json`): several epochs are several rows (`epoch`). A sample that ended with an error has a
      null response, and `error` says why. Its scores "C", "P", "I" and "N" are 1, 0.5, 0 and 0 here, as in its metrics.
    - `lighteval` (`details_*.parquet`): `lighteval_older` is the layout until version 0.10. No text in multiple choice.
    - `helm` (`scenario_state.json`; other files of a run have no golds): the letter of a choice becomes the choice.
    - `opencompass` (`predictions/*/*.json`): `gold` may be absent; answers are null then, with a warning.
    - `every_eval_ever` (instance-level JSON Lines): a reference that is a list written out is read as the list;
      `extracted` has the value of `answer_attribution`.
    - `openai_evals`: an event with an answer and an expected answer is a row; others are passed over.
    - `flashrag` (`intermediate_data.json`): in multiple choice golds are indices, which become the choices.
    - `longbench`: its own script scores only the first line of a prediction for trec, triviaqa, samsum and lsht. Here
      predictions are whole. `full_response` of `longbench2` is the text from which the letter in `pred` was taken.
    - `ruler`: most of its tasks ask for all of the outputs, not for any of them. The context is left out.
    - `ragas`, `deepeval`, `ragchecker`: one gold each.
    - `promptfoo` (`eval -o out.json` or `.jsonl`): golds are what assertions such as `equals` and `contains-any`
      compare with. A list in a variable makes several tests, and so do repeats; each has its own `question_id`.
    - `evalscope` (`reviews/*/*.jsonl`): a target that is a list written out is read as the list. Versions before 1.14
      join several golds without a separator, and these cannot be told apart.
    - `olmes` (`*-predictions.jsonl`): no text in multiple choice. `extracted` is the answer in the first output.
    - `vlmevalkit` (`.tsv`, `.json`; not `.xlsx` and `.pkl`): an answer that is a list written out is read as the list.
      A call that failed has a null response, and `error` says why. An empty answer is null: it writes nulls so.
    - `mlflow` (`eval_results_table.json`, and what `mlflow.log_table` writes): columns with `/` are its metrics.
    - `langfuse` (traces or observations as JSON, JSON Lines or CSV): golds are null unless the metadata has them. Of
      chats and of the objects of libraries, the last message is taken. Empty text is null: it writes nulls so.
    - `plain` (JSON Lines, JSON, Parquet, Arrow): text is one gold, whatever it looks like. Other columns are kept.
    - `csv` (CSV, TSV): a gold that is a list written out is read as the list. A field without anything is null, one
      that is empty between quotes (`""`) is empty text; "NA" and "None" are text.

    All usual names stand in `qa_frame.files.harnesses.plain.NAMES`; a table that has them in capital letters alone, as
    `Response`, is read, too. If a JSON object has a name twice, the last value
    counts, as everywhere in Python.

    Examples
    --------
    >>> import json, pathlib, tempfile, qa_frame
    >>> record = {
    ...     "doc_id": 0,
    ...     "doc": {"question": "Which river crosses Paris?", "answer": ["Seine", "the Seine"]},
    ...     "target": "['Seine', 'the Seine']",
    ...     "resps": [["The Seine.\nQ: And Rome?"]],
    ...     "filtered_resps": ["The Seine."],
    ...     "filter": "strict",
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "samples_rivers.jsonl")
    ...     _ = path.write_text(json.dumps(record))
    ...     df = qa_frame.read_results(path)
    >>> df.qa.score("response", "answers")[["question_id", "response", "em", "f1"]]
      question_id    response   em   f1
    0           0  The Seine.  1.0  1.0
    """
    reading = Reading(path, kind, pred=pred, gold=gold, on_bad_lines=on_bad_lines, max_record_bytes=max_record_bytes)
    batches = list(reading.batches())
    schema = unify(batch.schema for batch in batches)
    table = pa.Table.from_batches([conform(batch, schema) for batch in batches], schema)
    frame = frame_of(table)
    frame.attrs["qa_files"] = reading.notes
    if reading.not_read:
        frame.attrs["qa_files_not_read"] = reading.not_read
    return frame
