"""Correctness: what a file, a match with the reference or a rule says of an answer, beside people's verdicts.

No judge is asked for it, so its identities are made here, one for each who says it. A verdict of any failure label
means *wrong*, `not_a_failure` means *correct*, on failing and on passing queries alike.
"""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from labeling.calibrate.answers import first_blind
from labeling.core.items import Item, majority
from labeling.core.rates import Called
from triage.core.correctness import SaidBy
from triage.core.judging import JudgeIdentity, Task
from triage.core.labels import NOT_A_FAILURE
from triage.core.policy import Policy
from triage.core.reference import MatchKind, match
from triage.models import Judge, Project, Query

#: How the machine matches, by whether a whole reference inside the answer is enough.
WAYS = {
    True: "exact, whole reference included, or token F1",
    False: "exact or token F1",
}
READ = (
    "key",
    "position",
    "question",
    "answer",
    "correct",
    "slices",
    "run__key",
    "run__gold_version",
)


def correctness_judges(project: Project) -> list[Judge]:
    """Return who says in the project whether answers are correct, each as a row made on demand."""
    said = project_queries(project).exclude(correct_by="").values_list("correct_by", flat=True)
    known, policy = set(said.order_by().distinct()), project.policy()
    return [_row(_identity(by, policy)) for by in SaidBy if by.value and by.value in known]


def project_queries(project: Project) -> QuerySet[Query]:
    """Return the decided queries of the project."""
    return Query.objects.filter(run__project=project, correct__isnull=False)


def _identity(by: SaidBy, policy: Policy) -> JudgeIdentity:
    if by is not SaidBy.MATCH:
        return JudgeIdentity(name=by.value, task=Task.CORRECTNESS)
    way = WAYS[policy.match_inclusion]
    return JudgeIdentity(name=by.value, task=Task.CORRECTNESS, model=way, threshold=policy.match_token_f1)


def _row(identity: JudgeIdentity) -> Judge:
    values = {
        "name": identity.name,
        "task": identity.task,
        "model": identity.model,
        "threshold": identity.threshold,
    }
    return Judge.objects.get_or_create(fingerprint=identity.fingerprint, defaults=values)[0]


def correctness_items(project: Project, judge: Judge) -> list[Item]:
    """Return every answer of which both this voice and people said whether it is correct.

    Verdicts on queries that a person chose are left out: they were chosen for what they are.
    """
    first = first_blind(project, is_drawn=True)
    queries = project_queries(project).filter(correct_by=judge.name, pk__in=first)
    more = ("reference",) if judge.name == SaidBy.MATCH else ()
    items = [
        _item(query, first[query.pk], judge) for query in queries.select_related("run").only(*READ, *more).order_by()
    ]
    return sorted(items, key=lambda item: (item.query, item.key, item.run))


def _item(query: Query, labels: dict[str, str], judge: Judge) -> Item:
    said = {person: label == NOT_A_FAILURE for person, label in labels.items()}
    score = _score(query, judge) if judge.name == SaidBy.MATCH else None
    return Item(
        query=query.key,
        key=f"{query.key}\x1f{query.answer or ''}",
        human=majority(list(said.values())),
        judge=query.correct if score is None else score >= judge.threshold,
        score=score,
        run=query.run.key,
        position=query.position,
        claim=query.question,
        labels=tuple(sorted((person, "correct" if right else "wrong") for person, right in said.items())),
        slices=tuple(sorted((str(name), str(value)) for name, value in query.slices.items())),
        gold_version=query.run.gold_version,
    )


def _score(query: Query, judge: Judge) -> float | None:
    """Return the token F1, or 1 where the kind of match alone makes the answer correct for this identity."""
    found = match(query.answer, query.reference)
    if found is None:
        return None
    whole = found.kind is MatchKind.EXACT or (found.kind is MatchKind.INCLUDED and judge.model == WAYS[True])
    return 1.0 if whole else found.f1


def called_in_runs_read(project: Project, judge: Judge, runs: set[str]) -> Called:
    """Return how many answers this voice calls correct, and wrong, in the runs that people read."""
    counts = project_queries(project).filter(correct_by=judge.name, run__key__in=runs)
    found = counts.aggregate(yes=Count("pk", filter=Q(correct=True)), no=Count("pk", filter=Q(correct=False)))
    return Called(found["yes"], found["no"])


def has_threshold(judge: Judge) -> bool:
    """Say whether a threshold decides: a file's word on correctness, or a rule's, has none."""
    return judge.task != Task.CORRECTNESS or judge.name == SaidBy.MATCH
