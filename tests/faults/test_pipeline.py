"""Runs under way while workers, the queue and connections are killed: every run ends in the right state, once.

Workers and beat are real processes on this test's own database and on a queue of its own; the judge is rigged
(tests/faults/rigged.py). Waits of a minute are scaled down to seconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest
from django.db import connection
from django.db.models import Count

from config.embedded import places, valkey
from tests.conftest import ROOT
from tests.factories import make_chunk, make_claim, make_project, make_query, make_run
from triage.models import Project, Run, Score, Scoring, Suggestion

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


class Plant:
    """Workers and beat on a queue of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.queue = folder, folder / "queue"
        self.started: list[subprocess.Popen[bytes]] = []
        valkey.ensure(self.queue)
        database = connection.settings_dict
        self.environment = {
            **os.environ,
            "DATABASE_URL": f"postgresql://postgres@/{database['NAME']}?host={quote(str(database['HOST']))}"
            "&application_name=plant",
            "REDIS_URL": valkey.celery_url(self.queue),
            "RIG_FOLDER": str(folder),
            "RAG_TRIAGE_VAR": str(folder / "files"),
            "SWEEP_EVERY_S": "1",
            "VISIBILITY_TIMEOUT_S": "5",
            "SCORE_BATCH_QUERIES": "5",
            "REMAP_SIGTERM": "SIGQUIT",
        }

    def worker(self, concurrency: int = 2) -> subprocess.Popen[bytes]:
        """Start a worker with a process group of its own."""
        number = str(len(self.started))
        return self._start("worker", "--concurrency", str(concurrency), "--without-gossip", "-n", f"{number}@%h")

    def beat(self) -> subprocess.Popen[bytes]:
        """Start beat."""
        return self._start("beat", "--schedule", str(self.folder / "schedule"), "--pidfile", "")

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "celery", "-A", "tests.faults.rigged", *words, "--loglevel", "INFO"]
        with (self.folder / f"{words[0]}.log").open("ab") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        self.started.append(process)
        return process

    def queue_process(self) -> int:
        """Return the queue's process."""
        [pid] = places.living(valkey.data_folder(self.queue), valkey.PROGRAM)
        return pid

    def said(self) -> str:
        """Return the end of what the parts said."""
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in self.folder.glob("*.log"))

    def end(self) -> None:
        """Kill everything, pool processes too, and wait until the database is let go of."""
        for process in self.started:
            kill(process)
        valkey.stop(self.queue)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a part with all it started, as a lost container does."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.wait()


@pytest.fixture
def plant(transactional_db: None, tmp_path: Path) -> Iterator[Plant]:
    """A plant with beat and no worker yet. It ends before the rows are wiped."""
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    made = Plant(tmp_path)
    made.beat()
    yield made
    made.end()


def run_of(questions: list[str], project: Project | None = None, order: list[int] | None = None) -> Run:
    """Return an imported run that waits to be scored by the rigged judge: two claims and one chunk a query.

    `order`: the numbers of the queries as they stand in the file; None = 1 up.
    """
    run = make_run(project or make_project(judge_order=["lexical"]), state=Run.State.SCORING)
    for number, question in zip(order or range(1, len(questions) + 1), questions, strict=True):
        chunk = make_chunk(run, text=f"Lamp {number} of the hall is red and made of brass.")
        query = make_query(run, [chunk], question=question, answer=f"Lamp {number} is red. It is made of brass.")
        make_claim(query, f"Lamp {number} is red.")
        make_claim(query, f"Lamp {number} is made of brass.")
    return run


def plain(number: int) -> list[str]:
    """Return questions that do nothing odd."""
    return [f"What colour has lamp {index}?" for index in range(number)]


def wait_until(holds: Callable[[], bool], plant: Plant, timeout_s: float = 120) -> None:
    """Wait until it holds, or fail with what the parts said."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, plant.said()
        time.sleep(0.1)


def state(run: Run) -> str:
    """Return the run's state now."""
    return str(Run.objects.values_list("state", flat=True).get(pk=run.pk))


def done(run: Run) -> int:
    """Return how many of its queries are scored."""
    return Scoring.objects.filter(query__run=run, done_at__isnull=False).count()


