"""Measure what a reviewer feels in Chromium: from a key to the next paint, to the next item, and what moves on a swap.

Run from the root of the repository: `python -m benchmarks.interaction [ITEMS]`. Default: 60 items by real key presses
at each of two widths, against two gunicorn processes on the same machine, over 1,000 failing queries of 20 chunks.
Prints a Markdown table. The key's time is Chromium's own (Event Timing: from the press until what it changed is
painted, in steps of 8 ms); the target is 100 ms. The shift is Chromium's too (Layout Instability), summed from each
save until 300 ms after its screen came, those right after a key included; the target is none.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from statistics import quantiles
from typing import TYPE_CHECKING

import django

from tests import throwaway

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from labeling.models import ReviewSession

SIZES = ((1280, 800), (390, 844))
QUERIES, WARM, PAUSE_MS = 1_000, 5, 400
#: A claim, its verdict, a label.
KEYS = ("j", "y", "4")
#: Shorter than this, Chromium tells of no event: such keys count as this long.
LEAST_MS = 16

WATCH = """() => {
  let pressed = 0, came = 0, was = document.querySelector("#item").dataset.announce;
  window.forget = () => { window.seen = {keys: {}, shift: 0, items: []}; };
  forget();
  new PerformanceObserver((list) => { for (const one of list.getEntries())
    if (one.interactionId) seen.keys[one.interactionId] = Math.max(seen.keys[one.interactionId] || 0, one.duration);
  }).observe({type: "event", durationThreshold: 16});
  new PerformanceObserver((list) => { for (const one of list.getEntries())
    if (one.startTime > pressed && (came < pressed || one.startTime < came + 300)) seen.shift += one.value;
  }).observe({type: "layout-shift"});
  addEventListener("keydown", (key) => { if (key.key === "Enter") pressed = key.timeStamp; }, true);
  const look = () => { const now = document.querySelector("#item")?.dataset.announce;
    if (now && now !== was) { was = now; came = performance.now(); seen.items.push(came - pressed); }
    requestAnimationFrame(look); };
  look();
}"""


@dataclass(frozen=True, slots=True)
class Felt:
    """What Chromium saw while items were read; milliseconds."""

    keys: list[float]
    items: list[float]
    shift: float


def read(page: Page, items: int) -> Felt:
    """Read this many items by keyboard: a label, two claims, save, then on."""
    page.evaluate("forget()")
    for _ in range(items):
        for key in KEYS:
            page.keyboard.press(key)
        page.wait_for_timeout(PAUSE_MS)  # what the keys themselves unfold does not count as moved by the swap
        was = page.locator("#item").get_attribute("data-announce")
        page.keyboard.press("Control+Enter")
        page.wait_for_function("was => document.querySelector('#item')?.dataset.announce !== was", arg=was)
        page.wait_for_timeout(PAUSE_MS)
    seen = page.evaluate("seen")
    told = list(seen["keys"].values())
    return Felt([LEAST_MS] * ((len(KEYS) + 1) * items - len(told)) + told, seen["items"], seen["shift"])


def show(width: int, felt: Felt) -> None:
    """Print one row."""
    cells = []
    for line in (felt.keys, felt.items):
        cut = quantiles(line, n=20, method="inclusive")
        cells.append(f"{cut[9]:.0f} | {cut[18]:.0f} | {max(line):.0f}")
    print(f"| {width} | {len(felt.items)} | {' | '.join(cells)} | {felt.shift:.4f} |", flush=True)


def measure(browser: Browser, session: ReviewSession, cookie: dict[str, str], width: int, height: int, n: int) -> Felt:
    """Read n items in a new window of this size."""
    context = browser.new_context(viewport={"width": width, "height": height}, base_url=cookie["url"])
    context.add_cookies([cookie])  # type: ignore[list-item]
    page = context.new_page()
    page.goto(f"/sessions/{session.key}/review/")
    page.evaluate(WATCH)
    read(page, WARM)
    felt = read(page, n)
    context.close()
    return felt


def main(items: int) -> None:
    """Print the table."""
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client
    from playwright.sync_api import sync_playwright

    from benchmarks.review_client import served
    from benchmarks.review_rows import make_read_run, make_reviewers, make_sessions
    from tests.chromium import MISSING, find

    path = find()
    if path is None:
        print(f"Not measured: {MISSING}.")
        return
    call_command("migrate", verbosity=0)
    run = make_read_run(QUERIES)
    sessions = make_sessions(run, 2, 0.0, 0.0)
    people = make_reviewers(run.project, len(SIZES))
    with served() as port, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        print(f"Chromium {browser.version}\n")
        print("| width | screens | key to paint, ms: p50 | p95 | most | to the next screen: p50 | p95 | most | shift |")
        print("|---|---|---|---|---|---|---|---|---|")
        for (width, height), session, person in zip(SIZES, sessions, people, strict=True):
            client = Client()
            client.force_login(person)
            cookie = {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}
            show(width, measure(browser, session, {**cookie, "url": f"http://127.0.0.1:{port}"}, width, height, items))
        browser.close()


if __name__ == "__main__":
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright keeps a loop in this thread; rows are ours alone
    var = throwaway.start(durable=True)
    try:
        django.setup()
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
    finally:
        throwaway.stop(var)
