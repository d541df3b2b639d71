"""The parts of conventions that say how texts become tokens. They are defined below this room, and offered here."""

from qa_frame.extraction.refusals import NO_REFUSAL, REFUSAL
from qa_frame.text.specification import Blank, Delete, Drop, Replace, Space, Text

__all__ = ["NO_REFUSAL", "REFUSAL", "Blank", "Delete", "Drop", "Replace", "Space", "Text"]
