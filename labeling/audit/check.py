"""The gold audit of a run from its rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection
from django.db.models import Count, Max, Q

from labeling.core.audit import (
    Answerability,
    AuditCheck,
    Health,
    absent_gold,
    calibration_age,
    gold_outside,
    questions_from,
    same_k,
    set_age,
    unanswerable,
)
from labeling.core.printing import Printer
from labeling.core.tables import Cell, Document, Listing, Paragraph, Section, Text, joined
from labeling.core.trust import Trust
from labeling.models import Calibration
from labeling.models.pairing import judges_of
from triage.models import GoldRevision, Judge, Run

#: Gold as accepted now, id by id. What stands in a query twice is one id.
WANTED = """
accepted AS MATERIALIZED (
    SELECT DISTINCT ON (query_key) query_key, gold FROM triage_goldrevision
    WHERE project_id = %(project)s AND evaluation_set = %(set)s
    ORDER BY query_key, version DESC, id DESC
), wanted AS MATERIALIZED (
    SELECT DISTINCT query.id AS query, query.retrieval_known AS known, gold.key AS key
    FROM triage_query AS query
    LEFT JOIN accepted ON accepted.query_key = query.key
    CROSS JOIN LATERAL unnest(COALESCE(accepted.gold, query.gold)) AS gold(key)
    WHERE query.run_id = %(run)s AND query.answerable
)
"""
#: How many ids there are, how many where the candidates are known, and which name no chunk with a text.
GOLD = f"""
WITH {WANTED}, corpus AS MATERIALIZED (
    SELECT DISTINCT chunk.key AS key FROM triage_runchunk AS held
    JOIN triage_chunk AS chunk ON chunk.id = held.chunk_id AND chunk.text IS NOT NULL
    WHERE held.run_id = %(run)s
)
SELECT count(*), count(*) FILTER (WHERE wanted.known),
    array_agg(DISTINCT wanted.key ORDER BY wanted.key) FILTER (WHERE corpus.key IS NULL)
FROM wanted
LEFT JOIN corpus ON corpus.key = wanted.key
"""  # noqa: S608 - built from the constant above alone
#: Ids that no candidate is, from the recall over candidates as last measured; and how many ids that covers.
MEASURED = f"""
WITH {WANTED}, held AS (SELECT query, count(*) AS ids FROM wanted WHERE known GROUP BY query)
SELECT COALESCE(sum(held.ids - round(metrics.candidate_recall * held.ids)), 0)::int, COALESCE(sum(held.ids), 0)::int
FROM held
JOIN triage_querymetrics AS metrics ON metrics.query_id = held.query AND metrics.candidate_recall IS NOT NULL
"""  # noqa: S608 - built from the constant above alone
#: The same from the slots themselves: for a run that is not measured under the gold of now. Reads every slot.
COUNTED = f"""
WITH {WANTED}, found AS MATERIALIZED (
    SELECT DISTINCT wanted.query, wanted.key
    FROM wanted
    JOIN triage_retrieved AS retrieved ON retrieved.query_id = wanted.query
    JOIN triage_chunk AS chunk ON chunk.id = retrieved.chunk_id AND chunk.key = wanted.key
)
SELECT count(*) FILTER (WHERE wanted.known AND found.key IS NULL)
FROM wanted LEFT JOIN found ON found.query = wanted.query AND found.key = wanted.key
"""  # noqa: S608 - built from the constant above alone


@dataclass(frozen=True, slots=True)
class Audited:
    """All checks of a run."""

    run: Run
    checks: tuple[AuditCheck, ...]

    @property
    def warnings(self) -> int:
        """Return how many checks warn."""
        return sum(check.state is Health.WARN for check in self.checks)


def audit(run: Run, now: datetime) -> Audited:
    """Check whether the run's recall is to be trusted, at a point in time."""
    gold, known, outside, absent = _gold(run)
    facts = run.evaluation_set_facts
    return Audited(
        run,
        (
            gold_outside(outside, known),
            questions_from(str(facts.get("questions_from") or "")),
            same_k(run.config.get("k"), facts.get("serving_k")),
            unanswerable(_answerability(run)),
            absent_gold(absent, gold),
            set_age(_date(facts.get("built_at")), now.date()),
            *_judges(run, now),
        ),
    )


def _gold(run: Run) -> tuple[int, int, int, list[str]]:
    """Return how many gold ids there are, how many beside known candidates, how many outside those, and the absent."""
    asked: dict[str, int | str] = {"run": run.pk, "project": run.project_id, "set": run.evaluation_set}
    newest = GoldRevision.objects.filter(project=run.project_id, evaluation_set=run.evaluation_set)
    version = newest.aggregate(newest=Max("version"))["newest"] or 1
    with connection.cursor() as cursor:
        cursor.execute(GOLD, asked)
        gold, known, absent = cursor.fetchone()
        cursor.execute(MEASURED, asked)
        outside, covered = cursor.fetchone()
        if covered != known or run.gold_version < version:
            cursor.execute(COUNTED, asked)
            (outside,) = cursor.fetchone()
    return gold, known, outside, absent or []


def _answerability(run: Run) -> Answerability:
    right, decided = Q(correct=True), Q(correct__isnull=False)
    counts = run.queries.aggregate(
        held_right=Count("pk", filter=right & Q(answerable=True)),
        held=Count("pk", filter=decided & Q(answerable=True)),
        not_held_right=Count("pk", filter=right & Q(answerable=False)),
        not_held=Count("pk", filter=decided & Q(answerable=False)),
    )
    return Answerability(counts["held_right"], counts["held"], counts["not_held_right"], counts["not_held"])


def _date(value: object) -> date | None:
    """Return the day of an ISO date or time, or None where it says none."""
    try:
        return datetime.fromisoformat(str(value)).date() if value else None
    except ValueError:
        return None


def _judges(run: Run, now: datetime) -> list[AuditCheck]:
    judges = Judge.objects.filter(fingerprint__in=judges_of(run)).order_by("task", "name")
    newest = Calibration.objects.newest_of(run.project_id, [judge.pk for judge in judges])
    checks = []
    for judge in judges:
        row = newest.get(judge.pk)
        trust = row.trust(now) if row else Trust.UNCALIBRATED
        compared = row.computed_at.date() if row and row.n else None
        checks.append(calibration_age(f"{judge.name} ({judge.task})", str(trust), compared, now.date()))
    return checks


def as_json(found: Audited) -> dict[str, Any]:
    """Return the audit as `audit --json` prints it."""
    return {"run": found.run.key, "warnings": found.warnings, "checks": [asdict(check) for check in found.checks]}


def as_text(found: Audited) -> str:
    """Return the audit for a terminal."""
    return "\n".join(f"{check.state:8}{check.detail}" for check in found.checks)


def document(found: Audited) -> Document:
    """Return the audit as people read it."""
    title = Paragraph(("Is the recall of ", Text(found.run.name), " to be trusted?"))
    lead = Paragraph((f"{found.warnings} of {len(found.checks)} checks warn.",))
    lines = tuple(
        Paragraph((Text(str(check.state), strong=True), " ", Text(check.detail), *_ids(check)))
        for check in found.checks
    )
    return Document(title, lead, (Section("Checks", (Listing(lines),)),), ())


def _ids(check: AuditCheck) -> tuple[Cell | str, ...]:
    return (" ", *joined([Text(one, code=True) for one in check.ids])) if check.ids else ()


#: The audit in one of its formats.
render = Printer(document, as_json, as_text=as_text)
