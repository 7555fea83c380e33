"""A chunk cut into windows the model can read whole: sentences packed up to a number of words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from triage.judges.lexical import Passage, read_passage
from triage.judges.words import Words

#: Words of a window: with a claim beside it about what the model was trained to read.
WINDOW_WORDS = 110
#: Windows of one chunk that are read for one claim: those that share most words with it.
WINDOWS_READ = 2
_LONGEST_CHARS = 1_200


@dataclass(frozen=True, slots=True)
class Window:
    """[start, end) of the chunk, and the sentences in it."""

    start: int
    end: int
    sentences: tuple[tuple[Words, tuple[int, int]], ...]

    def shared(self, claim: Words) -> int:
        """Return how many of the claim's words stand in the window."""
        return len(claim.all & frozenset().union(*(words.all for words, _ in self.sentences)))

    def best_sentence(self, claim: Words) -> tuple[int, int]:
        """Return the span of the sentence that shares most words with the claim, the first of equals."""
        return max(self.sentences, key=lambda sentence: len(claim.all & sentence[0].all))[1]


@lru_cache(maxsize=2_048)
def windows(text: str) -> tuple[Window, ...]:
    """Return the windows of a chunk in order; a chunk of at most `WINDOW_WORDS` words is one window."""
    found: list[Window] = []
    held: list[tuple[Words, tuple[int, int]]] = []
    count = 0
    for words, (start, end) in _pieces(read_passage(text)):
        size = text.count(" ", start, end) + 1
        if held and count + size > WINDOW_WORDS:
            found.append(_window(held))
            held, count = [], 0
        held.append((words, (start, end)))
        count += size
    if held:
        found.append(_window(held))
    return tuple(found)


def _window(held: list[tuple[Words, tuple[int, int]]]) -> Window:
    return Window(held[0][1][0], held[-1][1][1], tuple(held))


def _pieces(passage: Passage) -> list[tuple[Words, tuple[int, int]]]:
    """Return the sentences; one too long for any window is cut at a fixed number of characters."""
    pieces = []
    for words, (start, end) in passage.sentences:
        pieces += [(words, (at, min(end, at + _LONGEST_CHARS))) for at in range(start, end, _LONGEST_CHARS)]
    return pieces


def picked(text: str, claim: Words) -> tuple[Window, ...]:
    """Return the windows worth reading for a claim, the closest to it first."""
    every = windows(text)
    if len(every) == 1:
        return every
    ranked = sorted(range(len(every)), key=lambda i: (-every[i].shared(claim), i))
    return tuple(every[i] for i in ranked[:WINDOWS_READ])
