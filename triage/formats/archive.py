"""A zip archive read member by member: nothing is written anywhere, no header is believed (SEC-19).

What counts is what comes out: bytes are counted while they are read, over all members together.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, cast

from triage.core.limits import Limits
from triage.core.records import visible
from triage.formats.errors import FileError
from triage.formats.parquet_rows import Seekable, seekable
from triage.formats.stream import BLOCK, Readable, too_large

MEMBERS = 1_000
#: Bytes of the list of members; it is read whole.
DIRECTORY_BYTES = 4 * 1024**2
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x06"
_END_SIZE, _END_64_SIZE, _LONGEST_END = 22, 56, 22 + 65_535 + 20 + 56
_JUNK = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
_ENCRYPTED = 0x1
_EXPECTED = "a zip archive of plain files"


def _refused(code: str, found: str, remedy: str) -> FileError:
    return FileError(code, found, _EXPECTED, remedy)


class Archive:
    """The members of a zip by name, each readable once as blocks of bytes.

    Raises:
        FileError: damaged, encrypted, too many members, names twice or pointing elsewhere.
    """

    def __init__(self, stream: Readable, limits: Limits) -> None:
        source = seekable(stream, limits)
        self._limits = limits
        self._size = source.seek(0, io.SEEK_END)
        _check_directory(source, self._size)
        source.seek(0)
        try:
            self._zip = zipfile.ZipFile(cast("IO[bytes]", source))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise _damaged(error) from None
        self._out = 0
        self.names = self._checked()

    def _checked(self) -> list[str]:
        names = [info.filename for info in self._zip.infolist() if not info.is_dir() and not _is_junk(info.filename)]
        for name in names:
            if names.count(name) > 1:
                raise _refused("member_twice", f"the member “{visible(name)}” twice", "Pack it again.")
            self._check(self._zip.getinfo(name))
        return names

    def _check(self, info: zipfile.ZipInfo) -> None:
        name, parts = visible(info.filename), info.filename.replace("\\", "/").split("/")
        if ".." in parts or parts[0] == "" or ":" in parts[0]:
            raise _refused("member_outside", f"a member that points outside: “{name}”", "Pack the folder itself.")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise _refused("member_link", f"a link: “{name}”", "Pack the file it points to.")
        if info.flag_bits & _ENCRYPTED:
            raise _refused("encrypted", "an encrypted zip archive", "Pack it without a password.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refused("compression", f"“{name}” in a rare compression", "Pack it with deflate.")

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a member.

        Raises:
            FileError: it is damaged, an archive itself, or becomes too large.
        """
        try:
            with self._zip.open(name) as member:
                begin = True
                while block := member.read(BLOCK):
                    if begin and block.startswith((b"PK\x03\x04", b"\x1f\x8b")):
                        raise _refused(
                            "nested", f"an archive inside the archive: “{visible(name)}”", "Unpack it first."
                        )
                    begin = False
                    self._count(len(block))
                    yield block
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise _damaged(error) from None

    def _count(self, size: int) -> None:
        self._out += size
        if self._out > self._limits.file_bytes:
            raise too_large(self._limits)
        if self._out > self._limits.ratio_after and self._out > self._limits.ratio * self._size:
            found = f"a zip archive that becomes more than {self._limits.ratio} times its size"
            raise _refused("expands_too_much", found, "Send the files inside on their own.")


def _is_junk(name: str) -> bool:
    return any(part in _JUNK for part in name.split("/"))


def _damaged(error: Exception) -> FileError:
    found = f"a zip archive that is damaged ({visible(str(error))})"
    return FileError("damaged_zip", found, "a whole zip archive", "Copy or pack it again.")


def _check_directory(source: Seekable, size: int) -> None:
    """Refuse an archive with too long a list of members before that list is read."""
    source.seek(max(0, size - _LONGEST_END))
    tail = source.read(_LONGEST_END)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise _damaged(ValueError("its list of members is missing: cut off?"))
    count, length = struct.unpack_from("<HI", tail, at + 10)
    if (at_64 := tail.rfind(_END_64, 0, at)) >= 0 and at - at_64 >= _END_64_SIZE:
        count, length = struct.unpack_from("<QQ", tail, at_64 + 32)
    if count > MEMBERS or length > DIRECTORY_BYTES:
        raise _refused("members", f"{count:,} members", f"Pack at most {MEMBERS:,} files.")
