"""Words as the lexical judge sees them: content words cut to a stem, numbers by value, names, negation.

English only in its lists and suffixes; other languages fall back to comparing whole words. Linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*%?|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+(?:['’][^\W\d_]+)?")


def _list(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STOP = _list(
    "a about above after again all also although am an and any are as at be because been before being "
    "below between both but by can could did do does doing down during each eg etc few for from further "
    "had has have having he her here hers him his how however i ie if in into is it its itself just may "
    "me might more most much must my of off on once only or other our out over own s same she should "
    "since so some such t than that the their them then there therefore these they this those though "
    "through thus to too under until up upon us very was we were what when where which while who whom "
    "whose why will with would you your"
)
_NEGATIONS = _list(
    "aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't isn't neither never no "
    "nobody none nor not nothing shouldn't wasn't weren't without won't wouldn't"
)
_SMALL_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_SMALL_NUMBERS.split())} | {
    "first": "1",
    "second": "2",
    "third": "3",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
}
#: Suffixes taken off a word of at least the given length, longest first: plurals, tenses, adverbs.
_SUFFIXES = (("ations", 9), ("ation", 8), ("ments", 8), ("ment", 7), ("ingly", 8), ("edly", 7), ("ings", 7))
_SHORT_SUFFIXES = (("ing", 6), ("ies", 5), ("ied", 5), ("ers", 6), ("er", 5), ("ed", 5), ("es", 5), ("ly", 5), ("s", 4))


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text. `pairs` are neighbouring content words, the shortest trace of who did what to whom."""

    content: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    negations: int
    #: Content words and numbers together: asked of every pair, so kept.
    all: frozenset[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Put content words and numbers together."""
        object.__setattr__(self, "all", self.content | self.numbers)


def read(text: str) -> Words:
    """Return the words of `text`."""
    content: set[str] = set()
    numbers: set[str] = set()
    names: set[str] = set()
    sequence: list[str] = []
    negations = last_end = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        word, group = _folded(token)
        if group is _Group.CONTENT:
            content.add(word)
            sequence.append(word)
            if last_end and token[0].isupper() and not _begins_sentence(text[last_end : match.start()]):
                names.add(word)
        elif group is _Group.NUMBER:
            numbers.add(word)
            sequence.append(word)
        elif group is _Group.NEGATION:
            negations += 1
        last_end = match.end()
    pairs = frozenset(pairwise(sequence))
    return Words(frozenset(content), frozenset(numbers), frozenset(names), pairs, negations)


class _Group(Enum):
    CONTENT = auto()
    NUMBER = auto()
    NEGATION = auto()
    STOP = auto()


@lru_cache(maxsize=65_536)
def _folded(token: str) -> tuple[str, _Group]:
    """Return a token as it is compared, and what it is."""
    folded = token.casefold().replace("’", "'")
    if folded in _NEGATIONS:
        return folded, _Group.NEGATION
    if number := _number(folded):
        return number, _Group.NUMBER
    word = folded.removesuffix("'s")
    return (word, _Group.STOP) if word in _STOP else (stem(word), _Group.CONTENT)


def _begins_sentence(gap: str) -> bool:
    """Say whether a sentence seems to begin behind what stands between two tokens."""
    return "." in gap or "!" in gap or "?" in gap or "\n" in gap


def merged(parts: Sequence[Words]) -> Words:
    """Return the words of several texts together; no pair crosses from one into the next."""
    return Words(
        frozenset().union(*(part.content for part in parts)),
        frozenset().union(*(part.numbers for part in parts)),
        frozenset().union(*(part.names for part in parts)),
        frozenset().union(*(part.pairs for part in parts)),
        sum(part.negations for part in parts),
    )


def _number(folded: str) -> str:
    """Return a number by value ("1,000" and "1000" are one), or "" for another word."""
    if not folded[0].isdigit():
        return _NUMBER_WORDS.get(folded, "")
    digits = folded.rstrip("%")
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", digits):
        digits = digits.replace(",", "")
    if "." in digits and digits.count(".") == 1 and "," not in digits:
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0"


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Cut an English suffix off, so that "refunds" meets "refunded". A word that has none is returned as it is."""
    for suffix, least in _SUFFIXES + _SHORT_SUFFIXES:
        if len(word) >= least and word.endswith(suffix):
            cut = word[: -len(suffix)]
            return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "ls" else cut.rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word
