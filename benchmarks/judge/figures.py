"""Figures of merit with intervals for the judges' tables: AUC, balanced accuracy, calibration error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

Array = NDArray[np.float64]
Figure = Callable[[Array, Array], float]


def auc(truth: Array, score: Array) -> float:
    """Return the area under the ROC curve."""
    return float(roc_auc_score(truth, score))


def balanced(threshold: float) -> Callable[[Array, Array], float]:
    """Return the balanced accuracy at a threshold, as a function of truth and score."""
    return lambda truth, score: float(balanced_accuracy_score(truth, score >= threshold))


def spearman(rating: Array, score: Array) -> float:
    """Return Spearman's rank correlation."""
    return float(spearmanr(rating, score).statistic)


def ece(truth: Array, score: Array) -> float:
    """Return the expected calibration error over ten bins of equal width."""
    bins = np.minimum((score * 10).astype(int), 9)
    gaps = [
        abs(truth[bins == b].mean() - score[bins == b].mean()) * (bins == b).sum()
        for b in range(10)
        if (bins == b).any()
    ]
    return float(sum(gaps) / len(truth))


def interval(
    figure: Callable[[Array, Array], float], truth: Array, score: Array, groups: list[str], draws: int = 1_000
) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval, drawing whole groups (claims of one answer hang together)."""
    generator = np.random.default_rng(0)
    names = sorted(set(groups))
    members = {name: np.flatnonzero(np.array([g == name for g in groups])) for name in names}
    values = []
    for _ in range(draws):
        picked = np.concatenate([members[names[i]] for i in generator.integers(0, len(names), len(names))])
        if len(set(truth[picked])) > 1:
            values.append(figure(truth[picked], score[picked]))
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))


def best_threshold(sets: list[tuple[Array, Array]]) -> float:
    """Return the threshold (two decimals) with the best mean balanced accuracy over the sets."""
    steps = np.arange(5, 96) / 100
    return float(max(steps, key=lambda step: sum(balanced(step)(truth, score) for truth, score in sets)))
