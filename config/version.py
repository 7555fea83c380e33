"""Which version this is."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version


def version_of_product() -> str:
    """Return the installed version; a clone that is not installed has none."""
    with suppress(PackageNotFoundError):
        return package_version("rag-triage")
    return "from a clone"
