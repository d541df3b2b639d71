"""Tables of results for notebooks and papers.

Their HTML is written here, in twenty lines: `great_tables` would need an adapter as long for headings, rules and
marks, and would be one more package to install.
"""
