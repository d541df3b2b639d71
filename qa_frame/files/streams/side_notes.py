"""Notes beside files that cannot hold notes, such as JSON Lines: by which call a file was made.

The note of `a.jsonl` is `.a.jsonl.qa_frame.json` in the same folder. It knows the file by its content, so that a file
that somebody else put there, or changed, is not taken for ours. It is written when the file has its name: after a run
that was killed between the two, the file has no note.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qa_frame.files.open_files import digest_of
from qa_frame.replacement import Replacement, real_path, shortened


def write_note(path: Path, made_by: Mapping[str, Any]) -> None:
    """Note by which call the file was made."""
    status = path.stat()
    found = {"size": status.st_size, "changed_ns": status.st_mtime_ns, "digest": digest_of(path), "made_by": made_by}
    with Replacement(note_of(path), looks_for_parts=False) as note, note.naming_the_file():
        note.stream.write(json.dumps(found, indent=1).encode())


def read_note(path: Path) -> dict[str, Any] | None:
    """Return by which call the file was made; None if no note knows the file as it is."""
    try:
        note, status = json.loads(note_of(path).read_bytes()), path.stat()
        is_as_noted = note["size"] == status.st_size and (
            note["changed_ns"] == status.st_mtime_ns or note["digest"] == digest_of(path)  # the file may be a copy
        )
        return dict(note["made_by"]) if is_as_noted else None
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def note_of(path: Path) -> Path:
    """Return the path of a file's note."""
    real = real_path(path)
    return real.with_name(f".{shortened(real.name)}.qa_frame.json")
