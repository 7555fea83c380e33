"""The signing key: made on first start, readable by its owner only, never shipped."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def local_secret_key(var: Path) -> str:
    """Return the key kept in `var/secret_key`, creating it (mode 0600) when there is none.

    Two processes that start at once agree: the file appears whole or not at all, and the first one wins.
    """
    path = var / "secret_key"
    if not path.exists():
        var.mkdir(parents=True, exist_ok=True)
        draft = var / f"secret_key.{os.getpid()}"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(get_random_secret_key() + get_random_secret_key())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass  # another process was first: its key is the key
        finally:
            draft.unlink()
    return path.read_text(encoding="utf-8").strip()
