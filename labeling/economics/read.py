"""A baseline and its reranked arms, read from their rows: latency, tokens, paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from labeling.core.arms import Setting, credit_warning, settings_that_differ
from labeling.core.economics import NOT_SAID, PATHS, Fit, Latency, Money, Path, fallback_words, fit
from labeling.models.pairing import SAME_QUESTION
from triage.models import Project, Run

LEAST, MOST = 2, 6
#: Paired means of an arm minus the baseline: added latency, and tokens saved.
ADDED = f"""
SELECT count(now.latency_ms - before.latency_ms), avg(now.latency_ms - before.latency_ms),
    count(before.context_tokens - now.context_tokens), avg(before.context_tokens - now.context_tokens)
FROM triage_query AS now
JOIN triage_query AS before ON before.run_id = %(before)s AND before.key_hash = now.key_hash
    AND {SAME_QUESTION}
WHERE now.run_id = %(now)s
"""  # noqa: S608 - built from SAME_QUESTION alone
#: What became of the queries of each path.
BY_PATH = """
SELECT COALESCE(NULLIF(query.reranker, ''), %(unsaid)s), count(*),
    avg(query.correct::int), avg(metrics.context_precision), avg(query.latency_ms), avg(query.context_tokens)
FROM triage_query AS query
LEFT JOIN triage_querymetrics AS metrics ON metrics.query_id = query.id
WHERE query.run_id = %(run)s
GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the reader brings: measured points, the reranker's own p95, prices."""

    points: tuple[tuple[float, float], ...] = ()
    own_p95_ms: float | None = None
    hosted_per_1000: float | None = None
    node_per_month: float | None = None
    #: Input price a million tokens, where it should not be the run's.
    price_per_million: float | None = None


@dataclass(frozen=True, slots=True)
class Economics:
    """Everything there is to say of the last arm beside the baseline."""

    baseline: Run
    run: Run
    differing: tuple[Setting, ...]
    warning: str
    latencies: tuple[Latency, ...]
    #: What the points of the fit are: measured and typed in, or added latency of whole arms.
    points_are_typed: bool
    fit: Fit
    candidates: float | None
    money: Money
    paths: tuple[Path, ...]
    fallback: str
    #: Arms without `candidate_k` or latency, which give the fit no point.
    pointless: tuple[str, ...]


def read_runs(project: Project, keys: Sequence[str]) -> list[Run]:
    """Return the classified runs of the project that the keys name, in their order, each once, at most six."""
    known = {run.key: run for run in project.runs.filter(key__in=keys).exclude(summary={}).select_related("project")}
    return [known[key] for key in dict.fromkeys(keys) if key in known][:MOST]


def economics(runs: Sequence[Run], asked: Asked) -> Economics:
    """Price the last run against the first; those between add points to the fit.

    Raises ValueError unless 2 to 6 classified runs of one project are given.
    """
    _check(runs)
    baseline, *arms = runs
    added = {run.pk: _added(run, baseline) for run in arms}
    run = arms[-1]
    points, pointless = _points(arms, {pk: (n, mean) for pk, (n, mean, _, _) in added.items()})
    _, _, n, saved = added[run.pk]
    paths = _paths(run)
    differing = settings_that_differ([baseline.config, run.config])
    return Economics(
        baseline=baseline,
        run=run,
        differing=differing,
        warning=credit_warning(differing),
        latencies=_latencies(baseline, run, asked.own_p95_ms),
        points_are_typed=bool(asked.points),
        fit=fit(asked.points or points),
        candidates=_candidates(run),
        money=Money(
            tokens_saved=float(saved or 0.0),
            n=n,
            price_per_million=_price(run, baseline, asked) if n else None,
            currency=str(run.prices.get("currency") or baseline.prices.get("currency") or ""),
            hosted_per_1000=asked.hosted_per_1000,
            node_per_month=asked.node_per_month,
        ),
        paths=paths,
        fallback=fallback_words(paths),
        pointless=() if asked.points else pointless,
    )


def _check(runs: Sequence[Run]) -> None:
    if not LEAST <= len(runs) <= MOST:
        raise ValueError(f"economics takes {LEAST} to {MOST} runs, got {len(runs)}: the baseline first")
    if unclassified := [run.name for run in runs if not run.summary]:
        raise ValueError(f"not classified yet: {', '.join(unclassified)}")
    if len({run.project_id for run in runs}) > 1:
        raise ValueError("runs of different projects cannot be compared")


def _added(run: Run, baseline: Run) -> tuple[int, float | None, int, float | None]:
    with connection.cursor() as cursor:
        cursor.execute(ADDED, {"now": run.pk, "before": baseline.pk})
        timed, added, counted, saved = cursor.fetchone()
    return timed, added, counted, saved


def _points(
    arms: Sequence[Run], added: dict[int, tuple[int, float | None]]
) -> tuple[list[tuple[float, float]], tuple[str, ...]]:
    points, pointless = [], []
    for run in arms:
        candidates, (_, mean) = _candidates(run), added[run.pk]
        if candidates is None or mean is None:
            pointless.append(run.name)
        else:
            points.append((candidates, float(mean)))
    return points, tuple(pointless)


def _candidates(run: Run) -> float | None:
    value = run.config.get("candidate_k")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value > 0 else None


def _price(run: Run, baseline: Run, asked: Asked) -> float | None:
    if asked.price_per_million is not None:
        return asked.price_per_million
    told = [one.prices.get("input_per_million") for one in (run, baseline)]
    return next((float(price) for price in told if isinstance(price, int | float)), None)


def _latencies(baseline: Run, run: Run, own_p95_ms: float | None) -> tuple[Latency, ...]:
    found = []
    for name, own in (("p50", None), ("p95", own_p95_ms)):
        before, after = (one.summary["metrics"].get(f"latency_{name}_ms", {}).get("value") for one in (baseline, run))
        if before is not None and after is not None:
            found.append(Latency(name, before, after, own))
    return tuple(found)


def _paths(run: Run) -> tuple[Path, ...]:
    with connection.cursor() as cursor:
        cursor.execute(BY_PATH, {"run": run.pk, "unsaid": NOT_SAID})
        rows = [Path(path, n, *(None if mean is None else float(mean) for mean in means)) for path, n, *means in cursor]
    known = {path: place for place, path in enumerate(PATHS)}
    return tuple(sorted(rows, key=lambda row: (known.get(row.path, len(PATHS)), row.path)))
