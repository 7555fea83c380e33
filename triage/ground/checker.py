"""Checks one answer against its passages now, in the caller's process. Nothing is stored."""

from __future__ import annotations

import time
from collections.abc import Iterable

from django.conf import settings

from triage.core import grounding
from triage.core.abstention import is_abstention
from triage.core.claims import split
from triage.core.confidence import retrieval_confidence
from triage.core.grounding import Checked, CheckedClaim, GivenClaim, GroundingRequest
from triage.core.judging import ChunkText, ClaimText, GroundingItem, JudgeIdentity, PairScore
from triage.core.policy import Policy
from triage.core.support import Word, decide, word
from triage.core.trust import Trust
from triage.judges.panel import FREE, JudgeWords, Panel, consult
from triage.judges.roster import open_panel
from triage.judges.setups import read_setups
from triage.models import Project
from triage.signals import trust_of


class Checker:
    """Checks answers with the judges and the policy of a project, opened once for any number of answers."""

    def __init__(self, project: Project, panel: Panel | None = None, *, trust: Trust | None = None) -> None:
        """Take the project's own judges unless a panel is given, and its calibration unless `trust` is.

        Raises SetupError where the project names a judge that is not there.
        """
        panel = panel or open_panel(project.judge_order, read_setups(settings.JUDGES))
        self._judges = tuple(judge for judge in panel.grounding if judge.identity.name not in FREE)
        self._policy = project.policy()
        mark = self._judges[0].identity.fingerprint if self._judges else ""
        self._trust = trust or trust_of(project.pk, mark)

    @property
    def judge(self) -> str:
        """Return the name of the judge asked first; "" when the project asks none that reads."""
        return self._judges[0].identity.name if self._judges else ""

    @property
    def trust(self) -> Trust:
        """Return what people's comparison of that judge with this project's labels allows."""
        return self._trust

    def check(self, request: GroundingRequest) -> Checked:
        """Return the word on one answer. A judge that raises passes its fault to the caller."""
        began = time.perf_counter()
        abstains = request.claims is None and is_abstention(request.answer, self._policy)
        claims = _claims(request, self._policy)
        checked = self._checked(request, claims)
        rate = grounding.grounding_rate(checked)
        return Checked(
            claims=checked,
            grounding_rate=rate,
            decision=grounding.decide(checked, rate, self._policy),
            retrieval_confidence=retrieval_confidence([passage.score for passage in request.passages]).value,
            caveat=grounding.caveat(request, checked, abstains=abstains, judge=self.judge, trust=self._trust),
            judge=self.judge,
            calibrated=self._trust is Trust.CALIBRATED,
            calibration=self._trust,
            ms=round((time.perf_counter() - began) * 1000, 1),
        )

    def _checked(self, request: GroundingRequest, claims: list[GivenClaim]) -> tuple[CheckedClaim, ...]:
        texts = tuple(ClaimText(str(number), claim.text) for number, claim in enumerate(claims))
        chunks = {passage.id: ChunkText(passage.id, passage.text) for passage in request.passages}
        item = GroundingItem("0", request.question, texts, tuple(chunks.values()))
        readable = any(chunk.text and chunk.text.strip() for chunk in item.chunks)
        said = consult(self._judges, item, {}, may_ask=True) if readable else []
        context = frozenset(chunks)
        return tuple(
            _decided(claim, str(number), said, context, self._policy, readable=readable)
            for number, claim in enumerate(claims)
        )


def _claims(request: GroundingRequest, policy: Policy) -> list[GivenClaim]:
    """Return the claims as given, with their place in the answer where they stand in it; else cut the answer."""
    if request.claims is None:
        return [GivenClaim(text=span.text, span=(span.start, span.end)) for span in split(request.answer, policy)]
    return [claim if claim.span else _located(claim, request.answer or "") for claim in request.claims]


def _located(claim: GivenClaim, answer: str) -> GivenClaim:
    at = answer.find(claim.text) if claim.text else -1
    return claim if at < 0 else GivenClaim(text=claim.text, span=(at, at + len(claim.text)))


def _decided(
    claim: GivenClaim,
    key: str,
    said: Iterable[JudgeWords],
    context: frozenset[str],
    policy: Policy,
    *,
    readable: bool,
) -> CheckedClaim:
    """Return a claim with what the first judge that has a word on it says."""
    if not readable:
        return CheckedClaim(claim.text, claim.span, supported=False, score=None, chunk=None)
    heard = [(by.identity, [pair for pair in by.words if pair.claim == key]) for by in said]
    decision = decide(
        [(identity.fingerprint, [_word(pair, identity, policy) for pair in pairs]) for identity, pairs in heard],
        context,
    )
    words = next((pairs for identity, pairs in heard if identity.fingerprint == decision.judge), [])
    best = max((pair for pair in words if pair.score is not None), key=lambda pair: pair.score or 0.0, default=None)
    return CheckedClaim(
        claim.text,
        claim.span,
        supported=decision.supported,
        score=best.score if best else None,
        chunk=best.chunk if best else None,
    )


def _word(pair: PairScore, identity: JudgeIdentity, policy: Policy) -> Word:
    threshold = policy.judge_thresholds.get(identity.fingerprint, identity.threshold)
    return word(pair.chunk, pair.score, pair.label or "", threshold)
