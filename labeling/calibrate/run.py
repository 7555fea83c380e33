"""Compare one judge identity with the human labels of a project, and keep what came out as rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from labeling.calibrate.answers import first_blind, label_pairs, relevance_items
from labeling.calibrate.claims import claim_items
from labeling.calibrate.correct import called_in_runs_read, correctness_items, correctness_judges, project_queries
from labeling.calibrate.ratings import judge_row, rated, ratings_figures
from labeling.core.items import Item
from labeling.models import Calibration
from labeling.models.calibrations import CORRECTNESS, KIND_OF, LABELS, RATINGS
from triage.core.judging import Task
from triage.models import Judge, Project, Suggestion


def calibrate(project: Project, judge: Judge) -> list[Calibration]:
    """Compare the judge with people on its own task and, where classes rest on it, on the four labels.

    The same labels and scores give the row there is: a comparison grows old until fresh labels come. Statistics
    are loaded here, so that a process that only reads rows never pays for them.
    """
    from labeling.calibrate import compute
    from labeling.calibrate.elsewhere import rates_elsewhere

    items = items_of(project, judge)
    told = [(item.key, item.run, item.human, item.judge, item.score, item.labels, item.slices) for item in items]
    basis = compute.basis_of([judge.fingerprint, told])
    own = _kept(project, judge, KIND_OF[Task(judge.task)], basis, lambda: compute.compare(items, judge.threshold))
    if judge.task == Task.CORRECTNESS:
        called = called_in_runs_read(project, judge, {item.run for item in items if item.is_usable})
        _note(own, "in_all", compute.in_all(own.figures["all"]["confusion"], called))
        return [own]  # people read its yes and its no at rates of their own: no correction elsewhere rests on that
    _note(own, "rates", rates_elsewhere(project, judge, items))
    rows = [own]
    pairs = label_pairs(project, judge)
    if pairs:
        from labeling.core.items import Unit

        words = first_blind(project).values()
        people = [Unit(str(place), tuple(said.values())) for place, said in enumerate(words) if len(said) > 1]
        basis = compute.basis_of([judge.fingerprint, pairs, people])
        rows.append(_kept(project, judge, LABELS, basis, lambda: compute.compare_labels(pairs, people)))
    return rows


def calibrate_recorded(project: Project, name: str = "") -> list[Calibration]:
    """Compare scores that came with files under a tool's name with people's ratings; all of them, or those named."""
    from labeling.calibrate import compute

    found = rated(project)
    rows = []
    for fingerprint, identity in sorted(found.judges.items(), key=lambda pair: (pair[1].name, pair[0])):
        if name in ("", identity.name, fingerprint):
            judge, scores = judge_row(identity), found.scores[fingerprint]
            told = [
                (pk, scores.get(pk), ratings) for metric in found.ratings.values() for pk, ratings in metric.items()
            ]
            basis = compute.basis_of([fingerprint, told])
            make = partial(ratings_figures, found, fingerprint)
            rows.append(_kept(project, judge, RATINGS, basis, make))
    return rows


def calibrate_all(project: Project) -> int:
    """Compare every judge of the project, and every score that came with files; return how many comparisons stand."""
    judges = dict.fromkeys([*judges_in(project), *correctness_judges(project)])
    rows = [row for judge in judges for row in calibrate(project, judge)]
    return len(rows + calibrate_recorded(project))


def _note(row: Calibration, name: str, told: object) -> None:
    """Keep with the comparison what rests on unread items too: new runs are no fresh labels, so its age stays."""
    if row.figures.get(name) != told:
        row.figures = {**row.figures, name: told}
        row.save(update_fields=["figures"])


def items_of(project: Project, judge: Judge) -> list[Item]:
    """Return the items of the judge's own task that people labelled."""
    find = {Task.GROUNDING: claim_items, Task.RELEVANCE: relevance_items, Task.CORRECTNESS: correctness_items}
    return find[Task(judge.task)](project, judge)


def _kept(project: Project, judge: Judge, kind: str, basis: str, compute: Callable[[], dict[str, Any]]) -> Calibration:
    """Return the newest row of this kind if it rests on the same basis, else compute and store one."""
    newest = Calibration.objects.filter(project=project, judge=judge, kind=kind).order_by("-computed_at", "-pk").first()
    if newest is not None and newest.figures.get("basis") == basis:
        return newest
    figures = {"basis": basis, **compute()}
    return Calibration.objects.create(project=project, judge=judge, kind=kind, n=figures["n"], figures=figures)


def judges_in(project: Project) -> list[Judge]:
    """Return every judge heard or compared on correctness in the project, by task and name, the newest first."""
    return list(_known(project).order_by("task", "name", "-pk"))


def judge_of(project: Project, fingerprint: str) -> Judge:
    """Return the judge with this fingerprint if it is heard in the project; Http404 otherwise."""
    return get_object_or_404(_known(project), fingerprint=fingerprint)


def _known(project: Project) -> QuerySet[Judge]:
    compared = Calibration.objects.filter(project=project, kind=CORRECTNESS).values("judge")
    heard = Judge.objects.of_project(project).values("pk")
    return Judge.objects.filter(Q(pk__in=heard) | Q(pk__in=compared)).select_related("scores_of")


def runs_with(project: Project, judge: Judge) -> int:
    """Return how many runs rest on the judge: their classes, or on correctness what passes and what fails."""
    if judge.task == Task.CORRECTNESS:
        return project_queries(project).filter(correct_by=judge.name).values("run").distinct().count()
    rows = Suggestion.objects.filter(query__run__project=project, is_current=True, judges__contains=[judge.fingerprint])
    return rows.values("query__run").distinct().count()
