"""The review screen in a real Chromium: hands on the keyboard, nothing lost, nothing of the machine before the save."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import ClaimVerdict, GoldChallenge, Lease, Skip, Verdict
from tests.factories import make_chunk, make_claim, make_query, make_run
from tests.labeling.screens import Desk, file_case, make_case, make_desk
from tests.tabs import PHONE, WIDE, Tab
from triage.models import Retrieved

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Tab]

#: Asked of every page: the moment its item was there and whether any mouse or touch event ever happened.
WATCH = """() => { window.mice = 0; for (const name of ["mousedown", "pointerdown", "click", "touchstart"])
  addEventListener(name, (event) => { if (event.isTrusted && event.detail > 0) window.mice += 1; }, true); }"""


def press(page: Page, *keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        page.keyboard.press(key)


def at(page: Page, position: int, state: str = "blind") -> None:
    """Wait until this item is on the screen in this state."""
    expect(page).to_have_url(re.compile(rf"/review/{position}/$"))
    expect(page.locator("#item")).to_have_attribute("data-state", state)


def opened(open_tab: Open, desk: Desk, **look: Any) -> Tab:
    """Open the desk's first item."""
    tab = open_tab(f"/runs/{desk.run.key}/review/", user=desk.reviewer, **look)
    tab.page.evaluate(WATCH)
    return tab


def test_forty_items_are_labelled_by_keyboard_alone(open_tab: Open) -> None:
    desk = make_desk(items=41)
    tab = opened(open_tab, desk)
    page = tab.page
    for position in range(1, 41):
        at(page, position)
        press(page, "y", "j", "n", "2")
        if position == 3:
            press(page, "m")
            page.keyboard.type("seen twice")
        _save(page, "revealed")
        _save(page, "blind")
    at(page, 41)
    assert page.evaluate("window.mice") == 0
    first = Verdict.objects.filter(stage="first")
    assert first.filter(label="unsupported_claims", blind=True).count() == 40
    assert Verdict.objects.filter(stage="revised", is_current=True).count() == 40
    assert ClaimVerdict.objects.filter(is_current=True).count() == 80
    assert first.get(note="seen twice").query.position == 3
    assert tab.complaints == []


def _save(page: Page, state: str) -> None:
    """Press Ctrl+Enter and wait until the item is in the next state."""
    before = page.locator("#item").get_attribute("data-announce")
    press(page, "Control+Enter")
    page.wait_for_function(
        "([state, before]) => { const item = document.querySelector('#item');"
        "return item.dataset.state === state && item.dataset.announce !== before; }",
        arg=[state, before],
    )


#: Adds up Chromium's layout shifts, those right after a key included (their own total leaves these out).
#: `still`: what has happened so far is drawn and counted.
SHIFTS = """() => {
  const add = (list) => { for (const one of list) window.shift += one.value; };
  const shifts = new PerformanceObserver((list) => add(list.getEntries()));
  shifts.observe({type: "layout-shift"});
  window.shift = 0;
  window.still = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
    add(shifts.takeRecords()); done(window.shift); }, 200))));
}"""


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_nothing_moves_when_a_save_brings_the_next_screen(open_tab: Open, width: int) -> None:
    page = opened(open_tab, make_desk(items=3), width=width).page
    page.evaluate(SHIFTS)
    for position in (1, 2):
        at(page, position)
        press(page, "y", "4")
        for state in ("revealed", "blind"):
            page.evaluate("still().then(() => { window.shift = 0; })")  # what the keys themselves unfold
            _save(page, state)
            assert page.evaluate("still()") == 0, state


def test_undo_skip_back_and_challenge_by_keyboard(open_tab: Open) -> None:
    desk = make_desk(items=3)
    page = opened(open_tab, desk).page
    press(page, "4", "Control+Enter")
    at(page, 1, "revealed")
    press(page, "z")
    at(page, 1, "open")
    expect(page.locator("input[name=label]:checked")).to_have_value("still_wrong")
    press(page, "1", "Control+Enter")
    at(page, 2)
    press(page, "g")
    press(page, "Space", "Tab")
    page.keyboard.type("1")
    press(page, "Control+Enter")
    expect(page.locator("#challenge")).to_contain_text("a lead decides it")
    press(page, "Escape", "s")
    page.keyboard.type("not my field")
    press(page, "Enter")
    at(page, 3)
    press(page, "b")
    at(page, 1, "revealed")
    assert GoldChallenge.objects.get().kind == "wrong_chunk"
    assert Skip.objects.get().reason == "not my field"
    assert page.evaluate("window.mice") == 0
    assert list(Verdict.objects.order_by("pk").values_list("label", "withdrawn", "blind")) == [
        ("still_wrong", True, True),
        ("retrieval_miss", False, False),
    ]


