"""The verb classify: rows in, suggestions, metrics and the run's summary out; twice is once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_chunk, make_claim, make_judge, make_project, make_query, make_run
from triage.classify import adopt, classify, reading
from triage.core.judging import Task
from triage.core.policy import DEFAULT_POLICY, Policy
from triage.models import Citation, Claim, GoldRevision, Judge, Query, QueryMetrics, Run, Score, Suggestion

pytestmark = pytest.mark.django_db


def score(claim: Claim, chunk: Any, value: float | None, judge: str = "recorded", **fields: Any) -> Score:
    """Return a grounding score row."""
    return Score.objects.create(
        query=claim.query, claim=claim, chunk=chunk, value=value, judge=make_judge(judge), **fields
    )


def rate(query: Query, value: float, judge: str = "recorded") -> Score:
    """Return a relevance score row."""
    return Score.objects.create(query=query, value=value, judge=make_judge(judge, task="relevance", threshold=0.7))


def current(query: Query) -> Suggestion:
    return Suggestion.objects.get(query=query, is_current=True)


def answered(run: Run, supports: list[float], relevance: float | None = 0.9, **fields: Any) -> Query:
    """Return a failing query over one gold chunk, with one claim per score."""
    chunk = make_chunk(run)
    query = make_query(run, [chunk], **{"gold": [chunk.key], **fields})
    for value in supports:
        score(make_claim(query), chunk, value)
    if relevance is not None:
        rate(query, relevance)
    return query


def test_each_failing_query_is_filed_with_its_reasons_and_margins() -> None:
    run = make_run()
    chunk, far = make_chunk(run), make_chunk(run)
    miss = make_query(run, [chunk], gold=[far.key])
    unsupported = answered(run, [0.9, 0.2])
    wrong_question = answered(run, [0.9], relevance=0.42)
    still = answered(run, [0.9])
    classify(run.pk)
    labels = [current(query).label for query in (miss, unsupported, wrong_question, still)]
    assert labels == ["retrieval_miss", "unsupported_claims", "grounded_wrong_question", "still_wrong"]
    told = current(unsupported)
    assert (told.test, told.value, told.threshold) == ("faithfulness", 0.5, 0.85)
    assert told.reasons[-1] == "faithfulness 0.50 < 0.85: 1 of 2 claims supported"
    assert told.margins["faithfulness"] == pytest.approx(-0.35)
    assert told.policy_fingerprint == DEFAULT_POLICY.fingerprint
    assert len(told.judges) == 2
    assert current(miss).proposed_sub_cause == "unreachable"
    assert current(still).test == ""


def test_P23_the_share_follows_from_the_claims_beside_it_and_names_them() -> None:
    run = make_run()
    query = answered(run, [0.5, 0.0])
    classify(run.pk)
    assert QueryMetrics.objects.get(query=query).faithfulness == 0.5
    assert current(query).reasons[-1] == "faithfulness 0.50 < 0.85: 1 of 2 claims supported"


def test_only_failing_queries_get_a_suggestion_and_all_get_metrics() -> None:
    run = make_run()
    for correct in (True, False, None):
        answered(run, [0.9], correct=correct, correct_in_file=correct)
    classify(run.pk)
    assert Suggestion.objects.count() == 1
    assert QueryMetrics.objects.filter(faithfulness=1.0).count() == 3


def test_the_summary_holds_every_number_and_closes() -> None:
    run = make_run()
    answered(run, [0.9])
    answered(run, [], answer=None, correct=None, correct_in_file=None)
    summary = classify(run.pk)
    run.refresh_from_db()
    assert run.summary == json.loads(json.dumps(summary))
    assert summary["outcomes"] == {"failing": 1, "correct": 0, "undecided": 1}
    assert sum(summary["classes"].values()) == 1
    assert summary["metrics"]["faithfulness"]["left_out"] == {"no_claims": 1}
    assert [reading["reading"] for reading in summary["readings"]] == ["loss", "crowding", "load_bearing"]
    assert run.policy_fingerprint == DEFAULT_POLICY.fingerprint


def test_a_metric_without_a_value_is_stored_as_its_reason() -> None:
    run = make_run()
    query = make_query(run, [make_chunk(run)], gold=None)
    classify(run.pk)
    row = QueryMetrics.objects.get(query=query)
    assert (row.context_recall, row.reasons["context_recall"]) == (None, "no_gold")
    assert current(query).missing == "no_gold"


def test_twice_is_once() -> None:
    run = make_run()
    answered(run, [0.9])
    first = classify(run.pk)
    rows = list(Suggestion.objects.values_list("pk", "basis", "created_at"))
    assert classify(run.pk) == first
    assert list(Suggestion.objects.values_list("pk", "basis", "created_at")) == rows


def test_a_new_policy_makes_a_new_current_suggestion_and_keeps_the_old_one() -> None:
    run = make_run()
    query = answered(run, [0.9, 0.2])
    classify(run.pk)
    adopt(run.project, Policy(faithfulness=0.4))
    classify(run.pk)
    assert current(query).label == "still_wrong"
    assert Suggestion.objects.filter(query=query).count() == 2
    adopt(run.project, DEFAULT_POLICY)
    classify(run.pk)
    assert current(query).label == "unsupported_claims"
    assert Suggestion.objects.filter(query=query).count() == 2  # the same basis is the same row


def test_adopting_the_current_policy_again_changes_nothing() -> None:
    project = make_project()
    assert adopt(project, Policy(near=0.1)) == adopt(project, Policy(near=0.1))


def test_judges_are_asked_in_the_projects_order_and_the_first_with_a_word_decides() -> None:
    run = make_run(make_project(judge_order=["recorded", "lexical"]))
    chunk = make_chunk(run)
    query = make_query(run, [chunk], gold=[chunk.key])
    rate(query, 0.9)
    first, second = make_claim(query), make_claim(query)
    score(first, chunk, 0.1, "recorded")
    score(first, chunk, 0.9, "lexical")
    score(second, chunk, 0.9, "lexical")
    classify(run.pk)
    assert QueryMetrics.objects.get(query=query).faithfulness == 0.5
    run.project.judge_order = ["lexical", "recorded"]
    run.project.save()
    classify(run.pk)
    assert QueryMetrics.objects.get(query=query).faithfulness == 1.0


def test_without_an_order_of_its_own_a_project_asks_the_file_then_a_model_then_words() -> None:
    run = make_run(make_project(judge_order=[]))
    chunk = make_chunk(run)
    query = make_query(run, [chunk], gold=[chunk.key])
    for name in ("lexical", "stranger", "embedded", "recorded"):
        score(make_claim(query), chunk, 0.9, name)
    asked = [judge.name for judge in Judge.objects.asked_in(run, Task.GROUNDING)]
    assert asked == ["recorded", "embedded", "lexical", "stranger"]


def test_a_judge_the_project_does_not_name_is_not_asked() -> None:
    run = make_run(make_project(judge_order=["recorded"]))
    chunk = make_chunk(run)
    query = make_query(run, [chunk], gold=[chunk.key])
    score(make_claim(query), chunk, 0.9, "stranger")
    classify(run.pk)
    assert current(query).missing == "judge_error"


def test_a_recorded_label_wins_over_its_score() -> None:
    run = make_run()
    chunk = make_chunk(run)
    query = make_query(run, [chunk], gold=[chunk.key])
    rate(query, 0.9)
    score(make_claim(query), chunk, 0.9, label="unsupported")
    classify(run.pk)
    assert current(query).label == "unsupported_claims"


def test_a_claim_whose_judge_failed_leaves_the_query_unscored_with_a_would_be() -> None:
    run = make_run()
    chunk = make_chunk(run)
    query = make_query(run, [chunk], gold=[chunk.key])
    rate(query, 0.3)
    score(make_claim(query), chunk, None, error="timed out")
    classify(run.pk)
    told = current(query)
    assert (told.label, told.missing, told.would_be) == ("unscored", "judge_error", "grounded_wrong_question")


def test_claims_a_person_replaced_are_not_counted() -> None:
    run = make_run()
    query = answered(run, [0.9])
    make_claim(query, is_current=False)
    classify(run.pk)
    assert QueryMetrics.objects.get(query=query).faithfulness == 1.0


def test_a_chunk_without_text_is_not_blank_and_a_blank_one_supports_nothing() -> None:
    run = make_run()
    for text, expected in ((None, 1.0), (" \n", 0.0)):
        chunk = make_chunk(run, text=text)
        query = make_query(run, [chunk], gold=[chunk.key])
        score(make_claim(query), chunk, 0.9)
        classify(run.pk)
        assert QueryMetrics.objects.get(query=query).faithfulness == expected, text


def test_unknown_retrieval_is_not_an_empty_one() -> None:
    run = make_run()
    unknown = make_query(run, [], gold=["a"], retrieval_known=False)
    empty = make_query(run, [], gold=["a"])
    classify(run.pk)
    assert current(unknown).missing == "unknown_retrieval"
    assert current(empty).label == "retrieval_miss"


def test_a_judges_word_on_a_chunk_nobody_says_was_retrieved_counts_where_the_file_does_not_say() -> None:
    run = make_run()
    chunk = make_chunk(run)
    query = make_query(run, [], gold=None, retrieval_known=False)
    score(make_claim(query), chunk, 0.9)
    classify(run.pk)
    assert QueryMetrics.objects.get(query=query).faithfulness == 1.0


def test_chunks_are_forgotten_and_looked_up_again(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.CLASSIFY_BATCH_QUERIES = 1
    monkeypatch.setattr(reading, "CHUNKS_REMEMBERED", 1)
    run = make_run()
    blank, other = make_chunk(run, text=" "), make_chunk(run, superseded_by="new")
    queries = [make_query(run, [blank, other], gold=[other.key]) for _ in range(3)]
    for query in queries:
        rate(query, 0.9)
        score(make_claim(query), other, 0.9)
    classify(run.pk)
    assert [current(query).proposed_sub_cause for query in queries] == ["superseded_document"] * 3


def test_citations_are_judged_pair_by_pair_and_fabricated_ones_count_against() -> None:
    run = make_run()
    chunk, other = make_chunk(run), make_chunk(run)
    query = make_query(run, [chunk, other], gold=[chunk.key])
    claim = make_claim(query)
    score(claim, chunk, 0.9)
    score(claim, other, 0.1)
    for position, cited in enumerate((chunk.key, other.key, "nowhere")):
        Citation.objects.create(claim=claim, position=position, cited=cited)
    classify(run.pk)
    row = QueryMetrics.objects.get(query=query)
    assert (row.citation_precision, row.citation_coverage) == (pytest.approx(1 / 3), 1.0)


def test_a_recorded_score_of_the_whole_answer_counts() -> None:
    run = make_run()
    query = answered(run, [0.9], scores=[{"metric": "faithfulness", "value": 0.3}])
    classify(run.pk)
    assert current(query).reasons[-1] == "faithfulness 0.30 < 0.85: as recorded in the file"


def test_accepted_gold_goes_before_the_files_and_names_its_version() -> None:
    run = make_run()
    query = answered(run, [0.9])
    GoldRevision.objects.create(
        project=run.project, evaluation_set=run.evaluation_set, query_key=query.key, version=2, gold=["elsewhere"]
    )
    classify(run.pk)
    run.refresh_from_db()
    assert current(query).label == "retrieval_miss"
    assert (current(query).gold_version, run.gold_version) == (2, 2)


def test_a_policy_that_knows_another_refusal_changes_what_is_right() -> None:
    run = make_run()
    query = make_query(
        run, [make_chunk(run)], gold=[], answerable=False, answer="No idea, mate.", correct=False, correct_in_file=None
    )
    classify(run.pk)
    assert current(query).label == "unscored"
    adopt(run.project, Policy(abstention_patterns=("no idea",)))
    classify(run.pk)
    query.refresh_from_db()
    assert (query.abstained, query.correct) == (True, True)
    assert not Suggestion.objects.filter(query=query, is_current=True).exists()


def test_batches_cover_every_query_once(settings: LazySettings) -> None:
    settings.CLASSIFY_BATCH_QUERIES = 2
    run = make_run()
    for _ in range(5):
        answered(run, [0.9])
    answered(make_run(), [0.9])
    summary = classify(run.pk)
    assert summary["outcomes"]["failing"] == Suggestion.objects.count() == 5


def test_the_number_of_sql_queries_does_not_grow_with_the_rows() -> None:
    counts = []
    for size in (2, 8):
        run = make_run()
        for _ in range(size):
            answered(run, [0.9, 0.1])
        with CaptureQueriesContext(connection) as captured:
            classify(run.pk)
        counts.append(len(captured))
    assert counts[0] == counts[1] < 40


@pytest.mark.django_db(transaction=True)
def test_two_at_the_same_time_leave_one_current_suggestion_each() -> None:
    run = make_run()
    for _ in range(20):
        answered(run, [0.9, 0.2])

    def work(_: int) -> None:
        try:
            classify(run.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert Suggestion.objects.count() == Suggestion.objects.filter(is_current=True).count() == 20
