"""A release of 400 queries, 152 of them failing, 90 read: the example of the golden texts."""

from __future__ import annotations

from labeling.core.correction import Draw, Stratum, correct
from labeling.core.figures import Figure, Undefined
from labeling.core.note import JudgeUsed, Metric, Paired, Population, ReleaseNote, SubCause
from labeling.core.paired import share_change, stuart_maxwell
from labeling.core.release_note import Counts, Moves, class_table, owner_of
from triage.core.closure import Check
from triage.core.intervals import wilson
from triage.core.labels import MISSED_FAILURE, NOT_A_FAILURE, UNSCORED, VERDICT_LABELS, FailureLabel

MISS, UNSUPPORTED, WRONG_QUESTION, STILL_WRONG = (str(label) for label in FailureLabel)
AUTOMATIC = {MISS: 16, UNSUPPORTED: 61, WRONG_QUESTION: 44, STILL_WRONG: 31, UNSCORED: 0}
REVIEWED = {MISS: 16, UNSUPPORTED: 30, WRONG_QUESTION: 24, STILL_WRONG: 20}
SEEN = {
    MISS: {MISS: 13, STILL_WRONG: 1, NOT_A_FAILURE: 2},
    UNSUPPORTED: {UNSUPPORTED: 23, WRONG_QUESTION: 1, STILL_WRONG: 4, NOT_A_FAILURE: 2},
    WRONG_QUESTION: {UNSUPPORTED: 2, WRONG_QUESTION: 18, STILL_WRONG: 3, NOT_A_FAILURE: 1},
    STILL_WRONG: {WRONG_QUESTION: 1, STILL_WRONG: 18, NOT_A_FAILURE: 1},
}
BEFORE = {MISS: 24, UNSUPPORTED: 58, WRONG_QUESTION: 47, STILL_WRONG: 29, UNSCORED: 0}
#: A name that would break a table, run a formula, ping a person and load a script.
HOSTILE = "=2026|11 @ops <b>`x`</b>\n[go](http://e.vil) #12"


def confirmed() -> dict[str, int]:
    return {label: sum(seen.get(label, 0) for seen in SEEN.values()) for label in VERDICT_LABELS}


def counts() -> Counts:
    strata = tuple(Stratum(label, AUTOMATIC[label], SEEN[label]) for label in SEEN)
    passing = Draw("passing", (Stratum("passing", 248, {MISSED_FAILURE: 1, NOT_A_FAILURE: 39}),), {})
    return Counts(
        failing=152,
        automatic=AUTOMATIC,
        reviewed=REVIEWED,
        confirmed=confirmed(),
        correction=correct(Draw("draw", strata, {}), confirmed(), VERDICT_LABELS),
        audited=40,
        missed=1,
        missed_correction=correct(passing, {MISSED_FAILURE: 1, NOT_A_FAILURE: 39}, (MISSED_FAILURE, NOT_A_FAILURE)),
    )


def counts_before() -> Counts:
    return Counts(failing=158, automatic=BEFORE, reviewed={}, confirmed={}, correction=None)


def metric(key: str, title: str, value: float, n: int, target: float | None = None, **left_out: int) -> Metric:
    low, high = wilson(round(value * n), n)
    return Metric(key, title, value, low, high, n, left_out, target)


def moves() -> dict[str, Moves]:
    return {
        MISS: Moves(fixed=("q1", "q2"), moved=("q3",), new=("q4",), persisting=("q5", "q6")),
        "total": Moves(fixed=("q1", "q2"), new=("q4",), persisting=("q3", "q5", "q6")),
    }


def note(*, release: str = "2026.11", bare: bool = False) -> ReleaseNote:
    """Return the example; `bare`: nothing reviewed, nothing to compare with, no judge, no metric."""
    now = Counts(152, AUTOMATIC, {}, {}, None) if bare else counts()
    before = None if bare else counts_before()
    population = Population(failing=152, correct=248, undecided=0)
    paired = Paired(398, 2, 2, 1, share_change(206, 34, 40, 118), stuart_maxwell({("a", "b"): 9, ("b", "a"): 4}), 12)
    return ReleaseNote(
        project="Larkfield assistant",
        pipeline="help-centre-answers",
        evaluation_set="larkfield-help",
        run="k3r7q2m9xd",
        name="november",
        release=release,
        population=population,
        accuracy=population.accuracy(),
        accuracy_after=population.accuracy_after_review(now),
        table=class_table(now, before, {WRONG_QUESTION: "Search"}, moves={} if bare else moves()),
        sub_causes=() if bare else (sub_cause("superseded_document", 11, 17.05, 13, 21), sub_cause("", 1, 1.5, 1, 4)),
        drawn="Nothing is reviewed yet." if bare else "Random draw of 27 Nov 2026: 90 of 152 read.",
        audited="Passing queries were not audited." if bare else "40 of 248 passing queries read.",
        previous="" if bare else "2026.10",
        previous_run="" if bare else "a1b2c3d4e5",
        why_not_comparable="",
        paired=None if bare else paired,
        metrics=() if bare else METRICS,
        recall_k="at k 5",
        people=Figure.none(Undefined.NO_ITEMS) if bare else Figure(26 / 30, *wilson(26, 30), 30),
        machine=Figure.none(Undefined.NO_ITEMS) if bare else Figure(70 / 90, *wilson(70, 90), 90),
        closure=(
            Check("adds_up", True, "16 + 61 + 44 + 31 + 0 unscored = 152 failing."),
            Check("tokens_per_chunk", False, "Tokens per chunk differ by 14.1 % (91.7 and 104.6)."),
        ),
        policy="3f9c21ab",
        judges=() if bare else JUDGES,
        gold_version=3,
    )


METRICS = (
    metric("context_recall", "Recall", 0.94, 400, 0.9),
    metric("context_precision", "Context precision", 0.2645, 400),
    metric("faithfulness", "Groundedness", 0.871, 391, 0.95, no_claims=9),
    metric("answer_relevance", "Answer relevance", 0.812, 391, 0.8, no_claims=9),
    metric("accuracy", "Accuracy", 0.62, 400),
)
JUDGES = (
    JudgeUsed("entail-base", "grounding", "entail", "r4", "", 0.5, "4f2a91c0ffee", "calibrated", "2026-11-18"),
    JudgeUsed("relevance", "relevance", "", "", "8c1e07aa11", 0.7, "8c1e07c0ffee", "uncalibrated", ""),
)


def sub_cause(name: str, seen: int, corrected: float, low: float, high: float) -> SubCause:
    return SubCause(STILL_WRONG, name, seen, corrected, low, high, 31, owner_of(STILL_WRONG, {}, name))
