"""Tables of results for notebooks and papers."""
