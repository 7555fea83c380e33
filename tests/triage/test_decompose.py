"""Answers cut into atomic claims by a chat model that behaves, and by one that does not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.factories import PASSWORD, make_chunk, make_claim, make_member, make_project, make_query, make_run
from tests.triage.judges.chat_server import Behaviour, Server, completion, cut_stream, says, serving, status, verdict
from triage.core.claims import split
from triage.core.policy import DEFAULT_POLICY
from triage.judges.roster import look_at
from triage.judges.setups import read_setups
from triage.models import Query, Role, Run
from triage.score import score
from triage.tasks.registry import spending_of

pytestmark = pytest.mark.django_db

ANSWER = "It is free and lasts thirty days [c1]. Ask support."
GOOD = json.dumps(
    {
        "claims": [
            {"claim": "The plan is free.", "quote": "It is free"},
            {"claim": "The plan lasts thirty days.", "quote": "lasts thirty days [c1]"},
        ]
    }
)
INVENTED = json.dumps({"claims": [{"claim": "The plan is red.", "quote": "It is red"}]})


def behaving(cut: Behaviour) -> Behaviour:
    """Answer about support and relevance as asked; cut claims by `cut`."""

    def behave(handler: Any, number: int, body: dict[str, Any]) -> None:
        asked = json.dumps(body["response_format"])
        if "quote" in asked:
            cut(handler, number, body)
        else:
            handler.send(200, completion(verdict() if "support" in asked else '{"relevance": 0.9}'))

    return behave


def setup(server: Server, **fields: Any) -> dict[str, Any]:
    quick = {"timeout_s": 0.5, "retries": 0, "requests_per_minute": 100_000}
    return {"kind": "llm", "endpoint": server.endpoint, "model": "m", "decompose": True, **quick, **fields}


def cut_by(settings: Settings, cut: Behaviour, **fields: Any) -> Query:
    """Score a run of one answer without claims, and return its query."""
    run = make_run(make_project(judge_order=["gpt"]))
    query = make_query(run, [make_chunk(run, "c1", "It is free and lasts thirty days.")], answer=ANSWER)
    with serving(behaving(cut)) as server:
        settings.JUDGES = {"gpt": setup(server, **fields)}
        assert score(run.pk, [query.pk]).done == 1
    return query


def claims(query: Query) -> list[tuple[str, str]]:
    """Return each claim with the words of the answer it was drawn from."""
    return [(claim.text, ANSWER[claim.span_start : claim.span_end]) for claim in query.claims.order_by("position")]


def page_of(run: Run, name: str, *more: int) -> str:
    client = Client()
    assert client.login(username=make_member(run.project, Role.VIEWER).username, password=PASSWORD)
    return client.get(reverse(name, args=[run.key, *more])).content.decode()


def test_an_answer_is_cut_into_atomic_claims_with_their_words_and_citations(settings: Settings) -> None:
    query = cut_by(settings, says(GOOD))
    assert claims(query) == [
        ("The plan is free.", "It is free"),
        ("The plan lasts thirty days.", "lasts thirty days [c1]"),
    ]
    assert [claim.citations.count() for claim in query.claims.order_by("position")] == [0, 1]
    assert query.judge_scores.filter(claim__isnull=False, value=0.9).count() == 2
    assert "Cut into atomic claims by gpt m" in page_of(query.run, "query", 1)
    spent = {one.task: (one.words, one.calls, one.input_tokens) for one in spending_of(query.run)}
    assert spent == {"claims": (1, 1, 120), "grounding": (2, 2, 240), "relevance": (1, 1, 120)}


@pytest.mark.parametrize(
    ("cut", "fault"),
    [
        (says(INVENTED), "claim 1 quotes words that do not stand in the answer"),
        (says('{"claims": []}'), "it found no claim"),
        (says("Here are the claims: ..."), "no JSON object"),
        (says(f"```json\n{GOOD}\n```"), "no JSON object"),
        (says(None), "no JSON object"),
        (status(500), "InternalServerError"),
        (status(401), "AuthenticationError"),
        (cut_stream, "APIConnectionError"),
    ],
    ids=["invented words", "none", "prose", "fenced", "empty", "500", "401", "cut stream"],
)
def test_a_cut_that_cannot_be_used_falls_back_to_sentences_and_says_so(
    settings: Settings, cut: Behaviour, fault: str
) -> None:
    query = cut_by(settings, cut)
    assert claims(query) == [(span.text, span.text) for span in split(ANSWER, DEFAULT_POLICY)]
    assert claims(query)
    page = page_of(query.run, "query", 1)
    assert "Cut into sentences: the cut by gpt m" in page
    assert fault in page


def test_claims_that_came_with_the_file_are_left_alone_and_nobody_pays_for_them(settings: Settings) -> None:
    run = make_run(make_project(judge_order=["gpt"]))
    query = make_query(run, [make_chunk(run)], answer=ANSWER)
    make_claim(query, "It is free.")
    declines = make_query(run, [make_chunk(run)], answer="I do not know.", abstained=True)
    with serving(behaving(says(GOOD))) as server:
        settings.JUDGES = {"gpt": setup(server)}
        score(run.pk, [query.pk, declines.pk])
        assert not any("quote" in json.dumps(body["response_format"]) for body in server.bodies)
    assert [claim.text for claim in query.claims.all()] == ["It is free."]
    assert not declines.claims.exists()


def test_answers_there_is_no_time_for_are_left_for_later(settings: Settings) -> None:
    run = make_run(make_project(judge_order=["gpt"]))
    query = make_query(run, [make_chunk(run, "c1")], answer=ANSWER)
    with serving(behaving(says(GOOD))) as server:
        settings.JUDGES = {"gpt": setup(server)}
        assert score(run.pk, [query.pk], budget_s=-1).left == 1
        assert not query.claims.exists()
        assert score(run.pk, [query.pk]).done == 1
    assert len(claims(query)) == 2


def test_the_prompt_that_cuts_is_part_of_the_judges_identity() -> None:
    def fingerprint(**fields: Any) -> str:
        table = {"gpt": {"kind": "llm", "endpoint": "http://h/v1", "model": "m", **fields}}
        return look_at("gpt", read_setups(table)).identities[0].fingerprint

    assert fingerprint() == fingerprint(decompose=False) != fingerprint(decompose=True)
