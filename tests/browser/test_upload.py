"""Files go in through a real browser, with the enforcing policy, and the page keeps itself up to date."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.tabs import Tab

if TYPE_CHECKING:
    from django.contrib.auth.models import User

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

QUERY = {"question": "How long?", "answer": "14 days.", "retrieved": [], "correct": False}


@pytest.fixture
def lead(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    from tests.factories import make_member, make_project
    from triage.models import Role

    settings.UPLOAD_DIR = tmp_path / "uploads"
    monkeypatch.setattr("triage.views.uploads.ingest_soon", lambda _upload: True)
    return make_member(make_project(slug="desk"), Role.LEAD)


def write(folder: Path, name: str, queries: int = 3) -> Path:
    path = folder / name
    lines = [json.dumps({**QUERY, "id": f"{name} {number}"}) for number in range(queries)]
    path.write_text("\n".join([*lines, '{"id": "cut']), encoding="utf-8")
    return path


def work() -> None:
    """Do what a worker does."""
    from triage.ingest import ingest
    from triage.models import Upload
    from triage.tasks import run_to_end

    for upload in Upload.objects.all():
        done = ingest(upload.pk)
        assert done.run_id is not None
        run_to_end(done.run_id)


def test_a_file_is_sent_watched_and_read_up_on(lead: User, open_tab: Callable[..., Tab], tmp_path: Path) -> None:
    tab = open_tab("/p/desk/import/", user=lead)
    tab.page.locator("#id_run_files").set_input_files(write(tmp_path, "nightly.jsonl"))
    tab.page.get_by_role("button", name="Import", exact=True).click()
    tab.page.wait_for_url("**/uploads/*/")
    assert tab.page.get_by_text("Waits for a worker").first.is_visible()
    work()
    tab.page.get_by_text("Imported, 1 line left out").first.wait_for(timeout=10_000)
    assert tab.page.get_by_role("heading", name="Lines left out").is_visible()
    assert tab.page.get_by_text("text ends inside a string").is_visible()
    assert tab.complaints == []


def test_P34_several_files_are_sent_in_one_go_and_all_are_listed(
    lead: User, open_tab: Callable[..., Tab], tmp_path: Path
) -> None:
    tab = open_tab("/p/desk/import/", user=lead)
    files = [write(tmp_path, name) for name in ("a.jsonl", "b.jsonl")]
    tab.page.locator("#id_run_files").set_input_files(files)
    tab.page.get_by_role("button", name="Import", exact=True).click()
    for name in ("a.jsonl", "b.jsonl"):
        tab.page.get_by_role("heading", name=name).wait_for()
    work()
    tab.page.get_by_role("row", name="a.jsonl").wait_for(timeout=10_000)
    assert tab.complaints == []


def test_a_file_over_the_limit_is_named_before_it_is_sent(
    lead: User, open_tab: Callable[..., Tab], tmp_path: Path, settings: Any
) -> None:
    settings.UPLOAD_MAX_BYTES = 50
    tab = open_tab("/p/desk/import/", user=lead)
    field = tab.page.locator("#id_run_files")
    field.set_input_files(write(tmp_path, "big.jsonl"))
    assert "Larger than 50 bytes: big.jsonl" in field.evaluate("field => field.validationMessage")


def test_without_a_file_the_form_says_what_is_missing_and_stays(lead: User, open_tab: Callable[..., Tab]) -> None:
    tab = open_tab("/p/desk/import/", user=lead)
    tab.page.locator("#id_run_files").evaluate("field => field.removeAttribute('required')")
    tab.page.get_by_role("button", name="Import", exact=True).click()
    tab.page.get_by_text("Choose at least one file").wait_for()
    assert tab.page.get_by_role("heading", name="Import", exact=True).is_visible()
