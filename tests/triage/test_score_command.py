"""The command `score`."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.factories import make_chunk, make_claim, make_project, make_query, make_run
from triage.models import Run, Scoring
from triage.score import panel_of
from triage.score.attempts import MAX_ATTEMPTS

pytestmark = pytest.mark.django_db


def make_small_run(**fields: object) -> Run:
    run = make_run(**fields)
    make_claim(make_query(run, [make_chunk(run, text="The plan is free.")]), "The plan is free.")
    return run


def score(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("score", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_run_is_scored_by_its_id_whatever_its_project() -> None:
    run = make_small_run()
    told = json.loads(score(run.key, "--json")[0])
    assert told["run"] == run.key
    assert told["state"] == "done"
    assert (told["queries"], told["set_aside"]) == (1, 0)
    assert sum(told["classes"].values()) == 1


def test_a_run_is_scored_by_its_name_within_the_project_the_newest_with_a_warning() -> None:
    project = make_project(slug="mine")
    make_small_run(project=project, name="nightly")
    newest = make_small_run(project=project, name="nightly")
    make_small_run(name="nightly")
    out, err = score("nightly", "--project", "mine")
    assert newest.key in out
    assert newest.key in err


def test_a_run_that_is_not_there_is_bad_input() -> None:
    with pytest.raises(CommandError) as refused:
        score("nothing")
    assert refused.value.returncode == 2


def test_given_up_queries_make_the_command_fail() -> None:
    run = make_small_run()
    panel = panel_of(run.project).fingerprint
    Scoring.objects.create(query=run.queries.get(), panel=panel, attempts=MAX_ATTEMPTS)
    with pytest.raises(CommandError, match="1 queries were given up") as failed:
        score(run.key)
    assert failed.value.returncode == 1