def test_a_digit_on_a_revealed_item_changes_the_label(open_tab: Open) -> None:
    desk = make_desk(items=2)
    page = opened(open_tab, desk).page
    press(page, "4", "Control+Enter")
    at(page, 1, "revealed")
    press(page, "1")
    expect(page.locator("#item")).to_have_attribute("data-state", "open")
    expect(page.locator("input[name=label]:checked")).to_have_value("retrieval_miss")
    press(page, "Control+Enter")
    at(page, 2)
    assert Verdict.objects.get(is_current=True).label == "retrieval_miss"


def test_no_key_fires_while_somebody_types(open_tab: Open) -> None:
    desk = make_desk(items=2)
    page = opened(open_tab, desk).page
    press(page, "m")
    page.keyboard.type("1 2 3 4 5 j k y n x u e g s z b ? /")
    expect(page.locator("#note")).to_have_value("1 2 3 4 5 j k y n x u e g s z b ? /")
    assert page.locator("input[name=label]:checked").count() == 0
    assert page.locator("dialog[open]").count() == 0
    press(page, "Control+Enter")
    at(page, 1, "revealed")


def test_evidence_is_the_chunk_or_the_words_selected_in_it(open_tab: Open) -> None:
    desk = make_desk(items=1)
    page = opened(open_tab, desk).page
    press(page, "e", "e", "Enter")
    expect(page.locator("#mark-1 .where")).to_have_text("chunk 2")
    press(page, "j")
    page.evaluate("""() => { const text = document.querySelector("#chunk-3 [data-text]").firstChild;
        getSelection().setBaseAndExtent(text, 6, text, 10); document.querySelector("#chunk-3").focus(); }""")
    press(page, "Enter", "n", "2", "Control+Enter")
    at(page, 1, "revealed")
    marks = list(ClaimVerdict.objects.order_by("claim__position"))
    assert [(mark.label, mark.evidence_start, mark.evidence_end) for mark in marks] == [
        ("supported", None, None),
        ("unsupported", 6, 10),
    ]
    slots = list(Retrieved.objects.order_by("rank").values_list("chunk", flat=True))
    assert [mark.chunk_id for mark in marks] == slots[1:3]


TEXTS = {
    "emoji": ("Yes 👩‍👩‍👧 family. 🇩🇪 flag is here. End.", "🇩🇪 flag is here."),
    "combining": ("Cafe\u0301 one. E\u0301te\u0301 two. Three.", "E\u0301te\u0301 two."),
    "line_ends": ("One line.\r\nTwo lines.\r\nThree.", "Two lines."),
    "right_to_left": ("שלום עולם. ההחזר תוך 14 ימים. סוף.", "ההחזר תוך 14 ימים."),
    "override": ("Safe \u202etxt.exe\u202c here. Next claim. End.", "Next claim."),
}


@pytest.mark.parametrize("script", TEXTS)
def test_highlights_are_exactly_the_claim_whatever_the_script(open_tab: Open, script: str) -> None:
    answer, claim = TEXTS[script]
    run = make_run()
    query = make_query(run, [make_chunk(run, text=answer)], answer=answer)
    start = answer.index(claim)
    make_claim(query, claim, span_start=start, span_end=start + len(claim))
    page = opened(open_tab, make_desk(items=0, run=run)).page
    assert page.locator("#answer a.claim .words").inner_text() == claim
    shown = page.locator("#answer").evaluate("(answer) => getComputedStyle(answer).unicodeBidi")
    assert shown in {"isolate", "plaintext"}
    # the same words, selected in the chunk, come back as the same code points
    page.evaluate(
        """(claim) => {
          const text = document.querySelector("#chunk-1 [data-text]"), nodes = [];
          const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
          for (let node = walk.nextNode(); node; node = walk.nextNode()) nodes.push(node);
          const node = nodes.find((one) => one.data.includes(claim)), at = node.data.indexOf(claim);
          getSelection().setBaseAndExtent(node, at, node, at + claim.length);
          document.querySelector("#chunk-1").focus();
        }""",
        claim,
    )
    press(page, "Enter", "4", "Control+Enter")
    at(page, 1, "revealed")
    mark = ClaimVerdict.objects.get()
    assert (mark.evidence_start, mark.evidence_end) == (start, start + len(claim))


def test_words_shared_by_claim_and_chunk_are_painted_and_find_paints_too(open_tab: Open) -> None:
    desk = make_desk(items=1)
    page = opened(open_tab, desk).page
    painted = "[...(CSS.highlights.get('%s') || [])].map((range) => range.toString())"
    page.evaluate("document.querySelector('#chunk-1 [data-text]').textContent = 'The limits are 14 days.'")
    press(page, "j", "k")
    assert set(page.evaluate(painted % "shared")) >= {"limits", "14", "days"}
    press(page, "/")
    page.keyboard.type("number 1")
    assert page.evaluate(painted % "found") == ["number 1"]


