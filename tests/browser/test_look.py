from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.factories import PASSWORD, make_user
from tests.tabs import PHONE, WIDE, Tab

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.browser.look_urls")]
Open = Callable[..., Tab]


@pytest.fixture
def person() -> User:
    """Return somebody who can log in."""
    return make_user()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, PHONE])
@pytest.mark.parametrize("path", ["/look/", "/login/", "/no-such-page/"])
def test_a_page_is_accessible_fits_the_window_and_keeps_the_policy(
    open_tab: Open, path: str, width: int, dark: bool
) -> None:
    tab = open_tab(path, width=width, dark=dark)
    assert tab.axe() == []
    assert tab.overflow() == 0
    assert [line for line in tab.complaints if "404" not in line] == []


def test_the_phone_can_be_zoomed_and_the_text_enlarged_without_sideways_scrolling(open_tab: Open) -> None:
    tab = open_tab("/look/", width=320)
    assert tab.overflow() == 0


def test_the_theme_is_kept_and_is_there_before_the_first_paint(open_tab: Open) -> None:
    tab = open_tab("/look/")
    tab.page.get_by_text("Account of").locator("..").click()
    toggle = tab.page.locator("[data-theme-next]")
    toggle.click()
    toggle.click()
    assert toggle.inner_text() == "Theme: dark"
    tab.page.reload()
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 27)"


def test_a_failed_request_is_said_and_the_page_is_kept(open_tab: Open) -> None:
    tab = open_tab("/look/")
    tab.page.locator("#fail-500").click()
    expect(tab.page.locator("#trouble")).to_contain_text("The server failed (500). Nothing was saved")
    expect(tab.page.locator("#swap h2")).to_have_text("Before")
    tab.page.locator("#trouble").get_by_role("button", name="Close").click()
    expect(tab.page.locator("#trouble")).to_be_hidden()


def test_a_lost_log_in_offers_a_way_back_that_keeps_what_was_typed(open_tab: Open) -> None:
    tab = open_tab("/look/")
    tab.page.get_by_label("Notes").fill("half a note")
    tab.page.locator("#fail-401").click()
    link = tab.page.locator("#trouble").get_by_role("link", name="Log in in a new tab")
    assert re.match(r"/login/\?next=", link.get_attribute("href") or "")
    assert link.get_attribute("target") == "_blank"
    assert tab.page.get_by_label("Notes").input_value() == "half a note"


def test_a_lost_connection_is_said(open_tab: Open) -> None:
    tab = open_tab("/look/")
    tab.page.context.set_offline(True)
    tab.page.locator("#swap-button").click()
    expect(tab.page.locator("#trouble")).to_contain_text("No connection. Nothing was saved")


def test_after_a_swap_the_focus_has_a_place_and_the_change_is_announced(open_tab: Open) -> None:
    tab = open_tab("/look/")
    tab.page.locator("#swap-button").focus()
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("#swap h2")).to_have_text("Swapped in")
    expect(tab.page.locator("#swap h2")).to_be_focused()
    expect(tab.page.locator("#live")).to_have_text("3 of 4 done")


def test_a_moment_reads_in_local_time_and_keeps_utc_at_hand(open_tab: Open) -> None:
    moment = open_tab("/look/").page.locator("time").first
    assert "UTC" in (moment.get_attribute("title") or "")
    assert "UTC" not in moment.inner_text()


def test_a_question_mark_opens_the_keys_but_not_while_typing(open_tab: Open) -> None:
    page = open_tab("/look/").page
    page.get_by_label("Notes").press("?")
    expect(page.locator("dialog#keys")).to_be_hidden()
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()


def test_a_dangerous_act_is_asked_for_and_escape_is_the_safe_way_out(open_tab: Open) -> None:
    page = open_tab("/look/").page
    page.get_by_role("link", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("Delete this run?")
    page.keyboard.press("Escape")
    expect(page.locator("dialog#sure")).to_be_hidden()


def test_the_skip_link_is_the_first_stop_and_leads_to_the_content(open_tab: Open) -> None:
    page = open_tab("/login/").page
    page.locator("body").evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_the_print_sheet_hides_the_frame(open_tab: Open) -> None:
    page = open_tab("/look/").page
    page.emulate_media(media="print")
    expect(page.locator("header.bar")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()


def test_after_logging_in_again_in_another_tab_the_same_page_saves(open_tab: Open, person: User) -> None:
    tab = open_tab("/look/", user=person)
    tab.page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    tab.page.locator("#save-button").click()
    expect(tab.page.locator("#trouble")).to_contain_text("You are logged out. Nothing was saved")
    with tab.page.context.expect_page() as opened:
        tab.page.locator("#trouble").get_by_role("link").click()
    other = opened.value
    other.get_by_label("Username").fill(person.username)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Log in").click()
    expect(other.get_by_role("button", name="Log in")).to_be_hidden()
    tab.page.locator("#save-button").click()
    expect(tab.page.locator("#saved")).to_have_text("Saved half a note")
    expect(tab.page.locator("#trouble")).to_be_hidden()
