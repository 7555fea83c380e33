"""The main job by the real product: first-lead link, upload, classes, ten reviews by keyboard, release note.

Everything is a process of its own, as `make run` starts it; the numbers are recounted here from the file alone.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.faults.test_up import Folder, Product, enterable

pytestmark = [pytest.mark.browser, pytest.mark.faults]

PASSWORD = "a quiet long pass-phrase"
PATIENCE_MS = 90_000


@pytest.fixture
def product(tmp_path: Path) -> Iterator[Product]:
    folder = Folder(enterable(tmp_path) / "var")
    product = folder.up("--port", "18451")
    product.wait_for("Logs: ")
    yield product
    folder.clean()


@pytest.fixture
def page(chromium: Browser, product: Product) -> Iterator[Page]:
    context = chromium.new_context(base_url=product.address, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    yield page
    context.close()


def queries_of(path: Path) -> list[dict[str, object]]:
    """Return the query lines of a run file, read without the product's reader."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row.get("kind", "query") == "query"]


def means(queries: list[dict[str, object]]) -> tuple[float, float]:
    """Return mean context precision and mean recall over the queries with gold, counted from the file."""
    precision, recall = [], []
    for query in queries:
        gold = set(query["gold"])  # type: ignore[call-overload]
        context = [slot["id"] for slot in query["retrieved"] if slot["in_context"]]  # type: ignore[attr-defined]
        if gold:
            precision.append(sum(key in gold for key in context) / len(context))
            recall.append(len(gold & set(context)) / len(gold))
    return sum(precision) / len(precision), sum(recall) / len(recall)


def test_a_new_user_gets_from_the_printed_link_to_the_release_note(shared: Path, product: Product, page: Page) -> None:
    file = shared / "data" / "runs" / "clapnq_arm_k20.jsonl.gz"
    queries = queries_of(file)
    failing = [query for query in queries if query["correct"] is False]
    precision, recall = means(queries)
    assert (len(queries), len(failing), round(precision, 3), round(recall, 3)) == (345, 232, 0.077, 0.957)

    make_first_account(product, page)
    upload(page, file)
    figures = page.locator("main").inner_text()
    assert f"Where the {len(failing)} failures are" in figures
    assert f"{precision:.3f}" in figures
    assert f"{recall:.3f}" in figures

    review_by_keyboard(page, 10)

    note = download_note(page)
    assert (note["population"], sum_of(note, "automatic")) == (
        {"queries": 345, "failing": 232} | note["population"],
        232,
    )
    assert round(note["metrics"]["context_precision"]["value"], 3) == round(precision, 3)
    assert round(note["metrics"]["context_recall"]["value"], 3) == round(recall, 3)
    assert sum_of(note, "confirmed") == 10


def make_first_account(product: Product, page: Page) -> None:
    """Open the printed one-time link, make the account, and see that the link is used up."""
    link = re.search(r"http://\S+/join/\S+", product.lines)
    assert link, product.lines
    page.goto(link.group(0))
    page.fill("[name=username]", "ada")
    page.fill("[name=password]", PASSWORD)
    page.fill("[name=password_again]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/*/")
    assert page.request.get(link.group(0)).status == 410


def upload(page: Page, file: Path) -> None:
    """Upload the file and follow the import to the classified run."""
    page.get_by_role("link", name="Import", exact=True).first.click()
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("link", name="k20", exact=True).first.click()
    expect(page.get_by_role("heading", name="k20", exact=True)).to_be_visible()
    expect(page.get_by_text("Classified", exact=True)).to_be_visible(timeout=PATIENCE_MS)


def review_by_keyboard(page: Page, items: int) -> None:
    """Label `items` queries without the mouse: a label, save and reveal, keep and next."""
    page.get_by_role("link", name="Review failures").press("Enter")
    for number in range(items):
        expect(page.get_by_text("Save & reveal")).to_be_visible()
        page.keyboard.press("1234"[number % 4])
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("Keep & next")).to_be_visible()
        page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Save & reveal")).to_be_visible()
    expect(page.locator("body")).to_contain_text(f"{items} of 232")


def download_note(page: Page) -> dict[str, dict[str, dict[str, float]]]:
    """Open the release note of the run and download it as JSON and as Markdown."""
    page.goto("/")
    page.get_by_role("link", name="k20", exact=True).first.click()
    page.get_by_role("link", name="Release note").first.click()
    with page.expect_download() as markdown:
        page.locator("a[href*='report.md']").click()
    assert "| `retrieval_miss` |" in Path(markdown.value.path()).read_text(encoding="utf-8")
    with page.expect_download() as download:
        page.locator("a[href*='report.json']").click()
    return json.loads(Path(download.value.path()).read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def sum_of(note: dict[str, object], column: str) -> float:
    """Return the sum of a column over the classes, the total and what lies outside it left out."""
    rows = note["rows"]
    assert isinstance(rows, list)
    return sum(row[column] or 0 for row in rows if row["class"] not in {"total", "missed_failure"})
