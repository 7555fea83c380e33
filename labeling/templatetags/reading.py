"""Imported text on the review screen, where every code point must keep its place: marks are spans of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from django import template
from django.template import Context
from django.template.base import Parser, Token
from django.template.loader import get_template, render_to_string

from labeling.cards.decision import title_of
from labeling.cards.lines import Choice, ChunkLine
from triage.templatetags.figures import count, number
from triage.templatetags.look import UNSEEN, is_plain

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
def words(text: str) -> str:
    """Show imported text with what is unseen apart in elements of its own, one code point each.

    Most text holds nothing of the kind: it goes through as it is, to be escaped like any other.
    """
    if is_plain(text) or not _APART.search(text):
        return text
    return render_to_string("labeling/item/text.html#words", {"parts": _parts(text)})


def _parts(text: str) -> list[Part]:
    """Cut text into what is shown as it is and what stands apart."""
    found, at = [], 0
    for match in _APART.finditer(text):
        found += [Part(text[at : match.start()]), Part(match.group().replace("\r", ""), is_apart=True)]
        at = match.end()
    return [*found, Part(text[at:])]


@register.filter
def at(mapping: Mapping[Any, Any] | None, key: object) -> Any:  # noqa: ANN401 - whatever the mapping holds
    """Return the mapping's value at `key`, or None where there is no mapping or no value."""
    return mapping.get(key) if mapping else None


class Drawn(template.Node):
    """A compiled template in the middle of one of Django's; what it draws is markup already."""

    def __init__(self, name: str) -> None:
        self.name = name

    def render(self, context: Context) -> str:
        """Draw it with everything the page knows."""
        return get_template(self.name, using="compiled").render(cast("dict[str, Any]", context.flatten()))


@register.tag
def drawn(_parser: Parser, token: Token) -> Drawn:
    """Draw a compiled template (config/compiled.py): `{% drawn "labeling/item/frame.jinja" %}`."""
    _, name = token.split_contents()
    return Drawn(name.strip('"'))


@register.simple_tag
@lru_cache(maxsize=256)
def labels(choices: tuple[Choice, ...]) -> str:
    """Show the labels and sub-causes to choose from; drawn once for each codebook and choice, then kept."""
    return render_to_string("labeling/item/labels.html", {"choices": choices})


@register.filter
def facts(chunk: ChunkLine) -> list[tuple[str, str]]:
    """Return where a chunk came from and how long it is, as (unseen word, shown words): rank, scores, tokens, age."""
    told = [
        ("", f"rank {chunk.rank}" if chunk.rank else ""),
        ("score", "" if chunk.score is None else number(chunk.score, 3)),
        ("", "" if chunk.rerank_score is None else f"reranked {number(chunk.rerank_score, 3)}"),
        ("", "" if chunk.tokens is None else f"{count(chunk.tokens)} tokens"),
        ("", chunk.age),
    ]
    return [fact for fact in told if fact[1]]


@register.filter
def sub_cause(name: str) -> str:
    """Return a sub-cause as people read it."""
    return title_of(name)
