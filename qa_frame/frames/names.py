"""Names of columns, rows and groups: checks of the names that a caller gives, and how errors name them.

Also the names that harnesses and providers have for the reason why a response ended.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Ints
from qa_frame.checks import is_equal, is_hashable, require_text, suggestion
from qa_frame.errors import ColumnNotFoundError, ColumnOverwriteError, ColumnTypeError, UnknownOptionError, show

_GROUPS_NAMED = 3
_ROWS_NAMED = 5
_NAMED_ROWS = {"row", "line"}
"""The names of labels that number the rows or the lines of a file."""

USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "response": (
        *("response", "prediction", "pred", "predicted_answer", "model_answer", "model_output", "model_response"),
        *("generated_answer", "generated_text", "generation", "completion", "output", "predicted_answers"),
    ),
    "answers": (
        *("answers", "golds", "gold_answers", "golden_answers", "references", "ground_truths", "targets", "gold"),
        *("gold_answer", "golden_answer", "reference", "reference_answer", "ground_truth", "correct_answer"),
        *("expected_answer", "expected", "expected_output", "target", "true_answers", "ground_truth_answers", "gt"),
        *("answer", "labels", "label"),  # the last two: InfiniteBench
    ),
    "question_id": ("question_id", "qid", "query_id", "sample_id", "example_id", "id", "_id"),
    "question": ("question", "query", "problem", "prompt", "input"),
    "model": ("model", "model_name", "model_id"),
    "dataset": ("dataset", "dataset_name", "task", "task_name", "benchmark"),
    "finish_reason": ("finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"),
}
"""The usual names of each column, in the order in which they are looked for."""


_OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "choices": ("choices", "options"),
    "contexts": ("contexts", "retrieved_contexts", "retrieved_context", "context", "passages", "documents"),
    "human": ("human", "human_verdict", "human_score", "verdict", "is_correct", "rating"),
    "confidence": ("confidence",),
}
"""The usual names of columns that keep their own name where results are read."""

ROLES = USUAL_NAMES | _OTHER_NAMES

_TRUTHS = frozenset({name for name in USUAL_NAMES["answers"] if "truth" in name or "ref" in name or "gold" in name})
"""Names of golds beside which `answer` is that of the model, as in continuous-eval."""


def name_in(names: Any, column: str) -> str | None:
    """Return the name that a frame has for a kind of column: the first of its usual names; None if it has none.

    names: the frame's columns. column: the kind, a key of `ROLES`. `answer` is the response where other columns hold
    the golds.
    """
    usual = next((name for name in ROLES[column] if name in names), None)
    if usual is None and column == "response" and "answer" in names and any(name in names for name in _TRUTHS):
        return "answer"
    return usual


def require_column(name: Hashable, names: Sequence[Hashable], argument: str) -> None:
    """Raise ColumnNotFoundError unless exactly one of the columns has this name.

    Parameters
    ----------
    name
        The name that the caller gives.
    names
        The names of all columns.
    argument
        The argument that the caller gives it by, for the error.
    """
    if isinstance(name, pd.Series | pd.DataFrame | pd.Index | np.ndarray):
        kind = type(name).__name__
        raise ColumnNotFoundError.of(argument, f"is a {kind}", f"give the name of a column. Columns: {list(names)}")
    n_columns = [is_equal(known, name) for known in names].count(True) if is_hashable(name) else 0
    if n_columns == 0:
        role = next((role for role, usual in ROLES.items() if isinstance(name, str) and name in usual), None)
        usual = None if role is None else name_in(names, role)
        close = suggestion(name, names).lstrip(";. ") if usual is None else f"did you mean {usual!r}?"
        parts = [part.strip() for part in name.split(",")] if isinstance(name, str) else []
        if len(parts) > 1 and set(parts) <= {*names}:
            close = f"give a list: {parts}."
        remedy = f"{close} Columns: {list(names)}".lstrip()
        raise ColumnNotFoundError.of(argument, "is not a column", remedy, value=name)
    if n_columns > 1:
        remedy = "rename them so that one is left"
        raise ColumnNotFoundError.of(argument, f"names {n_columns} columns", remedy, value=name)


def score_label(name: str, columns: pd.Index) -> Hashable:
    """Return the label of the score column `name`: a tuple that begins with it if the labels `columns` have levels."""
    return (name, *[""] * (columns.nlevels - 1)) if isinstance(columns, pd.MultiIndex) else name


def require_prefix(prefix: object) -> None:
    """Raise UnknownOptionError unless the prefix is text without null characters."""
    remedy = "give the text to put in front of the columns' names, or ''"
    require_text("prefix", prefix, remedy)
    if "\0" in str(prefix):
        raise UnknownOptionError.of("prefix", "holds a null character, where Arrow ends names", remedy, value=prefix)


def require_no_overwrite(new: Sequence[Hashable], *, pred: Hashable, gold: Hashable) -> None:
    """Raise ColumnOverwriteError if a new column has the label of the prediction or gold column."""
    for argument, name in (("pred", pred), ("gold", gold)):
        if name in new:
            finding = f"the score column {name!r} would take the place of {argument}={name!r}"
            remedy = "choose another `prefix`, or append=False for the scores alone"
            raise ColumnOverwriteError.of("", finding, remedy)


def require_new(
    new: Iterable[Hashable],
    labels: Sequence[Hashable],
    known: Collection[Hashable] = (),
    *,
    what: str = "score column {!r} of a metric of your own",
    remedy: str = "give it another name, choose a `prefix`, or drop the column first",
) -> None:
    """Raise ColumnOverwriteError if a new column would replace a column of the frame that is not in `known`.

    Parameters
    ----------
    new
        The names of the new columns.
    labels
        The labels of all columns of the frame.
    known
        The columns that may be replaced: scores of the user's own metrics, which are scored anew.
    what
        The words for a new column in the error, with `{!r}` in the place of its name.
    remedy
        The remedy in the error.
    """
    for name in new:
        if name in labels and name not in known:
            raise ColumnOverwriteError(f"the {what.format(name)} would take the place of a column; {remedy}")


def name_rows(rows: Ints, labels: pd.Index | None) -> str:
    """Return the first few of `rows` as errors name them: by label, or by position if `labels` is None."""
    shown = rows[:_ROWS_NAMED]
    names = shown.tolist() if labels is None else [plain_label(labels[row]) for row in shown]
    what = "row" if labels is None else labels.name if labels.name in _NAMED_ROWS else "index label"
    more = ", ..." if len(rows) > len(shown) else ""
    return f"{what}{'s' if len(rows) > 1 else ''} {', '.join(map(repr, names))}{more}"


def name_groups(labels: Sequence[Any], is_meant: Flags) -> str:
    """Return how many groups are meant and which: the first few by label, as warnings name them.

    is_meant: whether each group is, shape (groups,).
    """
    meant = [labels[place] for place in np.flatnonzero(is_meant).tolist()]
    names = [*map(show, meant[:_GROUPS_NAMED]), *["..."] * (len(meant) > _GROUPS_NAMED)]
    return f"in {len(meant)} of {len(labels)} groups ({', '.join(names)})"


def name_reasons(labels: Sequence[Any], reasons: Mapping[str, Flags]) -> str:
    """Return each reason with the groups that it holds for, as warnings name them, without reasons that hold for none.

    reasons: by reason, whether it holds for each group, shape (groups,).
    """
    named = (f"{reason} {name_groups(labels, is_meant)}" for reason, is_meant in reasons.items() if is_meant.any())
    return "; ".join(named)


def plain_label(label: object) -> object:
    """Return a label as Python prints it, without numpy's type."""
    return label.item() if isinstance(label, np.generic) else label


