"""The judges of a project in the order they are asked, and what they say of one item together.

Whoever spoke first about a claim or an answer counts; the others are asked only about what is still missing.
Words known from before (the score cache) are taken as they are, so a judge reads only the pairs it has not read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from triage.core.atomic import ClaimCutter
from triage.core.judging import (
    ChunkText,
    ClaimText,
    GroundingItem,
    GroundingJudge,
    JudgeIdentity,
    PairScore,
    RelevanceItem,
    RelevanceJudge,
    RelevanceScore,
    SkimmingJudge,
)
from triage.core.support import Word, decide, word
from triage.judges import recorded

#: Judges that only hand on what the file says: they are asked at once, without a word from the cache.
FREE = frozenset({recorded.NAME})

#: (judge fingerprint, claim key, chunk key) -> a word from before.
Known = Mapping[tuple[str, str, str], PairScore]


class UnreadError(Exception):
    """A judge would have to read something, and the caller allowed cached words only."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Ordered judges, opened. Opening is cheap: a model is loaded when its judge is first asked."""

    grounding: tuple[GroundingJudge, ...]
    relevance: tuple[RelevanceJudge, ...]
    #: What people must know of it, in sentences: a judge that cannot be asked, and who stands in.
    notes: tuple[str, ...] = ()
    #: Cuts answers that came without claims; None = they are cut into sentences.
    cutter: ClaimCutter | None = None

    @property
    def identities(self) -> tuple[JudgeIdentity, ...]:
        """Return every judge's identity, grounding first."""
        grounding = tuple(judge.identity for judge in self.grounding)
        return grounding + tuple(judge.identity for judge in self.relevance)

    @property
    def fingerprint(self) -> str:
        """Return 12 hex digits that change with any judge, its identity or the order."""
        parts = "\x1f".join(identity.fingerprint for identity in self.identities)
        return hashlib.sha256(parts.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class JudgeWords:
    """What one judge said of one item."""

    identity: JudgeIdentity
    words: tuple[PairScore, ...]


def consult(judges: Sequence[GroundingJudge], item: GroundingItem, known: Known, *, may_ask: bool) -> list[JudgeWords]:
    """Return what each judge asked said of the item's claims, in order.

    A claim leaves the item once a judge's words decide it. Raises UnreadError where `may_ask` is false and
    a judge that is not free lacks a pair in `known`; whatever a judge itself raises passes through.
    """
    said, left = [], item
    for judge in judges:
        if not left.claims:
            break
        identity = judge.identity
        is_free = identity.name in FREE
        words = judge.ground([left])[0] if is_free else _with_known(judge, left, known, may_ask=may_ask)
        if words:
            said.append(JudgeWords(identity, tuple(words)))
        decided = _decided(identity, words)
        left = replace(left, claims=tuple(claim for claim in left.claims if claim.key not in decided))
    return said


def _decided(identity: JudgeIdentity, words: Sequence[PairScore]) -> set[str]:
    """Return the claims that these words decide, by the very rule the classifier decides by."""
    heard: dict[str, list[Word]] = {}
    for pair in words:
        spoken = word(pair.chunk, pair.score, pair.label or "", identity.threshold)
        heard.setdefault(pair.claim, []).append(spoken)
    return {claim for claim, said in heard.items() if decide([("", said)], None).supported is not None}


def _with_known(judge: GroundingJudge, item: GroundingItem, known: Known, *, may_ask: bool) -> list[PairScore]:
    """Take the known words of a judge and have it read the other pairs, claims with the same gap together."""
    mark = judge.identity.fingerprint
    readable = [chunk for chunk in item.chunks if chunk.text and chunk.text.strip()]
    words = judge.skim(replace(item, chunks=tuple(readable))) if isinstance(judge, SkimmingJudge) else []
    skimmed = {(word.claim, word.chunk) for word in words}
    gaps: dict[tuple[ChunkText, ...], list[ClaimText]] = {}
    for claim in item.claims:
        wanted = [chunk for chunk in readable if (claim.key, chunk.key) not in skimmed]
        found = {chunk.key: known.get((mark, claim.key, chunk.key)) for chunk in wanted}
        words += [known_word for known_word in found.values() if known_word is not None]
        if gap := tuple(chunk for chunk in wanted if found[chunk.key] is None):
            gaps.setdefault(gap, []).append(claim)
    if gaps and not may_ask:
        raise UnreadError(judge.identity.name)
    asked = [replace(item, claims=tuple(claims), chunks=gap) for gap, claims in gaps.items()]
    read = judge.read if isinstance(judge, SkimmingJudge) else judge.ground
    for answer in read(asked) if asked else []:
        words += answer
    return words


def rate(
    judges: Sequence[RelevanceJudge], item: RelevanceItem, known: Mapping[str, RelevanceScore], *, may_ask: bool
) -> list[tuple[JudgeIdentity, RelevanceScore]]:
    """Return the words on an answer, up to and with the first usable one. `known` is by judge fingerprint."""
    said = []
    for judge in judges:
        identity = judge.identity
        told = known.get(identity.fingerprint)
        if told is None and not may_ask and identity.name not in FREE:
            raise UnreadError(identity.name)
        told = told or judge.rate([item])[0]
        if told is not None:
            said.append((identity, told))
            if not told.error:
                break
    return said