class TestNothingIsLost:
    """F-46 to F-48 as a reviewer meets them."""

    def test_F48_offline_in_the_middle_of_a_note_it_is_kept_said_and_saved_when_back(self, open_tab: Open) -> None:
        desk = make_desk(items=1)
        page = opened(open_tab, desk).page
        press(page, "4", "m")
        page.keyboard.type("half a thought")
        page.context.set_offline(True)
        press(page, "Control+Enter")
        expect(page.locator(".vitals .saved")).to_contain_text("Not saved")
        expect(page.locator(".vitals .conn")).to_contain_text("Offline")
        expect(page.locator("#note")).to_have_value("half a thought")
        assert not Verdict.objects.exists()
        page.context.set_offline(False)
        at(page, 1, "revealed")
        assert Verdict.objects.get().note == "half a thought"

    def test_F48_after_the_log_in_ran_out_the_same_page_saves_once_one_is_in_again(self, open_tab: Open) -> None:
        desk = make_desk(items=1)
        page = opened(open_tab, desk).page
        press(page, "4", "m")
        page.keyboard.type("typed before")
        cookies = page.context.cookies()
        page.context.clear_cookies(name="sessionid")
        press(page, "Control+Enter")
        expect(page.locator("#trouble")).to_contain_text("You are logged out")
        expect(page.locator(".vitals .saved")).to_contain_text("Not saved")
        page.context.add_cookies(cookies)  # logging in again, in another tab
        page.get_by_role("button", name="Retry").click()
        at(page, 1, "revealed")
        assert Verdict.objects.get().note == "typed before"

    def test_P47_a_server_error_keeps_the_text_says_not_saved_and_is_tried_again(self, open_tab: Open) -> None:
        desk = make_desk(items=1)
        page = opened(open_tab, desk).page
        failures = iter([500])
        page.route(
            "**/review/1/",
            lambda route: (
                route.fulfill(status=next(failures, 0) or 200)
                if route.request.method == "POST" and not page.evaluate("window.failed")
                else route.continue_()
            ),
        )
        press(page, "4", "m")
        page.keyboard.type("kept")
        page.evaluate("window.failed = false")
        press(page, "Control+Enter")
        expect(page.locator(".vitals .saved")).to_contain_text("Not saved")
        expect(page.locator("#note")).to_have_value("kept")
        page.evaluate("window.failed = true")
        at(page, 1, "revealed")  # by itself, three seconds later
        assert Verdict.objects.get().note == "kept"

    def test_F46_a_double_save_and_a_held_key_are_one_verdict(self, open_tab: Open) -> None:
        desk = make_desk(items=2)
        page = opened(open_tab, desk).page
        press(page, "4")
        page.evaluate("""() => { const form = document.querySelector("#decision-form");
            for (let i = 0; i < 5; i += 1) form.requestSubmit(); }""")
        at(page, 1, "revealed")
        assert Verdict.objects.count() == 1

    def test_a_draft_survives_a_closed_tab_and_is_gone_after_the_save(self, open_tab: Open) -> None:
        desk = make_desk(items=2)
        page = opened(open_tab, desk).page
        press(page, "x", "3", "m")
        page.keyboard.type("to be continued")
        expect(page.locator("#draft")).to_contain_text("Draft kept")
        page.goto("about:blank")
        page.goto(f"/runs/{desk.run.key}/review/")
        expect(page.locator("#draft")).to_contain_text("restored")
        expect(page.locator("#note")).to_have_value("to be continued")
        expect(page.locator("input[name=label]:checked")).to_have_value("grounded_wrong_question")
        expect(page.locator("#mark-1 .state").first).to_contain_text("Contradicted")
        press(page, "Control+Enter")
        at(page, 1, "revealed")
        assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('draft:'))") == []

    def test_F47_back_in_the_browser_shows_what_was_saved_and_an_old_form_is_stopped(self, open_tab: Open) -> None:
        desk = make_desk(items=2)
        page = opened(open_tab, desk).page
        press(page, "4", "Control+Enter")
        at(page, 1, "revealed")
        press(page, "Control+Enter")
        at(page, 2)
        page.go_back()
        at(page, 1, "revealed")
        assert Verdict.objects.filter(withdrawn=False, stage="first").count() == 1

    def test_F46_a_second_tab_with_another_word_is_told_and_the_last_explicit_choice_wins(self, open_tab: Open) -> None:
        desk = make_desk(items=1)
        one = opened(open_tab, desk).page
        two = one.context.new_page()
        two.goto(desk.url())
        press(one, "4", "Control+Enter")
        at(one, 1, "revealed")
        press(two, "1", "Control+Enter")
        expect(two.locator("#decision-form .callout")).to_contain_text("you said something else")
        expect(two.locator("input[name=label]:checked")).to_have_value("retrieval_miss")
        press(two, "Control+Enter")
        expect(two.locator("#item")).to_have_attribute("data-state", "empty")
        assert Verdict.objects.get(is_current=True).label == "retrieval_miss"
        assert Verdict.objects.count() == 2

    def test_nothing_chosen_is_said_before_anything_is_sent(self, open_tab: Open) -> None:
        desk = make_desk(items=1)
        page = opened(open_tab, desk).page
        press(page, "Control+Enter")
        expect(page.locator("#draft")).to_have_text("Choose a label, or write a note.")
        at(page, 1)

    def test_a_lease_lost_to_somebody_else_is_said_and_the_text_stays(self, open_tab: Open) -> None:
        desk = make_desk(items=1)
        page = opened(open_tab, desk).page
        press(page, "4", "m")
        page.keyboard.type("mine")
        other = make_desk(items=0, run=desk.run)
        Lease.objects.update(reviewer=other.reviewer, token="0" * 32)
        press(page, "Control+Enter")
        expect(page.locator("#decision-form .callout")).to_contain_text("somebody else has this item now")
        expect(page.locator("#note")).to_have_value("mine")


