"""The classifier's reasons as plain sentences with their counts."""

from __future__ import annotations

from triage.core.metrics import Missing, QueryFacts, gold_hits, is_supported

METRIC_WORDS: dict[str, str] = {
    "context_recall": "context recall",
    "faithfulness": "faithfulness",
    "answer_relevance": "answer relevance",
}

#: What each missing reason means, as a person would say it of one query.
MISSING_WORDS: dict[str, str] = {
    Missing.EMPTY_CONTEXT: "the context is empty",
    Missing.NO_GOLD: "no gold chunks are known for it",
    Missing.NOT_ANSWERABLE: "the corpus holds no answer",
    Missing.NO_CLAIMS: "the answer makes no claims",
    Missing.JUDGE_ERROR: "a judge gave no usable score",
    Missing.NO_CITATIONS: "the answer cites nothing",
    Missing.NOT_SCORED: "no judge has scored it",
    Missing.ABSTAINED: "the answer declines",
    Missing.MISSING: "the file does not say",
    Missing.UNKNOWN_RETRIEVAL: "the file does not say what was retrieved",
    Missing.NO_SUPPORTED_CLAIM: "no claim is supported",
}


def figure_beside(value: float, threshold: float) -> str:
    """Return the value with as many places (2 to 6) as keep it on its own side of the threshold.

    0.4999 beside 0.5 must not read "0.50 < 0.50".
    """
    for places in range(2, 7):
        shown = f"{value:.{places}f}"
        if (float(shown) < threshold) == (value < threshold):
            return shown
    return repr(value)


def threshold_figure(threshold: float) -> str:
    """Return a threshold with at least two places and none of its digits lost."""
    return f"{threshold:.2f}" if round(threshold, 2) == threshold else repr(threshold)


def below(metric: str, value: float, threshold: float, facts: QueryFacts) -> str:
    """Return the sentence of a test that fired."""
    return _comparison(metric, value, "<", threshold, facts)


def passed(metric: str, value: float, threshold: float, facts: QueryFacts) -> str:
    """Return the sentence of a test that declined."""
    return _comparison(metric, value, "≥", threshold, facts)


def skipped(metric: str, why: str) -> str:
    """Return the sentence of a test that does not apply."""
    return f"{METRIC_WORDS[metric]} not asked: {why}"


def without_value(metric: str, missing: Missing | None, facts: QueryFacts) -> str:
    """Return the sentence of a test whose value is missing."""
    if metric == "faithfulness" and missing is Missing.JUDGE_ERROR:
        unjudged = sum(is_supported(claim, facts) is None for claim in facts.claims)
        return f"faithfulness has no value: {_count(unjudged, len(facts.claims), 'claim')} without a usable score"
    return f"{METRIC_WORDS[metric]} has no value: {MISSING_WORDS[missing or Missing.MISSING]}"


def otherwise() -> str:
    """Return the sentence of the last class."""
    return "every test passed and the answer is wrong all the same"


def would_be_words(would_be: str) -> str:
    """Return what an unscored query would have been filed under."""
    if not would_be:
        return "unscored: the later tests have no value either"
    return f"unscored: the later tests would file it under {would_be}"


def _comparison(metric: str, value: float, sign: str, threshold: float, facts: QueryFacts) -> str:
    figures = f"{METRIC_WORDS[metric]} {figure_beside(value, threshold)} {sign} {threshold_figure(threshold)}"
    counts = _counts(metric, facts)
    return f"{figures}: {counts}" if counts else figures


def _counts(metric: str, facts: QueryFacts) -> str:
    if metric in facts.recorded:
        return "as recorded in the file"
    if metric == "context_recall" and facts.gold and facts.context is not None:
        return _recall_counts(facts, facts.gold, facts.context)
    if metric == "faithfulness" and facts.claims:
        supported = sum(is_supported(claim, facts) is True for claim in facts.claims)
        return f"{_count(supported, len(facts.claims), 'claim')} supported"
    return ""


def _recall_counts(facts: QueryFacts, gold: frozenset[str], context: tuple[str, ...]) -> str:
    words = f"{_count(gold_hits(context, gold), len(gold), 'gold chunk')} reached the prompt"
    unreachable = len(gold) - gold_hits(facts.candidates or (), gold)
    return f"{words}, {unreachable} not among the candidates" if unreachable and facts.candidates is not None else words


def _count(part: int, whole: int, noun: str) -> str:
    return f"{part} of {whole} {noun}{'' if whole == 1 else 's'}"
