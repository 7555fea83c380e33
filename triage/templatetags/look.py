"""The words of the look that templates say often: an icon, a class tag, a state."""

from __future__ import annotations

from functools import lru_cache

from django import template
from django.template.loader import render_to_string

from triage.core.labels import CODEBOOK_BY_LABEL as CODEBOOK
from triage.core.labels import MISSED_FAILURE, UNSCORED

register = template.Library()

#: Icon of each tone of a state; a caller may name another.
STATE_ICONS = {"ok": "ok", "warn": "warn", "bad": "bad", "open": "open", "go": "go"}
#: Characters that change how other text reads without being seen: C0 and C1 controls (not tab, newline, return),
#: marks and overrides of direction, isolates, invisible operators and the byte order mark.
#: The zero-width space is left alone: scripts without spaces break lines at it.
UNSEEN = (
    *(code for code in range(0x20) if code not in (0x09, 0x0A, 0x0D)),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2065),
    *range(0x2066, 0x206A),
    0xFEFF,
)
SPELLED_OUT = {
    code: f"\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}U+{code:04X}\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}"
    for code in UNSEEN
}
OTHER_TONES = {UNSCORED: "unscored", MISSED_FAILURE: "missed"}


@register.simple_tag
@lru_cache(maxsize=256)
def icon(name: str, solid: bool = False) -> str:
    """Draw the icon `name` of components/sprite.html in the colour of the text around it; drawn once, then kept."""
    return render_to_string("components/icon.html", {"name": name, "solid": solid})


@register.filter
def tone(label: str) -> str:
    """Return the tone (CSS class and icon name) of a failure label; unknown words are `plain`."""
    entry = CODEBOOK.get(label)
    return entry.tone if entry else OTHER_TONES.get(label, "plain")


@register.filter
def title_of(label: str) -> str:
    """Return the label as people read it, 'Still wrong' for still_wrong."""
    entry = CODEBOOK.get(label)
    return entry.title if entry else label.replace("_", " ").capitalize()


@register.inclusion_tag("components/class_tag.html")
def class_tag(label: str, url: str = "") -> dict[str, object]:
    """Show a failure label with its icon and colour, as a link when `url` is given."""
    return {"label": label, "tone": tone(label), "url": url}


@register.inclusion_tag("components/state.html")
def state(tone: str, words: str, icon: str = "", small: bool = False) -> dict[str, object]:
    """Show a state: tone is ok, warn, bad, open or go; words say it without the colour."""
    return {"tone": tone, "words": words, "icon": icon or STATE_ICONS[tone], "small": small}


@register.inclusion_tag("components/tag.html")
def tag(tone: str, words: str, icon: str = "") -> dict[str, object]:
    """Show a state as a rounded tag, for the line beside a page's heading."""
    return {"tone": tone, "words": words, "icon": icon or STATE_ICONS[tone]}


@register.filter
def message_tone(level: str) -> str:
    """Return the tone of a message by its level: success, info, warning, error."""
    return {"success": "ok", "warning": "warn", "error": "bad"}.get(level, "go")


def is_plain(text: str) -> bool:
    """Say at a glance that nothing unseen is in a text; where it is denied, one has to look."""
    return text.isprintable() or text.replace("\n", " ").isprintable()


@register.filter
def visible(text: str) -> str:
    """Show imported text with its invisible directions and control characters spelled out: ⟦U+202E⟧.

    Cut text into spans before this filter: the result has other offsets than the text.
    """
    return str(text).translate(SPELLED_OUT)
