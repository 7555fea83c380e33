"""The driver, the tasks around it, and the same path in one process."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from celery import current_app
from celery.contrib.testing.worker import start_worker
from django.db import connection

from tests.factories import make_chunk, make_claim, make_judge, make_project, make_query, make_run
from triage import tasks
from triage.models import Run, Score, Scoring, Suggestion, Upload, WorkerHeartbeat
from triage.models.locks import held
from triage.score import panel_of
from triage.score.attempts import MAX_ATTEMPTS
from triage.tasks import driver, pulse, run_to_end, steering
from triage.tasks.driver import BATCHES_AT_ONCE, MAX_CLASSIFY_ATTEMPTS, Do, Step
from triage.tasks.leases import count_open, lease

pytestmark = pytest.mark.django_db


def make_small_run(queries: int = 3, **fields: object) -> Run:
    run = make_run(**fields)
    chunk = make_chunk(run, "c1", "The refund window is thirty days.")
    for number in range(queries):
        query = make_query(run, [chunk], gold=["c1"], answer="The refund window is thirty days.")
        make_claim(query, f"The refund window is {number} days.")
    return run


def state(run: Run) -> str:
    return Run.objects.get(pk=run.pk).state


def expire_leases() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE triage_scoring SET leased_until = statement_timestamp() - interval '1 second'")


def test_what_is_left_is_handed_out_once_in_file_order_and_in_bounded_batches(settings: object) -> None:
    settings.SCORE_BATCH_QUERIES = 2
    run = make_small_run(2 * BATCHES_AT_ONCE + 3)
    ids = list(run.queries.order_by("position").values_list("pk", flat=True))
    first = driver.next_step(run.pk)
    assert first.do is Do.SCORE
    assert [query for batch in first.batches for query in batch] == ids[: 2 * BATCHES_AT_ONCE]
    assert {len(batch) for batch in first.batches} == {2}
    assert driver.next_step(run.pk) == Step(Do.WAIT)


def test_a_batch_whose_lease_ran_out_is_handed_out_again() -> None:
    run = make_small_run(2)
    first = driver.next_step(run.pk)
    expire_leases()
    assert driver.next_step(run.pk) == first


def test_two_callers_never_lease_the_same_query(transactional_db: None) -> None:
    run, got = make_small_run(40), list[int]()

    def take() -> None:
        while ids := lease(run.pk, "panel", 3):
            got.extend(ids)
        connection.close()

    callers = [threading.Thread(target=take) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert sorted(got) == sorted(run.queries.values_list("pk", flat=True))


def test_what_is_done_or_given_up_is_not_left() -> None:
    run = make_small_run(3)
    one, two, _ = run.queries.order_by("position")
    Scoring.objects.create(query=one, panel="panel", quarantined="Gave up.")
    Scoring.objects.create(query=two, panel="another", quarantined="Gave up.")
    assert count_open(run.pk, "panel") == (2, 0)
    assert len(lease(run.pk, "panel", 10)) == 2
    assert count_open(run.pk, "panel") == (2, 2)


def test_a_run_of_another_project_is_not_handed_out() -> None:
    run, other = make_small_run(1), make_small_run(1)
    assert driver.next_step(run.pk).batches == ((run.queries.get().pk,),)
    assert driver.next_step(other.pk).batches == ((other.queries.get().pk,),)


def test_a_run_without_queries_is_classified_at_once() -> None:
    run = make_run()
    assert driver.next_step(run.pk) == Step(Do.CLASSIFY)
    assert state(run) == "classifying"


@pytest.mark.parametrize("finished", ["done", "paused", "failed", "cancelled"])
def test_a_run_that_is_not_under_way_wants_nothing(finished: str) -> None:
    run = make_small_run(state=finished)
    assert driver.next_step(run.pk) == Step(Do.NOTHING)
    assert not Scoring.objects.exists()


def test_a_run_that_is_gone_wants_nothing() -> None:
    assert driver.next_step(10**9) == Step(Do.NOTHING)


def test_a_project_with_an_unknown_judge_fails_the_run_with_the_reason() -> None:
    run = make_small_run(project=make_project(judge_order=["oracle"]))
    assert driver.next_step(run.pk) == Step(Do.NOTHING)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "'oracle'" in run.state_reason


def test_a_run_is_taken_to_its_end_in_this_process() -> None:
    run = run_to_end(make_small_run(3).pk)
    assert run.state == "done"
    assert run.finished_at is not None
    assert run.summary["outcomes"] == {"failing": 3, "correct": 0, "undecided": 0}
    assert sum(run.summary["classes"].values()) == 3
    assert Suggestion.objects.filter(query__run=run, is_current=True).count() == 3
    assert Scoring.objects.filter(query__run=run, done_at__isnull=False).count() == 3


def test_taking_a_finished_run_to_its_end_does_nothing() -> None:
    run = run_to_end(make_small_run(2).pk)
    before = list(Score.objects.order_by("pk").values())
    assert run_to_end(run.pk).finished_at == run.finished_at
    assert list(Score.objects.order_by("pk").values()) == before


def test_P10_a_query_that_was_given_up_leaves_the_run_done_and_the_query_unscored() -> None:
    run = make_small_run(2)
    lost = run.queries.order_by("position")[0]
    Scoring.objects.create(query=lost, panel=panel_of(run.project).fingerprint, attempts=MAX_ATTEMPTS)
    run_to_end(run.pk)
    assert state(run) == "done"
    assert Suggestion.objects.get(query=lost, is_current=True).label == "unscored"


def test_F18_a_run_whose_model_is_missing_is_scored_without_it_and_says_so(settings: object) -> None:
    settings.JUDGES = {"mine": {"kind": "nli", "model": "/no/such/folder"}}
    run = run_to_end(make_small_run(2, project=make_project(judge_order=["recorded", "mine"])).pk)
    assert run.state == "done"
    assert "The judge mine is not asked." in run.state_reason
    assert set(Score.objects.values_list("judge__name", flat=True)) == {"lexical"}
    run.project.judge_order = ["recorded", "lexical"]
    run.project.save()
    assert steering.rescore(run)
    assert run_to_end(run.pk).state_reason == ""


def test_classifying_is_given_up_after_three_lost_workers() -> None:
    run = make_small_run(state="classifying")
    Run.objects.filter(pk=run.pk).update(classify_attempts=MAX_CLASSIFY_ATTEMPTS)
    tasks.classify(run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "Retry" in run.state_reason


def test_only_one_worker_classifies_a_run_at_a_time(transactional_db: None) -> None:
    run = make_small_run(state="classifying")
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with held(f"classify:{run.pk}"):
            taken.set()
            done.wait(10)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait(10)
    tasks.classify(run.pk)
    assert state(run) == "classifying"
    assert Run.objects.get(pk=run.pk).classify_attempts == 0
    done.set()
    holder.join()
    tasks.classify(run.pk)
    assert state(run) == "done"


def test_a_paused_run_is_not_scored_and_goes_on_when_resumed() -> None:
    run = make_small_run()
    ids = list(run.queries.values_list("pk", flat=True))
    assert steering.pause(run)
    tasks.score(run.pk, ids)
    assert not Score.objects.exists()
    assert not steering.pause(run)
    assert steering.resume(run)
    assert run_to_end(run.pk).state == "done"


def test_a_cancelled_run_keeps_its_scores_and_can_go_on() -> None:
    run = make_small_run()
    tasks.score(run.pk, [run.queries.order_by("position")[0].pk])
    count = Score.objects.count()
    assert steering.cancel(run)
    assert driver.next_step(run.pk).do is Do.NOTHING
    assert Score.objects.count() == count > 0
    assert steering.resume(run)
    assert run_to_end(run.pk).state == "done"


@pytest.mark.parametrize("click", [steering.pause, steering.cancel, steering.resume])
def test_a_finished_run_can_neither_be_paused_nor_cancelled_nor_resumed(click: object) -> None:
    run = run_to_end(make_small_run(1).pk)
    assert not click(run)
    assert state(run) == "done"


def test_retry_tries_what_was_given_up_again() -> None:
    run = make_small_run(2)
    panel = panel_of(run.project).fingerprint
    Scoring.objects.create(query=run.queries.order_by("position")[0], panel=panel, attempts=MAX_ATTEMPTS)
    run = run_to_end(run.pk)
    assert steering.retry(run)
    run = run_to_end(run.pk)
    assert run.state == "done"
    assert Scoring.objects.filter(done_at__isnull=False).count() == 2
    assert not steering.retry(run)


def test_F54_a_changed_panel_scores_a_finished_run_anew_and_keeps_the_old_scores() -> None:
    run = run_to_end(make_small_run(2).pk)
    make_judge("somebody else")
    run.project.judge_order = ["lexical"]
    run.project.save()
    before = Score.objects.count()
    assert steering.rescore(run)
    assert run_to_end(run.pk).state == "done"
    assert Score.objects.count() == before
    assert Scoring.objects.count() == 4


def test_the_pulse_is_one_row_a_worker_by_the_databases_clock() -> None:
    pulse.beat("worker@here", "score")
    first = WorkerHeartbeat.objects.get()
    pulse.beat("worker@here")
    again = WorkerHeartbeat.objects.get()
    assert again.seen_at > first.seen_at
    assert (first.doing, again.doing) == ("score", "")
    pulse.stop("worker@here")
    assert not WorkerHeartbeat.objects.exists()


@pytest.fixture
def worker(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A real Celery worker in a thread of this process, on the test run's own Redis."""
    monkeypatch.setattr(pulse, "EVERY_S", 0.0)
    current_app.control.purge()
    with start_worker(current_app, perform_ping_check=False, shutdown_timeout=30, without_heartbeat=False):
        yield


