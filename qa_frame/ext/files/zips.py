"""The members of a zip, also those that zstd compressed, which Python before 3.14 cannot read on its own."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from typing import Any

import pyarrow as pa

from qa_frame.errors import ResultFileError
from qa_frame.ext.files.json_lines import parse_json, replace_lone_surrogates
from qa_frame.ext.files.open_files import Content, UnusableRecordError

_ZSTD = 93
_LOCAL_HEADER = 30
_DAMAGE = (OSError, EOFError, ValueError, RuntimeError, MemoryError, struct.error, zlib.error, zipfile.BadZipFile)
"""The errors where bytes are damaged. `zipfile` raises RuntimeError for a version that it does not know."""


class JsonZip:
    """A zip of JSON documents. The caller closes it, as with `contextlib.closing`."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._n_bytes, self._seen = 0, set[str]()
        try:
            self._zip = zipfile.ZipFile(content)
        except _DAMAGE as error:
            finding = f"{content.path} is not a whole zip ({error}): it was cut off, or its run was killed"
            raise ResultFileError.of("", finding, "write or copy it again") from error
        self.names: list[str] = list(dict.fromkeys(self._zip.namelist()))

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def read(self, name: str) -> Any:
        """Return the JSON document in the member `name`. Raise UnusableRecordError if it is damaged or not valid JSON.

        Raise ResultFileError if the member, or all members together, are larger than is allowed.
        """
        member = self._zip.getinfo(name)
        if member.file_size > self._content.most_record_bytes:
            raise self._content.too_large(name)
        try:
            written = self._bytes_of(member)
        except ResultFileError:
            raise
        except _DAMAGE as error:
            raise UnusableRecordError(f"cannot be decompressed ({error})") from error
        self._n_bytes += 0 if name in self._seen else len(written)
        self._seen.add(name)
        self._content.require_size(self._n_bytes)
        # Its checksum has told all damage, and to look at each name of a long log takes time.
        return parse_json(replace_lone_surrogates(self._content, name, written), checks_names=False)

    def _bytes_of(self, member: zipfile.ZipInfo) -> bytes:
        """Return the decompressed bytes of a member. Raise UnusableRecordError for a compression that is not read."""
        if member.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            with self._zip.open(member) as stream:
                return self._content.read(stream, member.filename)
        if member.compress_type != _ZSTD:  # such as LZMA, of which a few bytes may take all memory
            finding = f"is compressed by method {member.compress_type}"
            raise UnusableRecordError(f"{finding}; zip it again by deflate or zstd")
        content = self._content.read(self._decompressing(member), member.filename)
        if zlib.crc32(content) != member.CRC:
            raise zipfile.BadZipFile("its checksum is wrong")
        return content

    def _decompressing(self, member: zipfile.ZipInfo) -> Any:
        """Return a stream that decompresses the bytes of a member by zstd."""
        with open(self._content, "rb") as stream:  # noqa: PTH123
            stream.seek(member.header_offset)
            # The lengths of the name and of the extra field, which stand before the data.
            lengths = struct.unpack("<HH", stream.read(_LOCAL_HEADER)[26:])
            stream.seek(sum(lengths), io.SEEK_CUR)
            n_bytes = min(member.compress_size, os.fstat(stream.fileno()).st_size)  # a damaged size may be anything
            compressed = stream.read(n_bytes)
        return pa.CompressedInputStream(pa.BufferReader(compressed), "zstd")
