"""The Python client against a live server, and against one that is busy, away or talks nonsense."""

from __future__ import annotations

import json
import re
import runpy
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import ragtriage
from celery import current_app
from django.conf import settings as django_settings
from django.db.models.functions import Now
from pytest_django.live_server_helper import LiveServer
from ragtriage import ApiError, AwayError, Client, ImportFailedError, WebhookError, verify_webhook

from labeling.export import run_file
from labeling.report import render, report
from tests.factories import make_member, make_project, make_run
from triage.models import Project, Role, Run, Scope, Upload, WorkerHeartbeat
from triage.outbound import signature
from triage.tokens import make

ROOT = Path(django_settings.BASE_DIR)
DEMO = ROOT / "triage" / "demo" / "tallyrook_2026_11.jsonl"
live = pytest.mark.django_db(transaction=True)
PASSAGES = ["The parcel limit is 30 kilograms."]


@pytest.fixture
def project() -> Iterator[Project]:
    """A project; tasks run as they are sent."""
    WorkerHeartbeat.objects.create(name="w", seen_at=Now())
    current_app.conf.task_always_eager = True
    yield make_project(name="Tallyrook help")
    current_app.conf.task_always_eager = False


@pytest.fixture
def secret(project: Project) -> str:
    return make(project, make_member(project, Role.LEAD), "client", Scope.values, 1)[1]


@pytest.fixture
def client(live_server: LiveServer, secret: str) -> Client:
    return Client(live_server.url, token=secret)


@live
def test_from_a_file_to_a_release_note(client: Client, project: Project, tmp_path: Path) -> None:
    run = client.wait(client.upload_run(DEMO, key="build-1"), every_s=0.1)
    row = Run.objects.select_related("project").get(key=run.key)
    assert (run.state, row.state, row.project) == ("done", "done", project)
    assert run.classes == row.summary["classes"]
    assert client.upload_run(DEMO, key="build-1") == Upload.objects.get().key
    assert client.report(run.key) == render(report(row), "md").text
    assert client.gate(run.key).result in {"pass", "fail", "not_decided"}
    assert "pass" in str(client.gate(run.key, strict=True)) or "fail" in str(client.gate(run.key, strict=True))
    assert client.export(run.key, "run", tmp_path / "out.jsonl") == b""
    with (tmp_path / "open.jsonl").open("wb") as opened:
        client.export(run.key, "run", opened)
    assert (tmp_path / "open.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes() == client.export(run.key)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["open.jsonl", "out.jsonl"]
    assert (tmp_path / "out.jsonl").read_text("utf-8") == "".join(run_file(row))
    assert [one.key for one in client.runs()] == [run.key]


@live
def test_a_run_is_cancelled_and_one_that_has_ended_stays(client: Client, project: Project) -> None:
    under_way, ended = make_run(project), make_run(project, state=Run.State.DONE)
    assert client.cancel(under_way.key).state == "cancelled"
    assert Run.objects.get(pk=under_way.pk).state == "cancelled"
    assert client.cancel(ended.key).state == "done"


@live
def test_rows_are_a_file_too(client: Client) -> None:
    rows = [{"id": "1", "question": "How heavy?", "answer": "30 kilograms.", "retrieved": [], "correct": False}]
    assert client.wait(client.upload_run(rows), every_s=0.1).told["counts"]["queries"] == 1


@live
def test_an_answer_is_checked(client: Client) -> None:
    good = client.check_grounding("How heavy?", "The parcel limit is 30 kilograms.", PASSAGES)
    bad = client.check_grounding(
        "How heavy?", "Elephants never sleep in winter.", PASSAGES, claims=["Elephants sleep."]
    )
    assert (good.decision, bad.decision) == ("allow", "block")
    assert [claim.text for claim in bad.claims] == ["Elephants sleep."]
    assert not good.calibrated


@live
def test_what_goes_wrong_is_told_in_the_servers_words(client: Client, live_server: LiveServer) -> None:
    with pytest.raises(ImportFailedError, match=r"\w"):
        client.wait(client.upload_run([{"nonsense": 1}]), every_s=0.1)
    with pytest.raises(ApiError) as fault:
        client.run(make_run().key)
    assert (fault.value.status, fault.value.code) == (404, "not_found")
    assert fault.value.remedy
    with pytest.raises(ApiError, match="unknown, expired or revoked"):
        Client(live_server.url, token="ragt_no_no").gate("x")


@live
def test_the_recipe_of_the_docs_works(
    secret: str, live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "api.md").read_text("utf-8"), re.DOTALL)[0]
    assert len(recipe.splitlines()) <= 24
    row = {
        "user_input": "How heavy may a parcel be?",
        "retrieved_contexts": PASSAGES,
        "response": "The parcel limit is 30 kilograms.",
        "reference": "30 kilograms.",
        "faithfulness": 1.0,
    }
    (tmp_path / "ragas.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "recipe.py").write_text(recipe, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_TRIAGE_URL", live_server.url)
    monkeypatch.setenv("RAG_TRIAGE_TOKEN", secret)
    with pytest.raises(SystemExit) as end:
        runpy.run_path("recipe.py")
    assert end.value.code in {0, 1, 3}
    assert (tmp_path / "release-note.md").read_text("utf-8").startswith("#")


