"""Measure the server time of the pages about where the loss is, on two releases of the same synthetic questions.

Run from the root of the repository: `python -m benchmarks.pages [QUERIES] [CHUNKS] [TIMES]`. Default: 10,000 queries
with 20 chunks each, every page 20 times. The runs come in through the product's own import, with recorded scores, and
are scored and classified by the product. Everything happens in one process and a database of its own; each time is
that of one whole request through Django's test client, middleware and template included. The target is 500 ms at p95.
Times depend on what else the machine does; the processor time beside them does not, but leaves out waiting.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import django

from tests import throwaway

if TYPE_CHECKING:
    from django.test import Client

    from triage.models import Project, Run

WORDS = [f"word{number}" for number in range(4_000)]
CORPUS, TOKENS, CLAIMS = 5_000, 60, 3
TOPICS = ["billing", "login", "export", "search", "import", "mobile"]
RELEASES = (("2026.10", 20), ("2026.11", 20))
#: Verdicts that come with the newer file, a simple random sample.
REVIEWED = 200
TARGET_MS = 500


@dataclass(frozen=True, slots=True)
class Timed:
    """One page: statements of one request, and the server times of all in milliseconds."""

    name: str
    statements: int
    median: float
    p95: float
    #: Processor time of one request: this process and its database session together; the mean, and the 95th percentile
    #: (the server counts in steps of 10 ms).
    cpu: float
    cpu_p95: float


def backend_ms() -> float:
    """Return the processor time that this process's database session has used, in ms (Linux; 0 elsewhere)."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        stat = Path(f"/proc/{cursor.fetchone()[0]}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def sentences(dice: random.Random, count: int) -> str:
    """Return text of about this many tokens."""
    return " ".join(dice.choices(WORDS, k=count))


def lines(release: str, queries: int, slots: int, seed: int) -> Iterator[bytes]:
    """Yield a run file: the corpus once, then queries of every class with verdicts and scores recorded."""
    told, dice = random.Random(7), random.Random(seed)
    run = {
        "kind": "run",
        "name": f"benchmark {release}",
        "release": release,
        "pipeline": "benchmark",
        "config": {"k": slots, "generator": release},
        "evaluation_set": {"name": "synthetic", "version": "1", "questions_from": "logs", "serving_k": slots},
    }
    yield json.dumps(run).encode() + b"\n"
    for number in range(CORPUS):
        chunk = {"kind": "chunk", "id": f"c{number}", "text": sentences(told, TOKENS), "document": f"d{number // 5}"}
        if number % 20 == 0:
            chunk["superseded_by"] = f"c{number + 1}"
        yield json.dumps(chunk).encode() + b"\n"
    for number in range(queries):
        yield json.dumps(query(told, dice, number, slots)).encode() + b"\n"


def query(told: random.Random, dice: random.Random, number: int, slots: int) -> dict[str, object]:
    """Return one query; `told` is the same for every release, `dice` is the release's own."""
    chosen, question = told.sample(range(CORPUS), slots + 1), sentences(told, 12)
    topic, hard = told.choice(TOPICS), told.choice(["one", "several"])
    is_right, kind = dice.random() < 0.6, dice.choice(["miss", "unsupported", "off topic", "still"])
    gold = chosen[slots] if not is_right and kind == "miss" else chosen[dice.randrange(slots)]
    supported = 0.1 if not is_right and kind == "unsupported" else 0.95
    claims = []
    for _ in range(CLAIMS):
        score = min(1.0, max(0.0, dice.gauss(supported, 0.05)))
        verdict = {"chunk": f"c{chosen[0]}", "score": score, "judge": "recorded"}
        claims.append({"text": sentences(dice, 10), "cites": [f"c{chosen[0]}"], "verdicts": [verdict]})
    line: dict[str, object] = {
        "id": f"q{number}",
        "question": question,
        "answer": sentences(dice, 40),
        "retrieved": [{"id": f"c{key}", "score": 1 - rank / 30} for rank, key in enumerate(chosen[:slots])],
        "gold": [f"c{gold}"],
        "correct": is_right,
        "claims": claims,
        "scores": {"answer_relevance": 0.3 if not is_right and kind == "off topic" else 0.9},
        "slice": {"topic": topic, "passages": hard},
        "latency_ms": dice.uniform(200, 2000),
        "context_tokens": slots * TOKENS,
    }
    if not is_right and number < REVIEWED * 5:
        label = told.choice(["retrieval_miss", "unsupported_claims", "still_wrong"])
        line["human"] = [{"label": label, "reviewer": "ann", "blind": True, "drawn": "random"}]
    return line


