"""The LLM judge: a chat model behind an OpenAI-compatible endpoint that the operator set up.

Hostile input is expected: data is fenced with a mark made for each call, the reply must be exactly the JSON asked for,
an unreadable one is an error with the model's words kept, and a number outside [0, 1] is an error, never clamped.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import fmean

from triage.core.judging import (
    ChunkText,
    ClaimText,
    GroundingItem,
    JudgeIdentity,
    PairScore,
    RelevanceItem,
    RelevanceScore,
    Task,
)
from triage.core.labels import Support
from triage.judges.chat import Chat, Reply, SpentError, unit_number
from triage.judges.prompts import (
    CLAIMS,
    CLAIMS_SCHEMA,
    GROUNDING,
    GROUNDING_SCHEMA,
    RELEVANCE,
    RELEVANCE_SCHEMA,
    prompt_hash,
)
from triage.judges.setups import LlmSetup

#: Longer texts are cut: bounds what one call costs.
MAX_CHARS = 24_000


class LlmGrounding:
    """Asks the model about one claim and one chunk at a time."""

    def __init__(self, name: str, setup: LlmSetup, chat: Chat | None = None) -> None:
        """Take the operator's choices; `chat` is shared with the relevance judge of the same name."""
        self._name, self._setup, self._chat = name, setup, chat or Chat(setup)

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is: model, revision, prompt, threshold."""
        mark = prompt_hash(GROUNDING + str(self._setup.repeats) + self._cutting(), GROUNDING_SCHEMA)
        setup = self._setup
        return JudgeIdentity(self._name, Task.GROUNDING, setup.model, setup.revision, mark, setup.threshold)

    def _cutting(self) -> str:
        """Return what the model cuts claims by, where it does: a judge of other claims is another judge."""
        return prompt_hash(CLAIMS, CLAIMS_SCHEMA) if self._setup.decompose else ""

    def begin(self, spent: int) -> None:
        """Say how many calls the run has paid for already."""
        self._chat.spent = max(self._chat.spent, spent)

    def ground(self, items: Sequence[GroundingItem]) -> list[list[PairScore]]:
        """Ask about every pair whose chunk has text. Raises LineDownError when the endpoint does not answer."""
        return [
            [
                self._pair(claim, chunk)
                for claim in item.claims
                for chunk in item.chunks
                if chunk.text and chunk.text.strip()
            ]
            for item in items
        ]

    def _pair(self, claim: ClaimText, chunk: ChunkText) -> PairScore:
        parts = {"claim": claim.text[:MAX_CHARS], "passage": (chunk.text or "")[:MAX_CHARS]}
        try:
            replies = [self._chat.ask(GROUNDING, GROUNDING_SCHEMA, parts) for _ in range(self._setup.repeats)]
        except SpentError as fault:
            return PairScore(claim.key, chunk.key, error=str(fault))
        read = [(reply, *_verdict(reply)) for reply in replies]
        if unread := next((told for _, _, _, told in read if told), ""):
            return PairScore(claim.key, chunk.key, error=unread, raw=_raw(replies))
        score = fmean(support for _, _, support, _ in read)
        label = _label([verdict for _, verdict, _, _ in read])
        return PairScore(claim.key, chunk.key, score=score, label=label, raw=_raw(replies))


class LlmRelevance:
    """Asks the model about one answer at a time."""

    def __init__(self, name: str, setup: LlmSetup, chat: Chat | None = None) -> None:
        """Take the operator's choices; `chat` is shared with the grounding judge of the same name."""
        self._name, self._setup, self._chat = name, setup, chat or Chat(setup)

    @property
    def identity(self) -> JudgeIdentity:
        """Return who this is: model, revision, prompt, threshold."""
        mark = prompt_hash(RELEVANCE + str(self._setup.repeats), RELEVANCE_SCHEMA)
        setup = self._setup
        return JudgeIdentity(self._name, Task.RELEVANCE, setup.model, setup.revision, mark, setup.threshold)

    def begin(self, spent: int) -> None:
        """Say how many calls the run has paid for already."""
        self._chat.spent = max(self._chat.spent, spent)

    def rate(self, items: Sequence[RelevanceItem]) -> list[RelevanceScore | None]:
        """Ask about every answer that has text, where the question has some."""
        return [self._rate(item) if item.question.strip() and item.answer.strip() else None for item in items]

    def _rate(self, item: RelevanceItem) -> RelevanceScore:
        parts = {"question": item.question[:MAX_CHARS], "answer": item.answer[:MAX_CHARS]}
        try:
            replies = [self._chat.ask(RELEVANCE, RELEVANCE_SCHEMA, parts) for _ in range(self._setup.repeats)]
        except SpentError as fault:
            return RelevanceScore(item.key, error=str(fault))
        read = [_rating(reply) for reply in replies]
        if unread := next((told for _, told in read if told), ""):
            return RelevanceScore(item.key, error=unread, raw=_raw(replies))
        return RelevanceScore(item.key, score=fmean(value for value, _ in read), raw=_raw(replies))


def _verdict(reply: Reply) -> tuple[Support, float, str]:
    """Return verdict, support and fault: exactly the two keys, exactly the four words, a number in [0, 1]."""
    if reply.body is None:
        return Support.UNSURE, 0.0, reply.fault
    support = unit_number(reply.body.get("support"))
    verdict = reply.body.get("verdict")
    if set(reply.body) != {"verdict", "support"} or verdict not in list(Support) or support is None:
        return Support.UNSURE, 0.0, "the verdict cannot be read: wrong keys, word or number"
    return Support(verdict), support, ""


def _rating(reply: Reply) -> tuple[float, str]:
    if reply.body is None:
        return 0.0, reply.fault
    value = unit_number(reply.body.get("relevance"))
    if set(reply.body) != {"relevance"} or value is None:
        return 0.0, "the rating cannot be read: wrong keys or number"
    return value, ""


def _label(verdicts: Sequence[Support]) -> Support:
    """Return the verdict of the majority; without one the model is unsure."""
    most = max(set(verdicts), key=verdicts.count)
    return most if verdicts.count(most) * 2 > len(verdicts) else Support.UNSURE


def _raw(replies: Sequence[Reply]) -> str:
    """Return the model's own words and what they cost, as one line of JSON."""
    return json.dumps(
        {
            "replies": [reply.raw for reply in replies],
            "input_tokens": sum(reply.input_tokens for reply in replies),
            "output_tokens": sum(reply.output_tokens for reply in replies),
            "calls": len(replies),
        },
        ensure_ascii=False,
    )
