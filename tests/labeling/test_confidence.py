"""The verb `confidence`, its command and its page: what low and close scores foretell."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.confidence import as_json, confidence
from tests.factories import PASSWORD, make_chunk, make_member, make_project, make_query, make_run
from triage.models import Project, Retrieved, Role, Run

pytestmark = pytest.mark.django_db


def scored(project: Project, size: int = 60, **scores: list[float] | None) -> Run:
    """Return a run where low best scores fail: a third of the queries, all below 0.5, with a few right ones."""
    run = make_run(project)
    chunks = [make_chunk(run) for _ in range(6)]
    for place in range(size):
        fails = place % 3 == 0
        query = make_query(run, chunks, correct=not fails)
        best = (0.2 if fails or place % 7 == 1 else 0.7) + place / 1000
        for rank, slot in enumerate(query.retrieved.order_by("rank")):
            rerank = -best + rank / 10 if scores.get("rerank") else None
            Retrieved.objects.filter(pk=slot.pk).update(score=best - rank / 100, rerank_score=rerank)
    return run


def test_a_low_best_score_foretells_and_suggests_a_line() -> None:
    body = as_json(confidence(scored(make_project())))
    top, margin, disagreement = body["signals"]
    assert top["auroc"]["value"] > 0.85
    assert (top["auroc"]["n"], top["auroc"]["failing"]) == (60, 20)
    assert 0.2 < top["caveat"]["line"] <= 0.76
    assert top["caveat"]["marked"]["failing"] > 0
    assert sum(fifth["n"] for fifth in top["fifths"]) == 60
    # Every lead is the same 0.01: it foretells nothing.
    assert margin["caveat"] is None
    assert disagreement["auroc"]["value"] is None


def test_disagreement_is_read_where_both_scored() -> None:
    body = as_json(confidence(scored(make_project(), 12, rerank=[1.0])))
    disagreement = body["signals"][2]
    assert not disagreement["higher_is_surer"]
    assert disagreement["auroc"]["n"] == 12
    assert disagreement["fifths"][0]["from"] == pytest.approx(0.2)


def test_a_run_without_scores_says_so() -> None:
    run = make_run()
    make_query(run, [make_chunk(run)])
    out = StringIO()
    call_command("confidence", run.key, stdout=out)
    assert out.getvalue().count("No query says it, of 1 decided ones.") == 3


def test_the_command_prints_every_format() -> None:
    run = scored(make_project(), 12)
    for to, start in (("md", "# Do the"), ("html", "<!doctype html>"), ("json", "{")):
        out = StringIO()
        call_command("confidence", run.key, format=to, stdout=out)
        assert out.getvalue().startswith(start)
    assert json.loads(out.getvalue())["decided"] == 12


def viewer(project: Project) -> Client:
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_the_page_shows_every_signal_with_its_n() -> None:
    project = make_project()
    text = viewer(project).get(f"/runs/{scored(project).key}/confidence/").content.decode()
    for words in (
        "Best score",
        "Lead over the next",
        "n 60, 20 failing",
        "Suggested caveat: below 0.",
        "No query says it",
    ):
        assert words in text
    assert "None" not in text


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        run = scored(make_project(), size)
        with CaptureQueriesContext(connection) as captured:
            confidence(run)
        return len(captured)

    assert statements(3) == statements(12)
