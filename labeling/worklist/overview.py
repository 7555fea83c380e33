"""Sessions from above: what is wanted, what is given, who is at it and how fast. Counted from the rows, never kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Count, Q, QuerySet

from labeling.models import ReviewSession
from triage.core.intervals import wilson
from triage.models import Project

#: Per reviewer of a session: saves that stand, median seconds of all and of the last 20 first saves, last save, how
#: often the machine's label was kept after a blind word that differed, what they hold, what they skipped.
SHARES = """
WITH own AS (
    SELECT verdict.*, row_number() OVER (PARTITION BY verdict.reviewer_id ORDER BY verdict.id DESC) AS place
    FROM labeling_verdict AS verdict
    JOIN labeling_sessionitem AS item ON item.id = verdict.item_id
    WHERE item.session_id = %(session)s AND verdict.stage = 'first' AND NOT verdict.withdrawn
),
said AS (
    SELECT own.reviewer_id, count(*) AS done, max(own.created_at) AS last_at,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY own.seconds) AS median_s,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY own.seconds) FILTER (WHERE own.place <= 20) AS recent_s,
        count(*) FILTER (WHERE own.blind AND own.suggested <> '') AS compared,
        count(*) FILTER (WHERE own.blind AND own.suggested <> '' AND own.label = own.suggested) AS agreed
    FROM own GROUP BY own.reviewer_id
),
held AS (
    SELECT seat.reviewer_id, min(seat.position) AS position, max(seat.expires_at) AS until
    FROM labeling_lease AS seat
    WHERE seat.session_id = %(session)s AND seat.state = 'taken' AND seat.expires_at > clock_timestamp()
      AND seat.taken_at IS NOT NULL
    GROUP BY seat.reviewer_id
),
skipped AS (
    SELECT skip.reviewer_id, count(*) AS number FROM labeling_skip AS skip
    JOIN labeling_sessionitem AS item ON item.id = skip.item_id
    WHERE item.session_id = %(session)s AND skip.requeued_at IS NULL GROUP BY skip.reviewer_id
)
SELECT person.id, person.username, COALESCE(said.done, 0), said.median_s, said.recent_s, said.last_at,
    COALESCE(said.compared, 0), COALESCE(said.agreed, 0), held.position, held.until, COALESCE(skipped.number, 0)
FROM auth_user AS person
LEFT JOIN said ON said.reviewer_id = person.id
LEFT JOIN held ON held.reviewer_id = person.id
LEFT JOIN skipped ON skipped.reviewer_id = person.id
WHERE said.reviewer_id IS NOT NULL OR held.reviewer_id IS NOT NULL OR skipped.reviewer_id IS NOT NULL
ORDER BY COALESCE(said.done, 0) DESC, person.username
"""

#: Answers of a session of which every current claim has a person's mark: how many, and how many of them have one mark
#: that is not `supported`. Several people: the answer counts as unsupported if the final word on any claim is; a claim
#: marked differently by two goes by the majority, a tie counts as not supported.
MARKED = """
WITH marks AS (
    SELECT claim.query_id, claim.id AS claim_id,
        count(mark.id) AS given, count(mark.id) FILTER (WHERE mark.label = 'supported') AS supported
    FROM labeling_sessionitem AS item
    JOIN triage_claim AS claim ON claim.query_id = item.query_id AND claim.is_current
    LEFT JOIN labeling_claimverdict AS mark ON mark.claim_id = claim.id AND mark.is_current
    WHERE item.session_id = %(session)s GROUP BY claim.query_id, claim.id
),
answers AS (
    SELECT query_id, bool_and(given > 0) AS is_marked, bool_or(given > 0 AND supported * 2 <= given) AS is_unsupported
    FROM marks GROUP BY query_id
)
SELECT count(*) FILTER (WHERE is_marked), count(*) FILTER (WHERE is_marked AND is_unsupported) FROM answers
"""

POPULATIONS = {
    ReviewSession.Population.FAILING: "failing",
    ReviewSession.Population.PASSING: "passing",
    ReviewSession.Population.UNDECIDED: "undecided",
}


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session in the list."""

    session: ReviewSession
    wanted: int
    given: int
    #: "random sample of failing queries, filtered"
    words: str

    @property
    def open(self) -> int:
        """Return the verdicts still wanted."""
        return self.wanted - self.given


