"""The API against its own document: calls alone and in chains, by schemathesis on the live application."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from celery import current_app
from django.conf import settings as django_settings
from django.db.models.functions import Now
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis.stateful import run_state_machine_as_test
from hypothesis.strategies import booleans
from pytest_django import Settings
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from config.api import api
from config.wsgi import application
from tests.factories import make_member, make_project
from tests.long import LONG
from triage.api.building import PATH
from triage.ingest import ingest
from triage.intake import store
from triage.models import Project, Role, Scope, WorkerHeartbeat
from triage.tasks.inprocess import run_to_end
from triage.tokens import make

pytestmark = pytest.mark.django_db(transaction=True)
QUIET = settings(
    max_examples=50 if LONG else 4,
    deadline=None,
    derandomize=not LONG,  # the same ones in every build; the long form looks further each time
    stateful_step_count=12 if LONG else 6,
    suppress_health_check=list(HealthCheck),
)


def excluded(case: Any) -> list[Any]:
    """Return the checks that do not hold of this call."""
    # It takes our own good token for a made-up one; tests/house/test_api_matrix.py asks with bad ones.
    unfit = [ignored_auth]
    # A value may be refused though it has the right shape: a key used before, a form this file does not come in.
    if "Idempotency-Key" in case.headers or case.path.endswith("/export/{what}"):
        unfit.append(positive_data_acceptance)
    # A parameter the document does not know is passed over, as the web does; alone it makes no call a bad one.
    if set(case.query or ()) - {parameter.name for parameter in case.operation.query}:
        unfit.append(negative_data_rejection)
    return unfit


@pytest.fixture
def project(settings: Settings) -> Iterator[Project]:
    """A project with a classified run, and tasks that run as they are sent."""
    settings.API_CALLS_PER_MINUTE = settings.API_BURST = 1_000_000
    project = make_project()
    demo = Path(django_settings.BASE_DIR) / "triage" / "demo" / "tallyrook_2026_11.jsonl"
    upload = ingest(store(project, None, "november.jsonl", [demo.read_bytes()]).pk)
    assert upload.run_id is not None
    run_to_end(upload.run_id)
    WorkerHeartbeat.objects.create(name="w", seen_at=Now() + timedelta(hours=1))  # the long form takes minutes
    current_app.conf.task_always_eager = True
    yield project
    current_app.conf.task_always_eager = False


@pytest.fixture
def headers(project: Project) -> dict[str, str]:
    _, secret = make(project, make_member(project, Role.LEAD), "schemathesis", Scope.values, 1)
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def schema(headers: dict[str, str]) -> Any:
    return schemathesis.openapi.from_wsgi(f"/{PATH}openapi.json", application)


def test_the_document_is_served_as_it_is_built(project: Project) -> None:
    served = Client().get(f"/{PATH}openapi.json")
    assert served.json() == json.loads(json.dumps(api.get_openapi_schema(path_prefix=PATH)))


def test_no_endpoint_fails_or_answers_what_it_does_not_document(
    schema: Any, headers: dict[str, str], project: Project
) -> None:
    known = {"slug": project.slug, "position": 3}
    run, upload = project.runs.get().key, project.uploads.get().key
    asked = set()

    def ask(case: Any, at_home: bool) -> None:
        """Call it as generated, or for the objects there are, so that more than 404 is seen."""
        if at_home and case.method != "DELETE":
            ours = {**known, "key": upload if "/uploads/{key}" in case.path else run}
            case.path_parameters = {name: ours.get(name, value) for name, value in case.path_parameters.items()}
        case.call_and_validate(headers=headers, excluded_checks=excluded(case))
        asked.add(case.operation.label)

    operations = [found.ok() for found in schema.get_all_operations()]
    for operation in operations:
        QUIET(given(case=operation.as_strategy(), at_home=booleans())(ask))()
    assert asked == {operation.label for operation in operations}


def test_chains_of_calls_keep_to_the_document(schema: Any, headers: dict[str, str]) -> None:
    class Chains(schema.as_state_machine()):  # type: ignore[misc]  # made from the document
        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"headers": headers}

        def validate_response(self, response: Any, case: Any, **more: Any) -> None:
            case.validate_response(response, excluded_checks=excluded(case), **more)

    run_state_machine_as_test(Chains, settings=QUIET)
