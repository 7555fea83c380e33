"""Comments: kept out of blind views, naming members."""

from __future__ import annotations

from uuid import uuid4

import pytest

from labeling.models import Comment, Verdict
from tests.factories import make_member, make_run
from tests.labeling.screens import Desk, client_of, make_desk
from triage.models import Role

pytestmark = pytest.mark.django_db
SWAP = {"HX-Request": "true"}


@pytest.fixture
def desk() -> Desk:
    return make_desk(items=2)


def test_a_comment_names_members_and_nobody_else(desk: Desk) -> None:
    desk.save(label="still_wrong")
    ann = make_member(desk.run.project, Role.REVIEWER, username="ann")
    make_member(make_run().project, username="eve")
    desk.client.post(desk.url(1, "comments/"), {"text": "See slot 2, @ann and @eve and @nobody."})
    comment = Comment.objects.get()
    assert list(comment.names.all()) == [ann]
    assert list(Comment.objects.naming(ann.pk, desk.run.project)) == [comment]


def test_P44_comments_are_closed_before_a_blind_item_is_judged_and_absent_from_its_page(desk: Desk) -> None:
    desk.save(label="still_wrong")
    desk.client.post(desk.url(1, "comments/"), {"text": "plainly the wrong plan"})
    second = make_desk(items=0, run=desk.run)
    closed = second.client.get(second.url(2, "comments/"))
    assert closed.status_code == 409
    assert "open once you have judged" in closed.content.decode()
    second_client = client_of(make_member(desk.run.project, Role.REVIEWER))
    shut = second_client.get(desk.url(1, "comments/"))
    assert shut.status_code == 409
    assert "plainly the wrong plan" not in shut.content.decode()
    assert second_client.post(desk.url(1, "comments/"), {"text": "hi"}).status_code == 409
    assert Comment.objects.count() == 1
    assert "plainly the wrong plan" not in second.client.get(second.url(2)).content.decode()


def test_after_the_verdict_they_are_counted_and_shown_on_demand(desk: Desk) -> None:
    desk.save(label="still_wrong")
    swap = desk.client.post(desk.url(1, "comments/"), {"text": "first <b>words</b>"}, headers=SWAP)
    assert "first &lt;b&gt;words&lt;/b&gt;" in swap.content.decode()
    page = desk.client.get(desk.url(1)).content.decode()
    assert "Comments (1)" in page
    assert "first &lt;b&gt;" not in page


def test_an_empty_comment_is_refused(desk: Desk) -> None:
    desk.save(label="still_wrong")
    assert desk.client.post(desk.url(1, "comments/"), {"text": "  "}).status_code == 422
    assert not Comment.objects.exists()


def test_a_stranger_finds_nothing(desk: Desk) -> None:
    assert client_of(make_member(make_run().project)).get(desk.url(1, "comments/")).status_code == 404


def test_P44_a_comment_that_names_somebody_reaches_them_only_after_their_own_verdict(desk: Desk) -> None:
    ann = make_member(desk.run.project, Role.REVIEWER, username="ann")
    desk.save(label="still_wrong")
    desk.client.post(desk.url(1, "comments/"), {"text": "@ann plainly the wrong plan"})
    page = f"/p/{desk.run.project.slug}/sessions/"
    assert "plainly the wrong plan" not in client_of(ann).get(page).content.decode()
    Verdict.objects.create(
        query=Comment.objects.get().query, reviewer=ann, label="still_wrong", blind=True, idempotency_key=uuid4()
    )
    assert "plainly the wrong plan" in client_of(ann).get(page).content.decode()
    assert "Comments that name you" not in desk.client.get(page).content.decode()
