"""From the `human` parts of a run's queries and claims to verdict rows of imported reviewers."""

from __future__ import annotations

import itertools
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Q

from labeling.models import ClaimVerdict, Verdict
from labeling.models.verdicts import Stage
from labeling.settle import settle_queries
from triage.models import Claim, Query, Run, RunChunk

AT_ONCE = 1_000
#: Names the deterministic keys: the same word of the same file is the same row, however often it is received.
_NAMESPACE = uuid.UUID("6f1d0f0e-6f7c-4a33-9a0e-7b0f3a1c2d55")
#: A reviewer the file does not name.
SOMEBODY = "somebody"


def receive(run_id: int) -> int:
    """Make rows of every verdict and claim mark that came with the run; return how many verdicts on queries.

    Twice is once. Call it inside the import's transaction. A word that does not say whether it was given blind was
    given elsewhere, without our machine's label on the page: it counts as blind.
    """
    run = Run.objects.get(pk=run_id)
    told = run.queries.exclude(human=[]).order_by("pk").only("pk", "key", "human", "run_id")
    count = 0
    for batch in _batches(told.iterator(chunk_size=AT_ONCE)):
        rows = [row for query in batch for row in _verdicts(run, query)]
        Verdict.objects.bulk_create(rows, ignore_conflicts=True)
        settle_queries(query.pk for query in batch)
        count += len(rows)
    _receive_marks(run)
    return count


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    walk = iter(rows)
    while batch := list(itertools.islice(walk, AT_ONCE)):
        yield batch


def _named(words: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Give each word its reviewer's name; unnamed ones are different people."""
    unnamed = itertools.count(1)
    for word in words:
        yield word, str(word.get("reviewer") or f"{SOMEBODY} {next(unnamed)}")[:200]


def _verdicts(run: Run, query: Query) -> Iterator[Verdict]:
    """Yield the verdicts of one query, oldest first; of one reviewer's several the last is current."""
    words = list(_named(query.human))
    last = {_seat(word, name): place for place, (word, name) in enumerate(words)}
    for place, (word, name) in enumerate(words):
        yield Verdict(
            query=query,
            imported_reviewer=name,
            label=word.get("label") or "",
            sub_cause=word.get("sub_cause") or "",
            note=word.get("note") or "",
            stage=Stage.ADJUDICATED if word.get("adjudicated") else Stage.IMPORTED,
            blind=_is_blind(word),
            drawn=word.get("drawn") or "",
            is_current=last[_seat(word, name)] == place,
            policy_fingerprint="",
            idempotency_key=uuid.uuid5(_NAMESPACE, f"{run.key}/{query.key}/{place}"),
        )


def _seat(word: dict[str, Any], name: str) -> str:
    """There is one adjudication a query, and one verdict a reviewer."""
    return "\x00adjudicated" if word.get("adjudicated") else name


def _is_blind(word: dict[str, Any]) -> bool:
    return word.get("blind") is not False


def _receive_marks(run: Run) -> None:
    """Make rows of people's marks on claims, for runs that have any."""
    told = Claim.objects.filter(Q(query__run=run) & ~Q(human=[])).order_by("pk").only("pk", "human")
    chunks: dict[str, int] | None = None
    for batch in _batches(told.iterator(chunk_size=AT_ONCE)):
        if chunks is None:
            if ClaimVerdict.objects.filter(claim__query__run=run, stage=Stage.IMPORTED).exists():
                return
            chunks = dict(RunChunk.objects.filter(run=run).values_list("chunk__key", "chunk_id"))
        ClaimVerdict.objects.bulk_create(row for claim in batch for row in _marks(claim, chunks))


def _marks(claim: Claim, chunks: dict[str, int]) -> Iterator[ClaimVerdict]:
    """Yield the marks on one claim; of several by one reviewer on one chunk the last is current."""
    words = list(_named(claim.human))
    last = {(name, word.get("chunk")): place for place, (word, name) in enumerate(words)}
    taken: defaultdict[int | None, Counter[str]] = defaultdict(Counter)
    for place, (word, name) in enumerate(words):
        chunk, span = chunks.get(str(word.get("chunk"))), word.get("span") or (None, None)
        current = last[name, word.get("chunk")] == place and not taken[chunk][name]
        taken[chunk][name] += current
        yield ClaimVerdict(
            claim=claim,
            imported_reviewer=name,
            label=word["label"],
            chunk_id=chunk,
            evidence_start=span[0],
            evidence_end=span[1],
            stage=Stage.IMPORTED,
            blind=_is_blind(word),
            is_current=current,
        )
