"""The options of this feature's command."""

from __future__ import annotations

import qa_frame
from tests.ext.shell.shared_options import READING, TABLE, parameters

EXPECTED = {
    "audit": parameters(qa_frame.audit) | READING | TABLE | {"paths", "fail_if_found"},
}
