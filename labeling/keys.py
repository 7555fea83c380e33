"""The keys of the review screen: defaults, and a person's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from labeling.models import Preference


@dataclass(frozen=True, slots=True)
class Key:
    """One action and the key that does it. `is_letter`: a single printable key, which can be switched off."""

    action: str
    key: str
    words: str
    is_letter: bool = True


DEFAULTS: tuple[Key, ...] = (
    Key("label_1", "1", "Retrieval miss"),
    Key("label_2", "2", "Unsupported claims"),
    Key("label_3", "3", "Grounded, wrong question"),
    Key("label_4", "4", "Still wrong"),
    Key("label_5", "5", "Not a failure"),
    Key("next_claim", "j", "Next claim"),
    Key("previous_claim", "k", "Previous claim"),
    Key("supported", "y", "The claim is supported"),
    Key("unsupported", "n", "The claim is unsupported"),
    Key("contradicted", "x", "The claim is contradicted"),
    Key("unsure", "u", "Unsure about the claim"),
    Key("next_evidence", "e", "Next evidence"),
    Key("find", "/", "Find in evidence"),
    Key("challenge", "g", "Challenge gold"),
    Key("note", "m", "Note"),
    Key("skip", "s", "Skip, with a reason"),
    Key("undo", "z", "Undo the last save"),
    Key("back", "b", "Back to the previous item"),
    Key("help", "?", "This list"),
)


@dataclass(frozen=True)
class Keys:
    """A person's keys as the screen needs them."""

    keys: tuple[Key, ...]
    letters_on: bool
    with_alt: bool

    @property
    def as_json(self) -> str:
        """Return key -> action, for the script."""
        return json.dumps({key.key: key.action for key in self.keys})

    @cached_property
    def by_action(self) -> dict[str, str]:
        """Return action -> key, for the hints on the page."""
        return {key.action: key.key for key in self.keys}


#: Of everybody who changed nothing.
PLAIN = Keys(DEFAULTS, letters_on=True, with_alt=False)


def keys_of(user_id: int) -> Keys:
    """Return this person's keys."""
    return keys_from(Preference.objects.filter(user=user_id).values("keys", "letters_on", "with_alt").first())


def keys_from(own: Mapping[str, Any] | None) -> Keys:
    """Return the keys of a preference as its row holds them; None = the person changed nothing."""
    if own is None:
        return PLAIN
    chosen = own["keys"]
    keys = tuple(Key(key.action, chosen.get(key.action, key.key), key.words, key.is_letter) for key in DEFAULTS)
    return Keys(keys, own["letters_on"], own["with_alt"])
