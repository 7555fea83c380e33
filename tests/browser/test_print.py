"""The release note on paper: one A4 page, from the page, from a published note and from the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from labeling.core.html_page import to_html
from labeling.core.note_document import document
from labeling.report import publish
from tests.factories import make_member, make_project
from tests.labeling.note_example import note
from tests.labeling.rows import draw, make_classified, queries_of, say
from tests.tabs import Tab
from triage.models import Project, Role, Run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Tab]


def pages_of(tab: Tab) -> int:
    """Return how many sheets of A4 the open page takes."""
    made = tab.page.pdf(format="A4", prefer_css_page_size=True, print_background=True)
    return len(re.findall(rb"/Type\s*/Page\b", made))


def reviewed(project: Project, release: str) -> Run:
    """Return a run with every class, a draw, sub-causes and the metrics of a whole note."""
    run = make_classified(
        project, retrieval_miss=6, unsupported_claims=8, grounded_wrong_question=7, still_wrong=14, correct=40
    )
    told = {"value": 0.9, "low": 0.85, "high": 0.93, "n": 75, "left_out": {"no_claims": 2}}
    keys = ("context_recall", "context_precision", "faithfulness", "any_unsupported", "answer_relevance")
    Run.objects.filter(pk=run.pk).update(release=release, summary={**run.summary, "metrics": dict.fromkeys(keys, told)})
    labels = ("retrieval_miss", "unsupported_claims", "grounded_wrong_question", "still_wrong")
    strata = {label: len(queries_of(run, label)) for label in labels}
    draw(run, strata, {query.pk: label for label in labels for query in queries_of(run, label)[:6]})
    causes = ["superseded_document", "contradicting_documents", "wrong_gold", "incomplete", "other"]
    for place, label in enumerate(labels * 6):
        query = queries_of(run, label)[place // 4]
        say(query, "still_wrong", causes[place % 5]) if place % 2 else say(query, label)
    return Run.objects.select_related("project").get(pk=run.pk)


def test_the_note_prints_on_one_page_live_and_published(open_tab: Open) -> None:
    project = make_project(name="Larkfield assistant")
    lead = make_member(project, Role.LEAD)
    reviewed(project, "2026.10")
    run = reviewed(project, "2026.11")
    live = open_tab(f"/runs/{run.key}/report/", user=lead)
    assert "Query by query since 2026.10" in live.page.content()
    assert pages_of(live) == 1
    published = open_tab(f"/snapshots/{publish(run, lead).key}/", user=lead)
    assert pages_of(published) == 1
    dark = open_tab(f"/runs/{run.key}/report/", user=lead, dark=True)
    assert pages_of(dark) == 1


def test_the_file_prints_on_one_page(open_tab: Open, tmp_path: Path) -> None:
    path = tmp_path / "note.html"
    path.write_text(to_html(document(note())), encoding="utf-8")
    assert pages_of(open_tab(path.as_uri())) == 1
