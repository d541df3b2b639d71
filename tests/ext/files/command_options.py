"""The options of this feature's command."""

from __future__ import annotations

from tests.ext.shell.shared_options import FILE, READING

EXPECTED = {
    "convert": READING | FILE | {"paths"},
}
