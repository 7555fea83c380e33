"""Correctness where the file has none: the machine's word, by match with the reference, plainly its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from labeling.compare import compare
from labeling.models import Outcome
from labeling.report.previous import compare_with
from tests.factories import PASSWORD, make_member, make_project, make_query, make_run
from triage import intake
from triage.classify import adopt, classify
from triage.core.policy import Policy
from triage.core.review import ReviewState, first_answer
from triage.export import lines_of
from triage.ingest import ingest
from triage.models import GoldRevision, Project, Query, Role, Run, Suggestion
from triage.models.closing import closure_checks
from triage.signals import review_wanted

pytestmark = pytest.mark.django_db

RIGHT = {"answer": "It is thirty days.", "reference": "Thirty days"}
WRONG = {"answer": "It is a fortnight.", "reference": "Thirty days"}
BARE = {"answer": "It is thirty days.", "reference": None}


def unsaid(run: Run, **fields: Any) -> Query:
    """Return a query whose file does not say whether the answer is correct."""
    return make_query(run, correct=None, correct_in_file=None, **fields)


def said(run: Run) -> list[tuple[bool | None, str]]:
    return list(run.queries.order_by("position").values_list("correct", "correct_by"))


def unsaid_run(project: Project | None = None) -> Run:
    run = make_run(project)
    for fields in (RIGHT, WRONG, BARE):
        unsaid(run, **fields)
    classify(run.pk)
    run.refresh_from_db()
    return run


def test_where_the_file_says_nothing_the_machine_does_and_its_word_is_marked() -> None:
    run = unsaid_run()
    assert said(run) == [(True, "match"), (False, "match"), (None, "")]
    assert set(run.queries.values_list("correct_in_file", flat=True)) == {None}
    assert run.summary["correct_by"] == {"file": 0, "abstention": 0, "match": 2, "nobody": 1}
    assert run.summary["outcomes"] == {"failing": 1, "correct": 1, "undecided": 1}
    assert run.summary["metrics"]["accuracy"]["n"] == 2
    assert [suggestion.query.position for suggestion in Suggestion.objects.filter(is_current=True)] == [2]
    assert "Accuracy by match with the reference 0.500" in closure_checks(run)[0].detail


def test_one_verdict_in_the_file_leaves_its_other_nulls_undecided() -> None:
    run = make_run()
    make_query(run, correct=True, **RIGHT)
    unsaid(run, **RIGHT)
    unsaid(run, answerable=False, abstained=True, abstained_in_file=True, **WRONG)
    classify(run.pk)
    assert said(run) == [(True, "file"), (None, ""), (True, "abstention")]


def test_an_answer_that_declines_what_can_be_answered_is_not_correct() -> None:
    run = make_run()
    unsaid(run, answer="I don't know.", reference="Thirty days")
    unsaid(run, answer=None, reference="Thirty days")
    classify(run.pk)
    assert said(run) == [(False, "match"), (False, "match")]


def test_a_corrected_reference_is_what_the_answer_is_matched_with() -> None:
    run = unsaid_run()
    GoldRevision.objects.create(
        project=run.project, evaluation_set="set", query_key="q2", version=2, reference="a fortnight"
    )
    classify(run.pk)
    assert said(run)[1] == (True, "match")
    assert not Suggestion.objects.filter(is_current=True).exists()


def test_the_policy_can_keep_the_machine_out_of_it() -> None:
    run = unsaid_run()
    adopt(run.project, Policy(match_reference=False))
    classify(run.pk)
    assert said(run) == [(None, ""), (None, ""), (None, "")]
    assert not Suggestion.objects.filter(is_current=True).exists()
    adopt(run.project, Policy())
    classify(run.pk)
    assert said(run)[:2] == [(True, "match"), (False, "match")]


def ingested(project: Project, lines: Iterable[str]) -> Run:
    run = ingest(intake.store(project, None, "run.jsonl", ["".join(lines).encode()]).pk).run
    assert run is not None
    classify(run.pk)
    run.refresh_from_db()
    return run


def test_an_export_never_passes_the_machines_word_off_as_the_files_and_comes_back_the_same() -> None:
    lines = [
        json.dumps({"id": str(number), "question": "How long?", "retrieved": [], **fields}) + "\n"
        for number, fields in enumerate((RIGHT, WRONG, BARE))
    ]
    first = ingested(make_project(), lines)
    exported = list(lines_of(first))
    assert [json.loads(line).get("correct") for line in exported if "question" in json.loads(line)] == [None] * 3
    again = ingested(make_project(), exported)
    assert bytes(again.content_hash) == bytes(first.content_hash)
    assert said(again) == said(first) == [(True, "match"), (False, "match"), (None, "")]


def test_people_win_in_the_counts_over_a_match() -> None:
    run = unsaid_run()
    right, wrong = run.queries.order_by("position")[:2]
    Outcome.objects.create(query=wrong, state="final", label="not_a_failure", verdicts=1)
    state = first_answer(review_wanted.send(sender=Run, run_id=run.pk), ReviewState)
    assert "by match with the reference 0.500; after review 1.000" in closure_checks(run, state)[0].detail
    Outcome.objects.create(query=right, state="final", label="still_wrong", verdicts=1)
    state = first_answer(review_wanted.send(sender=Run, run_id=run.pk), ReviewState)
    assert "after review 0.500 (1 not_a_failure counted right, 1 missed" in closure_checks(run, state)[0].detail


def test_runs_whose_correctness_is_said_by_others_are_told_apart() -> None:
    project = make_project()
    by_file, by_match = make_run(project, config={"k": 5}), make_run(project, config={"k": 5})
    for run, fields in ((by_file, {"correct": False}), (by_match, {"correct": None, "correct_in_file": None})):
        make_query(run, **RIGHT, **fields)
        classify(run.pk)
        run.refresh_from_db()
    [setting] = compare([by_file, by_match]).differing
    assert (setting.name, setting.values) == ("correctness", ("by the file", "by match with the reference"))
    why = compare_with(by_match, by_file).why_not_comparable
    assert why == "Classes are not comparable: correct or not was said by the file before."


def client_of(run: Run) -> Client:
    client = Client()
    assert client.login(username=make_member(run.project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_the_pages_say_that_the_machine_says_so() -> None:
    run = unsaid_run()
    client = client_of(run)
    page = client.get(reverse("run", args=[run.key])).content.decode()
    assert "Correct by match, not by a person" in page
    assert "For 2 of 3 queries the machine says so" in page
    assert "Failing by match with the reference" in page
    assert "Accuracy, by match" in page
    query = client.get(reverse("query", args=[run.key, 2])).content.decode()
    assert "no word is shared, token F1 0.00 (0.50 counts as correct)" in query
    assert "A person's verdict counts over it." in query
    queries = client.get(reverse("queries", args=[run.key]), {"correct_by": "match"}).content.decode()
    assert "2 queries" in queries
    assert queries.count(">by match<") == 2


def test_a_run_whose_file_decides_says_nothing_of_a_match() -> None:
    run = make_run()
    make_query(run, correct=False, **RIGHT)
    classify(run.pk)
    client = client_of(run)
    for address in (reverse("run", args=[run.key]), reverse("query", args=[run.key, 1])):
        assert "by match" not in client.get(address).content.decode()
    assert "Failing by the file" in client.get(reverse("run", args=[run.key])).content.decode()
