"""Does an answer say what its reference says? Exact match, inclusion and token F1 over normalised words.

The normalisation is that of the SQuAD evaluation (Rajpurkar et al. 2016): lower case, no punctuation, no English
articles, single spaces. Two things are added for texts it was not made for: punctuation of any script counts as
punctuation, and a Han or Kana character is a word of its own, as in MLQA (Lewis et al. 2020).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from triage.core.policy import Policy

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_WORD = re.compile(r"\S+")
#: Anything but a single plain space between words.
_GAP = re.compile(r"\s{2,}|[^\S ]")
#: Scripts without spaces: how the names of their characters begin.
_WORDS_ALONE = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA")
#: As a whole reference these must open the answer: later in it they negate or agree to something else.
_OPENING_WORDS = frozenset({"yes", "no"})


class MatchKind(StrEnum):
    """The strongest way in which an answer agrees with its reference."""

    #: The same words in the same order.
    EXACT = "exact"
    #: The whole reference stands in the answer, word by word.
    INCLUDED = "included"
    #: Some words are shared; how many, the token F1 says.
    OVERLAP = "overlap"
    #: No word is shared.
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Match:
    """How an answer compares with its reference. `f1` lies in [0, 1], exactly 1.0 for the same bag of words."""

    kind: MatchKind
    f1: float


class _Plain(dict[int, str]):
    """Character -> what the normalisation makes of it, worked out when first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in string.punctuation or unicodedata.category(character).startswith("P"):
            made = ""
        elif unicodedata.name(character, "").startswith(_WORDS_ALONE):
            made = f" {character} "
        else:
            made = character
        self[code] = made
        return made


_PLAIN = _Plain()


def normalise(text: str) -> str:
    """Return the normalised words of a text, joined by single spaces; "" when nothing is left."""
    return _GAP.sub(" ", _ARTICLES.sub(" ", text.lower().translate(_PLAIN))).strip()


def match(answer: str | None, reference: str | None) -> Match | None:
    """Compare an answer with its reference. None = there is no reference, or nothing of it is left to compare."""
    wanted = normalise(reference or "")
    if not wanted:
        return None
    said = normalise(answer or "")
    f1 = _token_f1(said, wanted)
    if said == wanted:
        return Match(MatchKind.EXACT, 1.0)
    if _includes(said, wanted):
        return Match(MatchKind.INCLUDED, f1)
    return Match(MatchKind.OVERLAP if f1 else MatchKind.NOTHING, f1)


def _includes(said: str, wanted: str) -> bool:
    if wanted in _OPENING_WORDS:
        return said.startswith(f"{wanted} ")
    return f" {wanted} " in f" {said} "


def _token_f1(said: str, wanted: str) -> float:
    """Return 2 * shared / (words of both), shared counted with repeats: the harmonic mean of precision and recall.

    Walks through the answer without keeping its words: an answer may be of many megabytes.
    """
    left = Counter(wanted.split())
    total, words, shared = sum(left.values()), 0, 0
    for found in _WORD.finditer(said):
        words += 1
        word = found.group()
        if left.get(word):
            left[word] -= 1
            shared += 1
    return 2 * shared / (words + total)


def agrees(match: Match, policy: Policy) -> bool:
    """Say whether a match counts as correct: exact, included where the policy allows it, or F1 at its threshold."""
    if match.kind is MatchKind.EXACT or match.f1 >= policy.match_token_f1:
        return True
    return policy.match_inclusion and match.kind is MatchKind.INCLUDED
