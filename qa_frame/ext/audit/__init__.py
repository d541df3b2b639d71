"""Checks of the data: what in a frame is likely to mislead its scores, and the remedy. Imports style."""
