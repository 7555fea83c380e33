"""Text for spreadsheets that can never run as a formula (SEC-20)."""

from __future__ import annotations

import re

#: A cell that starts so may run as a formula, also after spaces, quotes or a byte order mark.
_FORMULA = re.compile("^[\\s\"'\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20\\t\\r\\n]")


def harmless(words: str) -> str:
    """Return text that a spreadsheet shows and never runs: a leading apostrophe where it could start a formula."""
    return f"'{words}" if _FORMULA.search(words) else words
