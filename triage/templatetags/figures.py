"""How numbers read on a page. A number has one spelling everywhere; a missing number is a word with its reason.

Nothing here ever shows nan, None, inf or -0.00. Minus is U+2212, a unit stands behind a no-break space.
"""

from __future__ import annotations

from django import template

register = template.Library()

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
NBSP = "\N{NO-BREAK SPACE}"
NO_VALUE = "no value"
#: From here on a plain spelling would be digits nobody reads, and would let hostile numbers fill a page.
LARGEST_PLAIN = 1e15
#: Nothing measured is larger; beyond it a change of unit could overflow to inf.
LARGEST = 1e300

#: What each named reason says to a reader. A reason without an entry reads as its own name with spaces.
REASONS = {
    "empty_context": "empty context",
    "no_gold": "no gold",
    "not_answerable": "not answerable",
    "no_claims": "no claims",
    "judge_error": "judge error",
    "no_citations": "no citations",
    "not_scored": "not scored",
    "abstained": "abstained",
    "missing": "not in the file",
    "unknown_retrieval": "retrieval unknown",
    "no_supported_claim": "no supported claim",
    "no_answer": "no answer",
}


def _defined(value: object) -> float | int | None:
    """Return the number, or None where there is none to show; a bool is a mistake of the caller."""
    if isinstance(value, bool):
        raise TypeError("a yes or no is no number: show it as a word")
    if isinstance(value, (int, float)) and abs(value) < LARGEST:  # false for nan and inf too
        return value
    return None


def _plain(value: float, places: int) -> str:
    """Spell a number with thousands separators, a real minus and never a negative zero."""
    if abs(value) >= LARGEST_PLAIN:
        return f"{value:.2e}".replace("-", MINUS)
    text = f"{value:,.{places}f}"
    if text.startswith("-"):
        return text[1:] if not text.strip("-0.,") else MINUS + text[1:]
    return text


@register.filter
def reason(value: object) -> str:
    """Say why there is no number: the words of a named reason, 'no value' where none is named."""
    if isinstance(value, str) and value:
        return REASONS.get(value, value.replace("_", " "))
    return NO_VALUE


@register.filter
def has_value(value: object) -> bool:
    """Say whether `value` is a number that can be shown."""
    return _defined(value) is not None


@register.filter
def number(value: object, places: int = 0) -> str:
    """Spell a number with `places` decimals: 1,234.5."""
    defined = _defined(value)
    return reason(value) if defined is None else _plain(defined, places)


@register.filter
def count(value: object) -> str:
    """Spell a whole number with a thousands separator: 22,400."""
    return number(value, 0)


@register.filter
def ratio(value: object, places: int = 3) -> str:
    """Spell a value of 0 to 1 with three decimals: 0.620."""
    return number(value, places)


@register.filter
def percent(value: object, places: int = 1) -> str:
    """Spell a share of 0 to 1 as a percentage: 38.0 %."""
    defined = _defined(value)
    return reason(value) if defined is None else f"{_plain(defined * 100, places)}{NBSP}%"


@register.filter
def signed(value: object, places: int = 2) -> str:
    """Spell a difference with its sign: +0.21, −0.10, 0.00."""
    defined = _defined(value)
    if defined is None:
        return reason(value)
    text = _plain(defined, places)
    return text if text.startswith(MINUS) or not text.strip("0.,") else f"+{text}"


@register.filter
def pp(value: object, places: int = 1) -> str:
    """Spell a difference of two shares (0 to 1) in percentage points: −4.1 pp."""
    defined = _defined(value)
    return reason(value) if defined is None else f"{signed(defined * 100, places)}{NBSP}pp"


@register.filter
def duration(milliseconds: object) -> str:
    """Spell a time given in milliseconds in the unit a reader would choose: 840 ms, 1.2 s, 48 s, 3 min, 2 h 5 min."""
    defined = _defined(milliseconds)
    if defined is None:
        return reason(milliseconds)
    if abs(defined) < 1000:
        return f"{_plain(defined, 0)}{NBSP}ms"
    seconds = defined / 1000
    if abs(seconds) < 100:
        return f"{_plain(seconds, 1 if abs(seconds) < 10 else 0)}{NBSP}s"
    minutes = round(seconds / 60)
    if abs(minutes) < 60:
        return f"{_plain(minutes, 0)}{NBSP}min"
    return f"{_plain(minutes // 60, 0)}{NBSP}h{NBSP}{minutes % 60}{NBSP}min"


@register.simple_tag
def interval(low: object, high: object, places: int = 3) -> str:
    """Spell an interval of ratios tightly: 0.572–0.666; with a negative end: −0.05 to 0.03."""
    if _defined(low) is None or _defined(high) is None:
        return reason(low if _defined(low) is None else high)
    ends = number(low, places), number(high, places)
    return (" to " if any(end.startswith(MINUS) for end in ends) else DASH).join(ends)


@register.simple_tag
def count_interval(low: object, high: object, places: int = 1) -> str:
    """Spell an interval of estimated counts with room around the dash: 42.5 – 57.6."""
    if _defined(low) is None or _defined(high) is None:
        return reason(low if _defined(low) is None else high)
    return f"{number(low, places)}{NBSP}{DASH}{NBSP}{number(high, places)}"


@register.simple_tag
def pp_interval(low: object, high: object, places: int = 1) -> str:
    """Spell an interval of a difference of shares: −7.7 to −0.6 (percentage points, named beside it)."""
    lowest, highest = _defined(low), _defined(high)
    if lowest is None or highest is None:
        return reason(low if lowest is None else high)
    return f"{signed(lowest * 100, places)} to {signed(highest * 100, places)}"


@register.filter
def plural(value: object, words: str) -> str:
    """Count things: `n|plural:"query,queries"` gives 1 query, 2,400 queries."""
    one, many = words.split(",")
    return f"{count(value)} {one if value == 1 else many}"
