"""Members, invitations and project settings."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import make_member, make_project
from triage.invite import first_lead, invite, needs_first_lead
from triage.models import Invitation, Member, Project, Role
from triage.people import LastOwnerError, change_role, remove

pytestmark = pytest.mark.django_db
JOIN = {"username": "ada", "password": "a quiet long pass-phrase", "password_again": "a quiet long pass-phrase"}


@pytest.fixture
def project() -> Project:
    return make_project()


def test_the_first_lead_link_makes_an_owner_and_logs_in_once(client: Client) -> None:
    token = first_lead()
    assert client.get(f"/join/{token}/").status_code == 200
    assert client.post(f"/join/{token}/", JOIN).status_code == 302
    assert Member.objects.get(user__username="ada").role == Role.OWNER
    assert not needs_first_lead()
    assert Client().get(f"/join/{token}/").status_code == 410
    assert Client().post(f"/join/{token}/", {**JOIN, "username": "eve"}).status_code == 410
    assert User.objects.count() == 1


def test_SEC01_the_first_lead_link_works_on_loopback_only(client: Client) -> None:
    token = first_lead()
    assert client.get(f"/join/{token}/", REMOTE_ADDR="192.0.2.7").status_code == 410


def test_SEC01_there_is_no_default_account(client: Client) -> None:
    for name in ("admin", "root", "user", "test", "postgres", "rag"):
        for password in ("admin", "password", "rag_triage", "test", "12345678"):
            assert not client.login(username=name, password=password)


def test_a_new_first_lead_link_replaces_the_earlier_one(client: Client) -> None:
    earlier, later = first_lead(), first_lead()
    assert client.get(f"/join/{earlier}/").status_code == 410
    assert client.get(f"/join/{later}/").status_code == 200


def test_SEC12_the_token_itself_is_not_stored() -> None:
    token = first_lead()
    assert token not in str(list(Invitation.objects.values()))


def test_a_lead_invites_a_reviewer_and_not_an_owner(client: Client, project: Project) -> None:
    client.force_login(make_member(project, Role.LEAD))
    page = client.post(f"/p/{project.slug}/members/", {"invite-role": "reviewer"}).content.decode()
    assert "/join/" in page
    page = client.post(f"/p/{project.slug}/members/", {"invite-role": "owner"}).content.decode()
    assert "/join/" not in page


def test_a_reviewer_may_not_see_the_members_page(client: Client, project: Project) -> None:
    client.force_login(make_member(project, Role.REVIEWER))
    assert client.get(f"/p/{project.slug}/members/").status_code == 403


def test_a_stranger_gets_404(client: Client, project: Project) -> None:
    client.force_login(make_member(make_project(), Role.OWNER))
    assert client.get(f"/p/{project.slug}/members/").status_code == 404
    assert client.post(f"/p/{project.slug}/settings/", {"name": "mine"}).status_code == 404


def test_the_last_owner_stays(project: Project) -> None:
    make_member(project, Role.OWNER)
    member = project.members.get()
    with pytest.raises(LastOwnerError):
        change_role(member, Role.VIEWER)
    with pytest.raises(LastOwnerError):
        remove(member)
    make_member(project, Role.OWNER)
    remove(member)
    assert project.members.count() == 1


def test_an_owner_changes_a_role_by_page(client: Client, project: Project) -> None:
    client.force_login(make_member(project, Role.OWNER))
    make_member(project, Role.VIEWER)
    member = project.members.get(role=Role.VIEWER)
    client.post(f"/p/{project.slug}/members/{member.pk}/role/", {"role": "lead"})
    assert project.members.get(pk=member.pk).role == Role.LEAD


def test_settings_keep_targets_gates_and_owners(client: Client, project: Project) -> None:
    client.force_login(make_member(project, Role.LEAD))
    page = client.get(f"/p/{project.slug}/settings/")
    values = {field.name: field.value() for field in page.context["form"]}
    values |= {"target:faithfulness": "0.9", "owner:still_wrong": "Docs team"}
    assert client.post(f"/p/{project.slug}/settings/", values).status_code == 302
    project.refresh_from_db()
    assert project.targets["faithfulness"] == 0.9
    assert project.owners["still_wrong"] == "Docs team"


def test_a_target_outside_0_to_1_is_refused_with_the_field_named(client: Client, project: Project) -> None:
    client.force_login(make_member(project, Role.LEAD))
    values = {field.name: field.value() for field in client.get(f"/p/{project.slug}/settings/").context["form"]}
    page = client.post(f"/p/{project.slug}/settings/", {**values, "gate:faithfulness": "85"})
    assert page.status_code == 200
    assert "less than or equal to 1" in page.content.decode()


def test_the_members_page_has_a_constant_number_of_queries(client: Client, project: Project) -> None:
    client.force_login(make_member(project, Role.OWNER))
    counts = []
    for _ in range(2):
        for _ in range(4):
            make_member(project, Role.REVIEWER)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/p/{project.slug}/members/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_an_invitation_of_a_viewer_joins_as_viewer(client: Client, project: Project) -> None:
    make_member(project, Role.OWNER)
    assert client.post(f"/join/{invite(project, Role.VIEWER)}/", JOIN).status_code == 302
    assert project.members.get(user__username="ada").role == Role.VIEWER
