"""The verb `confidence`, its command and its page: what low and close scores foretell."""

from __future__ import annotations

import json
import math
import random
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.confidence import as_json, confidence
from labeling.confidence.read import signals
from tests.factories import PASSWORD, make_chunk, make_member, make_project, make_query, make_run
from triage.models import Project, Retrieved, Role, Run

pytestmark = pytest.mark.django_db


def scored(project: Project, size: int = 60, **scores: list[float] | None) -> Run:
    """Return a run where low best scores fail: a third of the queries, all below 0.5, with a few right ones."""
    run = make_run(project)
    chunks = [make_chunk(run) for _ in range(6)]
    for place in range(size):
        fails = place % 3 == 0
        query = make_query(run, chunks, correct=not fails)
        best = (0.2 if fails or place % 7 == 1 else 0.7) + place / 1000
        for rank, slot in enumerate(query.retrieved.order_by("rank")):
            rerank = -best + rank / 10 if scores.get("rerank") else None
            Retrieved.objects.filter(pk=slot.pk).update(score=best - rank / 100, rerank_score=rerank)
    return run


def plainly(
    scores: list[float | None], rerank_scores: list[float | None]
) -> tuple[float | None, float | None, float | None]:
    """Return top, margin and disagreement of one query, in the plainest way."""
    first, second = (
        {place: score for place, score in enumerate(row) if score is not None} for row in (scores, rerank_scores)
    )
    deciding = sorted((second or first).values(), reverse=True)
    both = first.keys() & second.keys()
    kept = [set(sorted(both, key=lambda place: (-row[place], place))[:5]) for row in (first, second)]
    return (
        deciding[0] if deciding else None,
        deciding[0] - deciding[1] if len(deciding) > 1 else None,
        len(kept[0] - kept[1]) / 5 if len(both) > 5 else None,
    )


TENS: list[float | None] = [10.0 - place for place in range(10)]
#: (retriever's scores, reranker's scores) -> top, margin, disagreement
KNOWN: list[tuple[list[float | None], list[float | None], tuple[float | None, float | None, float | None]]] = [
    ([0.25, None, 0.75, 0.5], [], (0.75, 0.25, None)),
    ([None, None], [], (None, None, None)),
    ([3.0], [], (3.0, None, None)),
    ([0.9, 0.8, 0.7], [-2.0, 4.0, 1.0], (4.0, 3.0, None)),
    ([1e300, math.inf, math.nan, 0.5], [], (0.5, None, None)),
    ([-1e299, 1e299], [], (1e299, 2e299, None)),
    (TENS, TENS, (10.0, 1.0, 0.0)),
    (TENS, TENS[::-1], (10.0, 1.0, 1.0)),
    # Two of the first five fall behind two others.
    (TENS, [9, 8, 7, 1, 0, 6, 5, 2, 1, 0], (9, 1, 0.4)),
    # With five or fewer candidates both keep the same ones whatever their order: nothing to say.
    (TENS[:5], TENS[4::-1], (10.0, 1.0, None)),
    # Only what both scored is compared; equal scores keep rank order.
    ([*TENS[:6], None], [1, 1, 1, 1, 1, 1, 9], (9, 8, 0.0)),
]


def test_the_database_makes_the_signals_that_the_scores_say() -> None:
    rng = random.Random(7)
    drawn = [
        tuple([rng.choice([None, float(rng.randint(0, 9))]) for _ in range(size)] for _ in range(2))
        for size in [rng.randint(1, 20) for _ in range(60)]
    ]
    wanted = [known for _, _, known in KNOWN] + [plainly(*row) for row in drawn]
    run = make_run()
    for scores, rerank_scores in [row[:2] for row in KNOWN] + drawn:
        query = make_query(run, [make_chunk(run)] * len(scores))
        for rank, slot in enumerate(query.retrieved.order_by("rank")):
            slot.score, slot.rerank_score = scores[rank], (rerank_scores or [None] * len(scores))[rank]
            slot.save()
    make_query(run, [make_chunk(run)], correct=None)
    found = signals(run)
    assert len(found) == len(wanted), "an undecided query has no outcome to foretell"
    assert [row[2:] for row in found] == wanted


def test_a_low_best_score_foretells_and_suggests_a_line() -> None:
    body = as_json(confidence(scored(make_project())))
    top, margin, disagreement = body["signals"]
    assert top["auroc"]["value"] > 0.85
    assert (top["auroc"]["n"], top["auroc"]["failing"]) == (60, 20)
    assert 0.2 < top["caveat"]["line"] <= 0.76
    assert top["caveat"]["marked"]["failing"] > 0
    assert sum(fifth["n"] for fifth in top["fifths"]) == 60
    # Every lead is the same 0.01: it foretells nothing.
    assert margin["caveat"] is None
    assert disagreement["auroc"]["value"] is None


def test_disagreement_is_read_where_both_scored() -> None:
    body = as_json(confidence(scored(make_project(), 12, rerank=[1.0])))
    disagreement = body["signals"][2]
    assert not disagreement["higher_is_surer"]
    assert disagreement["auroc"]["n"] == 12
    assert disagreement["fifths"][0]["from"] == pytest.approx(0.2)


def test_a_run_without_scores_says_so() -> None:
    run = make_run()
    make_query(run, [make_chunk(run)])
    out = StringIO()
    call_command("confidence", run.key, stdout=out)
    assert out.getvalue().count("No query says it, of 1 decided ones.") == 3


def test_the_command_prints_every_format() -> None:
    run = scored(make_project(), 12)
    for to, start in (("md", "# Do the"), ("html", "<!doctype html>"), ("json", "{")):
        out = StringIO()
        call_command("confidence", run.key, format=to, stdout=out)
        assert out.getvalue().startswith(start)
    assert json.loads(out.getvalue())["decided"] == 12


def viewer(project: Project) -> Client:
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_the_page_shows_every_signal_with_its_n() -> None:
    project = make_project()
    text = viewer(project).get(f"/runs/{scored(project).key}/confidence/").content.decode()
    for words in (
        "Best score",
        "Lead over the next",
        "n 60, 20 failing",
        "Suggested caveat: below 0.",
        "No query says it",
    ):
        assert words in text
    assert "None" not in text


def test_the_number_of_statements_is_constant() -> None:
    def statements(size: int) -> int:
        run = scored(make_project(), size)
        with CaptureQueriesContext(connection) as captured:
            confidence(run)
        return len(captured)

    assert statements(3) == statements(12)
