"""Slow, plain twins of what the package computes."""
