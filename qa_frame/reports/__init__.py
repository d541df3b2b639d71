"""Figures → tables: what `summary`, `compare`, `agreement` and `differences` return."""
