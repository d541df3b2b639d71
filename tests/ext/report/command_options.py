"""The options of this feature's command."""

from __future__ import annotations

import qa_frame
from tests.ext.shell.shared_options import READING, RULES, parameters

EXPECTED = {
    "report": parameters(qa_frame.report, "path") | RULES | READING | {"output", "overwrite", "paths", "scored"},
}
