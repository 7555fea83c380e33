"""Labels of claims that people gave elsewhere become marks of their named raters on the claims of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from labeling.core.human_labels import HumanLabel, read_labels
from labeling.models import ClaimVerdict
from labeling.models.verdicts import Stage
from triage import journal
from triage.core.records.faults import RowError
from triage.models import Claim, Run, RunChunk

#: (query id, claim text with single spaces)
Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LabelsReceived:
    """What a file came to: new marks, marks that were there, by rater, and the rows that were left out."""

    new: int
    known: int
    claims: int
    raters: Mapping[str, int]
    errors: tuple[RowError, ...]
    stored: bool


def receive_labels(run: Run, text: str, *, store: bool) -> LabelsReceived:
    """Read labels of the run's claims; `store` = keep them, else only say what would be kept. Twice is once.

    A rater who already said something else of the same claim and chunk is not overruled: that row is an error.
    Good rows are kept whatever the others are.
    """
    rows, errors = read_labels(text)
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        marks, known, faults = _matched(run, rows)
        if store:
            ClaimVerdict.objects.bulk_create(marks, batch_size=1_000)
            journal.note("labels.received", run.project_id, run.key, new={"labels": len(marks), "known": known})
    raters: dict[str, int] = {}
    for mark in marks:
        raters[mark.imported_reviewer] = raters.get(mark.imported_reviewer, 0) + 1
    left_out = tuple(sorted([*errors, *faults], key=lambda error: error.line))
    return LabelsReceived(
        new=len(marks),
        known=known,
        claims=len({mark.claim_id for mark in marks}),
        raters=dict(sorted(raters.items())),
        errors=left_out,
        stored=store,
    )


def _matched(run: Run, rows: Sequence[HumanLabel]) -> tuple[list[ClaimVerdict], int, list[RowError]]:
    """Return the marks to make, how many are there already, and the rows that name nothing here."""
    claims, chunks = _claims(run, {row.query for row in rows}), _chunks(run)
    said = _said(claims)
    marks: list[ClaimVerdict] = []
    known, faults = 0, []
    for row in rows:
        claim, chunk = claims.get((row.query, _plain(row.claim))), chunks.get(row.chunk)
        if claim is None or (row.chunk and chunk is None):
            faults.append(_unknown(row, claims))
            continue
        place = (claim, chunk, row.rater)
        if said.setdefault(place, "") == row.label:
            known += 1
        elif said[place]:
            faults.append(_contrary(row, said[place]))
        else:
            said[place] = row.label
            marks.append(_mark(row, claim, chunk))
    return marks, known, faults


def _mark(row: HumanLabel, claim: int, chunk: int | None) -> ClaimVerdict:
    return ClaimVerdict(
        claim_id=claim,
        chunk_id=chunk,
        imported_reviewer=row.rater,
        label=row.label,
        stage=Stage.IMPORTED,
        blind=True,
    )


def _claims(run: Run, queries: set[str]) -> dict[Name, int]:
    """Return claims by query id and text; of several with one text the first."""
    rows = Claim.objects.filter(query__run=run, query__key__in=queries).order_by("-position")
    return {(query, _plain(text)): pk for pk, query, text in rows.values_list("pk", "query__key", "text")}


def _chunks(run: Run) -> dict[str, int]:
    return dict(RunChunk.objects.filter(run=run).values_list("chunk__key", "chunk_id"))


def _said(claims: Mapping[Name, int]) -> dict[tuple[int, int | None, str], str]:
    rows = ClaimVerdict.objects.filter(claim__in=set(claims.values()), reviewer=None, is_current=True)
    told = rows.values_list("claim_id", "chunk_id", "imported_reviewer", "label")
    return {(claim, chunk, rater): label for claim, chunk, rater, label in told}


def _plain(text: str) -> str:
    return " ".join(text.split())


def _unknown(row: HumanLabel, claims: Mapping[Name, int]) -> RowError:
    if not any(query == row.query for query, _ in claims):
        return RowError(
            row.line, "query", row.query[:80], "a query of this run with claims", "Use the ids of its file."
        )
    if (row.query, _plain(row.claim)) not in claims:
        remedy = "Copy the claim as the query's page shows it."
        return RowError(row.line, "claim", row.claim[:80], f"the text of a claim of query {row.query[:80]}", remedy)
    return RowError(row.line, "chunk", row.chunk[:80], "a chunk of this run, or nothing", "Use the ids of its file.")


def _contrary(row: HumanLabel, said: str) -> RowError:
    remedy = "Words are never overwritten: leave the row out, or name another rater."
    return RowError(row.line, "label", row.label, f"{said}, as {row.rater[:80]} said before", remedy)