def assert_consistent(run: Run, set_aside: int = 0) -> None:
    """Every query is in exactly one state, every pair has exactly one score, every failure exactly one suggestion."""
    queries = run.queries.count()
    assert state(run) == Run.State.DONE
    assert done(run) == queries - set_aside
    assert Scoring.objects.filter(query__run=run).exclude(quarantined="").count() == set_aside
    assert not Scoring.objects.filter(query__run=run, leased_until__isnull=False).exists(), "nothing is held"
    pairs = Score.objects.filter(claim__query__run=run)
    assert pairs.count() == 2 * (queries - set_aside)
    assert not pairs.values("claim", "chunk", "judge").annotate(times=Count("pk")).filter(times__gt=1).exists()
    current = Suggestion.objects.filter(query__run=run, is_current=True)
    assert current.count() == queries
    assert not current.values("query").annotate(times=Count("pk")).filter(times__gt=1).exists()


def test_F01_a_pool_process_killed_in_the_middle_costs_one_more_try_of_one_query(plant: Plant) -> None:
    questions = plain(30)
    questions[16] += " [kill once]"
    run = run_of(questions)
    plant.worker()
    wait_until(lambda: state(run) == "done", plant)
    assert_consistent(run)
    assert (plant.folder / f"killed-{run.queries.get(position=17).pk}").exists() or list(plant.folder.glob("killed-*"))
    tries = dict(Scoring.objects.filter(query__run=run).values_list("query__position", "attempts"))
    assert tries[17] == 2
    assert max(tries.values()) == 2


def test_F02_a_worker_killed_whole_in_the_middle_is_made_up_for_by_the_next(plant: Plant) -> None:
    run = run_of(plain(60))
    lost = plant.worker()
    wait_until(lambda: done(run) >= 10, plant)
    kill(lost)
    assert state(run) == "scoring"
    plant.worker()
    began = time.monotonic()
    wait_until(lambda: state(run) == "done", plant)
    assert time.monotonic() - began < 60
    assert_consistent(run)


def test_F05_the_queue_killed_with_work_queued_and_running_loses_nothing(plant: Plant) -> None:
    project = make_project(judge_order=["lexical"])
    runs = [run_of(plain(30), project) for _ in range(3)]
    worker = plant.worker()
    wait_until(lambda: done(runs[0]) >= 5, plant)
    os.kill(plant.queue_process(), signal.SIGKILL)
    time.sleep(1)
    valkey.ensure(plant.queue)
    wait_until(lambda: all(state(run) == "done" for run in runs), plant)
    assert worker.poll() is None, "the worker came back by itself"
    for run in runs:
        assert_consistent(run)


def test_F06_the_queue_wiped_in_the_middle_loses_nothing(plant: Plant) -> None:
    from redis import Redis

    run = run_of(plain(60))
    plant.worker()
    with Redis.from_url(valkey.redis_py_url(plant.queue)) as queue:
        for wanted in (5, 20, 35):
            wait_until(lambda wanted=wanted: done(run) >= wanted, plant)
            queue.flushall()
    wait_until(lambda: state(run) == "done", plant)
    assert_consistent(run)


def test_F10_connections_to_the_database_cut_again_and_again_lose_nothing(plant: Plant) -> None:
    run = run_of(plain(60))
    plant.worker()
    for wanted in (5, 15, 25, 35):
        wait_until(lambda wanted=wanted: done(run) >= wanted, plant)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND application_name = 'plant'"
            )
    wait_until(lambda: state(run) == "done", plant)
    assert_consistent(run)


def test_the_same_file_shuffled_with_two_workers_and_one_killed_half_way_gets_the_same_scores(plant: Plant) -> None:
    def words(run: Run) -> set[tuple[str, str, str, float | None, str]]:
        rows = Score.objects.filter(query__run=run).exclude(claim=None)
        fields = ("claim__text", "chunk__text", "judge__fingerprint", "value", "error")
        return set(rows.values_list(*fields))

    order = list(range(1, 41))
    calm = run_of(plain(40), order=order)
    alone = plant.worker(concurrency=1)
    wait_until(lambda: state(calm) == Run.State.DONE, plant)
    kill(alone)
    Random(5).shuffle(order)
    rough = run_of(plain(40), order=order)
    victim, _ = plant.worker(concurrency=1), plant.worker(concurrency=1)
    wait_until(lambda: done(rough) >= 15, plant)
    kill(victim)
    wait_until(lambda: state(rough) == Run.State.DONE, plant)
    assert_consistent(calm)
    assert_consistent(rough)
    assert words(rough) == words(calm)
    assert len(words(calm)) == 80


