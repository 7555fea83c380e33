"""The API: the door, files in, runs, and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tests.factories import make_chunk, make_claim, make_member, make_project, make_query, make_run
from triage.core.problem import MEDIA_TYPE
from triage.ingest import ingest
from triage.models import ApiToken, Member, Project, Replay, Role, Run, Scope, Upload
from triage.tokens import make

pytestmark = pytest.mark.django_db
API = "/api/v1"
LINE = b'{"id": "1", "question": "How long?", "answer": "Two days.", "retrieved": [], "correct": false}\n'
Call = Callable[..., Any]


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def token(project: Project) -> ApiToken:
    found, secret = make(project, make_member(project, Role.LEAD), "tests", Scope.values, 30)
    found.secret = secret  # type: ignore[attr-defined]
    return found


@pytest.fixture
def call(token: ApiToken) -> Call:
    """Return a caller with every scope, whose maker is a lead."""

    def called(method: str, path: str, body: object = b"", **headers: str) -> HttpResponse:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token.secret}", **headers}  # type: ignore[attr-defined]
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        return Client(raise_request_exception=False).generic(method, API + path, raw, kind, headers=headers)

    return called


def told(response: HttpResponse, status: int = 200) -> Any:
    assert response.status_code == status, response.content
    return json.loads(response.content)


def problem(response: HttpResponse, status: int, code: str) -> Any:
    found = told(response, status)
    assert response.headers["Content-Type"] == MEDIA_TYPE
    assert found["type"] == f"urn:rag-triage:problem:{code}", found
    assert found["status"] == status
    assert found["detail"]
    return found


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ragt_no_no", "Basic YTpi", "Token x", "Bearer  \x00"])
def test_SEC11_nobody_gets_in_without_a_token(header: str, project: Project) -> None:
    response = Client().get(f"{API}/projects/{project.slug}", headers={"Authorization": header})
    problem(response, 401, "token")
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_SEC08_a_log_in_opens_nothing_here(project: Project) -> None:
    client = Client()
    client.force_login(make_member(project, Role.OWNER))
    problem(client.get(f"{API}/projects/{project.slug}"), 401, "token")


def test_a_token_says_what_it_may_do(call: Call, token: ApiToken) -> None:
    found = told(call("GET", "/token"))
    assert (found["prefix"], found["project"], found["scopes"]) == (
        token.prefix,
        token.project.slug,
        sorted(Scope.values),
    )
    assert "secret" not in json.dumps(found)


def test_SEC12_a_token_is_bound_to_its_project_though_its_maker_is_in_two(call: Call, token: ApiToken) -> None:
    other = make_project()
    Member.objects.create(project=other, user=token.made_by, role=Role.OWNER)
    run = make_run(other, state=Run.State.DONE)
    for path in (f"/projects/{other.slug}", f"/projects/{other.slug}/runs", f"/runs/{run.key}"):
        problem(call("GET", path), 404, "not_found")
    problem(call("DELETE", f"/runs/{run.key}"), 404, "not_found")
    assert [found["slug"] for found in told(call("GET", "/projects"))] == [token.project.slug]


def test_SEC12_the_role_of_the_maker_bounds_it_as_it_is_now(call: Call, token: ApiToken, project: Project) -> None:
    run = make_run(project, state=Run.State.DONE)
    Member.objects.update(role=Role.VIEWER)
    assert told(call("GET", f"/runs/{run.key}"))["key"] == run.key
    problem(call("POST", f"/projects/{project.slug}/uploads", LINE), 403, "role")
    problem(call("DELETE", f"/runs/{run.key}"), 403, "role")
    assert not Upload.objects.exists()


def test_too_many_calls_are_told_when_to_come_again(call: Call, settings: Settings) -> None:
    settings.API_CALLS_PER_MINUTE, settings.API_BURST = 1, 2
    assert [call("GET", "/token").status_code for _ in range(3)] == [200, 200, 429]
    response = call("GET", "/token")
    problem(response, 429, "too_many")
    assert 1 <= int(response.headers["Retry-After"]) <= 60


def test_a_file_comes_in_and_becomes_a_run(call: Call, project: Project) -> None:
    found = told(call("POST", f"/projects/{project.slug}/uploads?file_name=..%2Fa.jsonl", LINE), 202)
    assert (found["state"], found["file_name"], found["run"]) == ("waiting", "a.jsonl", None)
    ingest(Upload.objects.get(key=found["key"]).pk)
    found = told(call("GET", f"/uploads/{found['key']}"))
    assert (found["state"], found["created_run"]) == ("done", True)
    run = told(call("GET", f"/runs/{found['run']}"))
    assert (run["state"], run["counts"]["queries"], run["classes"]) == ("scoring", 1, None)
    assert [one["key"] for one in told(call("GET", f"/projects/{project.slug}/runs"))["items"]] == [run["key"]]


def test_a_file_over_the_limit_leaves_nothing(call: Call, project: Project, settings: Settings) -> None:
    settings.UPLOAD_MAX_BYTES = 10
    found = problem(call("POST", f"/projects/{project.slug}/uploads", LINE), 413, "too_large")
    assert found["remedy"]
    assert not Upload.objects.exists()


def test_a_file_larger_than_a_form_may_be_is_taken(call: Call, project: Project) -> None:
    body = LINE * (django_settings.DATA_UPLOAD_MAX_MEMORY_SIZE // len(LINE) + 2)
    assert told(call("POST", f"/projects/{project.slug}/uploads", body), 202)["size_bytes"] == len(body)


def test_a_body_cut_off_is_not_taken_for_the_file(call: Call, token: ApiToken, project: Project) -> None:
    path = f"/projects/{project.slug}/uploads"
    problem(call("POST", path, b""), 411, "no_length")
    headers = {"Authorization": f"Bearer {token.secret}", "Content-Length": str(len(LINE) + 7)}  # type: ignore[attr-defined]
    short = {"wsgi.input": BytesIO(LINE)}
    problem(Client().generic("POST", API + path, LINE, headers=headers, **short), 400, "cut_off")  # type: ignore[arg-type]
    assert not Upload.objects.exists()
    assert not list(Path(django_settings.UPLOAD_DIR).glob("*.part"))


def test_a_key_makes_a_repeated_upload_count_once(call: Call, project: Project) -> None:
    path, key = f"/projects/{project.slug}/uploads", {"Idempotency-Key": "build-17"}
    first = told(call("POST", path, LINE, **key), 202)
    again = call("POST", path, LINE, **key)
    assert told(again, 202) == first
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Upload.objects.count() == 1
    problem(call("POST", path, LINE + LINE, **key), 422, "key_reused")
    problem(call("POST", path + "?file_name=b", LINE, **key), 422, "key_reused")
    assert Upload.objects.count() == 1
    told(call("POST", path, LINE, **{"Idempotency-Key": "build-18"}), 202)
    assert Upload.objects.count() == 2


def test_a_key_belongs_to_its_token(call: Call, project: Project) -> None:
    path, key = f"/projects/{project.slug}/uploads", {"Idempotency-Key": "1"}
    told(call("POST", path, LINE, **key), 202)
    _, other = make(project, make_member(project, Role.LEAD), "b", Scope.values, 1)
    told(call("POST", path, LINE + b"\n", **key, Authorization=f"Bearer {other}"), 202)
    assert Upload.objects.count() == 2


def test_a_key_makes_a_repeated_cancel_give_the_first_answer(call: Call, project: Project) -> None:
    run = make_run(project)
    path, key = f"/runs/{run.key}/cancel", {"Idempotency-Key": "stop"}
    assert told(call("POST", path, **key))["state"] == "cancelled"
    Run.objects.update(state=Run.State.SCORING)  # somebody resumed it meanwhile
    assert told(call("POST", path, **key))["state"] == "cancelled"
    run.refresh_from_db()
    assert run.state == Run.State.SCORING
    problem(call("POST", f"/runs/{make_run(project).key}/cancel", **key), 422, "key_reused")


def test_a_request_that_failed_is_done_at_the_next_try(call: Call, project: Project) -> None:
    key = {"Idempotency-Key": "stop"}
    problem(call("POST", "/runs/nowhere/cancel", **key), 404, "not_found")
    assert not Replay.objects.exists()
    told(call("POST", f"/runs/{make_run(project).key}/cancel", **key))


@pytest.mark.parametrize("key", ["x" * 201, "a b", "é"])
def test_a_key_that_cannot_be_kept_is_refused(key: str, call: Call, project: Project) -> None:
    problem(call("POST", f"/runs/{make_run(project).key}/cancel", **{"Idempotency-Key": key}), 422, "invalid")


def test_an_upload_is_cancelled(call: Call, project: Project) -> None:
    found = told(call("POST", f"/projects/{project.slug}/uploads", LINE), 202)
    assert told(call("POST", f"/uploads/{found['key']}/cancel"))["state"] == "cancelled"
    assert told(call("POST", f"/uploads/{found['key']}/cancel"))["state"] == "cancelled"


def test_a_run_is_deleted(call: Call, project: Project) -> None:
    run = make_run(project, state=Run.State.DONE)
    assert call("DELETE", f"/runs/{run.key}").status_code == 204
    problem(call("GET", f"/runs/{run.key}"), 404, "not_found")


def test_runs_come_page_by_page(call: Call, project: Project) -> None:
    keys = [make_run(project, name="same" if number % 2 else "other").key for number in range(5)][::-1]
    path, seen, after = f"/projects/{project.slug}/runs?limit=2", [], ""
    while after is not None:
        page = told(call("GET", path + (f"&after={after}" if after else "")))
        seen += [run["key"] for run in page["items"]]
        after = page["next"]
    assert seen == keys
    assert [run["name"] for run in told(call("GET", f"{path}&name=same"))["items"]] == ["same", "same"]


def test_queries_come_page_by_page_in_file_order(call: Call, project: Project) -> None:
    run = make_run(project, state=Run.State.DONE)
    for correct in (False, True, None, False, False):
        make_query(run, correct=correct)
    path = f"/runs/{run.key}/queries"
    assert [one["position"] for one in told(call("GET", f"{path}?limit=2"))["items"]] == [1, 2]
    page = told(call("GET", f"{path}?limit=2&after=2"))
    assert ([one["position"] for one in page["items"]], page["next"]) == ([3, 4], 4)
    assert told(call("GET", f"{path}?limit=2&after=4"))["next"] is None
    failing = told(call("GET", f"{path}?outcome=failing"))["items"]
    assert [one["position"] for one in failing] == [1, 4, 5]
    assert failing[0]["faithfulness"] == {"value": None, "undefined": "not_scored"}
    assert [one["position"] for one in told(call("GET", f"{path}?text=Question+3"))["items"]] == [3]


def test_the_lists_ask_the_same_number_of_queries_for_many(call: Call, project: Project) -> None:
    run = make_run(project, state=Run.State.DONE)
    make_query(run)

    def asked(path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            told(call("GET", path))
        return len(queries)

    paths = [f"/runs/{run.key}/queries", f"/projects/{project.slug}/runs"]
    told(call("GET", paths[0]))  # the first call also notes that the token is in use
    few = [asked(path) for path in paths]
    for _ in range(20):
        make_query(run)
        make_run(project)
    assert [asked(path) for path in paths] == few


def test_P44_a_query_comes_whole_and_without_a_word_of_people(call: Call, project: Project) -> None:
    run = make_run(project, state=Run.State.DONE)
    said = {"label": "still_wrong", "reviewer": "ann", "note": "secret opinion"}
    query = make_query(
        run,
        [make_chunk(run, "c1", "The text.")],
        human=[said],
        human_scores=[{"metric": "m", "value": 1, "scale": [0, 1], "reviewer": "ann"}],
    )
    make_claim(query, "A claim.", human=[{"label": "supported", "reviewer": "ann"}])
    found = told(call("GET", f"/runs/{run.key}/queries/1"))
    assert found["record"]["question"] == query.question
    assert found["record"]["claims"]
    assert found["chunks"] == [{"kind": "chunk", "id": "c1", "text": "The text."}]
    assert not [word for word in ("ann", "opinion", "human") if f'"{word}' in json.dumps(found)]
    problem(call("GET", f"/runs/{run.key}/queries/2"), 404, "not_found")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=201", "limit=x", "after=-1", "label=nope", "outcome=x", "text=%00"]
)
def test_SEC02_values_are_typed(query: str, call: Call, project: Project) -> None:
    run = make_run(project)
    found = problem(call("GET", f"/runs/{run.key}/queries?{query}"), 422, "invalid")
    assert found["field"] == "query." + query.split("=")[0]


@pytest.mark.parametrize("key", ["%00", "a b", "..", "x" * 30, "UPPER", "é"])
def test_a_key_that_is_none_is_no_fault_of_the_server(key: str, call: Call) -> None:
    assert call("GET", f"/runs/{key}").status_code in {404, 422}


def test_what_is_not_there_or_not_done_here_is_a_problem_too(call: Call) -> None:
    problem(call("GET", "/nowhere"), 404, "not_found")
    problem(call("GET", "/"), 404, "not_found")
    response = call("PATCH", "/token")
    problem(response, 405, "method")
    assert response.headers["Allow"] == "GET"


def test_no_answer_is_kept_by_anybody_between(call: Call) -> None:
    response = call("GET", "/token")
    assert response.headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in response.headers
    assert "sessionid" not in response.cookies
