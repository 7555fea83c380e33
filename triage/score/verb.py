"""Score a bounded batch of a run's queries with the project's judges.

First the queries that the file or the cache answers wholly: one transaction for all of them. Then the others, one
by one: each under its lock, counted as an attempt before a judge reads it, so that a query that kills the
worker costs only itself. Twice is once: rows have unique keys and a done query is not touched again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from celery.exceptions import SoftTimeLimitExceeded

from triage.core.judging import GroundingItem, PaidJudge, SkimmingJudge
from triage.judges.panel import JudgeWords, Panel, UnreadError, consult, rate
from triage.models import Judge, Run, Score
from triage.score import attempts
from triage.score.cache import WordsFromBefore
from triage.score.cases import Case, read_cases
from triage.score.guard import Guarded, GuardedRelevance
from triage.score.panels import judge_rows, panel_of
from triage.score.sources import items_on_sources
from triage.score.split import split_answers
from triage.score.words import ScoreRow, answer_rows, forget_errors, pair_rows, save

log = logging.getLogger(__name__)

#: No further query is begun after this many seconds: far below the tasks' time limits.
BUDGET_S = 45.0
#: Pairs a judge reads between two savings: bounds what a lost worker costs, and the memory of one query.
PAIRS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Scored:
    """What became of a batch, in queries."""

    done: int = 0
    failed: int = 0
    set_aside: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class _Batch:
    """What the steps of one call share."""

    panel: Panel
    mark: str
    judges: dict[str, Judge]
    before: WordsFromBefore
    until: float


def score(run_id: int, query_ids: Sequence[int], *, budget_s: float = BUDGET_S, panel: Panel | None = None) -> Scored:
    """Ask the judges about these queries of the run; `panel` in place of the project's own, where given.

    Raises SetupError where the project names a judge that is not there; any other fault stays in its query.
    """
    run = Run.objects.select_related("project").get(pk=run_id)
    panel = panel or panel_of(run.project)
    mark = panel.fingerprint
    attempts.open_scorings(query_ids, mark)
    open_ids = attempts.still_open(query_ids, mark)
    judges = judge_rows(panel.identities)
    _tell_what_is_spent(run, panel, judges)
    until = time.monotonic() + budget_s
    late = split_answers(run, sorted(open_ids), panel.cutter, until)
    attempts.release(sorted(late), mark)
    cases = read_cases(run, sorted(open_ids - late))
    skimming = frozenset(j.identity.fingerprint for j in panel.grounding if isinstance(j, SkimmingJudge))
    before = WordsFromBefore(run.project, cases, judges.values(), skimming)
    batch = _Batch(panel, mark, judges, before, until)
    unread, settled = _settle_from_before(batch, cases)
    counts = {"done": settled, "failed": 0, "set_aside": 0, "left": len(late)}
    for number, case in enumerate(unread):
        if time.monotonic() > batch.until or _is_halted(run_id):
            counts["left"] += len(unread) - number
            attempts.release([later.query for later in unread[number:]], mark)
            break
        counts[_score_one(batch, case)] += 1
    return Scored(**counts)


def _tell_what_is_spent(run: Run, panel: Panel, judges: dict[str, Judge]) -> None:
    """Tell every judge that keeps to a budget how many words of its the run has."""
    for judge in (*panel.grounding, *panel.relevance):
        if isinstance(judge, PaidJudge):
            row = judges[judge.identity.fingerprint]
            judge.begin(Score.objects.filter(query__run=run, judge__model=row.model, judge__name=row.name).count())


def _is_halted(run_id: int) -> bool:
    """Say whether people paused or cancelled the run meanwhile."""
    return Run.objects.filter(pk=run_id, state__in=[Run.State.PAUSED, Run.State.CANCELLED]).exists()


def _settle_from_before(batch: _Batch, cases: Sequence[Case]) -> tuple[list[Case], int]:
    """Save what the file and the cache answer wholly; return the other cases and how many were saved."""
    rows: list[ScoreRow] = []
    unread, done = [], []
    for case in cases:
        try:
            rows += _ask(batch, case, batch.panel, case.item, may_ask=False)
        except UnreadError:
            unread.append(case)
        except Exception:
            log.exception("query %s: asked again on its own", case.query)
            unread.append(case)
        else:
            done.append(case.query)
    forget_errors(done, batch.judges.values())
    save(rows, batch.mark, done)
    return unread, len(done)


def _score_one(batch: _Batch, case: Case) -> str:
    """Score one case under its lock; return which of the counts of `Scored` it adds to."""
    with attempts.working_on(case.query) as is_mine:
        if not is_mine:
            return "left"
        attempt = attempts.begin(case.query, batch.mark)
        if attempt == 0:
            return "set_aside"
        try:
            return _read(batch, case, attempt)
        except SoftTimeLimitExceeded:
            raise
        except Exception as fault:  # noqa: BLE001 - whatever a judge does, it costs this query only
            log.warning("query %s, attempt %s failed: %.300r", case.query, attempt, fault)
            attempts.wait_before_next(case.query, batch.mark, attempt)
            return "failed"


def _read(batch: _Batch, case: Case, attempt: int) -> str:
    """Have the judges read a case, slice by slice; on the last attempt a judge's fault becomes its word."""
    forget_errors([case.query], batch.judges.values())
    panel, faults = batch.panel, list[str]()
    if attempt == attempts.MAX_ATTEMPTS:
        panel = Panel(
            tuple(Guarded(judge, faults) for judge in panel.grounding),
            tuple(GuardedRelevance(judge, faults) for judge in panel.relevance),
        )
    slices = list(_slices(case.item))
    for number, item in enumerate(slices, 1):
        rows = _ask(batch, case, panel, item, may_ask=True, with_answer=number == len(slices))
        is_last = number == len(slices)
        save(rows, batch.mark, [case.query] if is_last and not faults else [])
        if not is_last and time.monotonic() > batch.until:
            attempts.hand_back(case.query, batch.mark)
            return "left"
    if faults:
        attempts.set_aside(case.query, batch.mark, faults[0])
        return "set_aside"
    return "done"


def _ask(
    batch: _Batch, case: Case, panel: Panel, item: GroundingItem, *, may_ask: bool, with_answer: bool = True
) -> list[ScoreRow]:
    known = batch.before.on_claims(case)
    said: list[JudgeWords] = consult(panel.grounding, item, known, may_ask=may_ask)
    for on_sources in items_on_sources(case, item, said):
        said += consult(panel.grounding, on_sources, known, may_ask=may_ask)
    rows = pair_rows(case, said, batch.judges)
    if with_answer and case.relevance is not None:
        words = rate(panel.relevance, case.relevance, batch.before.on_answer(case), may_ask=may_ask)
        rows += answer_rows(case, words, batch.judges)
    for by in said:
        batch.before.learn(case, by.identity.fingerprint, by.words)
    return rows


def _slices(item: GroundingItem) -> Iterator[GroundingItem]:
    """Yield the item cut into parts of at most `PAIRS_AT_ONCE` pairs, at least one claim each."""
    step = max(1, PAIRS_AT_ONCE // max(1, len(item.chunks)))
    for start in range(0, max(1, len(item.claims)), step):
        yield replace(item, claims=item.claims[start : start + step])
