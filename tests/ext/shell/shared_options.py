"""The options that several commands have. `command_options.py` of a feature with a command has its command's."""

from __future__ import annotations

import inspect

import qa_frame
from qa_frame.scoring.call_rules import DEFAULTS


def parameters(function, *but):
    return set(inspect.signature(function).parameters) - {"self", "data", *but}


READING = parameters(qa_frame.read_results, "path") | {"sep"}
RULES = {*DEFAULTS, "progress", "n_jobs"}
FILE = {"shape", "output", "overwrite"}
TABLE = FILE | {"step_summary"}
