"""Bulk confirmation: the machine's label as a lead's word, unblinded, for what nobody has read."""

from __future__ import annotations

import pytest

from labeling.models import Outcome, Verdict
from labeling.review import confirm, confirmable
from tests.factories import make_member, make_query, make_run
from tests.labeling.screens import Desk, client_of, file_case, make_desk
from triage.models import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    """Four filed queries, the first one read by a person."""
    desk = make_desk(items=4)
    desk.save(label="still_wrong")
    return desk


def test_a_bulk_verdict_says_what_it_is_and_is_final(desk: Desk) -> None:
    lead = make_member(desk.run.project, Role.LEAD)
    queries = [one.query_id for one in confirmable(desk.run)]
    assert len(queries) == 3
    assert confirm(desk.run, lead, queries[:2]) == 2
    bulk = Verdict.objects.filter(stage="bulk")
    assert {(one.label, one.blind, one.drawn, one.suggested) for one in bulk} == {
        ("retrieval_miss", False, "chosen", "retrieval_miss")
    }
    assert Outcome.objects.filter(state="final", label="retrieval_miss").count() == 2
    assert confirmable(desk.run).count() == 1


def test_what_somebody_has_read_is_never_confirmed_over_their_head(desk: Desk) -> None:
    read = Verdict.objects.get().query_id
    assert confirm(desk.run, make_member(desk.run.project, Role.LEAD), [read]) == 0
    assert Outcome.objects.get(query=read).label == "still_wrong"


def test_the_same_confirmation_twice_is_one(desk: Desk) -> None:
    lead = make_member(desk.run.project, Role.LEAD)
    queries = [one.query_id for one in confirmable(desk.run)]
    confirm(desk.run, lead, queries)
    assert confirm(desk.run, lead, queries) == 0
    assert Verdict.objects.filter(stage="bulk").count() == 3


def test_unscored_queries_and_those_of_other_runs_are_not_offered(desk: Desk) -> None:
    file_case(make_query(desk.run), label="unscored")
    other = make_query(make_run())
    file_case(other)
    assert confirm(desk.run, make_member(desk.run.project, Role.LEAD), [other.pk]) == 0
    assert confirmable(desk.run).count() == 3


def test_a_lead_ticks_and_confirms_and_a_reviewer_may_not(desk: Desk) -> None:
    url = f"/runs/{desk.run.key}/confirm/"
    assert desk.client.get(url).status_code == 403
    client = client_of(make_member(desk.run.project, Role.LEAD))
    assert "3 queries" in client.get(f"{url}?label=retrieval_miss").content.decode()
    assert "Nothing to confirm" in client.get(f"{url}?label=still_wrong").content.decode()
    query = confirmable(desk.run)[0].query_id
    response = client.post(url, {"query": [str(query), "not a number"]}, follow=True)
    assert "1 confirmed." in response.content.decode()
    assert Verdict.objects.filter(stage="bulk").count() == 1
