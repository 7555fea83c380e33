"""A claim supported by a summary chunk alone is read against the summary's sources too, and doubt is shown."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import PASSWORD, digest, make_chunk, make_claim, make_member, make_project, make_query, make_run
from tests.labeling.screens import make_desk
from tests.triage.judges.doubles import CountingJudge
from triage.classify import classify
from triage.judges.lexical import LexicalRelevance
from triage.judges.panel import Panel
from triage.models import Chunk, Query, QueryMetrics, Role, Run, RunChunk, Score
from triage.score import score

pytestmark = pytest.mark.django_db

SUMMARY = "The refund window of the gold plan is ninety days for everyone."
CLAIM = "The refund window of the gold plan is ninety days."
BACKING = "Gold plan: the refund window of the gold plan is ninety days."
OTHER = "Whales sing at night in the northern sea."


def summarised(run: Run, *texts: str | None, beside: tuple[Chunk, ...] = (), **fields: Any) -> Query:
    """Return a query whose prompt holds a summary of passages with these texts; None = not in the corpus."""
    number = run.queries.count()
    keys = [f"source {number}-{place}" for place in range(len(texts))]
    for key, text in zip(keys, texts, strict=True):
        if text is not None:
            make_chunk(run, key, text)
    summary = make_chunk(run, f"summary {number}", SUMMARY, summary_of=keys)
    query = make_query(run, [summary, *beside], **fields)
    make_claim(query, CLAIM)
    return query


def scored(run: Run) -> set[str]:
    """Score the run and return the keys of the chunks that were scored."""
    score(run.pk, list(run.queries.values_list("pk", flat=True)))
    return set(Score.objects.filter(query__run=run, claim__isnull=False).values_list("chunk__key", flat=True))


def page_of(query: Query) -> Any:
    client = Client()
    user = make_member(query.run.project, Role.VIEWER)
    assert client.login(username=user.username, password=PASSWORD)
    return client.get(reverse("query", args=[query.run.key, query.position]))


def test_the_sources_are_read_where_only_the_summary_supports_the_claim() -> None:
    run = make_run()
    summarised(run, BACKING, OTHER, None)
    assert scored(run) == {"summary 0", "source 0-0", "source 0-1"}


def test_sources_are_left_alone_where_another_chunk_supports_it_or_nothing_does() -> None:
    run = make_run()
    summarised(run, BACKING, beside=(make_chunk(run, "plain", BACKING),))
    unsupported = summarised(run, BACKING)
    unsupported.claims.update(text=OTHER, text_hash=digest(OTHER))
    assert {key for key in scored(run) if key.startswith("source")} == set()


def test_a_source_that_stands_in_the_prompt_is_read_once() -> None:
    run = make_run()
    source = make_chunk(run, "inside", OTHER)
    summary = make_chunk(run, "summary", SUMMARY, summary_of=["inside"])
    query = make_query(run, [summary, source])
    make_claim(query, CLAIM)
    assert scored(run) == {"summary", "inside"}
    assert page_of(query).context["page"].claims[0].sources.in_doubt


def test_a_recorded_verdict_on_a_source_counts_before_a_judge_is_asked() -> None:
    run = make_run()
    query = summarised(run, OTHER)
    query.claims.update(
        recorded=[
            {"chunk": "summary 0", "label": "supported", "score": None},
            {"chunk": "source 0-0", "label": "supported", "score": None},
        ]
    )
    scored(run)
    assert set(Score.objects.filter(claim__isnull=False).values_list("judge__name", flat=True)) == {"recorded"}
    assert page_of(query).context["page"].claims[0].sources.tone == "ok"


def test_no_number_moves_and_a_second_run_reads_nothing_again() -> None:
    project = make_project(judge_order=["counting"])
    judge, first, second = CountingJudge(), make_run(project), make_run(project)
    queries = [summarised(first, OTHER)]
    for chunk in Chunk.objects.all():
        RunChunk.objects.create(run=second, chunk=chunk, key_hash=digest(chunk.key))
    queries.append(make_query(second, [Chunk.objects.get(key="summary 0")]))
    make_claim(queries[1], CLAIM)
    for query in queries:
        score(query.run_id, [query.pk], panel=Panel((judge,), (LexicalRelevance(),)))
        classify(query.run_id)
        assert QueryMetrics.objects.get(query=query).faithfulness == 1.0
        assert Score.objects.filter(query=query, claim__isnull=False).count() == 2
    assert judge.asked == [(CLAIM, "summary 0"), (CLAIM, "source 0-0")]


@pytest.mark.parametrize(
    ("texts", "tone", "words"),
    [
        ((BACKING, OTHER), "ok", "supported by a summary, and by its sources"),
        ((OTHER,), "bad", "supported by a summary only: none of its sources says so"),
        ((OTHER, None), "warn", "supported by a summary only: its sources could not all be read"),
    ],
)
def test_the_query_page_says_what_the_sources_come_to(texts: tuple[str | None, ...], tone: str, words: str) -> None:
    run = make_run()
    query = summarised(run, *texts)
    scored(run)
    page = page_of(query)
    shown = page.content.decode()
    check = page.context["page"].claims[0].sources
    assert (check.tone, check.state) == (tone, words)
    assert words in shown
    assert ("<details open>" in shown) == (tone != "ok")
    assert OTHER in shown
    assert len(page.context["page"].claims[0].said) == 1


def test_the_query_page_costs_the_same_with_sources() -> None:
    run = make_run()
    plain, long = summarised(run, OTHER), summarised(run, OTHER, BACKING, OTHER + " Again.")
    scored(run)

    def statements(query: Query) -> int:
        with CaptureQueriesContext(connection) as captured:
            page_of(query)
        return len(captured)

    page_of(plain)
    assert statements(plain) == statements(long)


def test_the_reveal_says_so_with_the_sources_opened_and_a_blind_item_does_not() -> None:
    run = make_run()
    summarised(run, OTHER, answer=CLAIM, gold=["summary 0"])
    scored(run)
    classify(run.pk)
    desk = make_desk(items=0, run=run)
    blind = desk.client.get(desk.url()).content.decode()
    assert "none of its sources says so" not in blind
    assert '<details class="sources" open>' not in blind
    desk.save(label="still_wrong")
    shown = desk.client.get(desk.url()).content.decode()
    assert "Only a summary supports it, and none of its sources says so: read them." in shown
    assert '<details class="sources" open>' in shown
