"""Score question-answering results where they live: whole dataframe columns, every system's own numbers by name.

    import qa_frame                                            # registers df.qa on pandas frames
    scored = df.qa.score(pred="response", gold="answers")
    scored.qa.summary(by="model")

Each `df.qa.x(...)` is `qa_frame.x(df, ...)`, which takes polars frames and Arrow tables, too. How it works is best read
from `qa_frame/scoring/pipeline.py`.
"""

import importlib
import sys
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING

from qa_frame.version import __version__

if TYPE_CHECKING:
    from qa_frame import plot
    from qa_frame.accessor import QAAccessor
    from qa_frame.api.abstention import abstention, risk_coverage
    from qa_frame.api.agreement import agreement
    from qa_frame.api.changed import changed
    from qa_frame.api.compare import compare
    from qa_frame.api.differences import differences
    from qa_frame.api.disagreements import confusion, disagreements
    from qa_frame.api.extract_answers import extract_answers
    from qa_frame.api.human_mean import human_mean
    from qa_frame.api.items import items
    from qa_frame.api.normalise import normalise
    from qa_frame.api.power import power
    from qa_frame.api.ranks import ranks
    from qa_frame.api.score import score
    from qa_frame.api.score_one import score_one
    from qa_frame.api.summary import summary
    from qa_frame.api.worst import best, worst
    from qa_frame.errors import (
        ColumnNotFoundError,
        ColumnOverwriteError,
        ColumnTypeError,
        ExtractionWarning,
        GoldFormatError,
        GoldFormatWarning,
        IntervalWarning,
        InvalidTextError,
        MissingPackageError,
        MissingPredictionError,
        MixedScoresWarning,
        PairingError,
        PairingWarning,
        PairMetricError,
        PlotWarning,
        PoolMismatchError,
        QaFrameError,
        ReductionError,
        ResultFileError,
        ResultFileNotFoundError,
        ResultFileWarning,
        ResultWriteError,
        SampleError,
        ScoringWarning,
        StratumWarning,
        TokeniserError,
        UnknownConventionError,
        UnknownMetricError,
        UnknownOptionError,
        VerdictError,
        WorkerError,
    )
    from qa_frame.files.read_results import read_results
    from qa_frame.files.schema import schema
    from qa_frame.files.score_files import score_files
    from qa_frame.files.summary_files import summary_files
    from qa_frame.files.to_every_eval_ever import to_every_eval_ever
    from qa_frame.files.to_hub_eval_results import to_hub_eval_results
    from qa_frame.frames.conversions import to_golds, to_text
    from qa_frame.reports.pool import Pool
    from qa_frame.rules.languages import ARTICLES, STOP_WORDS
    from qa_frame.rules.listing import conventions
    from qa_frame.rules.parts import (
        Bleu,
        Chrf,
        Contains,
        Convention,
        EditDistance,
        Empty,
        Exact,
        Numbers,
        Overlap,
        RougeL,
    )
    from qa_frame.samples import sample
    from qa_frame.scoring.listing import metrics
    from qa_frame.scoring.pair_metrics import PairMetric
    from qa_frame.text.refusals import NO_REFUSAL, REFUSAL
    from qa_frame.text.specification import Blank, Delete, Drop, Replace, Space, Text
    from qa_frame.view.audit.audit import audit
    from qa_frame.view.explain.explain import explain
    from qa_frame.view.report.report import report
    from qa_frame.view.tables.style import style

# fmt: off
__all__ = [  # noqa: RUF022  (by subject)
    "score", "summary", "compare", "ranks", "power", "agreement", "human_mean", "confusion", "disagreements",
    "abstention", "risk_coverage", "items", "differences", "worst", "best", "changed", "explain", "audit",
    "read_results", "score_files", "summary_files", "to_every_eval_ever", "to_hub_eval_results",
    "Pool", "score_one", "normalise", "extract_answers", "to_golds",
    "to_text",
    "plot", "style", "report", "QAAccessor",
    "conventions", "metrics", "Convention", "PairMetric", "Bleu", "Chrf", "Contains", "EditDistance", "Empty",
    "Exact", "Numbers", "Overlap", "RougeL", "Text", "Blank", "Delete", "Drop", "Replace", "Space",
    "ARTICLES", "NO_REFUSAL", "REFUSAL", "STOP_WORDS", "sample", "schema",
    "__version__",
    "ColumnNotFoundError", "ColumnOverwriteError", "ColumnTypeError", "ExtractionWarning", "GoldFormatError",
    "GoldFormatWarning", "IntervalWarning", "InvalidTextError", "MissingPackageError", "MissingPredictionError",
    "MixedScoresWarning", "PairMetricError", "PairingError", "PairingWarning", "PlotWarning", "PoolMismatchError",
    "QaFrameError", "ReductionError", "ResultFileError", "ResultFileNotFoundError", "ResultFileWarning",
    "ResultWriteError", "SampleError", "ScoringWarning", "StratumWarning", "TokeniserError", "UnknownConventionError",
    "UnknownMetricError", "UnknownOptionError", "VerdictError", "WorkerError",
]
# fmt: on

_HOMES = {
    "accessor": "QAAccessor",
    "api.abstention": "abstention risk_coverage",
    "api.disagreements": "confusion disagreements",
    "api.worst": "best worst",
    "errors": " ".join(name for name in __all__ if name.endswith(("Error", "Warning"))),
    "files.schema": "schema",
    "frames.conversions": "to_golds to_text",
    "reports.pool": "Pool",
    "rules.languages": "ARTICLES STOP_WORDS",
    "rules.listing": "conventions",
    "rules.parts": "Bleu Chrf Contains Convention EditDistance Empty Exact Numbers Overlap RougeL",
    "samples": "sample",
    "scoring.listing": "metrics",
    "scoring.pair_metrics": "PairMetric",
    "text.refusals": "NO_REFUSAL REFUSAL",
    "text.specification": "Blank Delete Drop Replace Space Text",
}
"""Where each name is defined. A module is imported when one of its names is first asked for."""

_FOLDERS = {
    "api": (
        "agreement changed compare differences extract_answers human_mean items normalise power ranks score score_one "
        "summary"
    ),
    "files": "read_results score_files summary_files to_every_eval_ever to_hub_eval_results",
    "view.audit": "audit",
    "view.explain": "explain",
    "view.report": "report",
    "view.tables": "style",
}
"""Folders with functions that each have a module of their own name."""

_MODULE_OF = {name: f"qa_frame.{module}" for module, names in _HOMES.items() for name in names.split()}
_MODULE_OF |= {name: f"qa_frame.{folder}.{name}" for folder, names in _FOLDERS.items() for name in names.split()}


def _is_command() -> bool:
    """Return whether this process is the command `qa-frame`, which answers `--help` without pandas."""
    program = PurePath(sys.argv[0] if sys.argv else "")
    is_script = program.stem == "qa-frame" and program.suffix in {"", ".exe"}
    return is_script or (program.name == "-m" and ("-m", "qa_frame") in pairwise(sys.orig_argv))


if not TYPE_CHECKING:
    if not _is_command():
        from qa_frame.accessor import QAAccessor

    def __getattr__(name: str) -> object:
        """Import a name when it is first asked for."""
        if name == "plot":
            return importlib.import_module("qa_frame.plot")
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'qa_frame' has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(_MODULE_OF[name]), name)
        return found


def __dir__() -> list[str]:
    """Return the public names, for completion: those that are imported when asked for too, and no others."""
    return sorted(__all__)
