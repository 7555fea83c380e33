"""Relevance and the four labels: people's verdicts on whole answers beside a judge's words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from labeling.core.items import Item, LabelPair, majority
from labeling.models import ReviewSession, Verdict
from labeling.models.verdicts import Stage
from triage.core.labels import FOUR_CLASSES, NOT_A_FAILURE, FailureLabel
from triage.models import Judge, Project, Query, Score, Suggestion

#: Human ratings that are about relevance to the question, on any scale.
RELEVANCE_RATINGS = frozenset({"answer_relevance", "relevance"})
#: What a verdict says about relevance; other labels come before the question of relevance and say nothing.
RELEVANT_BY_LABEL = {
    FailureLabel.GROUNDED_WRONG_QUESTION: False,
    FailureLabel.STILL_WRONG: True,
    NOT_A_FAILURE: True,
}

READ = ("key", "position", "question", "answer", "human_scores", "slices", "run__key", "run__gold_version")

#: query -> reviewer -> first blind label
First = dict[int, dict[str, str]]


def first_blind(project: Project, queries: Iterable[int] | None = None, *, is_drawn: bool = False) -> First:
    """Return the first blind label of each reviewer on each query of the project.

    `is_drawn` leaves out the verdicts on queries that a person chose.
    """
    rows = Verdict.objects.filter(
        query__run__project=project, blind=True, withdrawn=False, stage__in=[Stage.FIRST, Stage.IMPORTED]
    ).exclude(label="")
    if queries is not None:
        rows = rows.filter(query__in=queries)
    if is_drawn:
        rows = rows.exclude(drawn=ReviewSession.Drawn.CHOSEN)
    first: First = defaultdict(dict)
    told = rows.order_by("pk").values_list("query_id", "reviewer_id", "imported_reviewer", "label")
    for query, reviewer, imported, label in told:
        first[query].setdefault(imported or str(reviewer), label)
    return first


def relevance_items(project: Project, judge: Judge) -> list[Item]:
    """Return every answer this judge rated of which people said whether it is relevant."""
    scores = dict(
        Score.objects.filter(judge__in=judge.voices, claim=None, query__run__project=project).values_list(
            "query_id", "value"
        )
    )
    queries = Query.objects.filter(pk__in=scores).select_related("run").only(*READ)
    first = first_blind(project, scores)
    items = []
    for query in queries:
        labels = _ratings(query) | _by_label(first.get(query.pk, {}))
        if labels:
            items.append(_item(query, labels, scores[query.pk], judge))
    return sorted(items, key=lambda item: (item.query, item.key, item.run))


def _ratings(query: Query) -> dict[str, bool]:
    """Return whether each person rated the answer in the upper half of their scale."""
    found = {}
    for place, rating in enumerate(query.human_scores):
        value, scale = rating.get("value"), rating.get("scale") or (0, 1)
        if rating.get("metric") in RELEVANCE_RATINGS and isinstance(value, int | float) and scale[0] < scale[1]:
            found[str(rating.get("reviewer") or place)] = (value - scale[0]) / (scale[1] - scale[0]) >= 0.5
    return found


def _by_label(first: dict[str, str]) -> dict[str, bool]:
    known = {str(label): relevant for label, relevant in RELEVANT_BY_LABEL.items()}
    return {person: known[label] for person, label in first.items() if label in known}


def _item(query: Query, labels: dict[str, bool], score: float | None, judge: Judge) -> Item:
    return Item(
        query=query.key,
        key=f"{query.key}\x1f{query.answer or ''}",
        human=majority(list(labels.values())),
        judge=None if score is None else score >= judge.threshold,
        score=score,
        run=query.run.key,
        position=query.position,
        claim=query.question,
        labels=tuple(sorted((person, "relevant" if said else "not relevant") for person, said in labels.items())),
        slices=tuple(sorted((str(name), str(value)) for name, value in query.slices.items())),
        gold_version=query.run.gold_version,
    )


def label_pairs(project: Project, judge: Judge) -> list[LabelPair]:
    """Return (people's label, machine's label) of each reviewed query whose class rests on this judge.

    People's label is what more than half of the first blind verdicts say; `unscored` is the machine's only.
    """
    rows = Suggestion.objects.filter(
        query__run__project=project, is_current=True, query__correct=False, judges__contains=[judge.fingerprint]
    )
    machine = {query: (key, label) for query, key, label in rows.values_list("query_id", "query__key", "label")}
    pairs = []
    for query, words in first_blind(project, machine).items():
        said = _most(list(words.values()))
        key, label = machine[query]
        if said is not None and label in FOUR_CLASSES:
            pairs.append(LabelPair(key, said, label))
    return sorted(pairs, key=lambda pair: (pair.cluster, pair.left, pair.right))


def _most(labels: list[str]) -> str | None:
    """Return the label that more than half gave, or None."""
    return next((label for label in sorted(set(labels)) if 2 * labels.count(label) > len(labels)), None)
