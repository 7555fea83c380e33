"""Query records -> the rows of a query, its slots, claims and citations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from triage.core.abstention import is_abstention
from triage.core.correctness import correctness
from triage.core.flags import Flag
from triage.core.injection import talks_to_judge
from triage.core.language import is_plainly_not_english
from triage.core.metrics import effective_abstained
from triage.core.policy import Policy
from triage.core.records.plain import AnyClaim, AnyQuery, AnyScore, AnySlot, Said, said
from triage.ingest.corpus import Corpus, sha256
from triage.models import Citation, Claim, Query, Retrieved
from triage.models.copying import NULL, Ids, as_json, copy, copy_lines, escaped, hexed

_QUERY = (
    "id", "run_id", "position", "key", "key_hash", "question", "answer", "reference", "answerable", "correct",
    "correct_in_file", "correct_by", "abstained", "abstained_in_file", "retrieval_known", "gold", "gold_from",
    "conversation", "slices", "scores", "human_scores", "human", "challenges", "flags", "latency_ms", "context_tokens",
    "reranker", "cost", "trace_id", "url", "meta",
)  # fmt: skip
_SLOT = ("query_id", "rank", "chunk_id", "score", "rerank_score", "in_context", "tokens", "meta")
_CLAIM = (
    "id", "query_id", "position", "text", "text_hash", "span_start", "span_end", "source", "is_current", "recorded",
    "human", "meta",
)  # fmt: skip
#: Stands between texts that are searched together: no phrase reaches over it.
_BETWEEN = " ¶ "
#: What a file says of its claims -> who cut them: ours stay ours, or the next export would take them for content.
_SOURCES = {"file": Claim.Source.FILE, "split": Claim.Source.SPLIT}
_CITATION = ("claim_id", "position", "cited", "chunk_id", "whole_document")


@dataclass(slots=True)
class Tally:
    """Plain counts of an import."""

    queries: int = 0
    correct: int = 0
    failing: int = 0
    undecided: int = 0
    slots: int = 0
    claims: int = 0
    citations: int = 0
    #: Citations of something that was no chunk of the run when they were written.
    loose_citations: int = 0

    def outcome(self, correct: bool | None) -> None:
        """Count a query by its verdict."""
        self.queries += 1
        self.correct += correct is True
        self.failing += correct is False
        self.undecided += correct is None


class Writer:
    """Writes batches of queries of one run, in file order."""

    def __init__(self, run: int, corpus: Corpus, policy: Policy) -> None:
        self._run, self._corpus, self._policy = run, corpus, policy
        self._queries, self._claims = Ids(Query), Ids(Claim)
        self.tally = Tally()

    def write(self, queries: Sequence[AnyQuery]) -> None:
        """Write the rows of these queries; their chunks have rows already."""
        numbers = self._queries.take(len(queries))
        pairs = list(zip(numbers, queries, strict=True))
        copy(Query, _QUERY, (self._query(number, query) for number, query in pairs))
        copy_lines(Retrieved, _SLOT, (line for number, query in pairs for line in self._slots(number, query)))
        self._write_claims([(number, query) for number, query in pairs if query.claims])

    def _query(self, number: int, query: AnyQuery) -> list[Any]:
        by_pattern = query.abstained is None and is_abstention(query.answer, self._policy)
        abstained = effective_abstained(query.answer, query.abstained, by_pattern=by_pattern)
        known = correctness(query.correct, answerable=query.answerable, abstained=abstained)
        self.tally.outcome(known.value)
        return [
            number, self._run, self.tally.queries, query.id, sha256(query.id), query.question, query.answer,
            query.reference, query.answerable, known.value, query.correct, known.by.value, abstained, query.abstained,
            query.retrieved is not None, query.gold, as_json(query.gold_from), _many(query.conversation),
            as_json(query.slice), as_json([_score(score) for score in query.scores]), _many(query.human_scores),
            _many(query.human), _many(query.challenges), flags(query), query.latency_ms, query.context_tokens,
            query.reranker, query.cost, query.trace_id, query.url, as_json(query.meta),
        ]  # fmt: skip

    def _slots(self, number: int, query: AnyQuery) -> list[str]:
        slots: Sequence[AnySlot] = query.retrieved or []
        self.tally.slots += len(slots)
        row = self._corpus.row
        return [
            f"{number}\t{rank}\t{row(slot.id)}\t{NULL if slot.score is None else slot.score}\t"
            f"{NULL if slot.rerank_score is None else slot.rerank_score}\t{'t' if slot.in_context else 'f'}\t"
            f"{NULL if slot.tokens is None else slot.tokens}\t{escaped(as_json(slot.meta))}\n"
            for rank, slot in enumerate(slots, 1)
        ]

    def _write_claims(self, pairs: Sequence[tuple[int, AnyQuery]]) -> None:
        claims = [
            (number, _SOURCES[query.claims_from], position, claim)
            for number, query in pairs
            for position, claim in enumerate(_claims(query), 1)
        ]
        self.tally.claims += len(claims)
        self.tally.citations += sum(len(claim.cites) for *_, claim in claims)
        numbers = self._claims.take(len(claims))
        copy_lines(
            Claim,
            _CLAIM,
            (
                _claim(number, query, source, position, claim)
                for number, (query, source, position, claim) in zip(numbers, claims, strict=True)
            ),
        )
        copy_lines(
            Citation,
            _CITATION,
            (
                self._citation(number, place, cited)
                for number, (*_, claim) in zip(numbers, claims, strict=True)
                for place, cited in enumerate(claim.cites, 1)
            ),
        )

    def _citation(self, claim: int, position: int, cited: str) -> str:
        chunk = self._corpus.row(cited)
        self.tally.loose_citations += chunk is None
        return f"{claim}\t{position}\t{escaped(cited)}\t{NULL if chunk is None else chunk}\tf\n"


def _claims(query: AnyQuery) -> Sequence[AnyClaim]:
    return query.claims or ()


def _claim(number: int, query: int, source: str, position: int, claim: AnyClaim) -> str:
    start, end = claim.span or (NULL, NULL)
    return (
        f"{number}\t{query}\t{position}\t{escaped(claim.text)}\t{hexed(sha256(claim.text))}\t{start}\t{end}\t{source}\tt\t"
        f"{escaped(_many(claim.verdicts))}\t{escaped(_many(claim.human))}\t{escaped(as_json(claim.meta))}\n"
    )


def _many(records: Sequence[Said]) -> str:
    """Return records as JSON, each with what it said and nothing else."""
    return f"[{','.join(said(record) for record in records)}]" if records else "[]"


def _score(score: AnyScore) -> dict[str, Any]:
    return {**json.loads(said(score)), "value": score.value, "usable": score.usable}


def flags(query: AnyQuery) -> list[str]:
    """Return the named oddities of a query that pages and the splitter look for."""
    slots = query.retrieved or []
    given = None if query.claims_from == "split" else query.claims
    verdicts = [verdict for claim in query.claims or () for verdict in claim.verdicts]
    found = {
        Flag.NO_CLAIMS_GIVEN: given == [],
        Flag.TALKS_TO_JUDGE: talks_to_judge(
            _BETWEEN.join([query.answer or "", *(claim.text for claim in given or ())])
        ),
        Flag.NOT_ENGLISH: is_plainly_not_english(query.answer or query.question),
        Flag.DUPLICATE_CHUNK: len({slot.id for slot in slots}) < len(slots),
        Flag.SCORE_OUT_OF_RANGE: any(score.value is not None and not score.usable for score in query.scores)
        or any(verdict.score is not None and not 0 <= verdict.score <= 1 for verdict in verdicts),
    }
    return [flag.value for flag, holds in found.items() if holds]
