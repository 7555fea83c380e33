"""Zip archives for tests, sound and hostile."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def packed(members: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive of these members, in this order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()
