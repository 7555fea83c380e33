"""Who is reviewing what now: for leads, from the seats people hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from labeling.models import Lease
from labeling.worklist import presence, reserve, take
from tests.factories import make_member
from tests.labeling.screens import client_of, make_desk
from triage.models import Role

pytestmark = pytest.mark.django_db


def test_it_names_who_has_which_item_open_and_when_they_saved_last() -> None:
    desk = make_desk(items=4)
    desk.save(1, label="still_wrong")
    seat = take(desk.session, desk.reviewer.pk)
    assert seat is not None
    reserve(desk.session, desk.reviewer.pk, seat.position)
    (one,) = presence(desk.session)
    assert (one.name, one.position) == (desk.reviewer.username, 2)
    assert one.saved_at is not None
    assert one.since < one.until
    Lease.objects.filter(pk=seat.lease_id).update(expires_at="2020-01-01T00:00:00Z")
    assert presence(desk.session) == ()


def test_leads_see_it_as_a_page_and_as_the_part_that_reloads_and_reviewers_do_not() -> None:
    desk = make_desk(items=2)
    desk.form()
    address = f"/sessions/{desk.session.key}/presence/"
    lead = client_of(make_member(desk.run.project, Role.LEAD))
    page, part = lead.get(address), lead.get(address, headers={"HX-Request": "true"})
    assert page.content.decode().count("<h1") == 1
    for shown in (page, part):
        assert f'dir="auto">{desk.reviewer.username}</th><td>item 1</td>' in shown.content.decode()
    assert "<html" not in part.content.decode()
    assert 'hx-trigger="every 10s"' in part.content.decode()
    assert address in lead.get(f"/sessions/{desk.session.key}/").content.decode()
    assert desk.client.get(address).status_code == 403


def test_it_costs_the_same_statements_whoever_is_there(
    django_assert_max_num_queries: Callable[..., object],
) -> None:
    desk = make_desk(items=6)
    lead = client_of(make_member(desk.run.project, Role.LEAD))
    for _ in range(5):
        take(desk.session, make_member(desk.run.project, Role.REVIEWER).pk)
    assert len(presence(desk.session)) == 5
    with django_assert_max_num_queries(8):
        lead.get(f"/sessions/{desk.session.key}/presence/")
