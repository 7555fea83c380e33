"""Pages of safety full of rows: changes, tokens, members, the log-in that waits or was refused, an invitation."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from tests.factories import make_member, make_project, make_query, make_run
from tests.tabs import PHONE, WIDE, Tab
from triage.housekeeping import delete
from triage.invite import invite
from triage.models import Project, Role, Scope
from triage.people import change_role, configure
from triage.tokens import make, revoke

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Tab]
LONG = "A-name-of-somebody-" + "who-has-a-very-long-one-" * 4


@pytest.fixture
def project() -> Project:
    """A project in which things happened, some with long names."""
    project = make_project(name="Tallyrook help")
    owner = make_member(project, Role.OWNER, "mira")
    make_run(project, name="2026-11")
    change_role(project.members.get(user=make_member(project, Role.VIEWER, LONG[:150])), Role.REVIEWER)
    configure(project, name="Tallyrook help centre", targets={"recall": 0.9}, gates={}, owners={"still_wrong": LONG})
    invite(project, Role.LEAD, by=owner)
    revoke(make(project, owner, "nightly build", ["read"], 7)[0])
    make(project, owner, "a service that checks answers as they are written", Scope.values, 90)
    return project


def look(tab: Tab, name: str, width: int) -> None:
    """Find nothing wrong in either scheme; with LOOK_AT, leave pictures there."""
    for scheme in ("light", "dark"):
        tab.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert tab.axe() == []
        if folder := os.environ.get("LOOK_AT"):
            tab.page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)
    assert tab.overflow() == 0


@pytest.mark.parametrize("width", [WIDE, PHONE])
@pytest.mark.parametrize("name", ["changes", "tokens", "members"])
def test_a_page_full_of_rows_is_accessible_and_fits(name: str, width: int, project: Project, open_tab: Open) -> None:
    owner = project.members.get(user__username="mira").user
    tab = open_tab(f"/p/{project.slug}/{name}/", user=owner, width=width)
    look(tab, name, width)
    assert tab.complaints == []


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_a_list_with_a_run_that_is_being_deleted_is_accessible_and_fits(
    width: int, project: Project, open_tab: Open
) -> None:
    gone = make_run(project, name="2026-10")
    make_query(gone)
    delete(gone)
    tab = open_tab(f"/p/{project.slug}/runs/", user=project.members.get(user__username="mira").user, width=width)
    assert "Being deleted." in tab.page.content()
    look(tab, "runs-deleting", width)


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_the_log_in_that_has_to_wait_is_accessible_and_fits(
    width: int, project: Project, settings: Settings, open_tab: Open
) -> None:
    settings.AXES_ENABLED = True
    tab = open_tab("/login/?next=/keys/", width=width)
    for _ in range(settings.AXES_FAILURE_LIMIT):
        tab.page.get_by_label("Username").fill("mira")
        tab.page.get_by_label("Password").fill("wrong")
        tab.page.get_by_role("button", name="Log in").click()
    assert "Try again in 15 minutes" in tab.page.content()
    look(tab, "login-waits", width)


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_an_invitation_and_a_closed_one_are_accessible_and_fit(width: int, project: Project, open_tab: Open) -> None:
    token = invite(project, Role.REVIEWER)
    look(open_tab(f"/join/{token}/", width=width), "join", width)
    assert Client().get("/join/no-such-link/").status_code == 410
    look(open_tab("/join/no-such-link/", width=width), "join-closed", width)
