"""Is a text plainly not English? A judge that reads English only says so beside what it is given.

By script, then by the commonest small words of seven languages: coarse on purpose, silent when a text is too short.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

#: Only the beginning is looked at.
_LOOKED_AT = 2_000
#: Small words of another language that must stand in a text before anything is said.
_ENOUGH = 3
_WORD = re.compile(r"[^\W\d_]+")
#: In ASCII, what is no letter parts words: the same as `_WORD` finds, at the speed of C.
_APART = {number: " " for number in range(128) if not chr(number).isalpha()}
_SMALL_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "en": "the of and to in is that it for was on are with as be this by at from not or an which you",
        "de": "der die das und ist nicht ein eine zu den von mit sich auf für im dem des wird sind auch",
        "fr": "le la les des et est un une dans que qui pour pas sur du au avec sont ce par plus",
        "es": "el la los las de que y en un una es por con para no se del al como más su",
        "it": "il lo la gli di che e è un una per non con del della sono si nel alla anche",
        "pt": "o a os as de que e um uma é para não com do da em se por mais no na dos",
        "nl": "de het een en van is dat niet op te zijn voor met die aan er ook als bij door",
    }.items()
}


_LANGUAGES: dict[str, tuple[str, ...]] = {
    word: tuple(name for name, small in _SMALL_WORDS.items() if word in small)
    for word in frozenset().union(*_SMALL_WORDS.values())
}


def is_plainly_not_english(text: str) -> bool:
    """Say whether most letters are of another script, or the small words are another language's."""
    start = text[:_LOOKED_AT]
    if not start.isascii() and _is_another_script(start):
        return True
    words = start.translate(_APART).casefold().split() if start.isascii() else map(str.casefold, _WORD.findall(start))
    small = [word for word in words if word in _LANGUAGES]
    if len(small) < _ENOUGH:
        return False
    found = Counter(name for word in small for name in _LANGUAGES[word])
    english = found.pop("en", 0)
    best = max(found.values(), default=0)
    return best >= _ENOUGH and best > 2 * english


def _is_another_script(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return sum(not _is_latin(char) for char in letters) * 2 > len(letters)


def _is_latin(char: str) -> bool:
    return char < "\u0250" or unicodedata.name(char, "").startswith("LATIN")
