"""The verb `sources`, its command and its page: drift, declining by slice, citations by what they name."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.sources import as_json, sources
from tests.factories import PASSWORD, make_chunk, make_claim, make_member, make_project, make_query, make_run
from triage.models import Citation, Project, Query, Retrieved, Role, Run

pytestmark = pytest.mark.django_db


def run_of(project: Project, size: int = 12) -> Run:
    """Return a run: a third unanswerable, half of those answered; a sixth of the rest declined; odd topics billing."""
    told = {"value": 0.3, "low": 0.2, "high": 0.4, "n": size, "left_out": {}}
    run = make_run(project, summary={"metrics": {"support_from_gold": told}, "outcomes": {}})
    kept, cut, elsewhere = make_chunk(run, "kept"), make_chunk(run, "cut"), make_chunk(run, "elsewhere")
    for place in range(size):
        closed = place % 3 == 0
        query = make_query(
            run,
            [kept, cut],
            answerable=not closed,
            abstained=place % 2 == 0 if closed else place % 6 == 1,
            slices={"topic": "billing" if place % 2 else "export"},
        )
        Retrieved.objects.filter(query=query, chunk=cut).update(in_context=False)
        claim = make_claim(query)
        for position, (cited, chunk, whole) in enumerate(
            [("kept", kept, False), ("cut", cut, False), ("elsewhere", elsewhere, False), ("doc", None, True)], 1
        ):
            Citation.objects.create(claim=claim, position=position, cited=cited, chunk=chunk, whole_document=whole)
    return run


def test_false_answers_and_over_abstention_are_told_for_the_run_and_by_slice() -> None:
    body = as_json(sources(run_of(make_project())))
    assert body["declining"]["false_answer_rate"] == pytest.approx(
        {"value": 0.5, "low": body["declining"]["false_answer_rate"]["low"],
         "high": body["declining"]["false_answer_rate"]["high"], "n": 4, "why_none": ""}
    )  # fmt: skip
    assert body["declining"]["over_abstention_rate"]["value"] == 0.25
    rows = {row["slice"]: row for row in body["slices"]}
    assert rows["billing"]["false_answer_rate"]["value"] == 1.0
    assert rows["export"]["false_answer_rate"]["value"] == 0.0
    assert rows["billing"]["over_abstention_rate"] == {**rows["billing"]["over_abstention_rate"], "value": 0.5, "n": 4}
    assert body["slice_key"] == "topic"


@pytest.mark.parametrize("answer", [None, " \n\t"])
def test_declining_is_undefined_where_the_run_holds_no_answer(answer: str | None) -> None:
    project = make_project()
    run = run_of(project)
    Query.objects.filter(run=run).update(answer=answer, abstained=True)
    body = as_json(sources(run, "topic"))
    nobody = {"value": None, "low": None, "high": None, "n": 0, "why_none": "no_answers"}
    for row in (body["declining"], *body["slices"]):
        assert (row["false_answer_rate"], row["over_abstention_rate"]) == (nobody, nobody)
    assert [row["slice"] for row in body["slices"]] == ["billing", "export"]
    page = client_of(project).get(f"/runs/{run.key}/sources/").content.decode()
    assert page.count("no answers") == 6
    assert "none asked" not in page


def test_citations_are_told_by_what_they_name() -> None:
    found = sources(run_of(make_project(), 6)).citations
    assert (found.total, found.in_context, found.fabricated, found.unverifiable) == (24, 6, 12, 6)
    assert {one.cited for one in found.listed} == {"cut", "elsewhere"}


def test_a_run_without_any_of_it_says_so() -> None:
    run = make_run()
    out = StringIO()
    call_command("sources", run.key, stdout=out)
    assert "drift is not known" in out.getvalue()
    assert "none asked" in out.getvalue()
    assert "None" not in out.getvalue()


def test_the_command_prints_every_format() -> None:
    run = run_of(make_project(), 6)
    for to, start in (("md", "# Where"), ("html", "<!doctype html>"), ("json", "{")):
        out = StringIO()
        call_command("sources", run.key, format=to, slices="topic", stdout=out)
        assert out.getvalue().startswith(start)
    assert json.loads(out.getvalue())["run"] == run.key


def client_of(project: Project) -> Client:
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_the_page_shows_drift_declining_and_citations() -> None:
    project = make_project()
    run = run_of(project)
    text = client_of(project).get(f"/runs/{run.key}/sources/?slices=topic").content.decode()
    for words in ("70.0 % of supported claims", "the answers drift", "Declining by topic", "billing", "Fabricated"):
        assert words in text
    assert "None" not in text


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        run = run_of(make_project(), size)
        with CaptureQueriesContext(connection) as captured:
            sources(run)
        return len(captured)

    assert statements(3) == statements(12)
