"""Parquet, read in small batches. Needs the optional extra `parquet`; nothing else of the product does."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date
from typing import Any, Protocol

from triage.core.limits import Limits
from triage.core.records import visible
from triage.formats.errors import FileError
from triage.formats.stream import Readable, too_large

MAGIC = b"PAR1"
BATCH = 100
#: Bytes of one row group once unpacked: what reading it may take in memory.
GROUP_BYTES = 512 * 1024**2
#: A stream that cannot go back is kept in memory up to this size.
KEPT_BYTES = 64 * 1024**2


class Seekable(Protocol):
    """A binary stream in which one can go back."""

    def read(self, size: int, /) -> bytes: ...

    def seek(self, offset: int, whence: int = 0, /) -> int: ...


def seekable(stream: Readable, limits: Limits) -> Seekable:
    """Return a stream that holds the same bytes from the start and can go back.

    Raises:
        FileError: it is over the size limit.
    """
    if hasattr(stream, "seek") and (not hasattr(stream, "seekable") or stream.seekable()):
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        if size > limits.file_bytes:
            raise too_large(limits)
        return stream  # type: ignore[return-value] # it has read and seek
    raise FileError("not_seekable", "a stream that cannot go back", "a file", "Save it to a file first.")


def parquet_columns(stream: Readable, limits: Limits) -> list[str]:
    """Return the names of the columns."""
    return list(_opened(stream, limits).schema_arrow.names)


def parquet_rows(stream: Readable, limits: Limits) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row, columns) from row 1 on.

    Raises:
        FileError: the extra is not installed, the file is damaged, or a group of rows is too large.
    """
    file = _opened(stream, limits)
    for number in range(file.metadata.num_row_groups):
        if file.metadata.row_group(number).total_byte_size > GROUP_BYTES:
            raise FileError(
                "row_group", "a group of rows over 512 MB", "smaller groups", "Write it with row_group_size."
            )
    row = 0
    import pyarrow

    try:
        for batch in file.iter_batches(batch_size=BATCH):
            for values in batch.to_pylist():
                row += 1
                yield row, {name: plain(value) for name, value in values.items()}
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(error) from None


def plain(value: Any) -> Any:  # noqa: ANN401 - anything a column holds
    """Return a value as JSON could hold it: times in ISO 8601, bytes as text, anything else as Python writes it."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.isoformat() if isinstance(value, date) else str(value)


def _opened(stream: Readable, limits: Limits) -> Any:  # noqa: ANN401 - pyarrow carries no types
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        remedy = (
            "Install the extra `parquet`, or write it as JSON Lines: df.to_json(path, orient='records', lines=True)."
        )
        raise FileError("parquet", "a Parquet file", "a file this installation can read", remedy) from None
    try:
        return pyarrow.parquet.ParquetFile(seekable(stream, limits))
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(error) from None


def _damaged(error: Exception) -> FileError:
    found = f"a Parquet file that is damaged ({visible(str(error))})"
    return FileError("damaged_parquet", found, "a whole Parquet file", "Write or copy it again.")
