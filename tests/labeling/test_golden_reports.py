"""Every report in every format it has, word for word, from constructed runs; and how GitHub would render it.

`GOLDEN=write pytest` on this file writes the golden files anew: read the difference before committing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from labeling import audit, compare, confidence, economics, gate, ladder, mend, sources
from labeling.economics import Asked
from labeling.trend import rendered as trend_rendered
from labeling.trend import trend
from tests.factories import digest, make_chunk, make_claim, make_project, make_query, make_run
from tests.labeling.note_example import HOSTILE
from triage.models import Citation, Project, Query, QueryMetrics, Retrieved, Run, Suggestion

GOLDEN = Path(__file__).parent / "golden"
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
#: name -> settings, context tokens, ms, p95, mean relevance, how many of 40 fail
ARMS = {
    "wide": ({"k": 20, "candidate_k": 20, "context": "retrieved"}, 2510, 1000, 1900, 0.72, 15),
    "narrow": ({"k": 5, "candidate_k": 50, "reranker": "x", "context": "retrieved"}, 655, 1095, 2100, 0.81, 9),
    "alone": ({"k": 20, "candidate_k": 20, "context": "gold_only"}, 130, 800, 1500, 0.9, 4),
    "padded": ({"k": 20, "candidate_k": 20, "context": "padded"}, 2600, 1010, 1950, 0.66, 17),
}


def arm(project: Project, name: str, shown: str = "") -> Run:
    """Return one arm over the same 40 questions; keys and names are fixed, so that the texts are."""
    config, tokens, ms, p95, relevance, wrong = ARMS[name]
    told = {
        "accuracy": {"value": 1 - wrong / 40, "low": 0.4, "high": 0.8, "n": 40, "left_out": {}},
        "context_recall": {"value": 0.94, "low": 0.9, "high": 0.97, "n": 40, "left_out": {}},
        "context_precision": {"value": 0.14, "low": 0.1, "high": 0.2, "n": 40, "left_out": {}},
        "faithfulness": {"value": 0.91, "low": 0.82, "high": 0.95, "n": 38, "left_out": {"no_claims": 2}},
        "context_tokens": {"value": tokens, "low": tokens - 5, "high": tokens + 5, "n": 40, "left_out": {}},
        "latency_p50_ms": {"value": ms, "low": None, "high": None, "n": 40, "left_out": {}},
        "latency_p95_ms": {"value": p95, "low": None, "high": None, "n": 40, "left_out": {}},
    }
    run = make_run(
        project,
        key=f"k{name}"[:10].ljust(10, "2"),
        name=shown or name,
        config=config,
        policy_fingerprint="3f9c21ab",
        prices={"input_per_million": 3.0, "currency": "USD"},
        evaluation_set_facts={"built_at": "2026-11-01", "questions_from": "logs", "serving_k": 5},
        summary={"metrics": told, "outcomes": {"failing": wrong, "correct": 40 - wrong, "undecided": 0}},
    )
    chunk = make_chunk(run, "g1", f"Text of {name}.")
    queries = [make_query(run, [chunk], correct=place > wrong, gold=["g1"]) for place in range(1, 41)]
    Query.objects.filter(run=run).update(context_tokens=tokens, latency_ms=ms, cost=tokens * 3e-6, reranker="ok")
    Query.objects.filter(run=run, position__lte=2).update(reranker="timeout")
    QueryMetrics.objects.bulk_create(
        QueryMetrics(
            query=query,
            context_recall=1.0,
            context_precision=0.14,
            faithfulness=0.9,
            answer_relevance=relevance + (query.position % 3) / 100,
        )
        for query in queries
    )
    Suggestion.objects.bulk_create(
        Suggestion(query=query, label="still_wrong", policy_fingerprint="3f9c21ab", basis=f"b{query.position}")
        for query in queries[:wrong]
    )
    for query in queries:
        Retrieved.objects.filter(query=query).update(score=0.2 if query.position <= wrong + 2 else 0.8)
        Query.objects.filter(pk=query.pk).update(key_hash=digest(query.key))
    return Run.objects.select_related("project").get(pk=run.pk)


Render = Callable[[str], str]


def _compare() -> Render:
    project = make_project()
    runs = [arm(project, name) for name in ("wide", "narrow", "alone", "padded")]
    production = {"context_recall": 0.94, "latency_p95_ms": 1900.0, "faithfulness": 0.7}
    return partial(compare.render, compare.compare(runs, production=production))


def _economics() -> Render:
    project = make_project()
    asked = Asked(((20, 42), (50, 95), (100, 198)), own_p95_ms=140, hosted_per_1000=1.5, node_per_month=600)
    return partial(economics.render, economics.economics([arm(project, "wide"), arm(project, "narrow")], asked))


def _ladder() -> Render:
    project = make_project()
    runs = [arm(project, name) for name in ("padded", "wide", "narrow")]
    return partial(ladder.render, ladder.climb(runs, "answer_relevance"))


def _confidence() -> Render:
    return partial(confidence.render, confidence.confidence(arm(make_project(), "wide")))


def _gate() -> Render:
    return partial(gate.render, gate.gate(arm(make_project(), "wide")))


def _audit() -> Render:
    return partial(audit.render, audit.audit(arm(make_project(), "wide"), NOW))


def _sources(answer: str | None = "An answer.") -> Render:
    """Of 40 queries a fifth cannot be answered, a quarter decline, and every third cites."""
    run = arm(make_project(), "wide")
    told = {"value": 0.3, "low": 0.2, "high": 0.4, "n": 36, "left_out": {"no_supported_claim": 4}}
    run.summary["metrics"]["support_from_gold"] = told
    for query in run.queries.all():
        query.answerable, query.abstained = query.position % 5 > 0, query.position % 4 == 1 or answer is None
        query.slices = {"topic": HOSTILE if query.position > 34 else ("billing", "export")[query.position % 2]}
        query.answer = answer
        query.save()
    for query in run.queries.filter(position__in=range(3, 40, 3)):
        claim = make_claim(query)
        for place, (cited, whole) in enumerate([("g1", False), ("nowhere", False), ("handbook", True)], 1):
            chunk = query.retrieved.get().chunk if cited == "g1" else None
            Citation.objects.create(claim=claim, position=place, cited=cited, whole_document=whole, chunk=chunk)
    return partial(sources.render, sources.sources(run, "topic"))


def _worklist() -> Render:
    run = arm(make_project(), "wide")
    when = datetime(2024, 5, 1, tzinfo=UTC)
    old = make_chunk(run, "old-1", document=HOSTILE, superseded_by="guide-2025", title=HOSTILE, updated_at=when)
    for query in run.queries.filter(position__lte=3):
        Retrieved.objects.create(query=query, rank=2, chunk=old)
    return partial(mend.mend_file, run)


def _trend() -> Render:
    """Three releases: another k and a name that means harm in the second, other judging from the third on."""
    project = make_project(slug="golden")
    told = ("2026.10", "wide", 20, "3f9c21ab"), (HOSTILE, "narrow", 5, "3f9c21ab"), ("2026.12", "alone", 5, "77aa01cc")
    for month, (name, of, k, policy) in enumerate(told, 10):
        run = arm(project, of, name)
        run.key, run.release, run.started_at = f"release-{month}", name, NOW.replace(month=month)
        run.config, run.policy_fingerprint = {"k": k, "context": "retrieved"}, policy
        run.summary["classes"] = {"still_wrong": run.summary["outcomes"]["failing"]}
        run.save()
    return partial(trend_rendered, trend(project))


def _hostile() -> Render:
    project = make_project()
    runs = [arm(project, "wide", HOSTILE), arm(project, "narrow", HOSTILE + "!")]
    return partial(compare.render, compare.compare(runs))


MADE: dict[str, tuple[Callable[[], Render], tuple[str, ...]]] = {
    "compare": (_compare, ("text", "md", "html", "csv", "json")),
    "compare_hostile": (_hostile, ("md", "html", "csv")),
    "economics": (_economics, ("md", "html", "json")),
    "ladder": (_ladder, ("md", "html", "json")),
    "confidence": (_confidence, ("md", "html", "json")),
    "gate": (_gate, ("text", "md", "junit", "json")),
    "audit": (_audit, ("text", "md", "html", "json")),
    "sources": (_sources, ("md", "html", "json")),
    "sources_without_answers": (partial(_sources, None), ("md", "json")),
    "trend": (_trend, ("md", "csv", "json")),
    "worklist": (_worklist, ("csv", "json")),
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", MADE)
def test_the_texts_are_word_for_word_the_golden_ones(name: str) -> None:
    make, formats = MADE[name]
    render = make()
    for to in formats:
        path, made = GOLDEN / f"{name}.{to}", render(to)
        if os.environ.get("GOLDEN") == "write":
            path.write_bytes(made.encode())
        assert made == path.read_bytes().decode("utf-8"), to
        assert not re.search(r"\b(?:nan|None|inf|Infinity)\b|(?<![\d.e])-0(\.0+)?(?![\d.])", made), to


def rendered(text: str) -> list[str]:
    """Return the tags a Markdown host makes of a text, tables switched on as GitHub has them."""
    return re.findall(r"<(\w+)", MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


NOTES = ["release_note.md", "release_note_bare.md", "release_note_hostile.md"]


@pytest.mark.parametrize("name", [*NOTES, *(f"{name}.md" for name, (_, formats) in MADE.items() if "md" in formats)])
def test_a_markdown_host_sees_tables_and_no_link_no_markup_of_others_no_ping(name: str) -> None:
    text = (GOLDEN / name).read_text(encoding="utf-8")
    tags = rendered(text)
    assert set(tags) <= {
        "h1", "h2", "p", "table", "thead", "tbody", "tr", "th", "td", "strong", "code", "ul", "li", "hr",
    }  # fmt: skip
    assert "table" in tags or name == "audit.md"
    # Every table is one: no row of bars is left as a paragraph.
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert not re.search(r"<p>\s*\|", html)
    assert not re.search(r"(?<![\w`])@\w", html)
    headings = [len(re.findall("<th[ >]", head)) for head in re.findall("<thead>.*?</thead>", html, re.DOTALL)]
    for columns, body in zip(headings, re.findall("<tbody>.*?</tbody>", html, re.DOTALL), strict=True):
        assert {len(re.findall("<td", row)) for row in re.findall("<tr>.*?</tr>", body, re.DOTALL)} == {columns}
