"""Did the answer decline? By the phrases of the policy: data, not regular expressions, in linear time."""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from functools import lru_cache

from triage.core.policy import Policy

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'"})


class Abstention(StrEnum):
    """How an answer declined: it said so, or there was none at all."""

    REFUSAL = "refusal"
    NO_ANSWER = "no_answer"


def abstention(answer: str | None, policy: Policy) -> Abstention | None:
    """Return how `answer` declined, or None when it did not.

    A null or blank answer is `no_answer`. An answer longer than `policy.abstention_max_chars` code points is
    never a refusal by pattern alone, which also bounds the work on hostile text.
    """
    stripped = "" if answer is None else answer.strip()
    if not stripped:
        return Abstention.NO_ANSWER
    if len(stripped) > policy.abstention_max_chars:
        return None
    return Abstention.REFUSAL if declines(stripped, policy) else None


def is_abstention(answer: str | None, policy: Policy) -> bool:
    """Say whether `answer` declined to answer, or is null or blank."""
    return abstention(answer, policy) is not None


def declines(text: str, policy: Policy) -> bool:
    """Say whether any phrase of the policy stands in `text`, whatever its length, at word edges."""
    folded = _fold(text)
    patterns, plain = _folded(policy.abstention_patterns)
    # Nearly all are nowhere: asked first, at the speed of C, and in ASCII only what ASCII can hold.
    groups = plain if folded.isascii() else patterns
    found = [pattern for word, group in groups if word in folded for pattern in group if pattern in folded]
    return any(_stands_in(pattern, folded) for pattern in found)


#: Letters of a word that is not in nearly every text.
_TELLING = 4
#: A word, and the patterns that hold it: where the word is nowhere, neither are they.
_Groups = tuple[tuple[str, tuple[str, ...]], ...]


@lru_cache(maxsize=16)
def _folded(patterns: tuple[str, ...]) -> tuple[_Groups, _Groups]:
    """Fold the patterns of a policy once, not once a sentence; those in plain ASCII apart."""
    folded = tuple(_fold(pattern) for pattern in patterns)
    return _grouped(folded), _grouped(tuple(pattern for pattern in folded if pattern.isascii()))


def _grouped(patterns: tuple[str, ...]) -> _Groups:
    """Put each pattern under one of its words, the word that most of those left hold first: few words have them all."""
    left, groups = [pattern for pattern in dict.fromkeys(patterns) if pattern], []
    while left:
        words = dict.fromkeys(word for pattern in left for word in pattern.split())
        most = max(words, key=lambda word: (len(word) >= _TELLING, sum(word in pattern for pattern in left)))
        groups.append((most, tuple(pattern for pattern in left if most in pattern)))
        left = [pattern for pattern in left if most not in pattern]
    return tuple(groups)


def _fold(text: str) -> str:
    """Fold case, apostrophes and runs of white space, so that typography decides nothing."""
    if text.isascii():
        return " ".join(text.replace("`", "'").casefold().split())
    return " ".join(unicodedata.normalize("NFC", text).translate(_APOSTROPHES).casefold().split())


def _stands_in(pattern: str, text: str) -> bool:
    """Find `pattern` with no letter of the same word beside it. A blank pattern is nowhere."""
    at = text.find(pattern) if pattern else -1
    while at >= 0:
        if not _joins(text, at - 1, at) and not _joins(text, at + len(pattern) - 1, at + len(pattern)):
            return True
        at = text.find(pattern, at + 1)
    return False


def _joins(text: str, left: int, right: int) -> bool:
    """Say whether the two neighbouring characters belong to one word of a script that spaces its words."""
    if left < 0 or right >= len(text):
        return False
    return all(char.isalnum() and char < "\u3000" for char in (text[left], text[right]))
