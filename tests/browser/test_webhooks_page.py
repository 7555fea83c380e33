"""The webhooks page full of rows: within the window, accessible, and worked by its buttons."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.factories import make_member, make_project
from tests.receiver import receiving
from tests.tabs import PHONE, WIDE, Tab
from triage.models import Event, Message, Role, Webhook
from triage.webhooks import add, deliver, disable, tell

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_the_page_with_every_state_is_accessible_and_fits(
    open_tab: Callable[..., Tab], settings: Settings, width: int
) -> None:
    settings.WEBHOOKS, settings.OUTBOUND_PRIVATE_HOSTS = True, ["127.0.0.1"]
    project = make_project(name="Tallyrook help")
    owner = make_member(project, Role.OWNER, "mira")
    with receiving() as server:
        hook = add(project, owner, server.url, [kind for kind, _ in Event.to_choose()])[0]
        disable(add(project, owner, "https://chat.example.org/" + "hooks/" * 30, ["due"])[0])
        for status, attempts in ((204, 0), (500, 1), (302, 7)):
            server.status = status
            tell(project.pk, Event.DUE, str(status), {"due": 0, "new": []})
            message = Message.objects.latest("pk")
            Message.objects.filter(pk=message.pk).update(attempts=attempts)
            deliver(message.pk)
    tab = open_tab(f"/p/{project.slug}/webhooks/", user=owner, width=width)
    for scheme in ("light", "dark"):
        tab.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert tab.axe() == []
        if folder := os.environ.get("LOOK_AT"):
            tab.page.screenshot(path=Path(folder) / f"webhooks-{width}-{scheme}.png", full_page=True)
    assert (tab.overflow(), tab.complaints) == (0, [])
    tab.page.get_by_role("button", name="Send again").click()
    assert Message.objects.filter(state="given_up").count() == 0
    tab.page.get_by_role("button", name=f"Disable {hook.url}").click()
    assert not Webhook.objects.filter(disabled_at=None).exists()