def test_F15_a_query_that_kills_whoever_reads_it_is_set_aside_and_the_others_finish(plant: Plant) -> None:
    questions = plain(20)
    questions[7] += " [kill]"
    run = run_of(questions)
    worker = plant.worker()
    wait_until(lambda: state(run) == "done", plant)
    assert_consistent(run, set_aside=1)
    poison = Scoring.objects.get(query__run=run, query__position=8)
    assert poison.attempts == 3
    assert "worker was lost 3 times" in poison.quarantined
    assert worker.poll() is None


def test_F17_a_query_that_takes_longer_than_the_visibility_timeout_is_read_once(plant: Plant) -> None:
    questions = plain(10)
    questions[3] += " [sleep 12]"
    run = run_of(questions)
    plant.worker()
    plant.worker()
    wait_until(lambda: state(run) == "done", plant)
    assert_consistent(run)
    assert Scoring.objects.get(query__run=run, query__position=4).attempts == 1


def test_F21_a_worker_told_to_stop_hands_back_what_it_has_not_finished(plant: Plant) -> None:
    run = run_of(plain(60))
    leaving = plant.worker()
    wait_until(lambda: done(run) >= 10, plant)
    leaving.send_signal(signal.SIGTERM)
    leaving.wait(timeout=40)
    plant.worker()
    wait_until(lambda: state(run) == "done", plant)
    assert_consistent(run)


def test_F21_a_worker_that_cannot_stop_is_gone_in_time_and_says_where_it_stood(plant: Plant) -> None:
    run = run_of(plain(60))
    plant.environment["RIG_STUCK"] = "yes"
    leaving = plant.worker()
    del plant.environment["RIG_STUCK"]
    wait_until(lambda: done(run) >= 10, plant)
    leaving.send_signal(signal.SIGTERM)
    assert leaving.wait(timeout=40) == 1
    assert "in on_cold_shutdown" in (plant.folder / "worker.log").read_text()
    plant.worker()
    wait_until(lambda: state(run) == "done", plant)
    assert_consistent(run)


def test_F20_messages_of_another_version_are_thrown_away_and_the_work_is_still_done(plant: Plant) -> None:
    """A newer release sent a task this worker does not know, and one it knows with more in it."""
    from kombu import Connection

    plant.worker()
    wait_until(lambda: "ready." in (plant.folder / "worker.log").read_text(), plant)
    run = run_of(plain(10))
    with Connection(valkey.celery_url(plant.queue)) as line:
        producer = line.Producer(serializer="json", routing_key="celery", auto_declare=False)
        for name, args, more in (
            ("triage.score_in_two_steps", [run.pk], {}),
            ("triage.score", [run.pk, [1], "a third"], {}),
            ("triage.advance", [run.pk], {"priority": "high"}),
        ):
            headers = {"lang": "py", "task": name, "id": name, "argsrepr": "", "kwargsrepr": ""}
            producer.publish([args, more, {}], headers=headers)
    wait_until(lambda: state(run) == "done", plant)
    wait_until(lambda: "triage.score_in_two_steps" in (plant.folder / "worker.log").read_text(), plant)
    assert_consistent(run)
    later = run_of(plain(3))
    wait_until(lambda: state(later) == "done", plant)


def test_SEC15_a_message_that_is_not_json_is_thrown_away_unread(plant: Plant) -> None:
    """A pickle would run code in the worker: here it would make a file."""
    from kombu import Connection, Queue

    trace, log = plant.folder / "ran", plant.folder / "worker.log"
    plant.worker()
    wait_until(lambda: "ready." in log.read_text(), plant)
    queue = Queue("celery")
    with Connection(valkey.celery_url(plant.queue)) as line:
        producer = line.Producer(serializer="pickle", routing_key="celery", auto_declare=False)
        headers = {"lang": "py", "task": "triage.advance", "id": "1", "argsrepr": "", "kwargsrepr": ""}
        producer.publish([[Trap(str(trace))], {}, {}], headers=headers, declare=[queue])
    wait_until(lambda: "Refusing to deserialize untrusted content of type pickle" in log.read_text(), plant)
    run = run_of(plain(3))
    wait_until(lambda: state(run) == "done", plant)
    assert not trace.exists()


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (self.path, "w")
