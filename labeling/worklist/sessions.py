"""Sessions: which queries are to be read. Items and seats are written by the database in one statement each."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from labeling.models import ReviewSession
from labeling.worklist.ending import tell_done
from triage import journal
from triage.models import Query, Run
from triage.models.prepared import prepared

CORRECT = {
    ReviewSession.Population.FAILING: False,
    ReviewSession.Population.PASSING: True,
    ReviewSession.Population.UNDECIDED: None,
}
#: Every query of the population, in file order. Stratum = the automatic label now; an unscored one by its would-be.
FILL_ALL = """
INSERT INTO labeling_sessionitem (session_id, query_id, position, stratum, inclusion, blind)
SELECT %(session)s, query.id, row_number() OVER (ORDER BY query.position),
    COALESCE(NULLIF(suggestion.would_be, ''), suggestion.label, ''), 1, %(blind)s
FROM triage_query AS query
LEFT JOIN triage_suggestion AS suggestion ON suggestion.query_id = query.id AND suggestion.is_current
WHERE query.run_id = %(run)s AND query.correct IS NOT DISTINCT FROM %(correct)s
"""

#: As many seats an item as people are wanted: the overlap is the number of rows.
FILL_SEATS = """
INSERT INTO labeling_lease (item_id, session_id, position, seat, state)
SELECT item.id, item.session_id, item.position, seat.number, 'free'
FROM labeling_sessionitem AS item
CROSS JOIN generate_series(1, %(overlap)s) AS seat(number)
WHERE item.session_id = %(session)s
ON CONFLICT DO NOTHING
"""

SIZES = "SELECT stratum, count(*) FROM labeling_sessionitem WHERE session_id = %(session)s GROUP BY stratum"

NAME_STRATA = """
UPDATE labeling_sessionitem AS item
SET stratum = COALESCE(NULLIF(suggestion.would_be, ''), suggestion.label)
FROM triage_suggestion AS suggestion
WHERE item.session_id = %(session)s AND item.stratum = '' AND suggestion.query_id = item.query_id
  AND suggestion.is_current
"""

#: Of the last 50 saves: a median that follows the reviewer's present pace.
PROGRESS = """
SELECT (SELECT count(*) FROM labeling_lease AS seat
        WHERE seat.reviewer_id = %(user)s AND seat.session_id = %(session)s AND seat.state = 'done'),
    (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY recent.seconds) FROM (
        SELECT verdict.seconds FROM labeling_verdict AS verdict
        WHERE verdict.reviewer_id = %(user)s
          AND verdict.stage = 'first' AND NOT verdict.withdrawn AND verdict.seconds IS NOT NULL
          AND (SELECT item.session_id FROM labeling_sessionitem AS item WHERE item.id = verdict.item_id) = %(session)s
        ORDER BY verdict.id DESC LIMIT 50) AS recent)
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one reviewer is: items done by them, items of the session, their median seconds an item."""

    done: int
    items: int
    median_s: float | None


def default_session(run: Run, by: User | None = None) -> ReviewSession:
    """Return the session that needs no lead: all failing queries of the run in file order, blind, one reader each.

    Made on demand. A run that fails nothing but has undecided answers gets those: they are there to be read.
    """
    found = run.sessions.filter(is_default=True).first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            return _make_default(run, by)
    except IntegrityError:  # somebody else opened the run at the same moment: theirs is the one
        return run.sessions.get(is_default=True)


def _make_default(run: Run, by: User | None) -> ReviewSession:
    """Write the default session with its items and seats."""
    populations = ReviewSession.Population
    population = populations.FAILING
    if not Query.objects.filter(run=run, correct=False).exists():
        population = populations.UNDECIDED if run.queries.filter(correct=None).exists() else population
    session = ReviewSession.objects.create(
        run=run,
        name="All failing queries" if population == populations.FAILING else "All undecided answers",
        population=population,
        drawn=ReviewSession.Drawn.ALL,
        frame={"filter": {}, "policy": run.policy_fingerprint, "gold_version": run.gold_version},
        created_by=by,
        is_default=True,
    )
    fill_all(session)
    new = {"run": run.key, "how": "default", "items": session.frame["items"]}
    journal.note("session.made", run.project_id, session.key, new=new, by=by)
    return session


def fill_all(session: ReviewSession) -> None:
    """Give the session every query of its population, and its seats; store the strata and their sizes."""
    values = {
        "session": session.pk,
        "run": session.run_id,
        "overlap": session.overlap,
        "blind": session.blind_share >= 1,
        "correct": CORRECT[ReviewSession.Population(session.population)],
    }
    with connection.cursor() as cursor:
        cursor.execute(FILL_ALL, values)
        cursor.execute(FILL_SEATS, values)
        cursor.execute(SIZES, values)
        session.strata = dict(cursor.fetchall())
    session.frame = {**session.frame, "items": sum(session.strata.values())}
    session.save(update_fields=["strata", "frame"])


def progress(session: ReviewSession, user_id: int) -> Progress:
    """Return how far this reviewer is in this session."""
    with prepared() as cursor:
        cursor.execute(PROGRESS, {"session": session.pk, "user": user_id})
        done, median_s = cursor.fetchone()
    return Progress(done=done, items=items_of(session), median_s=median_s)


def items_of(session: ReviewSession) -> int:
    """Return how many items the session has: a fact of its draw, counted where the draw did not say."""
    stated = session.frame.get("items")
    return stated if isinstance(stated, int) else session.items.count()


@transaction.atomic
def close(session: ReviewSession) -> bool:
    """Close the session and tell of it, or open it again; return whether it is open now. What was saved stays."""
    session.closed_at = None if session.closed_at else Now()  # by the database's clock
    session.save(update_fields=["closed_at"])
    action = "session.closed" if session.closed_at else "session.reopened"
    journal.note(action, session.run.project_id, session.key, new={"run": session.run.key})
    if session.closed_at is not None:
        tell_done(session, "closed")
    return session.closed_at is None


def name_strata(run_id: int) -> None:
    """Give the items drawn before the run had classes the stratum of its first classification, once.

    Later classifications change nothing: strata stay those of the draw.
    """
    for session in ReviewSession.objects.filter(run=run_id, strata__has_key="").select_for_update():
        with connection.cursor() as cursor:
            cursor.execute(NAME_STRATA, {"session": session.pk})
            cursor.execute(SIZES, {"session": session.pk})
            session.strata = dict(cursor.fetchall())
        session.frame = {**session.frame, "policy": session.run.policy_fingerprint}
        session.save(update_fields=["strata", "frame"])
