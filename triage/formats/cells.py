"""Values that a table squeezed into one cell: lists written by Python, JSON or NumPy, numbers, yes and no.

Nothing is ever evaluated. A list of quoted texts is taken apart by a pattern; anything else that looks like a
Python literal goes through `ast.literal_eval`, which builds constants only, and only up to a bounded length.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from triage.core.records import RecordError, visible

_TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ONE_TEXT = re.compile(rf"\s*({_TEXT})\s*(,?)", re.DOTALL)
#: Longest cell, beside lists of texts, that is read as a Python literal.
LITERAL_CHARS = 200_000
_NO_LIST = 'Write a JSON list, such as ["first", "second"].'
_TRUE = frozenset({"true", "1", "1.0", "yes", "y", "correct", "right", "pass", "passed"})
_FALSE = frozenset({"false", "0", "0.0", "no", "n", "incorrect", "wrong", "fail", "failed"})
_NOTHING = frozenset({"", "nan", "none", "null", "n/a", "na", "<na>"})


def is_blank(cell: object) -> bool:
    """Say whether a cell says nothing: empty, null, or a spelling of a missing value."""
    return cell is None or cell != cell or (isinstance(cell, str) and cell.strip().lower() in _NOTHING)


def as_list(cell: object, field: str) -> list[Any] | None:
    """Return the list in a cell; None where the cell is blank.

    Raises:
        RecordError: the cell is no list. It is shown, never evaluated.
    """
    if isinstance(cell, list):
        return cell
    if is_blank(cell):
        return None
    value = _read(cell.strip()) if isinstance(cell, str) else None
    if isinstance(value, tuple):
        value = list(value)
    if not isinstance(value, list):
        shown = f"“{visible(cell)}”" if isinstance(cell, str) else type(cell).__name__
        raise RecordError(field, f"{shown}, which is no list", "a list written as JSON or by Python", _NO_LIST)
    return value


def _read(text: str) -> Any:  # noqa: ANN401 - whatever the cell holds
    """Return the value a cell spells, or None where it spells none."""
    if text[:1] not in {"[", "(", "{"}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    texts = _texts(text)
    return _literal(text) if texts is None else texts


def _texts(text: str) -> list[str] | None:
    """Return the items of a list of quoted texts, with or without commas between them (NumPy leaves them out)."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    items: list[str] = []
    at, end = 1, len(text) - 1
    while at < end:
        found = _ONE_TEXT.match(text, at, end)
        if found is None:
            return items if not text[at:end].strip() and items else None
        item = _literal(found[1])
        if not isinstance(item, str):
            return None
        items.append(item)
        at = found.end()
    return items


def _literal(text: str) -> Any:  # noqa: ANN401 - whatever the cell holds
    if len(text) > LITERAL_CHARS and text[:1] not in {"'", '"'}:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def as_object(cell: object) -> dict[str, Any] | None:
    """Return the object in a cell, or None where it holds none."""
    if isinstance(cell, dict):
        return cell
    value = _read(cell.strip()) if isinstance(cell, str) else None
    return value if isinstance(value, dict) else None


def as_truth(cell: object, field: str) -> bool | None:
    """Return yes or no; None where the cell is blank.

    Raises:
        RecordError: the cell says neither.
    """
    if isinstance(cell, bool):
        return cell
    if is_blank(cell):
        return None
    word = str(cell).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise RecordError(field, f"“{visible(str(cell))}”", "true or false", "Write true, false, or leave it empty.")


def as_text(cell: object) -> str | None:
    """Return a text; a blank spelling of a missing value is None, a number becomes its text."""
    if is_blank(cell):
        return None
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False, default=str)


def is_number(cell: object) -> bool:
    """Say whether a cell holds a number, or a spelling of one that is not finite."""
    if isinstance(cell, bool):
        return False
    if isinstance(cell, int | float):
        return True
    if not isinstance(cell, str):
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def as_score(cell: object) -> object:
    """Return the number a cell of a table spells as text; anything else stays, to be judged with its record."""
    return float(cell) if isinstance(cell, str) and is_number(cell) else cell
