"""The conventions, one module a family: those of one source, or of sources that share their rules.

A module names its conventions in a tuple `CONVENTIONS`; `qa_frame.rules.listing` finds every module by itself. So a new
family is a new file, and nothing else.
"""
