"""The verb that asks the judges."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_chunk, make_claim, make_project, make_query, make_run
from tests.triage.judges.doubles import CountingJudge, FailingWords, PaidLexical
from triage.core.judging import Task
from triage.judges.lexical import LexicalGrounding, LexicalRelevance
from triage.judges.panel import Panel
from triage.judges.recorded import RecordedGrounding, RecordedRelevance
from triage.models import Claim, Judge, Query, Run, Score, Scoring
from triage.score import UnknownJudgeError, panel_of, score
from triage.score.attempts import GAVE_UP, MAX_ATTEMPTS, working_on

pytestmark = pytest.mark.django_db


def ids(run: Run) -> list[int]:
    return list(run.queries.order_by("position").values_list("pk", flat=True))


def words(run: Run) -> list[tuple[str, str, str, float | None, str]]:
    """Every score of the run as plain values, in a stable order."""
    rows = Score.objects.filter(query__run=run).values_list(
        "query__key", "claim__text", "chunk__key", "value", "judge__name"
    )
    return sorted(rows, key=repr)


def make_small_run(queries: int = 3) -> Run:
    run = make_run()
    chunks = [make_chunk(run, f"c{i}", f"The refund window of plan {i} is {i}0 days. Ask support.") for i in (1, 2)]
    for number in range(1, queries + 1):
        query = make_query(
            run, chunks, question="What is the refund window?", answer=f"It is {number}0 days for the plan."
        )
        make_claim(query, f"The refund window of plan {number} is {number}0 days.")
    return run


def test_every_claim_is_scored_against_every_chunk_and_every_answer_against_its_question() -> None:
    run = make_small_run()
    scored = score(run.pk, ids(run))
    assert (scored.done, scored.failed, scored.set_aside, scored.left) == (3, 0, 0, 0)
    assert Score.objects.filter(claim__isnull=False, chunk__isnull=False).count() == 6
    assert Score.objects.filter(claim__isnull=True).count() == 3
    assert not run.queries.all().unscored_by(panel_of(run.project).fingerprint).exists()


def test_the_judge_of_a_score_is_kept_with_its_identity() -> None:
    run = make_small_run(1)
    score(run.pk, ids(run))
    identities = {judge.identity() for judge in Judge.objects.all()}
    assert {LexicalGrounding().identity, LexicalRelevance().identity} <= identities
    assert set(Score.objects.values_list("judge__fingerprint", flat=True)) == {
        LexicalGrounding().identity.fingerprint,
        LexicalRelevance().identity.fingerprint,
    }


def test_whoever_spoke_first_counts_and_the_next_judge_fills_what_is_missing() -> None:
    run = make_run()
    chunk = make_chunk(run, "c1", "The plan is free.")
    query = make_query(run, [chunk], scores=[{"metric": "answer_relevance", "value": 0.9}])
    said = make_claim(query, "The plan is free.", recorded=[{"chunk": "c1", "label": "unsupported", "score": 0.2}])
    unsaid = make_claim(query, "The plan is cheap.", recorded=[{"chunk": "c1", "label": None, "score": 7.0}])
    score(run.pk, ids(run))
    assert list(said.judge_scores.values_list("judge__name", "value", "label")) == [("recorded", 0.2, "unsupported")]
    assert list(unsaid.judge_scores.values_list("judge__name", flat=True)) == ["lexical"]
    assert list(Score.objects.filter(claim__isnull=True).values_list("judge__name", "value")) == [("recorded", 0.9)]


def test_a_score_made_by_another_tool_is_not_the_recorded_judges() -> None:
    run = make_small_run(1)
    run.queries.update(scores=[{"metric": "answer_relevance", "value": 0.9, "tool": "ragas"}])
    score(run.pk, ids(run))
    assert Score.objects.get(claim__isnull=True).judge.name == "lexical"


def test_a_verdict_on_the_whole_context_is_kept_without_a_chunk() -> None:
    run = make_run()
    query = make_query(run, [make_chunk(run, "c1")])
    claim = make_claim(query, recorded=[{"chunk": None, "label": "supported", "score": None}])
    score(run.pk, ids(run))
    assert list(claim.judge_scores.values_list("chunk", "value", "label")) == [(None, None, "supported")]


def test_verdicts_count_where_the_file_does_not_say_what_was_retrieved() -> None:
    run = make_run()
    make_chunk(run, "c1", "The plan is free.")
    query = make_query(run, retrieval_known=False)
    said = make_claim(query, recorded=[{"chunk": "c1", "label": "supported", "score": None}])
    unsaid = make_claim(query)
    score(run.pk, ids(run))
    assert list(said.judge_scores.values_list("chunk__key", "label")) == [("c1", "supported")]
    assert not unsaid.judge_scores.exists()


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_chunk_without_text_gets_no_score_and_the_query_is_done(text: str | None) -> None:
    run = make_run()
    make_claim(make_query(run, [make_chunk(run, "c1", text)]))
    assert score(run.pk, ids(run)).done == 1
    assert not Score.objects.filter(claim__isnull=False).exists()


def test_a_duplicate_slot_is_scored_once() -> None:
    run = make_run()
    chunk = make_chunk(run, "c1")
    make_claim(make_query(run, [chunk, chunk]))
    score(run.pk, ids(run))
    assert Score.objects.filter(chunk=chunk).count() == 1


@pytest.mark.parametrize(
    "fields", [{"abstained": True, "answer": "I do not know."}, {"answer": None}, {"answer": "  "}], ids=repr
)
def test_F42_an_answer_that_declines_is_neither_cut_nor_rated(fields: dict[str, object]) -> None:
    run = make_run()
    make_query(run, [make_chunk(run)], **fields)
    assert score(run.pk, ids(run)).done == 1
    assert not Score.objects.exists()
    assert not Claim.objects.exists()


def test_an_answer_without_claims_is_cut_once_with_its_citations() -> None:
    run = make_run()
    chunks = [make_chunk(run, "c1", document="plans.md"), make_chunk(run, "c2")]
    answer = "The plan is free of charge [1]. It has some limits [c9][plans.md]."
    query = make_query(run, chunks, answer=answer)
    score(run.pk, ids(run))
    score(run.pk, ids(run))
    claims = list(query.claims.order_by("position"))
    assert [(claim.text, claim.source) for claim in claims] == [
        ("The plan is free of charge [1].", "split"),
        ("It has some limits [c9][plans.md].", "split"),
    ]
    assert all(answer[claim.span_start : claim.span_end] == claim.text for claim in claims)
    assert list(claims[0].citations.values_list("cited", "chunk__key", "whole_document")) == [("c1", "c1", False)]
    assert list(claims[1].citations.order_by("position").values_list("cited", "chunk__key", "whole_document")) == [
        ("c9", None, False),
        ("plans.md", None, True),
    ]
    assert Score.objects.filter(claim__isnull=False).count() == 4


def test_claims_that_came_with_the_file_are_not_cut_again() -> None:
    run = make_run()
    make_claim(make_query(run, [make_chunk(run)], answer="One thing is so. Another thing is so."), "Just this.")
    score(run.pk, ids(run))
    assert list(Claim.objects.values_list("text", flat=True)) == ["Just this."]


def test_a_claim_a_person_replaced_is_not_scored_again() -> None:
    run = make_run()
    query = make_query(run, [make_chunk(run)])
    old, new = make_claim(query, "Old.", is_current=False), make_claim(query, "New one here.", source="person")
    score(run.pk, ids(run))
    assert not old.judge_scores.exists()
    assert new.judge_scores.exists()


def test_F16_scoring_twice_changes_nothing() -> None:
    run = make_small_run()
    score(run.pk, ids(run))
    before = list(Score.objects.order_by("pk").values())
    scored = score(run.pk, ids(run))
    assert list(Score.objects.order_by("pk").values()) == before
    assert scored.done == 0


def test_the_same_file_in_another_order_and_other_batches_gets_the_same_scores() -> None:
    one, other = make_small_run(5), make_small_run(5)
    score(one.pk, ids(one))
    for query in ids(other)[::-1]:
        score(other.pk, [query])
    assert words(one) == words(other)


def test_a_judge_reads_the_same_texts_once_across_runs_of_a_project() -> None:
    run, judge = make_small_run(), CountingJudge()
    panel = Panel((judge,), ())
    score(run.pk, ids(run), panel=panel)
    assert len(judge.asked) == 6
    again = make_run(run.project)
    for query in run.queries.order_by("position"):
        copy = make_query(again, [slot.chunk for slot in query.retrieved.order_by("rank")], answer=query.answer)
        make_claim(copy, query.claims.get().text)
    judge.asked.clear()
    assert score(again.pk, ids(again), panel=panel).done == 3
    assert judge.asked == []
    assert words(again) == words(run)


def test_a_judge_reads_only_the_chunks_it_has_not_read() -> None:
    run, judge = make_small_run(1), CountingJudge()
    score(run.pk, ids(run), panel=Panel((judge,), ()))
    judge.asked.clear()
    new = make_chunk(run, "new", "Another text.")
    query = run.queries.get()
    wider = make_query(run, [slot.chunk for slot in query.retrieved.all()] + [new])
    claim = make_claim(wider, query.claims.get().text)
    score(run.pk, [wider.pk], panel=Panel((judge,), ()))
    assert judge.asked == [(claim.text, "new")]
    assert claim.judge_scores.count() == 3


def test_another_project_shares_no_scores() -> None:
    run, judge = make_small_run(1), CountingJudge()
    score(run.pk, ids(run), panel=Panel((judge,), ()))
    judge.asked.clear()
    other = make_small_run(1)
    score(other.pk, ids(other), panel=Panel((judge,), ()))
    assert len(judge.asked) == 2


def test_a_new_identity_is_asked_again_and_the_old_scores_stay() -> None:
    run = make_small_run(1)
    score(run.pk, ids(run), panel=Panel((CountingJudge("one"),), ()))
    score(run.pk, ids(run), panel=Panel((CountingJudge("two"),), ()))
    assert set(Score.objects.values_list("judge__name", flat=True)) == {"one", "two"}
    assert Score.objects.count() == 4


def poison(claim: str) -> None:
    if "plan 2" in claim:
        raise RuntimeError("cannot read this")


def test_P18_one_query_that_a_judge_fails_on_leaves_the_others_done() -> None:
    run = make_small_run()
    scored = score(run.pk, ids(run), panel=Panel((CountingJudge(before=poison),), ()))
    assert (scored.done, scored.failed) == (2, 1)
    failed = Scoring.objects.get(done_at__isnull=True)
    assert failed.query.position == 2
    assert failed.attempts == 1
    assert failed.leased_until is not None


def test_after_three_attempts_the_fault_is_the_judges_word_and_the_next_judge_is_asked() -> None:
    run = make_small_run()
    panel = Panel((CountingJudge(before=poison), LexicalGrounding()), ())
    for _ in range(MAX_ATTEMPTS):
        last = score(run.pk, ids(run), panel=panel)
    assert last.set_aside == 1
    scoring = Scoring.objects.get(query__position=2)
    assert scoring.quarantined == "RuntimeError: cannot read this"
    rows = Score.objects.filter(query__position=2).order_by("judge__name", "chunk__key")
    assert [(row.judge.name, bool(row.error), row.value is None) for row in rows] == [
        ("counting", True, True),
        ("counting", True, True),
        ("lexical", False, False),
        ("lexical", False, False),
    ]
    assert not run.queries.all().unscored_by(panel.fingerprint).exists()


def test_error_words_are_kept_and_the_next_judge_fills_in() -> None:
    run = make_small_run(1)
    panel = Panel((FailingWords(), LexicalGrounding()), (FailingWords(task=Task.RELEVANCE), LexicalRelevance()))
    assert score(run.pk, ids(run), panel=panel).done == 1
    assert Score.objects.filter(error="unreadable", value=None).count() == 3
    assert Score.objects.filter(error="", judge__name="lexical").count() == 3


def test_F14_a_query_that_needs_more_memory_than_there_is_is_set_aside_and_the_others_finish() -> None:
    run = make_small_run()

    def more_than_there_is(claim: str) -> None:
        if "plan 2" in claim:
            bytearray(1 << 60)

    panel = Panel((CountingJudge(before=more_than_there_is),), ())
    scored = [score(run.pk, ids(run), panel=panel) for _ in range(MAX_ATTEMPTS)]
    assert [one.done for one in scored] == [2, 0, 0]
    assert scored[-1].set_aside == 1
    given_up = Scoring.objects.exclude(quarantined="").get()
    assert (given_up.query.position, given_up.attempts) == (2, MAX_ATTEMPTS)
    assert given_up.quarantined.startswith("MemoryError")


def test_F15_a_query_whose_worker_was_lost_three_times_is_set_aside_unread() -> None:
    run, judge = make_small_run(1), CountingJudge()
    panel = Panel((judge,), ())
    Scoring.objects.create(query=run.queries.get(), panel=panel.fingerprint, attempts=MAX_ATTEMPTS)
    assert score(run.pk, ids(run), panel=panel).set_aside == 1
    assert Scoring.objects.get().quarantined == GAVE_UP
    assert judge.asked == []


def test_an_attempt_is_counted_before_the_judge_reads() -> None:
    run = make_small_run(1)
    seen: list[int] = []
    judge = CountingJudge(before=lambda claim: seen.append(Scoring.objects.get().attempts))
    score(run.pk, ids(run), panel=Panel((judge,), ()))
    assert seen == [1, 1]


def test_no_query_is_begun_after_the_time_is_up() -> None:
    run, judge = make_small_run(), CountingJudge()
    scored = score(run.pk, ids(run), budget_s=-1.0, panel=Panel((judge,), ()))
    assert scored.left == 3
    assert judge.asked == []
    assert set(Scoring.objects.values_list("attempts", flat=True)) == {0}


def test_a_query_too_big_for_one_turn_keeps_what_it_has_and_goes_on_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.score.verb.PAIRS_AT_ONCE", 2)
    run, judge = make_small_run(1), CountingJudge(before=lambda claim: time.sleep(0.3))
    for number in range(3):
        make_claim(run.queries.get(), f"Further claim number {number}.")
    panel = Panel((judge,), ())
    turns = 0
    while run.queries.all().unscored_by(panel.fingerprint).exists():
        score(run.pk, ids(run), budget_s=0.5, panel=panel)
        turns += 1
    assert turns > 1
    assert len(judge.asked) == 8
    assert Score.objects.count() == 8


def test_a_query_held_by_another_connection_is_left_alone(transactional_db: None) -> None:
    run, judge = make_small_run(1), CountingJudge()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with working_on(run.queries.get().pk) as is_mine:
            assert is_mine
            held.set()
            done.wait(10)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    scored = score(run.pk, ids(run), panel=Panel((judge,), ()))
    done.set()
    holder.join()
    assert scored.left == 1
    assert judge.asked == []


def test_two_workers_on_the_same_batch_make_each_score_once(transactional_db: None) -> None:
    run = make_small_run(6)
    panel = Panel((RecordedGrounding(), LexicalGrounding()), (RecordedRelevance(), LexicalRelevance()))

    def work() -> None:
        score(run.pk, ids(run), panel=panel)
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    score(run.pk, ids(run), panel=panel)
    assert Score.objects.filter(claim__isnull=False).count() == 12
    assert Score.objects.filter(claim__isnull=True).count() == 6
    assert Scoring.objects.filter(done_at__isnull=False).count() == 6


def test_a_judge_with_a_budget_hears_what_its_run_has_spent() -> None:
    run, other, judge = make_small_run(2), make_small_run(1), PaidLexical()
    score(run.pk, ids(run)[:1], panel=Panel((judge,), ()))
    score(other.pk, ids(other), panel=Panel((judge,), ()))
    score(run.pk, ids(run), panel=Panel((judge,), ()))
    assert judge.told == [0, 0, 2]


def test_the_operators_judges_are_known_by_their_names(settings: object) -> None:
    settings.JUDGES = {"mine": {"kind": "llm", "endpoint": "http://127.0.0.1:9/v1", "model": "m"}}
    panel = panel_of(make_project(judge_order=["recorded", "mine"]))
    assert [judge.identity.name for judge in panel.grounding] == ["recorded", "mine"]
    assert [judge.identity.name for judge in panel.relevance] == ["recorded", "mine"]


def test_an_operators_model_that_is_not_there_is_noted_and_left_out(settings: object) -> None:
    settings.JUDGES = {"mine": {"kind": "nli", "model": "/no/such/folder"}}
    panel = panel_of(make_project(judge_order=["mine"]))
    assert [judge.identity.name for judge in panel.grounding] == ["lexical"]
    assert "The judge mine is not asked." in panel.notes[0]


def test_a_judge_that_does_not_exist_is_named() -> None:
    run = make_run(make_project(judge_order=["oracle"]))
    make_query(run)
    with pytest.raises(UnknownJudgeError, match="'oracle'"):
        score(run.pk, ids(run))


def test_a_query_of_another_run_is_not_touched() -> None:
    run, other = make_small_run(1), make_small_run(1)
    score(run.pk, ids(other))
    assert not Score.objects.exists()


@pytest.fixture
def settled_run() -> Run:
    run = make_small_run(2)
    score(run.pk, ids(run))
    return run


def test_a_batch_wholly_known_costs_the_same_number_of_statements_whatever_its_size(settled_run: Run) -> None:
    def statements(size: int) -> int:
        again = make_run(settled_run.project)
        source = settled_run.queries.order_by("position")[0]
        for _ in range(size):
            copy = make_query(
                again, [s.chunk for s in source.retrieved.all()], question=source.question, answer=source.answer
            )
            Query.objects.filter(pk=copy.pk).update(key_hash=source.key_hash if size == 1 else copy.key_hash)
            make_claim(copy, source.claims.get().text)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert score(again.pk, ids(again), panel=Panel((LexicalGrounding(),), ())).done == size
        return len(captured)

    assert statements(1) == statements(8)
