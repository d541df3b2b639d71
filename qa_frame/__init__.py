"""Score question-answering results where they live: whole dataframe columns, every system's own numbers by name.

    import qa_frame                                            # registers df.qa on pandas frames
    scored = df.qa.score(pred="response", gold="answers")
    scored.qa.summary(by="model")

Each `df.qa.x(...)` is `qa_frame.x(df, ...)`, which takes polars frames and Arrow tables, too. How it works is best read
from `qa_frame/scoring/pipeline.py`.
"""

import importlib
from typing import TYPE_CHECKING

from qa_frame.accessor import QAAccessor
from qa_frame.api.agreement import agreement
from qa_frame.api.changed import changed
from qa_frame.api.compare import compare
from qa_frame.api.differences import differences
from qa_frame.api.extract_answers import extract_answers
from qa_frame.api.normalise import normalise
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
    PoolMismatchError,
    QaFrameError,
    ReductionError,
    ResultFileError,
    ResultFileNotFoundError,
    ResultFileWarning,
    ResultWriteError,
    SampleError,
    ScoringWarning,
    TokeniserError,
    UnknownConventionError,
    UnknownMetricError,
    UnknownOptionError,
    VerdictError,
    WorkerError,
)
from qa_frame.frames.conversions import to_golds, to_text
from qa_frame.rules.languages import ARTICLES, STOP_WORDS
from qa_frame.rules.listing import conventions
from qa_frame.rules.parts import Bleu, Chrf, Contains, Convention, EditDistance, Empty, Exact, Overlap, RougeL
from qa_frame.samples import sample
from qa_frame.scoring.listing import metrics
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.text.specification import Blank, Delete, Drop, Replace, Space, Text
from qa_frame.version import __version__
from qa_frame.view.audit import audit
from qa_frame.view.explain import explain

if TYPE_CHECKING:
    from qa_frame.files.results import read_results
    from qa_frame.files.score_files import score_files
    from qa_frame.files.summary_files import summary_files
    from qa_frame.reports.pool import Pool
    from qa_frame.view import plot
    from qa_frame.view.refusals import NO_REFUSAL
    from qa_frame.view.style import style

__all__ = [
    "ARTICLES",
    "NO_REFUSAL",
    "STOP_WORDS",
    "Blank",
    "Bleu",
    "Chrf",
    "ColumnNotFoundError",
    "ColumnOverwriteError",
    "ColumnTypeError",
    "Contains",
    "Convention",
    "Delete",
    "Drop",
    "EditDistance",
    "Empty",
    "Exact",
    "ExtractionWarning",
    "GoldFormatError",
    "GoldFormatWarning",
    "IntervalWarning",
    "InvalidTextError",
    "MissingPackageError",
    "MissingPredictionError",
    "MixedScoresWarning",
    "Overlap",
    "PairMetric",
    "PairMetricError",
    "PairingError",
    "PairingWarning",
    "Pool",
    "PoolMismatchError",
    "QAAccessor",
    "QaFrameError",
    "ReductionError",
    "Replace",
    "ResultFileError",
    "ResultFileNotFoundError",
    "ResultFileWarning",
    "ResultWriteError",
    "RougeL",
    "SampleError",
    "ScoringWarning",
    "Space",
    "Text",
    "TokeniserError",
    "UnknownConventionError",
    "UnknownMetricError",
    "UnknownOptionError",
    "VerdictError",
    "WorkerError",
    "__version__",
    "agreement",
    "audit",
    "best",
    "changed",
    "compare",
    "conventions",
    "differences",
    "explain",
    "extract_answers",
    "metrics",
    "normalise",
    "plot",
    "read_results",
    "sample",
    "score",
    "score_files",
    "score_one",
    "style",
    "summary",
    "summary_files",
    "to_golds",
    "to_text",
    "worst",
]


_IMPORTED_WHEN_ASKED_FOR = {
    "NO_REFUSAL": "qa_frame.view.refusals",
    "Pool": "qa_frame.reports.pool",
    "read_results": "qa_frame.files.results",
    "score_files": "qa_frame.files.score_files",
    "style": "qa_frame.view.style",
    "summary_files": "qa_frame.files.summary_files",
}
"""What needs modules that are slow to import, so that scoring alone starts fast."""


def __getattr__(name: str) -> object:
    """Return what is imported when it is first asked for."""
    if name == "plot":
        return importlib.import_module("qa_frame.view.plot")
    if name in _IMPORTED_WHEN_ASKED_FOR:
        return getattr(importlib.import_module(_IMPORTED_WHEN_ASKED_FOR[name]), name)
    raise AttributeError(f"module 'qa_frame' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, for completion: those that are imported when asked for too, and no others."""
    return sorted(__all__)
