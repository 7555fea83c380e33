"""What the demo's retriever returned: BM25 over the help centre and a sense of the subject, so that distractors
are about the same things as the question.

Ranks that the story needs are forced; the rest falls as the words and a little noise will have it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from triage.demo.corpus import Chunk
from triage.demo.noise import normal

_WORD = re.compile(r"[a-z0-9_€]+")
_STOP_WORDS = """a an and are as at be been but by can do does for from had has have how if in into is it its my no
not of on or our she so that the their them then there they this to up us was we were what when where which who why
will with you your i he her his one ask asks"""
_STOP = frozenset(_STOP_WORDS.split())
_K1, _B = 1.2, 0.75
#: What words of the question, words of the meaning and the subject weigh in the first stage.
_ASKED, _MEANT, _SUBJECT = 0.45, 0.25, 0.24
#: How much harder users make it to find the right chunk than its words suggest.
_HARD = 0.24
#: How far the second stage tells the right chunk from the others, and how unsure each stage is.
_PREFERRED, _UNSURE_FIRST, _UNSURE_SECOND = 0.2, 0.1, 0.1


@dataclass(frozen=True, slots=True)
class Slot:
    """One retrieved chunk. A score is None where no retriever, or no reranker, spoke."""

    chunk: str
    score: float | None
    rerank_score: float | None
    in_context: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What the story fixes about one retrieval."""

    query: str
    #: The question, and what a good answer says: an embedding would know that the two belong together.
    text: str
    meant: str
    #: Documents about the subject of the question.
    subject: frozenset[str]
    gold: tuple[str, ...]
    #: Chunks the answer rests on: they must be in the context.
    needed: frozenset[str]
    #: Chunk -> rank; 0 = never retrieved.
    ranks: Mapping[str, int]
    k: int
    candidate_k: int
    reranked: bool


def words(text: str) -> list[str]:
    """Return the content words of `text`, crudely stemmed."""
    return [_stem(word) for word in _WORD.findall(text.casefold()) if word not in _STOP]


def _stem(word: str) -> str:
    for ending in ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


class Index:
    """BM25 over the chunks, section and title counted with the text."""

    def __init__(self, chunks: Collection[Chunk]) -> None:
        self._terms = {chunk.id: Counter(words(f"{chunk.title} {chunk.section} {chunk.text}")) for chunk in chunks}
        self._length = {key: sum(terms.values()) for key, terms in self._terms.items()}
        self._document = {chunk.id: chunk.document for chunk in chunks}
        self._mean = sum(self._length.values()) / len(self._length)
        self._in = Counter(term for terms in self._terms.values() for term in terms)

    def __contains__(self, chunk: object) -> bool:
        return chunk in self._terms

    def scores(self, text: str) -> dict[str, float]:
        """Return the score of every chunk for `text`, as a share of the best one."""
        asked = set(words(text))
        raw = {key: sum(self._weight(term, key) for term in sorted(asked)) for key in self._terms}
        best = max(raw.values()) or 1.0
        return {key: value / best for key, value in raw.items()}

    def _weight(self, term: str, key: str) -> float:
        times = self._terms[key][term]
        rarity = math.log(1 + (len(self._terms) - self._in[term] + 0.5) / (self._in[term] + 0.5))
        return rarity * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * self._length[key] / self._mean))

    def is_about(self, key: str, documents: Collection[str]) -> bool:
        """Say whether a chunk belongs to one of `documents`."""
        return self._document[key] in documents

    def nearest(self, text: str, among: Collection[str]) -> list[str]:
        """Return the chunks of `among` by how much they share with `text`, best first."""
        scores = self.scores(text)
        return sorted(among, key=lambda key: (-scores[key], key))


def retrieve(index: Index, plan: Plan) -> list[Slot]:
    """Return the candidates in rank order, the first `k` of them in the context."""
    first = _first_stage(index, plan)
    value = _second_stage(first, plan) if plan.reranked else first
    order = sorted(_candidates(first, plan), key=lambda key: (-value[key], key))
    order = _as_planned(order, plan)
    if not plan.reranked:
        falling = sorted((_similarity(first[key]) for key in order), reverse=True)
        return [Slot(key, score, None, at < plan.k) for at, (key, score) in enumerate(zip(order, falling, strict=True))]
    falling = sorted((_confidence(value[key]) for key in order), reverse=True)
    return [
        Slot(key, _similarity(first[key]), score, at < plan.k)
        for at, (key, score) in enumerate(zip(order, falling, strict=True))
    ]


def _first_stage(index: Index, plan: Plan) -> dict[str, float]:
    """Return the retriever's own values: shared words, meaning, subject, noise."""
    asked, meant = index.scores(plan.text), index.scores(plan.meant)
    return {
        key: _ASKED * asked[key]
        + _MEANT * meant[key]
        + _SUBJECT * index.is_about(key, plan.subject)
        + _UNSURE_FIRST * normal("first", plan.query, key)
        - _HARD * abs(normal("hard", plan.query, key)) * (key in plan.gold)
        for key in asked
    }


def _second_stage(first: dict[str, float], plan: Plan) -> dict[str, float]:
    return {
        key: value + _PREFERRED * (key in plan.gold) + _UNSURE_SECOND * normal("second", plan.query, key)
        for key, value in first.items()
    }


def _candidates(first: dict[str, float], plan: Plan) -> list[str]:
    """Return the best by the first stage; what the story needs takes the place of the last ones."""
    lost = {key for key, rank in plan.ranks.items() if rank == 0}
    wanted = {key for key in (*plan.gold, *plan.needed, *plan.ranks) if key in first} - lost
    ranked = sorted((key for key in first if key not in lost), key=lambda key: (-first[key], key))
    top = ranked[: plan.candidate_k]
    missing = sorted(wanted - set(top))
    spare = [key for key in top if key not in wanted][-len(missing) :] if missing else []
    return [key for key in top if key not in spare] + missing


def _as_planned(order: list[str], plan: Plan) -> list[str]:
    """Bring what is needed into the context and put the forced chunks on their ranks."""
    forced = {key: rank for key, rank in plan.ranks.items() if rank}
    free = [key for key in order if key not in forced]
    room = plan.k - sum(rank <= plan.k for rank in forced.values())
    needed = {key for key in (*plan.needed, *plan.gold) if key not in plan.ranks}
    for late in [key for key in free[room:] if key in needed]:
        at = next(at for at in reversed(range(room)) if free[at] not in needed)
        other = free.index(late)
        free[at], free[other] = free[other], free[at]
    for key, rank in sorted(forced.items(), key=lambda item: item[1]):
        free.insert(rank - 1, key)
    return free


def _similarity(value: float) -> float:
    """Return a first-stage value as a cosine similarity of a text embedding would look."""
    return round(0.31 + 0.52 / (1 + math.exp(-2.6 * (value - 0.45))), 4)


def _confidence(value: float) -> float:
    """Return a second-stage value as a reranker's probability would look."""
    return round(1 / (1 + math.exp(-6.5 * (value - 0.72))), 4)