def wait_for(run: Run, wanted: str, seconds: float = 30) -> None:
    done = threading.Event()
    for _ in range(int(seconds * 20)):
        if state(run) == wanted:
            return
        done.wait(0.05)
    raise AssertionError(f"the run is {state(run)} after {seconds} s, not {wanted}")


def wait_for_run(upload: Upload, seconds: float = 30) -> None:
    pause = threading.Event()
    for _ in range(int(seconds * 20)):
        upload.refresh_from_db()
        if upload.run is not None and state(upload.run) == "done":
            return
        pause.wait(0.05)
    raise AssertionError(f"the upload is {upload.state} after {seconds} s: {upload.reason}")


def test_a_worker_takes_a_run_to_its_end_after_one_message(worker: None, settings: object) -> None:
    settings.SCORE_BATCH_QUERIES = 2
    run = make_small_run(20)
    assert tasks.advance_soon(run.pk)
    wait_for(run, "done")
    assert Scoring.objects.filter(done_at__isnull=False).count() == 20
    assert WorkerHeartbeat.objects.exists()


def test_F04_F05_a_sweep_finds_the_runs_whose_messages_were_lost(worker: None) -> None:
    run, other = make_small_run(3), make_small_run(3, state="classifying")
    tasks.sweep.delay()
    wait_for(run, "done")
    wait_for(other, "done")


