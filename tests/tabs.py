"""A real Chromium against a live server: what a page looks like, sounds like and refuses.

This file is read before Django is set up: it imports Django's own modules inside its functions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from playwright.sync_api import Browser, Page, sync_playwright

from tests.chromium import MISSING, find

if TYPE_CHECKING:
    from django.contrib.auth.models import User

WIDE, PHONE = 1280, 390
#: The rules of axe that look at colours: what a page seen whole in one scheme can still break in the other.
COLOUR_RULES = ("color-contrast", "link-in-text-block")

# Playwright keeps an event loop in this thread; the rows of a test are still written synchronously, by us alone.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


@dataclass
class Tab:
    """A page with what the browser complained about while it was open."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def axe(self, only: Collection[str] = ()) -> list[str]:
        """Return what axe finds against WCAG 2.2 AA and its best practices, one line each. `only`: rules to ask."""
        options = {"resultTypes": ["violations"]} | ({"runOnly": sorted(only)} if only else {})
        found = Axe().run(self.page, options=options).response["violations"]
        return [f"{rule['id']} {node['target']}: {node['failureSummary']}" for rule in found for node in rule["nodes"]]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        width: int = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        return width


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One Chromium for the whole run; tests that need it skip, saying so, where there is none."""
    if (path := find()) is None:
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture
def open_tab(chromium: Browser, live_server: object) -> Iterator[Callable[..., Tab]]:
    """Return a function that opens an address: `open_tab("/runs/", user=user, width=390, dark=True)`."""
    contexts = []

    def _open(path: str, *, user: User | None = None, width: int = WIDE, height: int = 800, dark: bool = False) -> Tab:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            base_url=str(live_server),
        )
        contexts.append(context)
        if user is not None:
            context.add_cookies(
                [{"name": settings.SESSION_COOKIE_NAME, "value": _session(user), "url": str(live_server)}]
            )
        tab = Tab(context.new_page())
        tab.page.on("console", lambda said: tab.complaints.append(said.text) if said.type == "error" else None)
        tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.page.goto(path)
        return tab

    yield _open
    for context in contexts:
        context.close()


def _session(user: User) -> str:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value
