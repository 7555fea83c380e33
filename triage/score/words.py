"""The judges' words as rows: inserted once, whatever the number of deliveries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from triage.core.judging import JudgeIdentity, PairScore, RelevanceScore
from triage.judges.panel import JudgeWords
from triage.models import Judge, Score
from triage.score.attempts import finish
from triage.score.cases import Case

_BATCH = 2_000


def pair_rows(case: Case, said: Sequence[JudgeWords], judges: Mapping[str, Judge]) -> list[Score]:
    """Return the rows of the words on a case's claims."""
    return [
        _pair_row(case, judges[by.identity.fingerprint], word)
        for by in said
        for word in by.words
        if word.chunk is None or word.chunk in case.chunks
    ]


def _pair_row(case: Case, judge: Judge, word: PairScore) -> Score:
    start, end = word.evidence or (None, None)
    return Score(
        judge=judge,
        query_id=case.query,
        claim_id=int(word.claim),
        chunk_id=None if word.chunk is None else case.chunks[word.chunk].pk,
        value=word.score,
        label=word.label or "",
        error=word.error,
        raw=word.raw,
        evidence_start=start,
        evidence_end=end,
    )


def answer_rows(
    case: Case, said: Sequence[tuple[JudgeIdentity, RelevanceScore]], judges: Mapping[str, Judge]
) -> list[Score]:
    """Return the rows of the words on a case's answer."""
    return [
        Score(judge=judges[identity.fingerprint], query_id=case.query, value=word.score, error=word.error, raw=word.raw)
        for identity, word in said
    ]


def forget_errors(queries: Sequence[int], judges: Iterable[Judge]) -> None:
    """Remove what these judges failed at: an error was no word, so a later attempt takes its place."""
    Score.objects.filter(query__in=queries, judge__in=list(judges)).exclude(error="").delete()


def save(rows: Sequence[Score], panel: str, done: Sequence[int]) -> None:
    """Insert rows and mark the queries done, in one transaction. A row that is there already stays."""
    with transaction.atomic():
        Score.objects.bulk_create(rows, batch_size=_BATCH, ignore_conflicts=True)
        finish(done, panel)
