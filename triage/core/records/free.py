"""Free JSON (meta, config, unknown fields): cleaned, bounded in depth, and put in one order."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from triage.core.records.faults import RecordError, refusal
from triage.core.records.values import Around, limits_of, remark

#: What PostgreSQL text cannot hold and JSON can: NUL, and halves of a surrogate pair.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def tidy(value: object, level: int, info: Around) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """Return free JSON with sorted keys, non-finite numbers as null (remarked on) and bounded depth.

    `level` is the nesting level of `value` itself within its line.
    """
    if isinstance(value, dict | list) and level > limits_of(info).nesting:
        raise too_deep(limits_of(info).nesting)
    if isinstance(value, dict):
        return {key: tidy(value[key], level + 1, info) for key in sorted(value)}
    if isinstance(value, list):
        return [tidy(item, level + 1, info) for item in value]
    if isinstance(value, float):
        return _one_spelling(value, info)
    if isinstance(value, int) and not isinstance(value, bool):
        return _bounded(value, limits_of(info).digits)
    return value


def _one_spelling(value: float, info: Around) -> float | int | None:
    """Return whole numbers as int, as a database gives them back; non-finite ones are missing."""
    if not math.isfinite(value):
        remark(info, "not_finite")
        return None
    return int(Decimal(repr(value))) if value.is_integer() else value


def _bounded(value: int, digits: int) -> int:
    if abs(value) >= 10**digits:
        raise refusal(f"a number of at most {digits} digits", "Write it as a string.", found="a longer number")
    return value


def too_deep(levels: int) -> Exception:
    """Return the refusal of a value nested too deeply."""
    return refusal(f"at most {levels} levels of nesting", "Flatten the value.", found="deeper nesting")


def has_unstorable(value: object) -> bool:
    """Say whether any string in a JSON value holds a NUL or a lone surrogate."""
    if isinstance(value, str):
        return _UNSTORABLE.search(value) is not None
    if isinstance(value, dict):
        return any(has_unstorable(key) or has_unstorable(item) for key, item in value.items())
    return isinstance(value, list) and any(map(has_unstorable, value))


def storable(value: object) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """Return a JSON value with every NUL and lone surrogate replaced by U+FFFD."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [storable(item) for item in value]
    if not isinstance(value, dict):
        return value
    cleaned = {storable(key): storable(item) for key, item in value.items()}
    if len(cleaned) != len(value):
        raise RecordError("(keys)", "two keys that are the same once cleaned", "each key once", "Rename one of them.")
    return cleaned
