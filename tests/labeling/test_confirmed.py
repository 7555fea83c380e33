"""Sub-causes on the run page, and the list of queries behind each confirmed count."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.report import confirmed_page
from labeling.report.confirmed import PAGE_SIZE
from tests.factories import PASSWORD, make_member
from tests.labeling.rows import draw, make_classified, say
from triage.models import Role, Run, Suggestion
from triage.pages.run import run_page

pytestmark = pytest.mark.django_db


def read_run() -> Run:
    """Return a run of 31 in one class, 20 of them drawn and read as the essay tells: 11, 6 and 3."""
    run = make_classified(still_wrong=31, correct=9)
    queries = list(run.queries.filter(correct=False).order_by("position")[:20])
    draw(run, {"still_wrong": 31}, {query.pk: "still_wrong" for query in queries})
    found = ["superseded_document"] * 11 + ["contradicting_documents"] * 6 + ["wrong_gold"] * 3
    for query, cause in zip(queries, found, strict=True):
        say(query, "still_wrong", cause)
    Suggestion.objects.filter(query__in=queries[:4]).update(proposed_sub_cause="superseded_document")
    Suggestion.objects.filter(query=run.queries.get(position=30)).update(proposed_sub_cause="over_abstention")
    return run


def viewer_of(run: Run) -> Client:
    client = Client()
    assert client.login(username=make_member(run.project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_the_run_page_sets_what_people_found_beside_what_the_machine_proposes() -> None:
    run = read_run()
    told = {one.sub_cause: one for one in run_page(run).causes}
    assert {name: (one.confirmed, one.proposed) for name, one in told.items()} == {
        "superseded_document": (11, 4), "contradicting_documents": (6, 0), "wrong_gold": (3, 0),
        "over_abstention": (0, 1),
    }  # fmt: skip
    made = told["superseded_document"].corrected
    assert made is not None
    assert (made.value, made.low, made.high) == (pytest.approx(17.05), 13.0, 21.0)
    words = viewer_of(run).get(f"/runs/{run.key}/").content.decode()
    assert f"/runs/{run.key}/confirmed/?label=still_wrong&amp;sub_cause=superseded_document" in words


def test_every_count_leads_to_its_queries() -> None:
    run = read_run()
    page = confirmed_page(run, "still_wrong", "wrong_gold", "")
    assert page.found == 3
    assert [line.key for line in page.lines] == ["q18", "q19", "q20"]
    assert {line.automatic for line in page.lines} == {"still_wrong"}
    assert confirmed_page(run, "still_wrong", "", "").found == 20
    words = viewer_of(run).get(f"/runs/{run.key}/confirmed/?label=still_wrong&sub_cause=wrong_gold").content.decode()
    assert "3 confirmed queries" in words


def test_pages_follow_each_other_without_a_gap() -> None:
    run = make_classified(still_wrong=PAGE_SIZE + 7)
    for query in run.queries.all():
        say(query, "still_wrong", "other")
    first = confirmed_page(run, "", "", "")
    rest = confirmed_page(run, "", "", str(first.later))
    assert [line.position for line in (*first.lines, *rest.lines)] == list(range(1, PAGE_SIZE + 8))
    assert (first.found, rest.later) == (PAGE_SIZE + 7, None)
    assert confirmed_page(run, "", "", "x" * 9).lines[0].position == 1


def test_an_empty_list_says_so_and_statements_are_constant() -> None:
    def statements(size: int) -> int:
        run = make_classified(still_wrong=size)
        for query in run.queries.all():
            say(query, "still_wrong", "other")
        client = viewer_of(run)
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/runs/{run.key}/confirmed/")
        return len(captured)

    bare = make_classified(still_wrong=1)
    assert "Nothing is confirmed yet" in viewer_of(bare).get(f"/runs/{bare.key}/confirmed/").content.decode()
    assert statements(1) == statements(9)
