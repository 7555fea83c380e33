"""How far people agree with each other, and with a judge (calibration.md section 2).

Every coefficient is a function of one small table, so intervals come from `bootstrap` without touching rows again.
Sources: Cohen 1960; Fleiss 1971; Krippendorff 2011 "Computing Krippendorff's alpha-reliability"; Gwet 2008;
per-class positive agreement: Cicchetti and Feinstein 1990. Needs numpy: workers and commands only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from labeling.core.bootstrap import (
    Array,
    Statistic,
    cluster_index,
    percentile_interval,
    resampled,
    sum_by_cluster,
)
from labeling.core.figures import Figure, Undefined
from labeling.core.items import LabelPair, Unit
from triage.core.intervals import wilson


class Scale(StrEnum):
    """What a difference between two ratings means."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


@dataclass(frozen=True, slots=True)
class Agreement:
    """The coefficients over one set of items, with the matrix behind them (rows left, columns right)."""

    n: int
    clusters: int
    categories: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]
    raw: Figure
    #: Cohen's for pairs, Fleiss' for units of any number of raters.
    kappa: Figure
    alpha: Figure
    ac1: Figure
    per_class: dict[str, Figure]


def raw_agreement(tables: Array) -> Array:
    """Return the share on the diagonal of (..., k, k) tables."""
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def cohen_kappa(tables: Array) -> Array:
    """Return (po - pe) / (1 - pe) with pe from both margins; NaN where only one category was used."""
    total = tables.sum(axis=(-2, -1))
    expected = _ratio((tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1), total**2)
    return _ratio(raw_agreement(tables) - expected, 1 - expected)


def gwet_ac1(tables: Array) -> Array:
    """Return Gwet's AC1: chance agreement is the mean of pi (1 - pi) over categories, times k / (k - 1)."""
    categories = tables.shape[-1]
    if categories < 2:
        return np.full(tables.shape[:-2], np.nan)
    total = tables.sum(axis=(-2, -1))[..., None]
    share = _ratio(tables.sum(axis=-1) + tables.sum(axis=-2), 2 * total)
    expected = (share * (1 - share)).sum(axis=-1) / (categories - 1)
    return _ratio(raw_agreement(tables) - expected, 1 - expected)


def krippendorff_alpha(tables: Array, values: Array | None = None, scale: Scale = Scale.NOMINAL) -> Array:
    """Return 1 - Do / De of coincidence tables (each unit of m ratings adds its ordered pairs / (m - 1)).

    `values` are the categories as numbers, ascending; needed for the ordinal and interval scales.
    """
    margins = tables.sum(axis=-1)
    delta = _distance(margins, values, scale)
    observed = (tables * delta).sum(axis=(-2, -1))
    expected = (margins[..., :, None] * margins[..., None, :] * delta).sum(axis=(-2, -1))
    alpha: Array = 1 - (margins.sum(axis=-1) - 1) * _ratio(observed, expected)
    return alpha


def positive_agreement(tables: Array, category: int) -> Array:
    """Return 2 both / (left + right): of the times either side said it, how often the other did too."""
    said = tables[..., category, :].sum(axis=-1) + tables[..., :, category].sum(axis=-1)
    return _ratio(2 * tables[..., category, category], said)


def _distance(margins: Array, values: Array | None, scale: Scale) -> Array:
    categories = margins.shape[-1]
    if scale is Scale.NOMINAL:
        return 1 - np.eye(categories)
    if scale is Scale.INTERVAL:
        if values is None:
            raise ValueError("the interval scale needs the categories as numbers")
        apart: Array = (values[:, None] - values[None, :]) ** 2
        return apart
    between = np.cumsum(margins, axis=-1) - margins / 2
    distance: Array = (between[..., :, None] - between[..., None, :]) ** 2
    return distance


def _ratio(above: Array, below: Array) -> Array:
    """Divide; NaN where there is nothing to divide by (callers turn it into a named state)."""
    defined = np.abs(below) > 1e-12
    quotient: Array = np.where(defined, above / np.where(defined, below, 1), np.nan)
    return quotient


