"""Notes beside files that cannot hold notes, such as JSON Lines: by which call a file was made.

The note of `a.jsonl` is `.a.jsonl.qa_frame.json` in the same folder. It knows the file by its content, so that a file
that somebody else put there, or changed, is not taken for ours. It is written just before the file gets its name, and
still knows the file that had the name before: a run may be killed between the two.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qa_frame.ext.files.open_files import digest_of
from qa_frame.replacement import Replacement, real_path, shortened

_MOST_FILES = 4
"""How many of the last files that had the name a note knows."""


def write_note(path: Path, made_by: Mapping[str, Any], written: Path) -> None:
    """Note that a file was made by this call. It is written, under another name, and does not have its own yet."""
    status = written.stat()
    file = {"size": status.st_size, "changed_ns": status.st_mtime_ns, "digest": digest_of(written), "made_by": made_by}
    with Replacement(note_of(path), looks_for_parts=False) as note, note.naming_the_file():
        note.stream.write(json.dumps({"files": [*_noted_files(path), file][-_MOST_FILES:]}, indent=1).encode())


def read_note(path: Path) -> dict[str, Any] | None:
    """Return by which call the file was made; None if no note knows the file as it is."""
    status = path.stat()
    alike = [each for each in reversed(_noted_files(path)) if each.get("size") == status.st_size]
    known = next((each for each in alike if each.get("changed_ns") == status.st_mtime_ns), None)
    if known is None and alike:  # the file may be a copy
        digest = digest_of(path)
        known = next((each for each in alike if each.get("digest") == digest), None)
    made_by = None if known is None else known.get("made_by")
    return made_by if isinstance(made_by, dict) else None


def note_of(path: Path) -> Path:
    """Return the path of a file's note."""
    real = real_path(path)
    return real.with_name(f".{shortened(real.name)}.qa_frame.json")


def _noted_files(path: Path) -> list[dict[str, Any]]:
    """Return the files that the note knows, the last one last; [] if the note is missing."""
    try:
        files = json.loads(note_of(path).read_bytes())["files"]
        return [each for each in files if isinstance(each, dict)]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return []
