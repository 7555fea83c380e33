"""The verb `gate`, its command with its exit codes, and its page."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command, load_command_class
from django.test import Client

from labeling.gate import gate
from tests.factories import PASSWORD, make_member, make_project, make_run
from triage.models import Project, Role, Run

pytestmark = pytest.mark.django_db


def run_with(faithfulness: tuple[float, float, float], project: Project | None = None) -> Run:
    value, low, high = faithfulness
    good = {"value": 0.95, "low": 0.93, "high": 0.97, "n": 200, "left_out": {}}
    metrics = dict.fromkeys(("answer_relevance", "citation_precision", "citation_coverage"), good)
    metrics["faithfulness"] = {"value": value, "low": low, "high": high, "n": 200, "left_out": {}}
    return make_run(project, summary={"metrics": metrics, "outcomes": {}})


@pytest.mark.parametrize(
    ("faithfulness", "result", "code"),
    [((0.95, 0.9, 0.99), "pass", 0), ((0.5, 0.4, 0.6), "fail", 1), ((0.86, 0.8, 0.9), "not_decided", 3)],
)
def test_the_exit_code_is_the_result(faithfulness: tuple[float, float, float], result: str, code: int) -> None:
    run, out, found = run_with(faithfulness), StringIO(), 0
    try:
        call_command("gate", run.key, json=True, stdout=out)
    except SystemExit as end:
        found = int(str(end.code))
    body = json.loads(out.getvalue())
    assert (body["result"], found) == (result, code)
    assert len(body["gates"]) == 4
    assert body["gates"][0].keys() >= {"metric", "threshold", "value", "low", "high", "n", "result"}


def test_strict_goes_by_the_value() -> None:
    run, out = run_with((0.86, 0.8, 0.9)), StringIO()
    call_command("gate", run.key, strict=True, stdout=out)
    assert out.getvalue().startswith(f"{run.name}: pass")


def test_the_projects_gates_replace_the_defaults() -> None:
    project = make_project(gates={"context_recall": 0.9})
    (one,) = gate(run_with((0.9, 0.9, 0.9), project)).gates
    assert (one.metric, one.value, one.why) == ("context_recall", None, "not measured")


def test_a_run_without_classes_or_name_is_bad_input() -> None:
    for name in (make_run().key, "no such run"):
        with pytest.raises(CommandError) as fault:
            call_command("gate", name)
        assert fault.value.returncode == 2


@pytest.mark.parametrize(("to", "start"), [("junit", "<?xml"), ("md", "Gates of run"), ("text", "run ")])
def test_ci_gets_its_own_formats(to: str, start: str) -> None:
    out = StringIO()
    call_command("gate", run_with((0.95, 0.9, 0.99)).key, format=to, stdout=out)
    assert out.getvalue().startswith(start)


def test_the_page_works_and_is_the_projects_own() -> None:
    project = make_project()
    run = run_with((0.86, 0.8, 0.9), project)
    client, stranger = Client(), Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    assert stranger.login(username=make_member(make_project()).username, password=PASSWORD)
    text = client.get(f"/runs/{run.key}/gate/").content.decode()
    assert "not decided" in text
    assert "exits 0 on pass" in text
    assert "not decided</span>" not in client.get(f"/runs/{run.key}/gate/?strict=1").content.decode()
    assert stranger.get(f"/runs/{run.key}/gate/").status_code == 404
    assert client.get(f"/runs/{make_run(project).key}/gate/").status_code == 302


RECIPES = re.findall(r"```yaml\n(.*?)```", (Path(__file__).parents[2] / "docs" / "ci.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("recipe", RECIPES, ids=["github", "gitlab"])
def test_the_recipes_are_yaml_and_their_commands_exist(recipe: str) -> None:
    assert yaml.safe_load(recipe)
    commands = re.findall(r"manage\.py (\w+) ([^\n>]*)", recipe)
    assert {name for name, _ in commands} == {"ingest", "gate"}
    for name, rest in commands:
        app = "labeling" if name == "gate" else "triage"
        load_command_class(app, name).create_parser("manage.py", name).parse_args(rest.split())
