"""Oddities of a query as pages show them: on the query, in the list, counted on the run."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import PASSWORD, make_member, make_project, make_query, make_run
from triage.classify import classify
from triage.core.flags import Flag
from triage.models import Query, Role, Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """Return a classified run of four queries: two talk to their judge, one of them is not English either."""
    run = make_run(make_project(), state=Run.State.DONE)
    flags = [[], [Flag.TALKS_TO_JUDGE], [Flag.TALKS_TO_JUDGE, Flag.NOT_ENGLISH], [Flag.NO_CLAIMS_GIVEN]]
    for each in flags:
        make_query(run, flags=[flag.value for flag in each])
    classify(run.pk)
    return run


@pytest.fixture
def viewer(run: Run, client: Client) -> Client:
    assert client.login(username=make_member(run.project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_the_run_page_counts_them_and_links_to_the_list(run: Run, viewer: Client) -> None:
    page = viewer.get(reverse("run", args=[run.key])).content.decode()
    assert "?flag=talks_to_judge" in page
    assert ">2 talks to its judge<" in page
    assert ">1 not English<" in page
    assert Query.objects.flagged(run) == {"no_claims_given": 1, "not_english": 1, "talks_to_judge": 2}


@pytest.mark.parametrize(
    ("asked", "places"), [("talks_to_judge", [2, 3]), ("not_english", [3]), ("nonsense", [1, 2, 3, 4])]
)
def test_the_list_filters_by_one_and_shows_all(run: Run, viewer: Client, asked: str, places: list[int]) -> None:
    page = viewer.get(reverse("queries", args=[run.key]), {"flag": asked})
    assert [line.position for line in page.context["page"].lines] == places
    flags = {line.position: line.flags for line in page.context["page"].lines}
    assert flags[3] == ("talks to its judge", "not English")


def test_SEC22_the_query_page_says_what_it_means(run: Run, viewer: Client) -> None:
    page = viewer.get(reverse("query", args=[run.key, 3])).content.decode()
    assert "talks to its judge: possible injection" in page
    assert "not English: the judge is English only" in page
    assert "possible injection" not in viewer.get(reverse("query", args=[run.key, 1])).content.decode()


def test_the_number_of_statements_does_not_grow_with_the_flags(run: Run, viewer: Client) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            viewer.get(reverse("run", args=[run.key]))
            viewer.get(reverse("queries", args=[run.key]))
        return len(captured)

    before = statements()
    for _ in range(5):
        make_query(run, flags=["talks_to_judge", "duplicate_chunk"])
    assert statements() == before
