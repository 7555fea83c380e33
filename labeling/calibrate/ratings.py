"""People's ordinal ratings of answers beside scores other tools gave them: rank correlation, and people's agreement.

A score that came with a file under a tool's name is a judge of its own: it has no claims and no threshold of ours,
so it is compared by rank with each thing people rated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

from labeling.core.ratings import spearman
from triage.core.judging import JudgeIdentity, Task, is_usable_score
from triage.models import Judge, Project, Query

GROUNDING_METRICS = frozenset({"faithfulness", "groundedness"})


@dataclass(slots=True)
class Rated:
    """Answers of a project that people rated: metric -> answer -> ratings; and each answer's recorded scores."""

    ratings: dict[str, dict[int, list[float]]] = field(default_factory=lambda: defaultdict(dict))
    scores: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    clusters: dict[int, str] = field(default_factory=dict)
    judges: dict[str, JudgeIdentity] = field(default_factory=dict)


def rated(project: Project) -> Rated:
    """Read the ratings and recorded scores of the project's answers, in one statement."""
    found = Rated()
    rows = Query.objects.filter(run__project=project).exclude(human_scores=[])
    told = rows.order_by("pk").values_list("pk", "key", "human_scores", "scores")
    for pk, key, ratings, scores in told.iterator():
        found.clusters[pk] = key
        _add_ratings(found, pk, ratings)
        _add_scores(found, pk, scores)
    return found


def _add_ratings(found: Rated, pk: int, ratings: Iterable[Mapping[str, Any]]) -> None:
    for rating in ratings:
        value = rating.get("value")
        if isinstance(value, int | float) and not isinstance(value, bool):
            found.ratings[str(rating.get("metric"))].setdefault(pk, []).append(float(value))


def _add_scores(found: Rated, pk: int, scores: Iterable[Mapping[str, Any]]) -> None:
    for score in scores:
        value = score.get("value")
        if not score.get("tool") or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        identity = _identity(score)
        found.judges[identity.fingerprint] = identity
        found.scores[identity.fingerprint][pk] = float(value)


def _identity(score: Mapping[str, Any]) -> JudgeIdentity:
    """Return who gave a recorded score: the judge it names, else its metric; tool and version are its revision."""
    metric = str(score.get("metric") or "")
    task = Task.GROUNDING if metric in GROUNDING_METRICS else Task.RELEVANCE
    version = " ".join(str(score[part]) for part in ("tool", "version", "definition") if score.get(part))
    return JudgeIdentity(name=str(score.get("judge") or metric), task=task, model=metric, revision=version)


def judge_row(identity: JudgeIdentity) -> Judge:
    """Return the row of an identity, made on demand."""
    values = {
        "name": identity.name[:200],
        "task": identity.task,
        "model": identity.model[:300],
        "revision": identity.revision[:200],
        "prompt_hash": identity.prompt_hash,
        "threshold": identity.threshold,
    }
    return Judge.objects.get_or_create(fingerprint=identity.fingerprint, defaults=values)[0]


def ratings_figures(found: Rated, fingerprint: str) -> dict[str, Any]:
    """Return the figures of one recorded score: its rank correlation with each rated metric, people's own agreement."""
    scores = found.scores[fingerprint]
    metrics = {}
    for metric, answers in sorted(found.ratings.items()):
        shared = [pk for pk in answers if pk in scores]
        metrics[metric] = {
            "spearman": spearman([fmean(answers[pk]) for pk in shared], [scores[pk] for pk in shared]).as_json(),
            "people": _people(found, metric),
        }
    n = max((sum(pk in scores for pk in answers) for answers in found.ratings.values()), default=0)
    return {
        "n": n,
        # Ratings have no two classes: only their number decides whether they are too few.
        "positives": n // 2,
        "queries": len({found.clusters[pk] for pk in scores}),
        "in_unit_range": all(is_usable_score(value) for value in scores.values()),
        "metrics": metrics,
    }


def _people(found: Rated, metric: str) -> dict[str, Any]:
    """Return people's agreement on a metric: Krippendorff's alpha (interval) and the share of equal pairs."""
    from labeling.core.agreement import Scale, agreement_of_units
    from labeling.core.items import Unit

    answers = found.ratings[metric]
    values = sorted({value for ratings in answers.values() for value in ratings})
    units = [Unit(found.clusters[pk], tuple(map(repr, ratings))) for pk, ratings in answers.items()]
    agreement = agreement_of_units(units, [repr(value) for value in values], Scale.INTERVAL)
    pairs = [a == b for ratings in answers.values() for a, b in combinations(ratings, 2)]
    return {
        "alpha": agreement.alpha.as_json(),
        "equal_pairs": fmean(pairs) if pairs else None,
        "pairs": len(pairs),
        "n": agreement.n,
    }
