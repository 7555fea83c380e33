"""The trend: one release a line, breaks where the measuring changed, the same numbers on page and in files."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.core.trend import Definition, changes
from labeling.trend import as_json, rendered, trend, trend_page
from tests.factories import PASSWORD, make_member, make_project
from tests.labeling.rows import draw, make_classified, say
from triage.models import Project, Role, Run

pytestmark = pytest.mark.django_db


def release(project: Project, name: str, summary: dict[str, Any] | None = None, **fields: Any) -> Run:
    """Return a classified run of this release: 12 of 20 fail."""
    run = make_classified(project, retrieval_miss=8, still_wrong=4, correct=8)
    accuracy = {"value": 0.4, "n": 20, "left_out": {}, "low": 0.2, "high": 0.6}
    told = {**run.summary, "judges": ["aa"], "metrics": {"accuracy": accuracy}, **(summary or {})}
    Run.objects.filter(pk=run.pk).update(release=name, summary=told, **fields)
    run.refresh_from_db()
    return run


def test_every_part_of_the_definition_is_named_when_it_changes() -> None:
    before = Definition("aaaa", frozenset({"j"}), 1, "v6")
    assert changes(before, before) == ()
    now = Definition("bbbb", frozenset({"k"}), 2, "v7", "by match with the reference")
    assert changes(before, now) == (
        "policy aaaa to bbbb",
        "other judges",
        "gold v1 to v2",
        "evaluation set v6 to v7",
        "correct by the file to by match with the reference",
    )


def test_the_newest_run_of_each_release_stands_for_it_in_order_of_time() -> None:
    project = make_project()
    release(project, "2026.10")
    newer = release(project, "2026.10")
    last = release(project, "2026.11")
    release(project, "2026.11", config={"context": "gold_only"})
    found = trend(project)
    assert [(one.name, one.run.pk) for one in found.releases] == [("2026.10", newer.pk), ("2026.11", last.pk)]


def test_no_line_crosses_a_change_of_policy_and_it_is_named() -> None:
    project = make_project()
    for name, policy in (("a", "11111111"), ("b", "11111111"), ("c", "22222222"), ("d", "22222222")):
        release(project, name, policy_fingerprint=policy)
    page = trend_page(trend(project))
    assert [line.changed for line in page.lines] == ["", "", "policy 11111111 to 22222222", ""]
    assert len(page.metrics[0].drawn.pieces) == 2
    assert all(len(chart.drawn.breaks) == 1 for chart in (*page.classes, *page.metrics))


def test_another_k_breaks_recall_and_precision_alone() -> None:
    project = make_project()
    release(project, "a", config={"k": 20})
    release(project, "b", config={"k": 5})
    page = trend_page(trend(project))
    breaks = {chart.key: len(chart.drawn.breaks) for chart in page.metrics}
    assert breaks == {
        "accuracy": 0, "context_recall": 1, "context_precision": 1, "faithfulness": 0, "answer_relevance": 0,
    }  # fmt: skip


def test_a_read_draw_gives_the_count_its_interval_and_breaks_the_line_of_automatic_counts() -> None:
    project = make_project()
    release(project, "a")
    run = release(project, "b")
    queries = list(run.queries.filter(correct=False).order_by("position"))
    drawn = {query.pk: "retrieval_miss" for query in queries[:6]} | {query.pk: "still_wrong" for query in queries[8:]}
    draw(run, {"retrieval_miss": 8, "still_wrong": 4}, drawn)
    for query in (*queries[:6], *queries[8:]):
        say(query, "retrieval_miss")
    automatic, corrected = (one.classes["retrieval_miss"] for one in trend(project).releases)
    assert (automatic.count, automatic.is_corrected, automatic.low) == (8, False, None)
    assert automatic.share_low is not None
    assert (corrected.count, corrected.is_corrected) == (12.0, True)
    assert corrected.low is not None
    assert corrected.low < 12 == corrected.high
    chart = next(chart for chart in trend_page(trend(project)).classes if chart.key == "retrieval_miss")
    assert chart.drawn.pieces == ()
    assert len(chart.drawn.breaks) == 1


def test_files_page_and_command_tell_the_same() -> None:
    project = make_project()
    release(project, "2026.10 | `x`")
    release(project, "=2026.11", policy_fingerprint="22222222")
    told = as_json(trend(project))
    assert [one["classes"]["retrieval_miss"]["count"] for one in told["releases"]] == [8, 8]
    assert told["releases"][1]["changed"] == ["policy 3f9c21ab to 22222222"]
    rows = list(csv.DictReader(StringIO(rendered(trend(project), "csv"))))
    assert [row["retrieval_miss"] for row in rows] == ["8", "8"]
    assert rows[1]["release"].startswith("'=")
    assert rendered(trend(project), "md") == rendered(trend(project), "md")
    out = StringIO()
    call_command("trend", project=project.slug, json=True, stdout=out)
    assert json.loads(out.getvalue()) == json.loads(json.dumps(told))
    call_command("trend", project=project.slug, stdout=out)
    assert "| Release | retrieval_miss |" in out.getvalue()
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    assert "policy 3f9c21ab to 22222222" in client.get(f"/p/{project.slug}/trend/").content.decode()
    answer = client.get(f"/p/{project.slug}/trend.json")
    assert json.loads(answer.content) == json.loads(json.dumps(told))


def test_a_project_without_releases_says_so() -> None:
    project = make_project()
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    assert "No release yet" in client.get(f"/p/{project.slug}/trend/").content.decode()
    with pytest.raises(CommandError, match="no classified run"):
        call_command("trend", project=project.slug)
    with pytest.raises(CommandError, match="no project"):
        call_command("trend", project="nowhere")


def test_the_number_of_statements_does_not_depend_on_the_releases() -> None:
    def statements(releases: int) -> int:
        project = make_project()
        for number in range(releases):
            run = release(project, f"r{number}", summary={"judges": []})
            say(run.queries.filter(correct=False)[0], "still_wrong")
        client = Client()
        assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/p/{project.slug}/trend/")
        return len(captured)

    assert statements(2) == statements(7)