def agreement_of_pairs(pairs: Sequence[LabelPair], categories: Sequence[str]) -> Agreement:
    """Return the agreement of two raters, left against right, over `categories` (all labels must be in it)."""
    k, position = len(categories), {category: number for number, category in enumerate(categories)}
    index, count = cluster_index([pair.cluster for pair in pairs])
    cell = np.fromiter((position[pair.left] * k + position[pair.right] for pair in pairs), np.intp, len(pairs))
    tables = np.bincount(index * k * k + cell, minlength=count * k * k).reshape(count, k, k).astype(np.float64)
    return _summary(tables, tables + tables.swapaxes(1, 2), len(pairs), categories)


def agreement_of_units(units: Sequence[Unit], categories: Sequence[str], scale: Scale = Scale.NOMINAL) -> Agreement:
    """Return the agreement of any number of raters; units with fewer than two ratings say nothing and are left out.

    On the ordinal and interval scales the categories are numbers in ascending order.
    """
    shared = [unit for unit in units if len(unit.labels) > 1]
    position = {category: number for number, category in enumerate(categories)}
    k, words = len(categories), [(number, label) for number, unit in enumerate(shared) for label in unit.labels]
    cell = np.fromiter((number * k + position[label] for number, label in words), np.intp, len(words))
    counts = np.bincount(cell, minlength=len(shared) * k).reshape(len(shared), k).astype(np.float64)
    ratings = counts.sum(axis=1)[:, None, None]
    ordered = counts[:, :, None] * counts[:, None, :] - np.eye(len(categories)) * counts[:, :, None]
    coincidence = ordered / np.maximum(ratings - 1, 1)
    index, count = cluster_index([unit.cluster for unit in shared])
    return _summary(
        sum_by_cluster(coincidence / np.maximum(ratings, 1), index, count),
        sum_by_cluster(coincidence, index, count),
        len(shared),
        categories,
        scale,
        ordered.sum(axis=0) / 2,
    )


def _summary(
    plain: Array,
    rated: Array,
    n: int,
    categories: Sequence[str],
    scale: Scale = Scale.NOMINAL,
    matrix: Array | None = None,
) -> Agreement:
    """Return every coefficient of tables by cluster: `plain` weighs each item 1, `rated` each rating 1."""
    values = None if scale is Scale.NOMINAL else np.asarray([float(category) for category in categories])
    shown = plain.sum(axis=0) if matrix is None else matrix

    def figure(sums: Array, statistic: Statistic, reason: Undefined) -> Figure:
        return _figure(sums, statistic, n, reason)

    return Agreement(
        n=n,
        clusters=len(plain),
        categories=tuple(categories),
        matrix=tuple(tuple(float(cell) for cell in row) for row in shown),
        raw=_raw_figure(plain, n),
        # On tables made symmetric per item, Cohen's formula is Fleiss' kappa.
        kappa=figure(plain, cohen_kappa, Undefined.ONLY_ONE_CATEGORY),
        alpha=figure(rated, lambda sums: krippendorff_alpha(sums, values, scale), Undefined.ONLY_ONE_CATEGORY),
        ac1=_only_if_varied(plain, figure(plain, gwet_ac1, Undefined.ONLY_ONE_CATEGORY)),
        per_class={
            category: figure(plain, partial(positive_agreement, category=number), Undefined.NEVER_SAID)
            for number, category in enumerate(categories)
        },
    )


def _figure(sums: Array, statistic: Statistic, n: int, reason: Undefined) -> Figure:
    if n == 0:
        return Figure.none(Undefined.NO_ITEMS)
    point = float(statistic(sums.sum(axis=0)))
    if not np.isfinite(point):
        return Figure.none(reason, n)
    interval = percentile_interval(resampled(sums, statistic), point)
    low, high = interval if interval else (None, None)
    return Figure(point, low, high, n)


def _only_if_varied(sums: Array, figure: Figure) -> Figure:
    """AC1 has a value on one category alone (1); it says nothing there, so it is undefined like the others."""
    table = sums.sum(axis=0)
    used = int(((table.sum(axis=0) + table.sum(axis=1)) > 0).sum())
    return Figure.none(Undefined.ONLY_ONE_CATEGORY, figure.n) if figure.n and used < 2 else figure


def _raw_figure(sums: Array, n: int) -> Figure:
    """Return raw agreement: Wilson where every item is its own cluster or nothing varies, else the bootstrap."""
    figure = _figure(sums, raw_agreement, n, Undefined.NO_ITEMS)
    clusters = len(sums)
    if figure.value is None or (clusters < n and figure.low is not None):
        return figure
    low, high = wilson(round(figure.value * clusters), clusters)
    return Figure(figure.value, low, high, n)