def test_focus_is_never_lost_and_every_change_is_announced(open_tab: Open) -> None:
    desk = make_desk(items=2)
    page = opened(open_tab, desk).page
    press(page, "4", "Control+Enter")
    at(page, 1, "revealed")
    assert page.evaluate("document.activeElement.id") == "decision-h"
    expect(page.locator("#live")).to_contain_text("Saved. Item 1 of 2. Machine’s label: Retrieval miss.")
    press(page, "Control+Enter")
    at(page, 2)
    assert page.evaluate("document.activeElement.id") == "question"
    expect(page.locator("#live")).to_contain_text("Saved. Item 2 of 2.")


def test_single_letter_keys_can_be_changed_and_switched_off(open_tab: Open) -> None:
    desk = make_desk(items=1)
    page = opened(open_tab, desk).page
    press(page, "?")
    page.get_by_role("link", name="Change your keys").click()
    page.get_by_label("Still wrong").fill("w")
    page.get_by_role("button", name="Save keys").click()
    page.goto(desk.url())
    press(page, "w")
    expect(page.locator("input[name=label]:checked")).to_have_value("still_wrong")
    page.goto("/keys/")
    page.get_by_label("Single-letter keys on").uncheck()
    page.get_by_role("button", name="Save keys").click()
    page.goto(desk.url())
    page.evaluate("localStorage.clear()")
    page.goto(desk.url())
    press(page, "w", "1")
    assert page.locator("input[name=label]:checked").count() == 0


def test_without_javascript_an_item_is_judged_revealed_and_kept(
    open_tab: Open, chromium: Any, live_server: Any
) -> None:
    desk = make_desk(items=2)
    cookies = opened(open_tab, desk).page.context.cookies()
    context = chromium.new_context(java_script_enabled=False, base_url=str(live_server))
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(desk.url())
    page.locator("input[name=label][value=still_wrong]").check(force=True)
    page.get_by_role("button", name="Save & reveal").click()
    expect(page.get_by_role("heading", name="Keep or change?")).to_be_visible()
    page.get_by_role("button", name="Keep & next").click()
    expect(page).to_have_url(re.compile(r"/review/2/$"))
    context.close()
    assert Verdict.objects.get(is_current=True).label == "still_wrong"


LOOKS = [(WIDE, False), (WIDE, True), (PHONE, False), (PHONE, True), (WIDE // 2, False)]


@pytest.mark.parametrize(("width", "dark"), LOOKS, ids=["wide", "wide-dark", "phone", "phone-dark", "zoom-200"])
def test_every_state_of_the_screen_is_accessible_and_fits(open_tab: Open, width: int, dark: bool) -> None:
    run = make_run()
    case = make_case(run, slices={"topic": "billing"}, conversation=[{"speaker": "user", "text": "hello"}])
    first = case.retrieved.get(rank=1).chunk
    first.superseded_by = "chunk of another year"
    first.summary_of = ["unknown source"]
    first.save()
    file_case(case)
    tab = opened(open_tab, make_desk(items=1, run=run), width=width, dark=dark)
    states = {
        "blind": (),
        "form filled": ("n", "4"),
        "keys": ("?",),
        "challenge": ("Escape", "g"),
        "skip": ("Escape", "s"),
    }
    for name, keys in states.items():
        press(tab.page, *keys)
        assert tab.axe() == [], name
        assert tab.overflow() == 0, name
    press(tab.page, "Escape", "Control+Enter")
    at(tab.page, 1, "revealed")
    assert tab.axe() == []
    assert tab.overflow() == 0
    tab.page.goto("/keys/")
    assert tab.axe() == []
    assert tab.complaints == []
