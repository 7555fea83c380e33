"""What share really passes, when only a judge has looked (calibration.md section 3). Plain Python.

Sources: Rogan and Gladen 1978 (the point); Lee et al. 2025 "How to correctly report LLM-as-a-judge evaluations"
(the interval, which counts the uncertainty of both samples); Angelopoulos et al. 2023 (prediction-powered
inference, tuned after Angelopoulos, Duchi and Zrnic 2023); Begg and Greenes 1983 (TPR and TNR where what was read
depends on what the judge said).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pvariance

from labeling.core.figures import Figure, Undefined
from labeling.core.limits import Part, mover_sum
from triage.core.intervals import wilson, z_of


@dataclass(frozen=True, slots=True)
class Known:
    """How a judge did on labelled items: `hits` of `n` of one class it called right."""

    hits: int
    n: int

    @property
    def rate(self) -> float:
        """Return hits / n; callers make sure that n is not 0."""
        return self.hits / self.n


def rogan_gladen(passes: float, tnr: float, tpr: float) -> float:
    """Return (passes + TNR - 1) / (TPR + TNR - 1), cut to [0, 1]. Raises ValueError where TPR + TNR = 1."""
    youden = tpr + tnr - 1
    if abs(youden) < 1e-12:
        raise ValueError("TPR + TNR = 1: such a judge tells nothing about the rate")
    return min(1.0, max(0.0, (passes + tnr - 1) / youden))


def lee_interval(
    passes: float, tnr: float, tpr: float, sizes: tuple[int, int, int], confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the corrected rate; `sizes` are n (judged), m0 and m1 (labelled negatives, positives).

    Adds pseudo-counts to each rate and a small shift to the centre, as the paper does, and cuts to [0, 1].
    """
    n, negatives, positives = sizes
    z = z_of(confidence)
    judged = (n * passes + z * z / 2) / (n + z * z)
    q0 = (negatives * tnr + 1) / (negatives + 2)
    q1 = (positives * tpr + 1) / (positives + 2)
    youden = q0 + q1 - 1
    rate = (judged + q0 - 1) / youden
    noise0, noise1 = q0 * (1 - q0) / (negatives + 2), q1 * (1 - q1) / (positives + 2)
    shift = 2 * z * z * (rate * noise1 - (1 - rate) * noise0)
    variance = judged * (1 - judged) / (n + z * z) + (1 - rate) ** 2 * noise0 + rate**2 * noise1
    half = z * math.sqrt(variance) / youden
    return max(0.0, rate + shift - half), min(1.0, rate + shift + half)


def youden_interval(negatives: Known, positives: Known) -> Part:
    """Return TPR + TNR - 1 with limits: Wilson for each rate, combined by MOVER."""
    parts = [Part(known.rate, *wilson(known.hits, known.n)) for known in (negatives, positives)]
    total = mover_sum(parts)
    return Part(total.point - 1, total.low - 1, total.high - 1)


def corrected_rate(judged: Known, negatives: Known, positives: Known) -> Figure:
    """Return the share that really passes among judged items, or why it cannot be said.

    `judged`: passes among the unlabelled. `negatives`, `positives`: how many of each the judge called right on
    labelled items. Refused where the interval of Youden's J holds 0: dividing by noise gives any answer at all.
    """
    if judged.n == 0:
        return Figure.none(Undefined.NO_ITEMS)
    if negatives.n == 0:
        return Figure.none(Undefined.NO_NEGATIVES, judged.n)
    if positives.n == 0:
        return Figure.none(Undefined.NO_POSITIVES, judged.n)
    if youden_interval(negatives, positives).low <= 0:
        return Figure.none(Undefined.JUDGE_USELESS, judged.n)
    rates = (judged.rate, negatives.rate, positives.rate)
    value = rogan_gladen(*rates)
    low, high = lee_interval(*rates, (judged.n, negatives.n, positives.n))
    return Figure(value, min(low, value), max(high, value), judged.n)


def prediction_powered_rate(
    people: Sequence[float], judge: Sequence[float], judge_elsewhere: Sequence[float], *, tuned: bool = True
) -> Figure:
    """Return the mean of what people would say, from few labels (`people`, `judge` beside them) and many judged items.

    Unlike the corrected rate it needs no assumption about TPR and TNR elsewhere; it is never worse than the labels
    alone when `tuned`. Unbiased where the labelled items are a random sample.
    """
    n, many = len(people), len(judge_elsewhere)
    if n == 0 or many == 0:
        return Figure.none(Undefined.NO_ITEMS)
    trust = _power(people, judge, judge_elsewhere) if tuned else 1.0
    rest = [said - trust * judged for said, judged in zip(people, judge, strict=True)]
    value = trust * fmean(judge_elsewhere) + fmean(rest)
    variance = trust**2 * pvariance(judge_elsewhere) / many + pvariance(rest) / n
    half = z_of() * math.sqrt(variance)
    return Figure(value, value - half, value + half, n + many)


def _power(people: Sequence[float], judge: Sequence[float], judge_elsewhere: Sequence[float]) -> float:
    """Return how far to trust the judge, in [0, 1]: the weight that minimises the variance."""
    n, many = len(people), len(judge_elsewhere)
    mean_people, mean_judge = fmean(people), fmean(judge)
    pairs = zip(people, judge, strict=True)
    together = math.fsum((said - mean_people) * (judged - mean_judge) for said, judged in pairs) / n
    pooled = [*judge, *judge_elsewhere]
    alone = pvariance(pooled) * len(pooled) / (len(pooled) - 1)
    return min(1.0, max(0.0, together / ((1 + n / many) * alone))) if alone > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Called:
    """How many items a judge calls yes and no, read or not."""

    yes: int
    no: int


def rates_of_all(right_of_yes: Known, right_of_no: Known, called: Called) -> tuple[Figure, Figure]:
    """Return TPR and TNR over all items called, where each answer of the judge was read at a rate of its own.

    `right_of_yes` (`right_of_no`): of the judge's yes (no) that were read at random, how many people confirm. Each
    TPR = p1 N1 / (p1 N1 + (1 - p0) N0) rises with both shares, so the limits put both at their Wilson limits: a
    little wider than 95 % needs.
    """
    n = right_of_yes.n + right_of_no.n
    if not (right_of_yes.n and right_of_no.n and called.yes and called.no):
        reason = Undefined.NOT_BOTH_READ if n else Undefined.NO_ITEMS
        return Figure.none(reason, n), Figure.none(reason, n)
    yes = (right_of_yes.rate, *wilson(right_of_yes.hits, right_of_yes.n))
    no = (right_of_no.rate, *wilson(right_of_no.hits, right_of_no.n))
    return _of_all(yes, no, called, n), _of_all(no, yes, Called(called.no, called.yes), n)


def _of_all(own: tuple[float, float, float], other: tuple[float, float, float], called: Called, n: int) -> Figure:
    """Return the share found of one class: `own` the share right of what is called so, `other` of the rest."""
    found = [(right * called.yes, (1 - rest) * called.no) for right, rest in zip(own, other, strict=True)]
    point, low, high = (hit / (hit + lost) if hit + lost else None for hit, lost in found)
    return Figure.none(Undefined.NO_POSITIVES, n) if point is None else Figure(point, low, high, n)