@dataclass(frozen=True, slots=True)
class Share:
    """One reviewer's part of a session. Pace and drift are for leads and for the reviewer concerned."""

    user_id: int
    name: str
    done: int
    median_ms: float | None
    recent_ms: float | None
    last_at: datetime | None
    #: Blind first words that can be held against the machine's, and how many said the same.
    compared: int
    agreed: int
    #: What they are looking at now.
    at_position: int | None
    until: datetime | None
    skipped: int

    @property
    def agreement(self) -> float | None:
        """Return the share of blind first words equal to the machine's; None when there is none."""
        return self.agreed / self.compared if self.compared else None


@dataclass(frozen=True, slots=True)
class Unsupported:
    """How many fully marked answers have at least one claim that people do not find supported."""

    count: int
    n: int
    #: 95 % Wilson limits of the share; None without a marked answer.
    low: float | None
    high: float | None

    @property
    def share(self) -> float | None:
        """Return the share; None without a marked answer."""
        return self.count / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Overview:
    """A session with its people, and the time the rest will take at the present pace."""

    line: SessionLine
    shares: tuple[Share, ...]
    left_ms: float | None
    unsupported: Unsupported


def _counted(sessions: QuerySet[ReviewSession]) -> list[SessionLine]:
    """Return sessions with the verdicts wanted and given."""
    given = Count("leases", filter=Q(leases__state="done"))
    rows = sessions.select_related("run").annotate(wanted=Count("leases"), given=given)
    return [SessionLine(row, row.wanted, row.given, words_of(row)) for row in rows]


def session_lines(project: Project, limit: int = 200) -> list[SessionLine]:
    """Return the project's newest sessions."""
    newest = ReviewSession.objects.filter(run__in=project.runs.all()).order_by("-pk").values("pk")[:limit]
    return _counted(ReviewSession.objects.filter(pk__in=newest).order_by("closed_at", "-pk"))


def open_session_lines(project: Project, limit: int) -> list[SessionLine]:
    """Return the project's newest open sessions that still want verdicts."""
    wanting = ReviewSession.objects.filter(
        run__in=project.runs.all(), closed_at=None, leases__state__in=["free", "taken"]
    )
    newest = wanting.order_by("-pk").distinct().values("pk")[:limit]
    return _counted(ReviewSession.objects.filter(pk__in=newest).order_by("-pk"))


def words_of(session: ReviewSession) -> str:
    """Return how the session was drawn, in words."""
    drawn = {
        ReviewSession.Drawn.RANDOM: "random sample of",
        ReviewSession.Drawn.ALL: "all",
        ReviewSession.Drawn.CHOSEN: "chosen",
    }[ReviewSession.Drawn(session.drawn)]
    words = f"{drawn} {POPULATIONS[ReviewSession.Population(session.population)]} queries"
    return f"{words}, filtered" if session.frame.get("filter") else words


def shares(session: ReviewSession) -> tuple[Share, ...]:
    """Return what each reviewer gave to the session, the busiest first."""
    with connection.cursor() as cursor:
        cursor.execute(SHARES, {"session": session.pk})
        rows = cursor.fetchall()
    return tuple(
        Share(pk, name, done, _ms(median), _ms(recent), last, compared, agreed, position, until, skipped)
        for pk, name, done, median, recent, last, compared, agreed, position, until, skipped in rows
    )


def overview(session: ReviewSession, only: int | None = None) -> Overview:
    """Return the session with its people (`only` one of them for a reviewer who leads nothing)."""
    line = _counted(ReviewSession.objects.filter(pk=session.pk))[0]
    people = shares(session)
    paces = [share.recent_ms for share in people if share.recent_ms is not None and share.until is not None]
    left = line.open * (sum(paces) / len(paces)) / len(paces) if paces and line.open else None
    return Overview(line, tuple(one for one in people if only in (None, one.user_id)), left, unsupported(session))


def unsupported(session: ReviewSession) -> Unsupported:
    """Return the answers of the session with at least one unsupported claim, by people's marks alone."""
    with connection.cursor() as cursor:
        cursor.execute(MARKED, {"session": session.pk})
        n, count = cursor.fetchone()
    low, high = wilson(count, n) if n else (None, None)
    return Unsupported(count, n, low, high)


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else float(seconds) * 1000
