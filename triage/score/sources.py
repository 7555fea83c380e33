"""Claims that only summary chunks support, to be read against the passages those summaries were made from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from triage.core.judging import ClaimText, GroundingItem, PairScore
from triage.core.sources import resting_on, sources_of
from triage.core.support import decide, word
from triage.judges.panel import JudgeWords
from triage.score.cases import Case


def items_on_sources(case: Case, item: GroundingItem, said: Sequence[JudgeWords]) -> list[GroundingItem]:
    """Return the item's claims that rest on summaries alone, those with the same sources together.

    A source that stands in the prompt itself has been read already; one without a text cannot be.
    """
    if not case.made_from:
        return []
    heard = [(by.identity.fingerprint, by.identity.threshold, _by_claim(by.words)) for by in said]
    context = frozenset(chunk.key for chunk in item.chunks)
    groups: defaultdict[frozenset[str], list[ClaimText]] = defaultdict(list)
    for claim in item.claims:
        words = [
            (mark, [word(pair.chunk, pair.score, pair.label or "", threshold) for pair in pairs[claim.key]])
            for mark, threshold, pairs in heard
        ]
        resting = resting_on(decide(words, context).supporting, case.made_from)
        keys = frozenset(key for key in sources_of(resting, case.made_from) if key in case.source_texts)
        groups[keys].append(replace(claim, recorded=tuple(told for told in claim.recorded if told[0] in keys)))
    return [
        replace(item, claims=tuple(claims), chunks=tuple(case.source_texts[key] for key in sorted(keys)))
        for keys, claims in groups.items()
        if keys
    ]


def _by_claim(words: Sequence[PairScore]) -> defaultdict[str, list[PairScore]]:
    found: defaultdict[str, list[PairScore]] = defaultdict(list)
    for pair in words:
        found[pair.claim].append(pair)
    return found
