"""Metrics beside people's verdicts: how they agree, the mean from few labels, what to label, and which metric ranks."""
