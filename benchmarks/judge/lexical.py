"""Fit the lexical judge on train, choose its thresholds on dev, and print its figures on test.

Run from the root of the repository: `python -m benchmarks.judge.lexical`. Prints the constants of
`triage/judges/lexical.py` as the data give them beside those in the file, then the table of docs/judges.md.
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.judge import figures, labelled
from triage.judges import lexical
from triage.judges.words import read


def _features(pairs: list[labelled.Pair]) -> figures.Array:
    return np.array(
        [lexical.grounding_features(read(pair.claim), lexical.read_passage(pair.text))[0] for pair in pairs]
    )


def _truth(pairs: list[labelled.Pair]) -> figures.Array:
    return np.array([float(pair.supported) for pair in pairs])


def _scores(features: figures.Array, weights: tuple[float, ...], constant: float) -> figures.Array:
    return np.array([lexical.curve(row, weights, constant) for row in features])


def fit_grounding() -> None:
    """Fit, print the constants, print the test table."""
    train = [pair for name in labelled.SETS for pair in labelled.grounding(name, "train")]
    model = LogisticRegression(max_iter=2_000).fit(_features(train), _truth(train))
    weights, constant = tuple(np.round(model.coef_[0], 2).tolist()), round(float(model.intercept_[0]), 2)
    dev = [labelled.grounding(name, "dev") for name in labelled.SETS]
    threshold = figures.best_threshold([(_truth(pairs), _scores(_features(pairs), weights, constant)) for pairs in dev])
    print("grounding, fitted :", weights, constant, threshold)
    print("grounding, in file:", lexical.GROUNDING_WEIGHTS, lexical.GROUNDING_CONSTANT, lexical.GROUNDING_THRESHOLD)
    print("\n| set (test) | n | AUC | balanced accuracy | ECE |\n|---|---|---|---|---|")
    for name in labelled.SETS:
        _print_row(name, labelled.grounding(name, "test"))


def _print_row(name: str, pairs: list[labelled.Pair]) -> None:
    truth, groups = _truth(pairs), [pair.group for pair in pairs]
    score = _scores(_features(pairs), lexical.GROUNDING_WEIGHTS, lexical.GROUNDING_CONSTANT)
    balanced = figures.balanced(lexical.GROUNDING_THRESHOLD)
    area, right = figures.auc(truth, score), balanced(truth, score)
    low, high = figures.interval(figures.auc, truth, score, groups)
    below, above = figures.interval(balanced, truth, score, groups)
    error = figures.ece(truth, score)
    area_text = f"{area:.3f} ({low:.3f}-{high:.3f})"
    right_text = f"{right:.3f} ({below:.3f}-{above:.3f})"
    print(f"| {name} | {len(pairs)} | {area_text} | {right_text} | {error:.3f} |")


def _relevance_sets(dev: bool) -> tuple[figures.Array, figures.Array, list[str]]:
    """Return features and truth: own answers against the neighbours' of the same questions."""
    asked = [item for item in labelled.relevance() if item.is_dev == dev]
    rows, truth, kinds = [], [], []
    for item in asked:
        for kind, answer in (
            ("own", item.own),
            ("neighbour", item.neighbour),
            ("closest", item.closest_answer),
            ("refusal", labelled.REFUSAL),
        ):
            rows.append(lexical.relevance_features(read(item.question), read(answer)))
            truth.append(float(kind == "own"))
            kinds.append(kind)
    return np.array(rows), np.array(truth), kinds


def fit_relevance() -> None:
    """Fit on the dev half (own against neighbour), put the best cut at 0.70, print AUC on the other half."""
    rows, truth, kinds = _relevance_sets(dev=True)
    used = np.array([kind in ("own", "neighbour") for kind in kinds])
    model = LogisticRegression(max_iter=2_000).fit(rows[used], truth[used])
    weights, constant = tuple(np.round(model.coef_[0], 2).tolist()), float(model.intercept_[0])
    cut = figures.best_threshold([(truth[used], _scores(rows[used], weights, constant))])
    shift = float(np.log(0.7 / 0.3) - np.log(cut / (1 - cut)))
    print("\nrelevance, fitted :", weights, round(constant + shift, 2))
    print("relevance, in file:", lexical.RELEVANCE_WEIGHTS, lexical.RELEVANCE_CONSTANT)
    rows, truth, kinds = _relevance_sets(dev=False)
    score = _scores(rows, lexical.RELEVANCE_WEIGHTS, lexical.RELEVANCE_CONSTANT)
    print("\n| own answer against | n | AUC | balanced accuracy at 0.70 |\n|---|---|---|---|")
    for other in ("neighbour", "closest", "refusal"):
        used = np.array([kind in ("own", other) for kind in kinds])
        right = figures.balanced(lexical.RELEVANCE_THRESHOLD)(truth[used], score[used])
        print(f"| {other} | {used.sum()} | {figures.auc(truth[used], score[used]):.3f} | {right:.3f} |")


if __name__ == "__main__":
    fit_grounding()
    fit_relevance()
