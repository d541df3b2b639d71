"""Pairs of `Tokens` → integer counts.

Kernels use numpy and RapidFuzz, never see a text and never write to their inputs. Each count has a slow plain-Python
twin in `tests/reference/kernels.py`, and the tests compare the two exactly.
"""
