"""How many more reads: the plan from the rows, and the session that reads exactly those."""

from __future__ import annotations

from collections import Counter

import pytest
from django.test import Client

from labeling.models import ReviewSession
from labeling.report import more_page
from tests.factories import PASSWORD, make_member, make_project
from tests.labeling.rows import make_classified, queries_of, say
from triage.models import Project, Role

pytestmark = pytest.mark.django_db


def client_of(project: Project, role: Role) -> Client:
    client = Client()
    assert client.login(username=make_member(project, role).username, password=PASSWORD)
    return client


def test_a_tighter_precision_takes_more_reads_and_reading_all_is_exact() -> None:
    run = make_classified(still_wrong=60, retrieval_miss=20)
    page = more_page(run, 1)
    totals = [offer.plan.total for offer in page.offers]
    assert totals == sorted(totals)
    assert totals[0] < totals[-1] <= 80
    assert page.chosen is not None
    assert page.chosen.plan.half_width <= 1
    assert sum(line.take for line in page.lines) == page.chosen.plan.total


def test_what_is_known_is_not_read_again() -> None:
    run = make_classified(still_wrong=10)
    for query in queries_of(run, "still_wrong")[:4]:
        say(query, "still_wrong")
    page = more_page(run, 1)
    assert (page.failing, page.open) == (10, 6)
    assert [(line.open, line.read) for line in page.lines] == [(6, 4)]


def test_the_button_draws_exactly_the_plan() -> None:
    project = make_project()
    run = make_classified(project, still_wrong=60, retrieval_miss=20)
    planned = more_page(run, 8)
    answer = client_of(project, Role.LEAD).post(f"/runs/{run.key}/more/", {"half_width": "8"})
    session = ReviewSession.objects.get()
    assert answer.headers["Location"] == f"/sessions/{session.key}/review/"
    drawn = Counter(session.items.values_list("stratum", flat=True))
    assert planned.chosen is not None
    assert drawn == planned.chosen.plan.take
    assert session.drawn == ReviewSession.Drawn.RANDOM
    assert session.frame["filter"] == {}
    assert session.strata == {"retrieval_miss": 20, "still_wrong": 60}


def test_the_page_is_for_members_and_the_button_for_leads() -> None:
    project = make_project()
    run = make_classified(project, still_wrong=30)
    viewer, stranger = client_of(project, Role.VIEWER), client_of(make_project(), Role.LEAD)
    path = f"/runs/{run.key}/more/"
    assert "How many more reads?" in viewer.get(path).content.decode()
    assert "Draw exactly these" in viewer.get(f"{path}?half_width=3").content.decode()
    assert viewer.post(path, {"half_width": "3"}).status_code == 403
    assert stranger.get(path).status_code == 404


@pytest.mark.parametrize("asked", ["0", "-3", "1e9", "x", "99999999", "٣"])
def test_a_half_width_that_is_no_whole_number_is_refused(asked: str) -> None:
    project = make_project()
    run = make_classified(project, still_wrong=3)
    assert client_of(project, Role.LEAD).get(f"/runs/{run.key}/more/", {"half_width": asked}).status_code == 400


def test_nothing_is_drawn_where_everything_is_read() -> None:
    project = make_project()
    run = make_classified(project, still_wrong=2)
    for query in queries_of(run, "still_wrong"):
        say(query, "still_wrong")
    client = client_of(project, Role.LEAD)
    assert "Nothing more to read" in client.get(f"/runs/{run.key}/more/").content.decode()
    assert client.post(f"/runs/{run.key}/more/", {"half_width": "3"}).status_code == 400
    assert not ReviewSession.objects.exists()
