"""What is said about a line that cannot be read: where, what was found, what was expected, how to mend it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from pydantic_core import PydanticCustomError

WHOLE_LINE = "(whole line)"
#: Longest piece of somebody's text repeated in a message.
QUOTED_CHARS = 60


@dataclass(frozen=True, slots=True)
class RowError:
    """One line left out of an import. `line` counts from 1; `field` is a path such as `retrieved[3].id`."""

    line: int
    field: str
    found: str
    expected: str
    remedy: str

    def as_dict(self) -> dict[str, int | str]:
        """Return the stable keys that `--json` prints."""
        return asdict(self)


class RecordError(ValueError):
    """A record that cannot be read, before it is known on which line it stands."""

    def __init__(self, field: str, found: str, expected: str, remedy: str) -> None:
        super().__init__(f"{field}: found {found}, expected {expected}. {remedy}")
        self.field, self.found, self.expected, self.remedy = field, found, expected, remedy

    def on(self, line: int) -> RowError:
        """Return the row error of this fault on `line`."""
        return RowError(line, self.field, self.found, self.expected, self.remedy)


def refusal(expected: str, remedy: str, *, found: str = "", at: str = "") -> PydanticCustomError:
    """Return the error a validator raises to refuse a value.

    `found` replaces the description of the value itself; `at` is appended to the field's path.
    """
    details = {"expected": expected, "remedy": remedy, "found": found, "at": at}
    return PydanticCustomError("run_file", "expected {expected}", details)


def visible(text: str) -> str:
    """Return `text` cut to a quotable length, with control and direction-changing characters written out."""
    cut = text if len(text) <= QUOTED_CHARS else text[:QUOTED_CHARS] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in cut)


def describe(value: object) -> str:
    """Return how a value is named in a message: short, typed, and safe to print anywhere."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"{str(value).lower()}, a boolean"
    if isinstance(value, str):
        return f"“{visible(value)}”, a string"
    if isinstance(value, int | float):
        return f"{_number(value)}, a number"
    if isinstance(value, list):
        return _list(value)
    if isinstance(value, dict):
        return f"an object with {_keys(value)}"
    return type(value).__name__


def _number(value: float) -> str:
    digits = repr(value) if isinstance(value, float) or abs(value) < 10**20 else "over 20 digits"
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(digits, digits)


def _list(value: list[object]) -> str:
    plain = all(isinstance(item, int | float | str) and not isinstance(item, bool) for item in value)
    if plain and len(value) <= 4:
        written = json.dumps(value, ensure_ascii=False)
        if len(written) <= QUOTED_CHARS:
            return visible(written)
    return f"a list of {len(value)}"


def _keys(value: dict[str, object]) -> str:
    names = [f"“{visible(name)}”" for name in list(value)[:4]]
    if not names:
        return "no keys"
    more = f" and {len(value) - 4} more" if len(value) > 4 else ""
    return f"the key{'s' if len(value) > 1 else ''} {', '.join(names)}{more}"
