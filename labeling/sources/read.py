"""Support, declining and citations of a run, from its rows and its stored metrics."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from triage.core.intervals import wilson
from triage.core.summary import NO_ANSWERS
from triage.models import Query, Run
from triage.models.queries import WITHOUT_SLICE
from triage.models.slices import slice_keys

#: Slices with fewer queries are greyed.
SMALL_SLICE = 20
#: Why a share is undefined where the run does hold answers: no query of the kind was asked.
NONE_ASKED = "none_asked"
#: Made-up citations that are listed.
MOST_LISTED = 50
#: Declining by the value of a slice key; the whole run where the key is blank.
DECLINING = """
SELECT CASE WHEN %(key)s = '' THEN NULL ELSE slices ->> %(key)s END,
    count(*) FILTER (WHERE NOT answerable), count(*) FILTER (WHERE NOT answerable AND NOT abstained),
    count(*) FILTER (WHERE answerable), count(*) FILTER (WHERE answerable AND abstained)
FROM triage_query
WHERE run_id = %(run)s AND abstained IS NOT NULL
GROUP BY 1
ORDER BY 1
"""
#: Every citation of a current claim with what it names.
CITED = """
SELECT query.key, query.position, citation.cited, citation.whole_document, EXISTS (
    SELECT 1 FROM triage_retrieved AS slot
    WHERE slot.query_id = query.id AND slot.chunk_id = citation.chunk_id AND slot.in_context
) AS found
FROM triage_citation AS citation
JOIN triage_claim AS claim ON claim.id = citation.claim_id AND claim.is_current
JOIN triage_query AS query ON query.id = claim.query_id
WHERE query.run_id = %(run)s
"""
#: Counted and listed in one pass.
CITATIONS = f"""
WITH cited AS MATERIALIZED ({CITED}),
listed AS (
    SELECT key, position, cited FROM cited WHERE NOT whole_document AND NOT found ORDER BY position, cited
    LIMIT %(most)s)
SELECT count(*), count(*) FILTER (WHERE whole_document), count(*) FILTER (WHERE NOT whole_document AND NOT found),
    (SELECT COALESCE(json_agg(json_build_array(key, position, cited) ORDER BY position, cited), '[]') FROM listed)
FROM cited
"""  # noqa: S608 - built from CITED alone


@dataclass(frozen=True, slots=True)
class Share:
    """A share of queries; `value` None = there is none to count, for the reason in `why_none`."""

    hits: int
    n: int
    why_none: str = NONE_ASKED

    @property
    def value(self) -> float | None:
        """Return hits / n."""
        return self.hits / self.n if self.n else None

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Return the Wilson interval."""
        return wilson(self.hits, self.n) if self.n else (None, None)


#: Of a run that only says what was retrieved: nobody answered, so nobody declined.
NOBODY = Share(0, 0, NO_ANSWERS)


@dataclass(frozen=True, slots=True)
class Declining:
    """One slice: false answers among the unanswerable, declined among the answerable."""

    name: str
    false_answers: Share
    over_abstention: Share

    @property
    def is_small(self) -> bool:
        """Say whether the slice holds too few queries to be read alone."""
        return self.false_answers.n + self.over_abstention.n < SMALL_SLICE


@dataclass(frozen=True, slots=True)
class Fabricated:
    """One citation of what was not in the prompt."""

    key: str
    position: int
    cited: str


@dataclass(frozen=True, slots=True)
class Citations:
    """All citations by what they name."""

    total: int
    unverifiable: int
    fabricated: int
    listed: tuple[Fabricated, ...]

    @property
    def in_context(self) -> int:
        """Return the citations of a chunk that was in the prompt."""
        return self.total - self.unverifiable - self.fabricated


@dataclass(frozen=True, slots=True)
class Stored:
    """A run-level metric as last measured."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything there is to say."""

    run: Run
    faithfulness: Stored
    support_from_gold: Stored
    citation_precision: Stored
    citation_coverage: Stored
    whole: Declining
    slice_key: str
    slice_keys: tuple[str, ...]
    slices: tuple[Declining, ...]
    citations: Citations


def sources(run: Run, slice_key: str = "") -> Sources:
    """Read the run: a number of statements that does not depend on the rows."""
    keys = tuple(slice_keys(run))
    key = slice_key if slice_key in keys else next(iter(keys), "")
    is_answered = Query.objects.hold_answers(run)
    whole = _declining(run, "", is_answered=is_answered)
    return Sources(
        run=run,
        faithfulness=_stored(run, "faithfulness"),
        support_from_gold=_stored(run, "support_from_gold"),
        citation_precision=_stored(run, "citation_precision"),
        citation_coverage=_stored(run, "citation_coverage"),
        whole=whole[0] if whole else Declining("", Share(0, 0), Share(0, 0)),
        slice_key=key,
        slice_keys=keys,
        slices=tuple(_declining(run, key, is_answered=is_answered)) if key else (),
        citations=_citations(run),
    )


def _stored(run: Run, metric: str) -> Stored:
    told = run.summary.get("metrics", {}).get(metric, {})
    return Stored(told.get("value"), told.get("low"), told.get("high"), told.get("n", 0))


def _declining(run: Run, key: str, *, is_answered: bool) -> list[Declining]:
    with connection.cursor() as cursor:
        cursor.execute(DECLINING, {"run": run.pk, "key": key})
        rows = [(WITHOUT_SLICE if name is None else name, *counts) for name, *counts in cursor.fetchall()]
    if not is_answered:
        return [Declining(name, NOBODY, NOBODY) for name, *_ in rows]
    return [
        Declining(name, Share(answered, closed), Share(declined, open_))
        for name, closed, answered, open_, declined in rows
    ]


def _citations(run: Run) -> Citations:
    with connection.cursor() as cursor:
        cursor.execute(CITATIONS, {"run": run.pk, "most": MOST_LISTED})
        total, unverifiable, fabricated, listed = cursor.fetchone()
    return Citations(total, unverifiable, fabricated, tuple(Fabricated(*row) for row in listed))
