"""Statistics at 100,000 labels: `python -m benchmarks.statistics [LABELS]`. Prints a Markdown table.

Compute only: labels are made in memory, no database. Every figure comes with its cluster bootstrap of 1,000 rounds.
Seconds are of processor time, all threads together, the fastest of three: others may be busy on the machine.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable

import numpy as np

from labeling.core.agreement import agreement_of_pairs, agreement_of_units
from labeling.core.calibration import Judged, figures
from labeling.core.correction import Draw, Stratum, correct
from labeling.core.items import LabelPair, Unit
from labeling.core.threshold import sweep
from triage.core.labels import VERDICT_LABELS

CLAIMS_A_QUERY = 10


def judged(labels: int, claims: int = CLAIMS_A_QUERY) -> list[Judged]:
    """Return labels of claims, `claims` of each query, with scores that say something."""
    rng = np.random.default_rng(1)
    human = rng.random(labels) < 0.7
    scores = np.clip(rng.normal(0.3 + 0.4 * human, 0.25), 0, 1)
    rows = zip(human.tolist(), scores.tolist(), strict=True)
    return [Judged(f"q{n // claims}", f"c{n}", yes, score >= 0.5, score) for n, (yes, score) in enumerate(rows)]


def words(labels: int, people: int) -> list[list[str]]:
    """Return the labels that `people` people gave each query."""
    rng = np.random.default_rng(2)
    names = [str(label) for label in VERDICT_LABELS]
    first = rng.integers(0, len(names), labels)
    other = np.where(rng.random((people, labels)) < 0.7, first, rng.integers(0, len(names), (people, labels)))
    return [[names[place] for place in row] for row in other.T]


def works(labels: int) -> dict[str, Callable[[], object]]:
    """Return what is measured, its data made beforehand."""
    names = [str(label) for label in VERDICT_LABELS]
    claims, answers = judged(labels), judged(labels, 1)
    pairs = [LabelPair(f"q{n}", left, right) for n, (left, right) in enumerate(words(labels, 2))]
    units = [Unit(f"q{n}", tuple(said)) for n, said in enumerate(words(labels // 3, 3))]
    read = labels // 4
    strata = tuple(Stratum(name, labels, {each: read // len(names) for each in names}) for name in names)
    confirmed = {name: sum(stratum.seen[name] for stratum in strata) for name in names}
    scores, human = [row.score or 0.0 for row in claims], [row.human for row in claims]
    return {
        f"calibration: every figure, {CLAIMS_A_QUERY} claims a query": lambda: figures(claims),
        "calibration: every figure, one answer a query": lambda: figures(answers),
        "threshold sweep, every distinct score": lambda: sweep(scores, human),
        "agreement of two people": lambda: agreement_of_pairs(pairs, names),
        "agreement of three people": lambda: agreement_of_units(units, names),
        "corrected counts": lambda: correct(Draw("d", strata, {}), confirmed, names),
    }


def fastest(work: Callable[[], object], times: int = 3) -> float:
    """Return the seconds of the fastest of a few runs."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def main(labels: int = 100_000) -> None:
    """Measure and print."""
    print(f"{labels:,} labels, numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}\n")
    print("| work | CPU seconds |\n|---|---|")
    for name, work in works(labels).items():
        print(f"| {name} | {fastest(work):.2f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
