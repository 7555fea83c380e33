"""The bytes of one record -> parsed JSON, or what is wrong with them and where."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from triage.core.limits import Limits
from triage.core.records import WHOLE_LINE, RecordError, visible

#: Escapes that stand for NUL or for half of a surrogate pair; rare, so that most lines skip the cleaning.
_SUSPICIOUS = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
#: What may be a key; inside a text an escaped quote before a colon counts too, so this is never too few.
_KEY = re.compile(rb'"\s*:')
#: With none of these before a colon, `":` ends every key; where it also stands inside a text there are more of them
#: than keys. So as many of them as keys means that no key stands twice, without a look at each key.
_BLANK = frozenset({b" ", b"\t", b"\r", b"\n"})
_HOLDERS = frozenset({dict, list})
_ONE_OBJECT = "one JSON object"


def _build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, refusing a key that stands twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _repeated_key(pairs)
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_build)


def _repeated_key(pairs: list[tuple[str, Any]]) -> RecordError:
    seen: set[str] = set()
    key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return RecordError(visible(key), "the key twice in one object", "each key once", "Keep the one that is right.")


def strict(data: bytes, limits: Limits) -> dict[str, Any] | None:
    """Return the object of a record in which nothing about its JSON is odd, at the speed of C; None = `decode` it.

    No bytes that are no UTF-8, no NaN, no key twice, no NUL or lone surrogate, not too many keys.
    """
    if b"\\" in data and _SUSPICIOUS.search(data):
        return None
    before_colons = [piece[-1:] for piece in data.split(b":")[:-1]]
    marks = before_colons.count(b'"')
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if not isinstance(value, dict) or marks > limits.keys or _BLANK.intersection(before_colons):
        return None
    return value if _keys(value) == marks else None


def _keys(value: dict[str, Any]) -> int:
    """Return how many keys all objects within a value have together."""
    count = 0
    left: list[Any] = [value]
    while left:
        each = left.pop()
        if type(each) is dict:
            count += len(each)
            left += [item for item in each.values() if type(item) in _HOLDERS]
        else:
            left += [item for item in each if type(item) in _HOLDERS]
    return count


def decode(data: bytes, offset: int, limits: Limits) -> tuple[Any, bool]:
    """Return the JSON value of one record, and whether all its text can be stored as it is.

    Args:
        data: the record's bytes, in UTF-8.
        offset: where they begin in the (decompressed) file, for messages.

    Raises:
        RecordError: not UTF-8, not JSON, too deep, a key twice, too many keys, a number of too many digits.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(data, offset, error) from None
    if data.count(b":") > limits.keys and (keys := len(_KEY.findall(data))) > limits.keys:
        raise RecordError(WHOLE_LINE, f"{keys:,} keys", f"at most {limits.keys:,} in one line", "Split the record.")
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        remedy = "Flatten the value."
        raise RecordError(WHOLE_LINE, "deeper nesting", f"at most {limits.nesting} levels", remedy) from None
    except json.JSONDecodeError as error:
        raise _not_json(text, error) from None
    except RecordError:
        raise
    except ValueError:
        found, remedy = "a number of thousands of digits", "Write it as a string."
        raise RecordError(WHOLE_LINE, found, f"at most {limits.digits} digits", remedy) from None
    return value, _SUSPICIOUS.search(data) is None


def not_utf8(data: bytes, offset: int, error: UnicodeDecodeError) -> RecordError:
    """Return what to say of bytes that are no UTF-8; `offset` is where `data` begins in the file."""
    wrong = data[error.start]
    remedy = "Write the file as UTF-8: its end is cut off inside a character."
    if error.reason != "unexpected end of data":
        remedy = "Write the file as UTF-8 (iconv -f WINDOWS-1252 -t UTF-8 if it is Latin-1)."
    return RecordError(WHOLE_LINE, f"byte 0x{wrong:02x} at byte {offset + error.start:,}", "UTF-8 text", remedy)


def _not_json(text: str, error: json.JSONDecodeError) -> RecordError:
    found, remedy = _diagnosis(text.strip(), error, text[error.pos :].strip())
    return RecordError(WHOLE_LINE, found, _ONE_OBJECT, remedy)


def _diagnosis(text: str, error: json.JSONDecodeError, rest: str) -> tuple[str, str]:
    """Return what was found and how to mend it, for the ways in which lines are usually wrong."""
    where = f"at character {error.pos + 1:,}"
    if text.startswith(("#", "//", "/*")):
        return "a comment", "Remove it: JSON has no comments."
    if error.msg.startswith("Extra data"):
        return _after_the_value(rest, where)
    if error.msg.startswith("Unterminated string"):
        return f"text ends inside a string at character {len(text):,}", "The line is cut off: write the file again."
    if not rest:
        return f"text ends {where}", "The line is cut off: write the file again."
    if error.msg.startswith("Invalid control character"):
        return f"a bare control character {where}", "Escape it: \\n, \\t, \\u0007."
    if rest.startswith("'") or "'" in text[:2]:
        return "single quotes", "Write JSON with double quotes (json.dumps, not str or repr)."
    if error.msg.startswith(("Expecting property name", "Illegal trailing comma")):
        return f"no key {where} (a comma before a closing brace?)", "Remove the trailing comma."
    return f"“{visible(rest[:20])}” {where}", f"Check the JSON there: {error.msg[:1].lower()}{error.msg[1:]}."


def _after_the_value(rest: str, where: str) -> tuple[str, str]:
    if rest == ",":
        return "a comma after the object", "Remove the comma at the end of the line."
    if rest.startswith(("{", "[")):
        return f"a second value {where}", "Put each object on a line of its own, ending in \\n."
    return f"“{visible(rest[:20])}” after the value, {where}", "Keep the object alone on its line."
