"""Forty real items by keyboard alone: claim marks, undo, skip, challenge, at 1280 px, on a phone and at 200 % zoom."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from playwright.sync_api import Page

from labeling.models import ClaimVerdict, GoldChallenge, Skip, Verdict
from labeling.worklist import default_session
from tests.browser.test_review import WATCH, at, press
from tests.factories import make_member, make_project
from tests.tabs import PHONE, WIDE, Tab
from triage import intake
from triage.ingest import ingest
from triage.models import Role, Run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: From the key press until the next item is laid out, in the page's own clock; the answer waits in `nextItem`.
NEXT = """([state, before]) => { window.nextItem = new Promise((done) => {
  const start = performance.now();
  const look = () => {
    const item = document.querySelector("#item");
    if (item.dataset.state !== state || item.dataset.draft === before) return requestAnimationFrame(look);
    item.getBoundingClientRect();
    return done(performance.now() - start);
  };
  requestAnimationFrame(look);
}); }"""


@pytest.fixture
def run(shared: Path) -> Run:
    """The k20 arm as imported, not yet judged by any machine."""
    path = shared / "data" / "runs" / "clapnq_arm_k20.jsonl.gz"
    upload = ingest(intake.store(make_project(), None, path.name, [path.read_bytes()], "").pk)
    assert upload.run is not None, upload.reason
    return upload.run


def step(page: Page, state: str) -> float:
    """Press Ctrl+Enter and return the milliseconds until the item is in the next state."""
    before = page.locator("#item").get_attribute("data-draft") if state == "blind" else ""
    page.evaluate(NEXT, [state, before])
    page.keyboard.press("Control+Enter")
    return float(page.evaluate("window.nextItem"))


def label(page: Page, position: int) -> None:
    """Mark the first claim, if there is one, and choose a label."""
    if page.locator("#mark-1").count():
        press(page, "e", "Enter", "y")
    press(page, "1345"[position % 4])


@pytest.mark.parametrize(
    ("width", "items"), [(WIDE, 40), (PHONE, 10), (WIDE // 2, 10)], ids=["wide", "phone", "zoom-200"]
)
def test_items_are_labelled_without_a_mouse(
    open_tab: Callable[..., Tab], run: Run, width: int, items: int, capsys: pytest.CaptureFixture[str]
) -> None:
    reviewer = make_member(run.project, Role.REVIEWER)
    tab = open_tab(f"/runs/{run.key}/review/", user=reviewer, width=width)
    page, waits = tab.page, []
    page.evaluate(WATCH)
    for position in range(1, items + 1):
        at(page, position)
        label(page, position)
        waits += [step(page, "revealed"), step(page, "blind")]
    at(page, items + 1)
    undo_skip_and_challenge(page, items)
    assert page.evaluate("window.mice") == 0
    assert tab.complaints == []
    saved = Verdict.objects.filter(stage="first", withdrawn=False, reviewer=reviewer)
    assert saved.count() == items
    assert ClaimVerdict.objects.filter(is_current=True, chunk__isnull=False).exists()
    assert Skip.objects.get().item.session == default_session(run)
    assert GoldChallenge.objects.get().query.run == run
    told = page.evaluate("performance.getEntriesByName('ahead').length")
    with capsys.disabled():
        sys.stdout.write(f"\n{items} items: {median(waits):.0f} ms between screens (median), {told} cards came ahead\n")
    is_quiet = os.getloadavg()[0] < (os.cpu_count() or 1)
    assert median(waits) < (300 if is_quiet else 2_000), f"median {median(waits):.0f} ms between screens"


def undo_skip_and_challenge(page: Page, items: int) -> None:
    """Take the last keep back and keep again, challenge the gold of the next item, and send it on."""
    press(page, "z")
    at(page, items, "revealed")
    press(page, "Control+Enter")
    at(page, items + 1)
    press(page, "g", "Space", "Tab", "1", "Control+Enter")
    page.locator("#challenges").get_by_text("a lead decides it").wait_for()
    press(page, "Escape", "s", "Enter")
    at(page, items + 2)
