"""Notes beside files that cannot hold notes, such as JSON Lines: by which call a file was made.

The note of `a.jsonl` is `.a.jsonl.qa_frame.json` in the same folder. It knows the file by its content, so that a file
that somebody else put there, or changed, is not taken for ours. It is written just before the file gets its name, and
still knows the file that had the name before: a run may be killed between the two.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from qa_frame.replacement import Replacement, real_path, shortened

_DIGEST_BYTES = 16
_MOST_FILES = 4
"""How many of the last files that had the name a note knows."""


class Witness(io.RawIOBase):
    """A stream that hands on its bytes, and remembers them by size and digest. Closing it leaves the other one open.

    Parameters
    ----------
    stream
        An open file.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Write bytes."""
        self._digest.update(data)
        return self._stream.write(data)

    def seen(self) -> dict[str, Any]:
        """Return the size and digest of the bytes, and when the file was last written to."""
        self._stream.flush()
        status = os.fstat(self._stream.fileno())
        return {"size": status.st_size, "changed_ns": status.st_mtime_ns, "digest": self._digest.hexdigest()}


def write_note(path: Path, made_by: Mapping[str, Any], witness: Witness) -> None:
    """Note that a file, which is written but does not have its name `path` yet, was made by this call."""
    files = [*_noted_files(path), {**witness.seen(), "made_by": made_by}]
    with Replacement(note_of(path), looks_for_parts=False) as note, note.naming_the_file():
        note.stream.write(json.dumps({"files": files[-_MOST_FILES:]}, indent=1).encode())


def read_note(path: Path) -> dict[str, Any] | None:
    """Return by which call the file was made; None if no note knows the file as it is."""
    status = path.stat()
    alike = [each for each in reversed(_noted_files(path)) if each.get("size") == status.st_size]
    known = next((each for each in alike if each.get("changed_ns") == status.st_mtime_ns), None)
    if known is None and alike:  # the file may be a copy
        digest = _digest_of(path)
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


def _digest_of(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
