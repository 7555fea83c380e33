"""Imported text on the review screen, where every code point must keep its place: marks are spans of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import template

from labeling.cards.decision import title_of
from triage.templatetags.look import UNSEEN

register = template.Library()

#: What must stand in an element of its own: unseen characters, which are spelled out, and the return of a line end
#: "\r\n", which a browser would swallow.
_APART = re.compile(f"\r(?=\n)|[{''.join(map(chr, UNSEEN))}]")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of text as it is, or one code point that stands apart (`text` "" = nothing is to be seen)."""

    text: str
    is_apart: bool = False


@register.filter
def parts(text: str) -> list[Part]:
    """Cut text into what is shown as it is and what stands apart; one code point apart counts as one."""
    found, at = [], 0
    for match in _APART.finditer(text):
        if match.start() > at:
            found.append(Part(text[at : match.start()]))
        found.append(Part(match.group().replace("\r", ""), is_apart=True))
        at = match.end()
    if at < len(text):
        found.append(Part(text[at:]))
    return found


@register.filter
def at(mapping: Mapping[Any, Any] | None, key: object) -> Any:  # noqa: ANN401 - whatever the mapping holds
    """Return the mapping's value at `key`, or None where there is no mapping or no value."""
    return mapping.get(key) if mapping else None


@register.filter
def sub_cause(name: str) -> str:
    """Return a sub-cause as people read it."""
    return title_of(name)
