"""Tables of results for notebooks and papers.

Their HTML is written here, in twenty lines. `great_tables` 1.1.0 was tried in its place. It needs fourteen lines for
headings and marks, and 15 more packages. A table takes 17 ms in place of 0.05, and 12.6 KB in place of 3.1. Its style
sheet sets colours and a white ground, which dark notebooks show, and without it nothing is bold. The `Styler` of pandas
needs Jinja, does not align text, and draws no rule below headings that span columns in LaTeX.
"""
