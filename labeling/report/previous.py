"""The release before: which run it is, whether it may be compared, and what moved, query by query."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from django.db.models import Q

from labeling.core.note import Paired
from labeling.core.paired import share_change, stuart_maxwell
from labeling.core.release_note import TOTAL, Moves
from labeling.models.pairing import CORRECT, PairGroup, judges_of, pair_groups
from triage.models import Run


@dataclass(slots=True)
class _Lists:
    fixed: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    persisting: list[str] = field(default_factory=list)

    def frozen(self) -> Moves:
        return Moves(*(tuple(sorted(ids)) for ids in (self.fixed, self.moved, self.new, self.persisting)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """This run beside the previous one."""

    run: Run
    why_not_comparable: str
    paired: Paired
    moves: dict[str, Moves]


def previous_of(run: Run) -> Run | None:
    """Return the newest earlier classified run of another release: same pipeline, set and kind of context."""
    started = Q(started_at__lt=run.started_at) if run.started_at else Q(pk__lt=run.pk)
    earlier = Run.objects.filter(started, project=run.project_id, pipeline=run.pipeline).exclude(summary={})
    same_set = earlier.filter(evaluation_set=run.evaluation_set).exclude(release=run.release)
    context = run.config.get("context", "retrieved")
    runs = same_set.order_by("-started_at", "-pk").select_related("project")
    return next((one for one in runs if one.config.get("context", "retrieved") == context), None)


def compare_with(run: Run, before: Run) -> Comparison:
    """Pair the two runs by query id and question."""
    groups = list(pair_groups(run, before))
    why = _why_not_comparable(run, before)
    return Comparison(before, why, _paired(run, before, groups, comparable=not why), _moves(groups, comparable=not why))


def _why_not_comparable(run: Run, before: Run) -> str:
    """Say what keeps the classes of two runs from being compared; blank = nothing."""
    if run.policy_fingerprint != before.policy_fingerprint:
        return f"Classes are not comparable: made under policy {before.policy_fingerprint} before."
    if bool(run.decided_by_match) != bool(before.decided_by_match):
        return f"Classes are not comparable: correct or not was said {before.correct_by_words} before."
    now, then = judges_of(run), judges_of(before)
    if now and then and now != then:
        return "Classes are not comparable: other judges were used before."
    return ""


def _paired(run: Run, before: Run, groups: list[PairGroup], *, comparable: bool) -> Paired:
    cells, mix = Counter[tuple[bool, bool]](), Counter[tuple[str, str]]()
    changed = 0
    for group in groups:
        if not group.is_paired or group.before is None or group.now is None:
            continue
        cells[group.before == CORRECT, group.now == CORRECT] += group.count
        mix[group.before, group.now] += group.count
        if group.before != group.now and CORRECT not in (group.before, group.now):
            changed += group.count
    n, shared = sum(cells.values()), sum(group.count for group in groups)
    decided = (cells[True, True], cells[True, False], cells[False, True], cells[False, False])
    return Paired(
        n=n,
        only_now=run.queries.count() - shared,
        only_before=before.queries.count() - shared,
        differing=sum(group.count for group in groups if not group.same_question),
        accuracy=share_change(*decided) if n else None,
        mix=stuart_maxwell(mix) if comparable and n else None,
        changed_class=changed if comparable else None,
    )


def _moves(groups: list[PairGroup], *, comparable: bool) -> dict[str, Moves]:
    """Return what left, came and stayed, for failing as a whole and, where comparable, for each class."""
    lists: defaultdict[str, _Lists] = defaultdict(_Lists)
    for group in groups:
        if not group.is_paired or group.before is None or group.now is None:
            continue
        _sort_total(lists[TOTAL], group)
        if comparable:
            _sort_class(lists, group.before, group.now, group.ids)
    return {label: found.frozen() for label, found in lists.items()}


def _sort_total(total: _Lists, group: PairGroup) -> None:
    was_failing, is_failing = group.before != CORRECT, group.now != CORRECT
    if was_failing and is_failing:
        total.persisting += group.ids
    elif was_failing:
        total.fixed += group.ids
    elif is_failing:
        total.new += group.ids


def _sort_class(lists: dict[str, _Lists], before: str, now: str, ids: tuple[str, ...]) -> None:
    if before == now:
        lists[now].persisting += ids
        return
    lists[now].new += ids
    if now == CORRECT:
        lists[before].fixed += ids
    else:
        lists[before].moved += ids
