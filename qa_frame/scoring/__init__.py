"""Scoring: text columns in, one score per row and metric out.

`pipeline.py` is the map: it names every stage in order, and is the module to read first. This room joins the rooms
below it, which do not know of each other: text makes tokens, kernels count, rules say what counts.
"""
