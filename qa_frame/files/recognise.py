"""Which harness wrote a file: all kinds of result files, and the first that fits. A new kind is an entry here."""

from __future__ import annotations

from qa_frame.errors import ResultFileError
from qa_frame.files.harnesses.description import Kind, Refusal
from qa_frame.files.harnesses.evalscope import EVALSCOPE, EVALSCOPE_PREDICTIONS
from qa_frame.files.harnesses.every_eval_ever import EVERY_EVAL_EVER, EVERY_EVAL_EVER_AVERAGES
from qa_frame.files.harnesses.helm import HELM, HELM_PREDICTIONS, HELM_STATISTICS
from qa_frame.files.harnesses.inspect_logs import INSPECT
from qa_frame.files.harnesses.lighteval import LIGHTEVAL, LIGHTEVAL_OLDER
from qa_frame.files.harnesses.lm_eval import LM_EVAL, LM_EVAL_AVERAGES
from qa_frame.files.harnesses.long_context import LONGBENCH, LONGBENCH2, RULER
from qa_frame.files.harnesses.olmes import OLMES, OLMES_OTHERS
from qa_frame.files.harnesses.openai_evals import OPENAI_EVALS
from qa_frame.files.harnesses.opencompass import OPENCOMPASS
from qa_frame.files.harnesses.plain import PLAIN, PLAIN_CSV, name_in
from qa_frame.files.harnesses.promptfoo import PROMPTFOO
from qa_frame.files.harnesses.rag import DEEPEVAL, FLASHRAG, RAGAS, RAGAS_OLDER, RAGCHECKER
from qa_frame.files.harnesses.squad import SQUAD_DATASET, SQUAD_PREDICTIONS
from qa_frame.files.harnesses.tracking import LANGFUSE, LANGFUSE_ITEMS, MLFLOW
from qa_frame.files.harnesses.vlmevalkit import VLMEVALKIT, WORKBOOK
from qa_frame.files.records import ResultFile

_LISTING = (
    *(OLMES, LM_EVAL, INSPECT, LIGHTEVAL, LIGHTEVAL_OLDER, HELM, OPENCOMPASS, EVERY_EVAL_EVER, OPENAI_EVALS, FLASHRAG),
    *(LONGBENCH, LONGBENCH2, RULER, RAGCHECKER, DEEPEVAL, RAGAS, RAGAS_OLDER, PROMPTFOO, EVALSCOPE, MLFLOW, LANGFUSE),
    *(VLMEVALKIT, PLAIN, PLAIN_CSV),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _LISTING}
"""All kinds by name, in the order in which they are tried: a kind with rarer names comes first."""

REFUSALS: tuple[Refusal, ...] = (
    *(LM_EVAL_AVERAGES, HELM_STATISTICS, HELM_PREDICTIONS, EVERY_EVAL_EVER_AVERAGES),
    *(EVALSCOPE_PREDICTIONS, OLMES_OTHERS, LANGFUSE_ITEMS, WORKBOOK, SQUAD_DATASET, SQUAD_PREDICTIONS),
)


def kind_of(source: ResultFile, kind: str | None = None, *, are_named: bool = False) -> Kind:
    """Return the kind of a file, which is `kind` if that is given. Raise ResultFileError if the file is not of it.

    are_named: the caller names the prediction or the gold, so that a file of no known kind is a plain table.
    """
    if source.format != "zip" and not source.first:
        raise ResultFileError(f"{source.path} holds no records: its run may have failed")
    if kind is not None and KINDS[kind].is_this(source):
        return KINDS[kind]
    found = next((each for each in KINDS.values() if each.is_this(source)), None)
    if found is not None and kind is None:
        return found
    for refusal in REFUSALS:
        if refusal.is_this(source) and not (are_named and refusal.may_be_table):
            raise ResultFileError(f"{source.path} {refusal.remedy}")
    if are_named and kind is None and source.names:
        return PLAIN_CSV if source.format in {"csv", "tsv"} else PLAIN
    names = sorted(map(str, source.names))
    holds = f"its first record has the names {names!s:.300}" if names else f"a {source.format} without names"
    if kind is not None:
        remedy = f"kind={found.name!r} fits; or leave kind out" if found else "leave kind out if it is another"
        raise ResultFileError(f"{source.path} is not of kind={kind!r}: {holds}; {remedy}")
    raise ResultFileError(
        f"{source.path} is of no known kind: {holds}. {_how_to_name(source)}. The known kinds are {list(KINDS)}"
    )


def _how_to_name(source: ResultFile) -> str:
    """Return which values of a file of no known kind are to be named."""
    found = {column: name_in(source.names, column) for column in ("response", "answers")}
    if found["answers"] and not found["response"]:
        return f"Its golds are {found['answers']!r}; name its predictions with pred=, such as pred='output.text'"
    if found["response"] and not found["answers"]:
        return f"Its predictions are {found['response']!r}; name its golds with gold=, such as gold='doc.answer'"
    return "Name its values with pred= and gold=, such as pred='output.text'"
