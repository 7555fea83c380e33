"""The classifier: ordered, total, explained. Each test claims a failing query only after those above declined.

1. context recall below its threshold    -> retrieval_miss           (asked when the query is answerable)
2. faithfulness below its threshold      -> unsupported_claims       (asked when it answers and makes claims)
3. answer relevance below its threshold  -> grounded_wrong_question  (asked when it answers)
4. otherwise                             -> still_wrong

A test whose value is missing makes the query `unscored`, outside the four classes; `would_be` is then the label
of the first later test that fires. Comparisons are strict: a value equal to its threshold passes.
"""

from __future__ import annotations

from dataclasses import dataclass

from triage.core.labels import UNSCORED, FailureLabel
from triage.core.metrics import DecidingMetrics, Missing, QueryFacts, QueryMetrics, value_of
from triage.core.policy import Policy
from triage.core.reasons import below, otherwise, passed, skipped, without_value, would_be_words
from triage.core.sub_causes import propose_sub_cause

OTHERWISE = "otherwise"


@dataclass(frozen=True, slots=True)
class Classification:
    """What the machine says of one failing query, and why."""

    #: One of the four classes or `unscored`.
    label: str
    #: For `unscored`: the label of the first later test that fires, or "" where later values are missing too.
    would_be: str
    #: The test that decided: a metric's name, or `otherwise`.
    test: str
    #: Value and threshold of that test; None for `otherwise`, and no value for `unscored`.
    value: float | None
    threshold: float | None
    #: Metric -> value minus threshold, for every test whose metric has a value. Negative = below.
    margins: dict[str, float]
    #: Some test that the label rests on lies within `policy.near` of its threshold, on either side.
    near: bool
    #: The reason why the deciding value is missing; "" unless `unscored`.
    missing: Missing | str
    reasons: tuple[str, ...]
    #: A sub-cause of the label that the facts speak for, or "".
    proposed_sub_cause: str


@dataclass(frozen=True, slots=True)
class _Test:
    """One ordered test as it stands for one query."""

    metric: str
    label: FailureLabel
    threshold: float
    value: float | None
    missing: Missing | None
    #: Why the test is not asked, or "".
    not_asked: str

    @property
    def fires(self) -> bool:
        return not self.not_asked and self.value is not None and self.value < self.threshold

    @property
    def blocks(self) -> bool:
        return not self.not_asked and self.value is None

    def is_within(self, distance: float) -> bool:
        return not self.not_asked and self.value is not None and abs(self.value - self.threshold) < distance


def classify(facts: QueryFacts, metrics: QueryMetrics, policy: Policy) -> Classification:
    """File one failing query under exactly one label. Raises ValueError when the query is not failing."""
    tests = _tests(facts, metrics, policy)
    decisive = _decisive(tests)
    label = _label(decisive)
    would_be = _would_be(tests, decisive) if label == UNSCORED else ""
    rests_on = _rests_on(tests, decisive)
    return Classification(
        label=label,
        would_be=would_be,
        test=decisive.metric if decisive else OTHERWISE,
        value=decisive.value if decisive else None,
        threshold=decisive.threshold if decisive else None,
        margins={test.metric: test.value - test.threshold for test in tests if test.value is not None},
        near=any(test.is_within(policy.near) for test in rests_on),
        missing=(decisive.missing or "") if decisive and label == UNSCORED else "",
        reasons=_reasons(facts, rests_on, decisive, would_be),
        proposed_sub_cause=propose_sub_cause(label, facts, metrics),
    )


def label_of(facts: QueryFacts, metrics: QueryMetrics | DecidingMetrics, policy: Policy) -> str:
    """Return the label that `classify` files one failing query under, without saying why; ValueError likewise."""
    return _label(_decisive(_tests(facts, metrics, policy)))


def _tests(facts: QueryFacts, metrics: QueryMetrics | DecidingMetrics, policy: Policy) -> tuple[_Test, ...]:
    """Return the three tests in their order, each with its value and whether it is asked of this query."""
    if facts.correct is not False:
        raise ValueError(f"only failing queries are classified; query {facts.key} is not one")
    unanswerable = "" if facts.answerable else "the corpus holds no answer"
    declined = "the answer declines" if facts.abstained else ""
    claimless = "" if facts.claims else "the answer makes no claims"
    return (
        _test("context_recall", FailureLabel.RETRIEVAL_MISS, metrics, policy, unanswerable),
        _test("faithfulness", FailureLabel.UNSUPPORTED_CLAIMS, metrics, policy, declined or claimless),
        _test("answer_relevance", FailureLabel.GROUNDED_WRONG_QUESTION, metrics, policy, declined),
    )


def _test(
    metric: str, label: FailureLabel, metrics: QueryMetrics | DecidingMetrics, policy: Policy, not_asked: str
) -> _Test:
    measured = getattr(metrics, metric)
    value = value_of(measured)
    missing = None
    if value is None:  # a NaN carries no reason of its own; it must not fall through to the last class
        missing = measured if isinstance(measured, Missing) else Missing.MISSING
    return _Test(metric, label, getattr(policy, metric), value, missing, not_asked)


def _decisive(tests: tuple[_Test, ...]) -> _Test | None:
    """Return the first test that fires or cannot be asked for want of a value."""
    return next((test for test in tests if test.fires or test.blocks), None)


def _label(decisive: _Test | None) -> str:
    if decisive is None:
        return FailureLabel.STILL_WRONG
    return UNSCORED if decisive.blocks else decisive.label


def _would_be(tests: tuple[_Test, ...], blocked: _Test | None) -> str:
    """Return the label of the first later test that fires; the last class only when nothing later is missing."""
    later = tests[tests.index(blocked) + 1 :] if blocked else ()
    fires = next((test for test in later if test.fires), None)
    if fires:
        return fires.label
    return "" if any(test.blocks for test in later) else FailureLabel.STILL_WRONG


def _rests_on(tests: tuple[_Test, ...], decisive: _Test | None) -> tuple[_Test, ...]:
    """Return the tests the result rests on: up to the one that fired; all of them where a value was missing."""
    if decisive is None or decisive.blocks:
        return tests
    return tests[: tests.index(decisive) + 1]


def _reasons(facts: QueryFacts, rests_on: tuple[_Test, ...], decisive: _Test | None, would_be: str) -> tuple[str, ...]:
    """Return one plain sentence per test asked, in order, and what follows from them."""
    lines = [_reason(facts, test) for test in rests_on]
    if decisive is None:
        lines.append(otherwise())
    elif decisive.blocks:
        lines.append(would_be_words(would_be))
    return tuple(lines)


def _reason(facts: QueryFacts, test: _Test) -> str:
    if test.not_asked:
        return skipped(test.metric, test.not_asked)
    if test.value is None:
        return without_value(test.metric, test.missing, facts)
    words = below if test.fires else passed
    return words(test.metric, test.value, test.threshold, facts)
