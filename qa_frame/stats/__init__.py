"""Groups, exact sums, statistics, intervals and tests. Nothing here knows a metric by its name, or scores a text."""
