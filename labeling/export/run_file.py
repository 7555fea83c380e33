"""The run file of a run with everything people added to it here; imported again it is the same run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from labeling.export.lines import pseudonym
from labeling.models import ClaimVerdict, GoldChallenge, Verdict
from labeling.models.verdicts import Stage
from triage.export import lines_of, queries_of
from triage.formats.write_label_studio import label_studio_pieces
from triage.formats.write_qrels import qrels_lines
from triage.formats.write_ragas import ragas_lines
from triage.models import Chunk, Run

#: Our own run file, and what other tools read: ragas JSON Lines, Label Studio tasks, TREC judgements of the gold.
RUN_FORMATS = ("jsonl", "ragas", "label_studio", "qrels")
Words = dict[int, list[dict[str, Any]]]


def run_file(run: Run, to: str = "jsonl") -> Iterator[str]:
    """Yield the run as one of RUN_FORMATS, piece by piece. Members go by the keys of `pseudonym`.

    Only the run file holds everything; what the others have no place for is left out (docs/formats.md).

    Raises:
        ValueError: qrels of an id with white space in it.
    """
    people = Members(run.project_id)
    if to == "jsonl":
        yield from lines_of(run, people)
    elif to == "ragas":
        yield from ragas_lines(queries_of(run, people), _texts(run))
    elif to == "label_studio":
        yield from label_studio_pieces(queries_of(run, people), _texts(run))
    else:
        yield from qrels_lines(queries_of(run, people))


def _texts(run: Run) -> dict[str, str]:
    """Return chunk id -> text for the run's chunks whose text is known."""
    found = Chunk.objects.filter(run_chunks__run=run, text__isnull=False)
    return {key: text for key, text in found.values_list("key", "text") if text is not None}


class Members:
    """What members said. What came with the file stands with the file's own words already."""

    def __init__(self, project_id: int) -> None:
        self._project = project_id

    def _key(self, reviewer: int | None) -> str:
        return pseudonym(self._project, str(reviewer))

    def verdicts(self, query_ids: Sequence[int]) -> Words:
        """Return query id -> current verdicts, oldest first."""
        rows = Verdict.objects.filter(query__in=query_ids, imported_reviewer="", is_current=True, withdrawn=False)
        told: Words = defaultdict(list)
        for row in rows.exclude(stage=Stage.ROUND).order_by("pk"):
            told[row.query_id].append(
                {
                    "label": row.label,
                    "sub_cause": row.sub_cause,
                    "note": row.note,
                    "reviewer": self._key(row.reviewer_id),
                    "blind": row.blind,
                    "drawn": row.drawn,
                    "at": row.created_at,
                    "adjudicated": row.stage == Stage.ADJUDICATED,
                }
            )
        return told

    def marks(self, query_ids: Sequence[int]) -> Words:
        """Return claim id -> current marks, oldest first."""
        rows = ClaimVerdict.objects.filter(
            claim__query__in=query_ids, imported_reviewer="", is_current=True, withdrawn=False
        ).exclude(stage=Stage.ROUND)
        told: Words = defaultdict(list)
        for row in rows.select_related("chunk").only("claim_id", "reviewer_id", "label", "evidence_start",
            "evidence_end", "blind", "created_at", "chunk__key").order_by("pk"):  # fmt: skip
            told[row.claim_id].append(
                {
                    "label": row.label,
                    "chunk": row.chunk.key if row.chunk else None,
                    "span": _span(row),
                    "reviewer": self._key(row.reviewer_id),
                    "blind": row.blind,
                    "at": row.created_at,
                }
            )
        return told

    def challenges(self, query_ids: Sequence[int]) -> Words:
        """Return query id -> gold challenges, oldest first."""
        told: Words = defaultdict(list)
        for row in GoldChallenge.objects.filter(query__in=query_ids, imported_reviewer="").order_by("pk"):
            told[row.query_id].append(self._challenge(row))
        return told

    def _challenge(self, row: GoldChallenge) -> dict[str, Any]:
        return {
            "kind": row.kind,
            "add": row.proposal.get("add", []),
            "remove": row.proposal.get("remove", []),
            "reference": row.proposal.get("reference"),
            "note": row.note,
            "state": row.state,
            "reviewer": self._key(row.raised_by_id),
            "at": row.raised_at,
            "decided_by": self._key(row.decided_by_id) if row.decided_by_id else None,
            "decided_at": row.decided_at,
            "reason": row.reason,
            "gold_version": row.gold_version,
        }


def _span(row: ClaimVerdict) -> list[int] | None:
    return None if row.evidence_start is None or row.evidence_end is None else [row.evidence_start, row.evidence_end]
