"""Frames: any column of text → checked Arrow arrays, and new columns → the caller's kind of frame.

Rows go by position; an index only names rows in errors. This room scores nothing, and never changes a frame that it is
given.
"""