def error_of_keys(argument: str, name: Hashable, kind: object, error: Exception) -> ColumnTypeError:
    """Return the error for a column of keys by which pandas cannot group.

    argument, name: the argument and the column that it names. kind: the column's type. error: what pandas or Arrow
    raised.
    """
    finding = f"holds {kind} that cannot be hashed and compared ({error})"
    made = "df[column].astype(str) in pandas, polars.Series(map(str, df[column].to_list())) in polars"
    return ColumnTypeError.of(argument, finding, f"make them text, as in {made}", value=name)


CUT_OFF = frozenset({"length", "max_tokens", "model_length", "max_output_tokens", "max_length", "max_new_tokens"})
"""OpenAI, vLLM and HELM; Anthropic, Cohere and inspect; inspect; OpenAI's and Google's newer ones; TGI's heirs."""


def are_cut_off(reasons: Any) -> Flags:
    """Return whether each response was cut off at its limit of tokens, shape (rows,); False where this is not known.

    reasons: a pandas column with the reason why each response ended.
    """
    if pd.api.types.is_object_dtype(reasons):  # HELM's are dicts, {"reason": "length"}
        texts = (each.get("reason") if isinstance(each, Mapping) else each for each in reasons)
        reasons = pd.Series([each if isinstance(each, str) else None for each in texts], dtype=object)
    codes, known = pd.factorize(reasons)
    return np.array([*(str(each).rpartition(".")[2].lower() in CUT_OFF for each in known), False])[codes]
