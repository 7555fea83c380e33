"""The second template engine: Jinja, which compiles a template to Python. For what is drawn all day, and only that.

The card of an item is a thousand small decisions; Django's engine walks them as objects, which was half of a web
process's work. Pages stay Django's; a page draws such a template with `{% drawn "...jinja" %}`. Filters and tags are
the very functions that Django's templates use, escaping is always on, and an unknown name is an error.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any

from django.template import defaultfilters
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils.timezone import localtime
from jinja2 import Environment, StrictUndefined

from labeling.templatetags import reading
from triage.templatetags import figures, look

FILTERS = {
    "count": figures.count,
    "duration": figures.duration,
    "facts": reading.facts,
    "has_value": figures.has_value,
    "pluralize": defaultfilters.pluralize,
    "ratio": figures.ratio,
    "reason": figures.reason,
    "sub_cause": reading.sub_cause,
    "title_of": look.title_of,
    "tone": look.tone,
    "visible": look.visible,
    "words": reading.words,
}
#: The session and the position in the addresses that all others are made from.
EXAMPLE = ("key", 0)
#: What an item's card leads to.
PLACES = (
    "item",
    "item_ahead",
    "item_back",
    "item_beyond",
    "item_challenge",
    "item_claims",
    "item_comments",
    "item_hold",
    "item_skip",
)


def environment(**options: Any) -> Environment:
    """Return the engine. Django passes loader, autoescape (on) and whether to look for changed files."""
    engine = Environment(**{**options, "undefined": StrictUndefined})  # noqa: S701 - Django switches escaping on
    engine.filters.update(FILTERS, date=_date)
    engine.globals.update(icon=look.icon, labels=reading.labels, places=_places, state=_state, url=_url)
    return engine


def _date(at: datetime, shape: str) -> str:
    """Spell a time as Django's filter of this name does, in the zone of the pages."""
    return defaultfilters.date(localtime(at), shape)


def _url(name: str, *args: object) -> str:
    """Return the address of a page."""
    return _address(get_script_prefix(), name, *args)


def _places(session_key: str, position: int) -> dict[str, str]:
    """Return URL name -> address for one item: those of an example with its own key and place in it."""
    prefix, here = get_script_prefix(), f"/{session_key}/review/{position}/"
    return {name: _address(prefix, name, *EXAMPLE).replace("/key/review/0/", here) for name in PLACES}


@lru_cache(maxsize=1_024)
def _address(_prefix: str, name: str, *args: object) -> str:
    """Return the address of a page under a prefix (which Django keeps by thread); looked for once, then kept."""
    return reverse(name, args=args)


@lru_cache(maxsize=64)
def _state(tone: str, words: str) -> str:
    """Show a state as the tag of this name does; drawn once, then kept."""
    return render_to_string("components/state.html", look.state(tone, words))