def test_F16_the_same_message_twice_gives_the_same_rows(worker: None) -> None:
    run = make_small_run(6)
    ids = list(run.queries.values_list("pk", flat=True))
    for _ in range(3):
        tasks.score.delay(run.pk, ids)
        tasks.advance.delay(run.pk)
    wait_for(run, "done")
    assert Score.objects.filter(claim__isnull=False).count() == 6
    assert Suggestion.objects.filter(is_current=True).count() == 6


def test_F07_a_run_is_accepted_while_the_queue_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from kombu.exceptions import OperationalError

    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.advance, "apply_async", refuse)
    assert not tasks.advance_soon(make_small_run(1).pk)


def test_F04_F05_an_upload_whose_message_was_lost_is_read_after_a_sweep(worker: None, settings: object) -> None:
    settings.UPLOAD_DIR.mkdir(parents=True, exist_ok=True)
    line = b'{"id": "q1", "question": "Why?", "answer": "The plan is free.", "correct": false, "retrieved": ["c1"]}\n'
    (settings.UPLOAD_DIR / "lost-message").write_bytes(line)
    upload = Upload.objects.create(
        project=make_project(), file_name="run.jsonl", stored_as="lost-message", size_bytes=len(line), sha256="0" * 64
    )
    tasks.sweep.delay()
    wait_for_run(upload)


def test_tasks_take_ids_and_keep_no_results() -> None:
    assert current_app.conf.accept_content == ["json"]
    assert current_app.conf.result_backend is None
    assert {"triage.advance", "triage.score", "triage.classify", "triage.sweep"} <= set(current_app.tasks)