class Moody(BaseHTTPRequestHandler):
    """Answers what the test has put in its list, then `{}`; remembers what it was sent."""

    answers: list[tuple[int, str, dict[str, str]]]
    seen: list[tuple[str, str, str]]

    def do_GET(self) -> None:
        """Give the next answer."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.seen.append((self.command, self.path, self.headers.get("Idempotency-Key") or ""))
        status, body, headers = self.answers.pop(0) if self.answers else (200, '{"project": "p", "key": "k"}', {})
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_words: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def moody(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[type[Moody], Client]]:
    """A server in a mood, and a client that does not really sleep."""
    monkeypatch.setattr(ragtriage.time, "sleep", lambda seconds: None)
    Moody.answers, Moody.seen = [], []
    server = HTTPServer(("127.0.0.1", 0), Moody)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Moody, Client(f"http://127.0.0.1:{server.server_port}", token="t", tries=4, timeout_s=5)
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_busy_server_is_asked_again_with_the_same_key(moody: tuple[type[Moody], Client]) -> None:
    server, client = moody
    server.answers = [(200, '{"project": "p"}', {}), (429, "{}", {"Retry-After": "1"}), (503, "<html>", {})]
    assert client.upload_run([{"question": "?"}]) == "k"
    keys = [key for method, _, key in server.seen if method == "POST"]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert keys[0]


def test_what_is_refused_is_not_tried_again(moody: tuple[type[Moody], Client]) -> None:
    server, client = moody
    server.answers = [(403, '{"type": "urn:rag-triage:problem:scope", "detail": "No.", "remedy": "Ask."}', {})]
    with pytest.raises(ApiError, match=r"No. Ask. \(HTTP 403\)") as fault:
        client.run("x")
    assert fault.value.code == "scope"
    assert len(server.seen) == 1


def test_a_server_that_stays_busy_ends_as_its_problem(moody: tuple[type[Moody], Client]) -> None:
    server, client = moody
    server.answers = [(503, '{"detail": "No worker is alive."}', {})] * 4
    with pytest.raises(ApiError, match="No worker is alive"):
        client.run("x")
    assert len(server.seen) == 4


def test_a_token_is_not_carried_to_another_address(moody: tuple[type[Moody], Client]) -> None:
    server, client = moody
    server.answers = [(302, "", {"Location": "/elsewhere"})]
    with pytest.raises(ApiError, match="HTTP 302"):
        client.run("x")
    assert len(server.seen) == 1


def test_a_server_that_is_away_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ragtriage.time, "sleep", lambda seconds: None)
    with pytest.raises(AwayError, match="does not answer"):
        Client("http://127.0.0.1:9", token="t", tries=2).run("x")
    with pytest.raises(ValueError, match="no address"):
        Client("file:///etc", token="t")


def test_an_export_that_breaks_off_leaves_no_file(moody: tuple[type[Moody], Client], tmp_path: Path) -> None:
    server, client = moody
    server.answers = [(200, "half a ", {"content-length": "4000"})]
    with pytest.raises(AwayError, match="3993 bytes are missing"):
        client.export("x", "run", tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []


class TestVerifyWebhook:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"type": "test", "timestamp": "2026-11-30T00:00:00+00:00", "data": {"project": "p"}}'

    def signed(self, seconds: int, body: bytes | None = None) -> dict[str, str]:
        """Return headers as the server sends them, their names in other cases."""
        told = signature("test-1", seconds, self.body if body is None else body, self.secret)
        return {name.title(): value for name, value in told.items()}

    def test_what_the_server_signs_is_taken(self) -> None:
        assert verify_webhook(self.body, self.signed(int(time.time())), self.secret)["type"] == "test"

    def test_one_good_signature_among_several_is_enough(self) -> None:
        headers = self.signed(int(time.time()))
        headers["Webhook-Signature"] = f"v1,AAAA v2,x {headers['Webhook-Signature']}"
        assert verify_webhook(self.body, headers, self.secret)

    def test_anything_else_is_refused(self) -> None:
        now = int(time.time())
        good = self.signed(now)
        with pytest.raises(WebhookError, match="signature"):
            verify_webhook(self.body + b" ", good, self.secret)
        with pytest.raises(WebhookError, match="signature"):
            verify_webhook(self.body, {**good, "Webhook-Id": "test-2"}, self.secret)
        with pytest.raises(WebhookError, match="signature"):
            verify_webhook(self.body, good, "whsec_AAAA")
        with pytest.raises(WebhookError, match="clocks"):
            verify_webhook(self.body, self.signed(now - 301), self.secret)
        with pytest.raises(WebhookError, match="clocks"):
            verify_webhook(self.body, {**good, "Webhook-Timestamp": "soon"}, self.secret)
        with pytest.raises(WebhookError, match="'webhook-signature' is missing"):
            verify_webhook(self.body, {k: v for k, v in good.items() if "Sig" not in k}, self.secret)
        with pytest.raises(WebhookError, match="base64"):
            verify_webhook(self.body, good, "not a secret")
