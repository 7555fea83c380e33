"""Every page of the product, opened by a lead in a real browser: accessible, within the window, within the policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.urls import URLResolver, get_resolver, reverse

from tests.browser.conftest import PHONE, WIDE, Tab
from tests.factories import make_member, make_project
from tests.triage.test_pages import full_run
from triage.models import Project, Role, Run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Tab]


@dataclass(frozen=True)
class Sample:
    """A small project with something on every page."""

    user: User
    project: Project
    run: Run


#: URL name -> what its address is made of.
PAGES: dict[str, Callable[[Sample], list[object]]] = {
    "runs": lambda sample: [sample.project.slug],
    "run": lambda sample: [sample.run.key],
    "run_rename": lambda sample: [sample.run.key],
    "run_delete": lambda sample: [sample.run.key],
    "queries": lambda sample: [sample.run.key],
    "query": lambda sample: [sample.run.key, 2],
    "members": lambda sample: [sample.project.slug],
    "project_settings": lambda sample: [sample.project.slug],
    "password_change": lambda sample: [],
}

#: URL name -> why it is not opened here.
ELSEWHERE: dict[str, str] = {
    "home": "leads on to the runs",
    "login": "test_look opens it",
    "logout": "posted",
    "join": "test_look's kind of page; needs a fresh link",
    "healthz": "no page",
    "readyz": "no page",
    "run_progress": "a part of the run page",
    "run_steer": "posted",
    "member_role": "posted",
    "member_remove": "posted",
}


def _names(resolver: URLResolver) -> set[str]:
    names: set[str] = set()
    for entry in resolver.url_patterns:
        names |= _names(entry) if isinstance(entry, URLResolver) else {str(entry.name)} - {"None"}
    return names


@pytest.fixture
def sample() -> Sample:
    """Return a classified run of a project with its owner."""
    project = make_project(name="Larkfield assistant")
    return Sample(make_member(project, Role.OWNER), project, full_run(project, size=4))


def test_every_page_is_opened_in_a_browser_or_has_a_reason_not_to_be() -> None:
    unknown = _names(get_resolver()) - set(PAGES) - set(ELSEWHERE)
    assert not unknown, (
        f"add these to PAGES (with what their address is made of) or to ELSEWHERE (with a reason): {unknown}"
    )


@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (PHONE, True)], ids=["wide-light", "phone-dark"])
@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_is_accessible_fits_the_window_and_keeps_the_policy(
    open_tab: Open, sample: Sample, name: str, width: int, dark: bool
) -> None:
    tab = open_tab(reverse(name, args=PAGES[name](sample)), user=sample.user, width=width, dark=dark)
    assert tab.page.locator("h1").count() == 1
    assert tab.axe() == []
    assert tab.overflow() == 0
    assert tab.complaints == []
