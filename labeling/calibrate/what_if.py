"""The what-if page: moved thresholds, which labels flip, and how people's verdicts then agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.core.exceptions import BadRequest

from labeling.core.figures import Figure
from labeling.models import Outcome
from triage.core.intervals import wilson
from triage.core.judging import Task
from triage.core.labels import FOUR_CLASSES, UNSCORED
from triage.core.policy import Policy
from triage.models import Judge, Run, Suggestion

#: Thresholds of the policy that the page moves, with the words beside the field.
THRESHOLDS = {
    "context_recall": "Context recall",
    "faithfulness": "Faithfulness",
    "answer_relevance": "Answer relevance",
}
SHOWN = 200


@dataclass(frozen=True, slots=True)
class Wish:
    """What a reader wants to look at: a policy, judges' thresholds included."""

    policy: Policy

    @classmethod
    def read(cls, run: Run, asked: Mapping[str, str]) -> Wish:
        """Read the thresholds of a request; what is not asked stays. Raises BadRequest for what is no share."""
        policy = run.project.policy()
        moved: dict[str, object] = {name: _share(asked[name]) for name in THRESHOLDS if asked.get(name)}
        thresholds = dict(policy.judge_thresholds)
        for judge in _movable(run):
            if word := asked.get(f"judge-{judge.fingerprint}"):
                thresholds[judge.fingerprint] = _share(word)
            if thresholds.get(judge.fingerprint) == judge.threshold:
                del thresholds[judge.fingerprint]  # its own threshold is no move: the same policy, the same fingerprint
        return cls(Policy.model_validate({**policy.model_dump(), **moved, "judge_thresholds": thresholds}))


def _movable(run: Run) -> list[Judge]:
    """Return the judges of claims heard in the run, as they score: their thresholds decide what is supported."""
    return Judge.objects.asked_in(run, Task.GROUNDING)


def _share(asked: str) -> float:
    try:
        value = float(asked)
    except ValueError:
        raise BadRequest("A threshold is a number between 0 and 1.") from None
    if not 0 <= value <= 1:
        raise BadRequest("A threshold lies between 0 and 1.")
    return value


@dataclass(frozen=True, slots=True)
class Field:
    """One threshold on the page: its name in the form, its words, what is in use and what is asked."""

    name: str
    words: str
    in_use: float
    asked: float


@dataclass(frozen=True, slots=True)
class FlipLine:
    """One class: how many now, in, out, then."""

    label: str
    now: int
    flips_in: int
    flips_out: int
    then: int

    @property
    def change(self) -> int:
        """Return then minus now."""
        return self.then - self.now


@dataclass(frozen=True, slots=True)
class FlippedItem:
    """One query whose label would be another."""

    key: str
    position: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WhatIfPage:
    """Everything the page prints."""

    run: Run
    wish: Wish
    fields: tuple[Field, ...]
    judges: tuple[Field, ...]
    lines: tuple[FlipLine, ...]
    failing: int
    flips: tuple[FlippedItem, ...]
    flips_in_all: int
    agreement_now: Figure | None
    agreement_then: Figure | None
    may_adopt: bool
    #: Classified runs of the project, all of which are filed anew.
    runs: int
    #: A judge's threshold is moved: it becomes another identity, uncalibrated.
    new_judges: bool


#: (query id, id in the file, place, label) of each failing query.
Labelled = Iterable[tuple[int, str, int, str]]


def what_if_page(run: Run, wish: Wish, would_be: Labelled) -> WhatIfPage:
    """Return the page for what the labels would be."""
    now = dict(Suggestion.objects.current_in(run).values_list("query_id", "label"))
    then = {query: (key, position, label) for query, key, position, label in would_be}
    moves = Counter((now.get(query, UNSCORED), label) for query, (_, _, label) in then.items())
    flips = [
        FlippedItem(key, position, now.get(query, UNSCORED), label)
        for query, (key, position, label) in then.items()
        if now.get(query, UNSCORED) != label
    ]
    policy = run.project.policy()
    fields = tuple(
        Field(name, words, getattr(policy, name), getattr(wish.policy, name)) for name, words in THRESHOLDS.items()
    )
    final = dict(Outcome.objects.filter(query__in=then, state=Outcome.State.FINAL).values_list("query", "label"))
    return WhatIfPage(
        run=run,
        wish=wish,
        fields=fields,
        judges=_judge_fields(run, wish),
        lines=tuple(_flip_line(str(label), moves) for label in (*FOUR_CLASSES, UNSCORED)),
        failing=len(then),
        flips=tuple(flips[:SHOWN]),
        flips_in_all=len(flips),
        agreement_now=_agreement(now, final),
        agreement_then=_agreement({query: label for query, (_, _, label) in then.items()}, final),
        may_adopt=wish.policy != policy,
        runs=run.project.runs.exclude(summary={}).count(),
        new_judges=wish.policy.judge_thresholds != policy.judge_thresholds,
    )


def _judge_fields(run: Run, wish: Wish) -> tuple[Field, ...]:
    in_use, asked = run.project.policy().judge_thresholds, wish.policy.judge_thresholds
    return tuple(
        Field(
            f"judge-{judge.fingerprint}",
            f"{judge.name} ({judge.task})",
            in_use.get(judge.fingerprint, judge.threshold),
            asked.get(judge.fingerprint, judge.threshold),
        )
        for judge in _movable(run)
    )


def _flip_line(label: str, moves: Mapping[tuple[str, str], int]) -> FlipLine:
    stay = moves.get((label, label), 0)
    flips_in = sum(count for (before, after), count in moves.items() if after == label != before)
    flips_out = sum(count for (before, after), count in moves.items() if before == label != after)
    return FlipLine(label, stay + flips_out, flips_in, flips_out, stay + flips_in)


def _agreement(machine: Mapping[int, str], final: Mapping[int, str]) -> Figure | None:
    """Return the share of final verdicts on scored queries that say what the machine says; None without any."""
    known = [machine[query] == label for query, label in final.items() if machine.get(query, UNSCORED) != UNSCORED]
    if not known:
        return None
    low, high = wilson(sum(known), len(known))
    return Figure(sum(known) / len(known), low, high, len(known))
