"""The metrics that this folder adds by name."""

from qa_frame.scoring.pair_metrics import PairMetric


def _math_verify() -> PairMetric:
    """Return the metric `math_verify`."""
    from qa_frame.ext.judges.math_verify import math_verify_metric  # noqa: PLC0415  (only where it is asked for)

    return math_verify_metric()


METRICS = {"math_verify": _math_verify}
"""What makes each metric, by its name."""
