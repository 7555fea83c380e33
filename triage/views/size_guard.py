"""Stops a file that is too large while it comes: the rest of it is neither kept nor written to disk."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile

from triage.models import import_limits


class SizeGuard(FileUploadHandler):
    """First of the upload handlers. Names what it stopped in `request.too_large`, for the form to say."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin counting."""
        super().new_file(*args, **kwargs)
        self._size = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Pass the data on to the next handler, until it is too much."""
        self._size += len(raw_data)
        if self._size > import_limits().file_bytes:
            stopped: list[str] = getattr(self.request, "too_large", [])
            self.request.too_large = [*stopped, str(self.file_name)]  # type: ignore[union-attr]
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> UploadedFile[bytes] | None:
        """Leave the file to the handlers behind."""
        return None