def build(queries: int, slots: int) -> Project:
    """Import, score and classify the releases; return their project, its judges calibrated by nobody."""
    from triage import intake
    from triage.ingest import ingest
    from triage.invite import default_project
    from triage.models import Project
    from triage.tasks.inprocess import run_to_end

    project = default_project()
    Project.objects.filter(pk=project.pk).update(judge_order=["recorded"])
    for seed, (release, _k) in enumerate(RELEASES, 1):
        began = time.perf_counter()
        upload = ingest(intake.store(project, None, f"{release}.jsonl", lines(release, queries, slots, seed)).pk)
        if upload.run_id is None:
            raise SystemExit(f"the import failed: {upload.reason}")
        imported = time.perf_counter()
        run_to_end(upload.run_id)
        done = time.perf_counter()
        print(f"{release}: imported in {imported - began:.1f} s, scored and classified in {done - imported:.1f} s")
    return project


def addresses(project: Project) -> dict[str, str]:
    """Return page -> address, of the newer run compared with the older one."""
    runs: list[Run] = list(project.runs.order_by("pk"))
    before, run = runs[0], runs[-1]
    queries = f"/runs/{run.key}/queries/"
    return {
        "dashboard": f"/p/{project.slug}/",
        "runs": f"/p/{project.slug}/runs/",
        "trend": f"/p/{project.slug}/trend/",
        "run": f"/runs/{run.key}/",
        "report": f"/runs/{run.key}/report/",
        "reports": f"/p/{project.slug}/reports/",
        "compare": f"/p/{project.slug}/compare/?run={before.key}&run={run.key}",
        "audit": f"/runs/{run.key}/audit/",
        "gate": f"/runs/{run.key}/gate/",
        "mend": f"/p/{project.slug}/mend/",
        "slices": f"/runs/{run.key}/slices/",
        "sources": f"/runs/{run.key}/sources/",
        "confidence": f"/runs/{run.key}/confidence/",
        "economics": f"/p/{project.slug}/economics/?run={before.key}&run={run.key}",
        "ladder": f"/p/{project.slug}/ladder/?run={before.key}&run={run.key}",
        "resample": f"/p/{project.slug}/resample/",
        "due": f"/p/{project.slug}/due/",
        "queries": queries,
        "queries, late": f"{queries}?after={run.counts['queries'] - 100}",
        "queries of a class": f"{queries}?label=still_wrong",
        "queries of a slice": f"{queries}?slice_key=topic&slice_value=billing",
        "queries with a word": f"{queries}?text=word77",
        "queries with no such word": f"{queries}?text=nowhere",
        "query": f"{queries}3/",
    }


def timed(client: Client, name: str, address: str, times: int) -> Timed:
    """Ask for a page once to warm up and count its statements, then so many times."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    connection.ensure_connection()
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(address)
        statements = len(captured)
    if answer.status_code != 200:
        raise SystemExit(f"{name}: {address} answered {answer.status_code}")
    took, used = [], []
    for _ in range(times):
        spent, began = time.process_time() * 1000 + backend_ms(), time.perf_counter()
        client.get(address)
        took.append((time.perf_counter() - began) * 1000)
        used.append(time.process_time() * 1000 + backend_ms() - spent)
    return Timed(name, statements, statistics.median(took), p95(took), statistics.mean(used), p95(used))


def p95(values: list[float]) -> float:
    """Return the 95th percentile: the least value that at least 95 of 100 do not exceed."""
    return sorted(values)[max(0, -(-95 * len(values) // 100) - 1)]


def owner(project: Project) -> Client:
    """Return a client logged in as an owner."""
    from django.contrib.auth.models import User
    from django.test import Client

    from triage.models import Member, Role

    user = User.objects.create_user(f"bench{time.time_ns()}")
    Member.objects.create(project=project, user=user, role=Role.OWNER)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return client


def main(queries: int = 10_000, slots: int = 20, times: int = 20) -> None:
    """Build the runs and print one row a page."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    show(build(queries, slots), times)


def show(project: Project, times: int) -> None:
    """Print the table."""
    client = owner(project)
    print("\n| page | statements | p50 ms | p95 ms | processor ms | under 500 |\n|---|---:|---:|---:|---:|---|")
    for name, address in addresses(project).items():
        one = timed(client, name, address, times)
        is_met = "yes" if one.p95 <= TARGET_MS else "no"
        print(
            f"| {name} | {one.statements} | {one.median:.0f} | {one.p95:.0f} | {one.cpu:.0f} | {is_met} |", flush=True
        )


if __name__ == "__main__":
    var = throwaway.start()
    try:
        django.setup()
        main(*map(int, sys.argv[1:]))
    finally:
        throwaway.stop(var)
