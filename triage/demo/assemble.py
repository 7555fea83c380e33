"""One query of one run, put together: retrieval, answer with its claims and citations, scores, time and cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from triage.demo.arms import INPUT_PER_MILLION, OUTPUT_PER_MILLION, Arm
from triage.demo.corpus import Chunk, count_tokens
from triage.demo.markup import MarkedClaim, claims_of, segments
from triage.demo.noise import hexadecimal, normal, unit
from triage.demo.questions import SUBJECTS, Answer, Question
from triage.demo.ranking import Index, Plan, Slot, retrieve
from triage.demo.verdicts import RELEVANCE_JUDGE, relevance, verdicts

#: Tokens of the instructions before the chunks.
_PROMPT_TOKENS = {"answer-v6": 148, "answer-v7": 236}
#: Wait for a reranker that does not answer, in milliseconds.
_TIMEOUT_MS = 800.0


@dataclass(frozen=True, slots=True)
class Desk:
    """What every query of a build needs."""

    corpus: Mapping[str, Chunk]
    index: Index


def query_record(desk: Desk, arm: Arm, question: Question, answer: Answer, origins: dict[str, Any]) -> dict[str, Any]:
    """Return the query's line; `origins` is its `gold_from`."""
    slots = _retrieved(desk, arm, question, answer)
    context = [slot.chunk for slot in slots or () if slot.in_context]
    text, claims = _written(desk, arm, question.id, answer, context)
    line: dict[str, Any] = {
        "kind": "query",
        "id": question.id,
        "question": question.question,
        "conversation": list(question.conversation),
        "answer": text,
        "reference": question.reference,
        "answerable": question.answerable,
        "correct": answer.correct,
        "abstained": answer.abstained,
        "gold": None if question.gold is None else list(question.gold),
        "gold_from": origins,
        "slice": question.slices,
        "claims": claims,
        "scores": _scores(arm, question, answer),
        "retrieved": None if slots is None else [_slot_record(slot, at) for at, slot in enumerate(slots, start=1)],
    }
    line |= _spent(desk, arm, question, answer, text, context)
    if text is not None and arm.key != "2026_10":  # tracing came with 2026.11
        line["trace_id"] = hexadecimal(32, "trace", arm.key, question.id)
    return {name: value for name, value in line.items() if value not in ([], {}) or name in {"gold", "retrieved"}}


def _retrieved(desk: Desk, arm: Arm, question: Question, answer: Answer) -> list[Slot] | None:
    if answer.text is None:
        return None
    gold = question.gold or ()
    if arm.gold_only:
        known = [chunk for chunk in gold if chunk in desk.corpus]
        return [Slot(chunk, None, None, True) for chunk in desk.index.nearest(question.searched, known)]
    plan = Plan(
        query=question.id,
        text=question.searched,
        meant=f"{question.searched} {question.reference}",
        subject=SUBJECTS[question.topic],
        gold=gold,
        needed=frozenset(_needed(answer, desk)),
        ranks=answer.ranks,
        k=arm.k,
        candidate_k=arm.candidate_k,
        reranked=arm.reranked and not answer.reranker_timed_out,
    )
    return retrieve(desk.index, plan)


def _needed(answer: Answer, desk: Desk) -> set[str]:
    """Return the chunks the claims rest on, contradict or cite, where they exist."""
    named: set[str] = set()
    for claim in claims_of(answer.text or ""):
        named.update(claim.cites)
        if claim.label != "unsupported":
            named.update(claim.chunks)
    return named & desk.corpus.keys()


def _written(
    desk: Desk, arm: Arm, query: str, answer: Answer, context: list[str]
) -> tuple[str | None, list[dict[str, Any]] | None]:
    """Return the answer as people read it, and its claims with spans in code points (null where none recorded)."""
    if answer.text is None:
        return None, None
    text = ""
    claims: list[dict[str, Any]] = []
    for part in segments(answer.text):
        if isinstance(part, str):
            text += part
            continue
        start = len(text)
        text += part.text
        cited = _cited(part, context, desk)
        claims.append(
            {
                "text": part.text,
                "span": [start, len(text)],
                "cites": cited,
                "verdicts": verdicts(desk.index, arm.key, query, part, context),
            }
        )
        text += _marker(cited, context, desk)
    return text, claims if answer.has_claims and claims else None


def _cited(claim: MarkedClaim, context: list[str], desk: Desk) -> list[str]:
    """Return what the claim cites here: chunks of this context, documents, and ids that name nothing."""
    return [name for name in claim.cites if name in context or name not in desk.corpus]


def _marker(cited: list[str], context: list[str], desk: Desk) -> str:
    """Return the citation as the answer prints it: slot numbers; one past the end names nothing."""
    documents = {chunk.document for chunk in desk.corpus.values()}
    numbers = [
        str(context.index(name) + 1 if name in context else len(context) + 3) for name in cited if name not in documents
    ]
    return f" [{', '.join(numbers)}]" if numbers else ""


def _scores(arm: Arm, question: Question, answer: Answer) -> list[dict[str, Any]]:
    declined = answer.abstained or answer.text is None or not claims_of(answer.text)
    if answer.relevance is False or (answer.relevance is None and declined):
        return []
    value = relevance(arm.key, question.id) if answer.relevance is None else answer.relevance
    return [{"metric": "answer_relevance", "value": value, "judge": RELEVANCE_JUDGE}]


def _slot_record(slot: Slot, rank: int) -> dict[str, Any]:
    line = {"id": slot.chunk, "rank": rank, "score": slot.score, "rerank_score": slot.rerank_score}
    return {name: value for name, value in line.items() if value is not None} | {"in_context": slot.in_context}


def _spent(
    desk: Desk, arm: Arm, question: Question, answer: Answer, text: str | None, context: list[str]
) -> dict[str, Any]:
    """Return tokens of the context, time, cost and the reranker's state; nothing where the arm was not asked."""
    if text is None:
        return {}
    tokens = sum(desk.corpus[chunk].tokens for chunk in context)
    spoken = count_tokens(text)
    read = _PROMPT_TOKENS[arm.prompt] + tokens + count_tokens(question.searched)
    reranker = "off" if not arm.reranked else "timeout" if answer.reranker_timed_out else "ok"
    return {
        "latency_ms": _latency_ms(arm, question.id, read, spoken, reranker),
        "context_tokens": tokens,
        "reranker": reranker,
        "cost": round((read * INPUT_PER_MILLION + spoken * OUTPUT_PER_MILLION) / 1_000_000, 6),
    }


def _latency_ms(arm: Arm, query: str, read: int, spoken: int, reranker: str) -> int:
    """Return a believable time: search, reranking, reading the prompt, writing the answer, now and then a queue."""
    of = (arm.key, query)
    search = 0.0 if arm.gold_only else 62 + 14 * abs(normal("search", *of))
    ranking = {"ok": 71 + 9 * normal("rerank", *of), "timeout": _TIMEOUT_MS, "off": 0.0}[reranker]
    reading = 140 + 0.21 * read * (1 + 0.15 * normal("read", *of))
    writing = spoken * (13.5 + 1.6 * normal("write", *of))
    queue = 900 * unit("queue", *of) if unit("busy", *of) > 0.93 else 18 * abs(normal("queue", *of))
    return round(search + ranking + reading + writing + queue)
