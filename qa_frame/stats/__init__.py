"""Grouping, exact sums, figures, intervals and tests. Nothing here knows a metric by its name, or scores a text."""
