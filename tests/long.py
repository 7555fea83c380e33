"""What is asked for by `LONG_TESTS=1` (see CONTRIBUTING.md): the same checks over more data or more examples."""

from __future__ import annotations

import os

import pytest

#: Whether minutes are worth it, as before a release.
LONG = os.environ.get("LONG_TESTS") == "1"

long = pytest.mark.skipif(not LONG, reason="takes long: set LONG_TESTS=1")
