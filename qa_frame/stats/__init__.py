"""Grouping, exact sums, figures, intervals, tests. Nothing here knows a metric by its name, and nothing scores a text."""
