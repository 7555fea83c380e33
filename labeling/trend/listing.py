"""The releases of one evaluation set and pipeline, the oldest first, each with what it was measured by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from labeling.core.trend import ClassCount, Definition, changes
from labeling.models.pairing import judges_of_runs
from labeling.report import Standing, standings
from triage.core.intervals import wilson
from triage.core.labels import FOUR_CLASSES
from triage.core.policy import DEFAULT_TARGETS
from triage.core.summary import Summary
from triage.models import Project, Run

#: Releases shown, the newest ones.
MOST_RELEASES = 12
#: Runs looked at for them: several runs may share a release.
MOST_RUNS = 100
#: Metrics followed; precision stands beside recall, groundedness beside both.
METRICS = ("accuracy", "context_recall", "context_precision", "faithfulness", "answer_relevance")
#: Metrics that mean something else at another k.
AT_K = frozenset({"context_recall", "context_precision"})
NOTHING = Summary(None, 0, {})


@dataclass(frozen=True, slots=True)
class Release:
    """One release: the newest classified run of it."""

    run: Run
    at: datetime
    definition: Definition
    #: What changed in the measuring since the release before, in words.
    changed: tuple[str, ...]
    #: The k changed: recall and precision are other numbers.
    is_other_k: bool
    #: The counts were the machine's before and are corrected now, or the other way round.
    is_other_basis: bool
    queries: int
    failing: int
    classes: dict[str, ClassCount]
    metrics: dict[str, Summary]

    @property
    def name(self) -> str:
        """Return the release, or the run's name where the file names none."""
        return self.run.release or self.run.name

    @property
    def is_corrected(self) -> bool:
        """Say whether the counts are corrected by people's reading of a random draw."""
        return any(one.is_corrected for one in self.classes.values())


@dataclass(frozen=True, slots=True)
class Trend:
    """The releases of an evaluation set under one pipeline; `choices` are the others there are."""

    project: Project
    evaluation_set: str
    pipeline: str
    choices: tuple[tuple[str, str], ...]
    releases: tuple[Release, ...]
    is_cut: bool
    targets: dict[str, float]


def trend(project: Project, evaluation_set: str | None = None, pipeline: str | None = None) -> Trend:
    """Return the trend asked for, else that of the newest run. Arms of experiments (gold only, padded) do not count."""
    choices = _choices(project)
    chosen = next((pair for pair in choices if _fits(pair, evaluation_set, pipeline)), ("", ""))
    runs = list(_runs(project, *chosen)) if choices else []
    newest = sorted(_one_per_release(runs), key=lambda run: (_at(run), run.pk))
    shown = newest[-MOST_RELEASES:]
    stands = standings(shown)
    return Trend(
        project=project,
        evaluation_set=chosen[0],
        pipeline=chosen[1],
        choices=choices,
        releases=tuple(_releases(shown, stands)),
        is_cut=len(newest) > MOST_RELEASES or len(runs) == MOST_RUNS,
        targets={**DEFAULT_TARGETS, **(project.targets or {})},
    )


def _fits(pair: tuple[str, str], evaluation_set: str | None, pipeline: str | None) -> bool:
    return (evaluation_set is None or pair[0] == evaluation_set) and (pipeline is None or pair[1] == pipeline)


def _choices(project: Project) -> tuple[tuple[str, str], ...]:
    """Return (evaluation set, pipeline) of the project's classified runs, that of the newest run first."""
    runs = project.runs.exclude(summary={}).filter(_is_release()).order_by("-pk")
    return tuple(dict.fromkeys(runs.values_list("evaluation_set", "pipeline")))


def _is_release() -> Q:
    return Q(config__context="retrieved") | ~Q(config__has_key="context")


def _runs(project: Project, evaluation_set: str, pipeline: str) -> Iterable[Run]:
    runs = project.runs.exclude(summary={}).filter(_is_release(), evaluation_set=evaluation_set, pipeline=pipeline)
    return runs.defer("errors", "warnings", "meta").order_by("-pk")[:MOST_RUNS]


def _one_per_release(runs: Iterable[Run]) -> list[Run]:
    """Return the newest run of each release; a run that names no release stands for itself."""
    found: dict[str, Run] = {}
    for run in runs:
        found.setdefault(f"release {run.release}" if run.release else f"run {run.pk}", run)
    return list(found.values())


def _at(run: Run) -> datetime:
    return run.started_at or run.created_at


def _definition(run: Run, judges: set[str]) -> Definition:
    version = str(run.evaluation_set_facts.get("version") or "")
    return Definition(run.policy_fingerprint, frozenset(judges), run.gold_version, version, run.correct_by_words)


def _releases(runs: Sequence[Run], stands: dict[int, Standing]) -> Iterable[Release]:
    before: Release | None = None
    judges = judges_of_runs(runs)
    for run in runs:
        definition, stand, metrics = _definition(run, judges[run.pk]), stands[run.pk], run.summary["metrics"]
        classes = {str(label): class_count(stand, str(label)) for label in FOUR_CLASSES}
        before = Release(
            run=run,
            at=_at(run),
            definition=definition,
            changed=changes(before.definition, definition) if before else (),
            is_other_k=before is not None and before.run.config.get("k") != run.config.get("k"),
            queries=stand.queries,
            failing=stand.failing,
            is_other_basis=before is not None and before.is_corrected != bool(stand.corrected),
            classes=classes,
            metrics={key: Summary(**metrics[key]) if key in metrics else NOTHING for key in METRICS},
        )
        yield before


def class_count(stand: Standing, label: str) -> ClassCount:
    """Return a class of a run: corrected by people's reading where a random draw allows, else the machine's count."""
    n, made = stand.queries, stand.corrected.get(label)
    if made:
        value, low, high = (end / n if n else None for end in (made.value, made.low, made.high))
        return ClassCount(made.value, made.low, made.high, value, low, high, is_corrected=True)
    count = stand.automatic.get(label, 0)
    low, high = wilson(count, n) if n else (None, None)
    return ClassCount(count, None, None, count / n if n else None, low, high, is_corrected=False)
