"""The tables of `agreement` and `human_mean`."""

from qa_frame.tables.result_tables import ResultKind

AGREEMENT = ("human_mean", "metric_mean", "auc", "threshold", "precision", "recall", "kappa")
HUMAN_MEAN = ("human_mean", "labels_alone", "metric_mean", "slope")

RESULTS = (
    ResultKind("agreement", frozenset({"auc", "threshold"}), AGREEMENT),
    ResultKind("human_mean", frozenset({"human_mean", "labels_alone"}), HUMAN_MEAN),
)
