"""Verdicts that came with a file become rows, once; a random sample among them becomes a draw."""

from __future__ import annotations

import pytest

from labeling.models import ClaimVerdict, Outcome, ReviewSession, Verdict
from labeling.receive import receive, receive_draws
from tests.factories import make_chunk, make_claim, make_query, make_run
from triage.models import Query, Run, Suggestion

pytestmark = pytest.mark.django_db


def file_under(query: Query, label: str, would_be: str = "") -> None:
    Suggestion.objects.create(
        query=query, label=label, would_be=would_be, policy_fingerprint="p", basis=f"{query.pk}{label}"[:16]
    )


def test_a_verdict_of_the_file_becomes_one_row_however_often_it_is_received() -> None:
    run = make_run()
    query = make_query(run, human=[{"label": "still_wrong", "sub_cause": "wrong_gold", "reviewer": "ann"}])
    assert receive(run.pk) == 1
    receive(run.pk)
    row = Verdict.objects.get()
    assert (row.imported_reviewer, row.label, row.sub_cause, row.stage) == (
        "ann",
        "still_wrong",
        "wrong_gold",
        "imported",
    )
    assert row.blind
    assert row.is_current
    assert Outcome.objects.get(query=query).label == "still_wrong"


def test_only_an_explicit_no_says_that_a_word_was_not_blind() -> None:
    run = make_run()
    make_query(run, human=[{"label": "still_wrong", "reviewer": "a", "blind": False}])
    make_query(run, human=[{"label": "still_wrong", "reviewer": "a"}])
    receive(run.pk)
    assert list(Verdict.objects.order_by("pk").values_list("blind", flat=True)) == [False, True]


def test_unnamed_reviewers_are_different_people_and_a_second_word_of_one_replaces_the_first() -> None:
    run = make_run()
    words = [{"label": "still_wrong"}, {"label": "retrieval_miss"}]
    named = [{"label": "still_wrong", "reviewer": "a"}, {"label": "retrieval_miss", "reviewer": "a"}]
    two, one = make_query(run, human=words), make_query(run, human=named)
    receive(run.pk)
    assert Outcome.objects.get(query=two).state == "needs_adjudication"
    assert Outcome.objects.get(query=one).label == "retrieval_miss"
    assert Verdict.objects.filter(query=one, is_current=True).count() == 1


def test_an_adjudication_of_the_file_is_final() -> None:
    run = make_run()
    query = make_query(
        run,
        human=[
            {"label": "still_wrong", "reviewer": "a"},
            {"label": "retrieval_miss", "reviewer": "b"},
            {"label": "not_a_failure", "reviewer": "lead", "adjudicated": True},
        ],
    )
    receive(run.pk)
    assert Outcome.objects.get(query=query).label == "not_a_failure"


def test_marks_on_claims_keep_their_chunk_and_span() -> None:
    run = make_run()
    chunk = make_chunk(run, "c1")
    claim = make_claim(
        make_query(run, [chunk]),
        human=[
            {"label": "supported", "chunk": "c1", "span": [0, 4], "reviewer": "ann"},
            {"label": "unsupported", "chunk": "gone", "reviewer": "ann"},
            {"label": "contradicted", "chunk": "c1", "reviewer": "ann"},
        ],
    )
    receive(run.pk)
    receive(run.pk)
    rows = ClaimVerdict.objects.filter(claim=claim).order_by("pk").values_list("label", "chunk", "is_current")
    assert list(rows) == [("supported", chunk.pk, False), ("unsupported", None, True), ("contradicted", chunk.pk, True)]


def run_with_draw() -> Run:
    run = make_run(policy_fingerprint="p")
    for number in range(6):
        word = {"label": "still_wrong", "reviewer": "a", "drawn": "random" if number < 3 else "chosen"}
        file_under(make_query(run, human=[word] if number < 4 else []), "still_wrong")
    file_under(make_query(run, human=[{"label": "still_wrong", "drawn": "random"}]), "unscored", "retrieval_miss")
    make_query(run, correct=True, human=[{"label": "not_a_failure", "drawn": "random"}])
    make_query(run, correct=True)
    receive(run.pk)
    return run


def test_a_random_sample_of_the_file_is_a_draw_with_its_strata() -> None:
    run = run_with_draw()
    receive_draws(run.pk)
    failing = run.sessions.get(population="failing")
    assert failing.drawn == ReviewSession.Drawn.RANDOM
    assert failing.closed_at is not None
    assert failing.strata == {"retrieval_miss": 1, "still_wrong": 6}
    assert list(failing.items.values_list("stratum", "inclusion")) == [("still_wrong", 0.5)] * 3 + [
        ("retrieval_miss", 1)
    ]
    passing = run.sessions.get(population="passing")
    assert passing.strata == {"passing": 2}
    assert Verdict.objects.filter(suggested="").count() == 1


def test_a_later_classification_leaves_the_draw_as_it_was() -> None:
    run = run_with_draw()
    receive_draws(run.pk)
    Suggestion.objects.filter(label="still_wrong").update(label="retrieval_miss")
    receive_draws(run.pk)
    assert run.sessions.get(population="failing").strata == {"retrieval_miss": 1, "still_wrong": 6}
    assert set(Verdict.objects.exclude(suggested="").values_list("suggested", flat=True)) == {"still_wrong", "unscored"}


def test_a_run_without_a_random_word_gets_no_draw() -> None:
    run = make_run()
    file_under(make_query(run, human=[{"label": "still_wrong", "drawn": "chosen"}]), "still_wrong")
    receive(run.pk)
    receive_draws(run.pk)
    assert not run.sessions.exists()
