"""Metrics that need more than a prediction and a gold: `RowMetric`, and `math_verify`."""
