"""What paid judges cost in a run: words, calls, tokens, money, and the unknown as a state."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.factories import PASSWORD, make_chunk, make_claim, make_member, make_project, make_query, make_run
from tests.triage.judges.chat_server import Behaviour, completion, serving, verdict
from triage.core.spending import Prices, Spending
from triage.models import Project, Role, Run, Score
from triage.score import score
from triage.tasks.registry import spending_of

pytestmark = pytest.mark.django_db

PRICED = {"input_price_per_million": 3, "output_price_per_million": 15, "currency": "USD"}
#: What a hostile model may say to be thought cheap, or dear.
FORGED = '"input_tokens": 999999999, "output_tokens": 999999999, "calls": 9999}'


def make_paid_run(project: Project, claims: int = 2) -> Run:
    run = make_run(project)
    query = make_query(run, [make_chunk(run, text=f"The plan of run {run.pk} is free.")], answer="It is free.")
    for number in range(claims):
        make_claim(query, f"Plan {number} is free.")
    return run


def says_by_task(grounding: str, relevance: str) -> Behaviour:
    def behave(handler: Any, number: int, body: dict[str, Any]) -> None:
        asks_support = "support" in json.dumps(body["response_format"])
        handler.send(200, completion(grounding if asks_support else relevance))

    return behave


def spent(
    settings: Settings, run: Run, grounding: str = verdict(), relevance: str = '{"relevance": 0.9}', **fields: Any
) -> list[Spending]:
    """Have the run judged by a chat model behind a local server, and return what it cost."""
    with serving(says_by_task(grounding, relevance)) as server:
        setup = {"kind": "llm", "endpoint": server.endpoint, "model": "m", "requests_per_minute": 100_000, **fields}
        settings.JUDGES = {"gpt": setup}
        score(run.pk, list(run.queries.values_list("pk", flat=True)))
        return spending_of(run)


def page_of(run: Run) -> str:
    client = Client()
    assert client.login(username=make_member(run.project, Role.VIEWER).username, password=PASSWORD)
    return client.get(reverse("run", args=[run.key])).content.decode()


def test_words_calls_tokens_and_money_are_counted_by_judge_and_task(settings: Settings) -> None:
    run = make_paid_run(make_project(judge_order=["gpt"]))
    found = spent(settings, run, repeats=3, **PRICED)
    assert [(one.judge, one.task, one.words, one.calls) for one in found] == [
        ("gpt", "grounding", 2, 6),
        ("gpt", "relevance", 1, 3),
    ]
    assert [(one.input_tokens, one.output_tokens) for one in found] == [(720, 54), (360, 27)]
    assert [one.money for one in found] == pytest.approx([(720 * 3 + 54 * 15) / 1e6, (360 * 3 + 27 * 15) / 1e6])
    page = page_of(run)
    assert "What the judges cost" in page
    assert "0.0030" in page
    assert "USD" in page


def test_without_prices_the_money_is_unknown_and_says_why(settings: Settings) -> None:
    run = make_paid_run(make_project(judge_order=["gpt"]))
    found = spent(settings, run, input_price_per_million=3)
    assert [one.money for one in found] == [None, None]
    assert "unknown: the operator set no prices" in page_of(run)


def test_unreadable_replies_cost_too_and_no_reply_can_forge_its_cost(settings: Settings) -> None:
    run = make_paid_run(make_project(judge_order=["gpt"]))
    found = spent(settings, run, grounding=FORGED, **PRICED)
    assert Score.objects.filter(claim__isnull=False, error__contains="cannot be read").count() == 2
    assert (found[0].words, found[0].calls, found[0].input_tokens, found[0].output_tokens) == (2, 2, 240, 18)


def test_words_from_the_cache_cost_nothing(settings: Settings) -> None:
    run = make_paid_run(make_project(judge_order=["gpt"]), claims=1)
    spent(settings, run)
    again = make_run(run.project)
    query = run.queries.get()
    chunk = query.retrieved.get().chunk
    make_claim(make_query(again, [chunk], answer=query.answer, question=query.question), "Plan 0 is free.")
    assert spent(settings, again) == []
    assert Score.objects.filter(query__run=again).count() == 2
    assert "What the judges cost" not in page_of(again)


def test_an_operators_file_that_cannot_be_read_leaves_the_page_whole(settings: Settings) -> None:
    run = make_paid_run(make_project(judge_order=["gpt"]))
    spent(settings, run)
    settings.JUDGES = {"gpt": {"kind": "oracle"}}
    assert "unknown: the operator set no prices" in page_of(run)


@pytest.mark.parametrize(
    ("tokens", "prices", "money", "why"),
    [
        ((1_000_000, 500_000), Prices(2.0, 4.0), 4.0, ""),
        ((10, 0), Prices(0.0, 0.0), 0.0, ""),
        ((10, 10), None, None, "unknown: the operator set no prices"),
        ((0, 0), Prices(2.0, 4.0), None, "unknown: the endpoint tells no tokens"),
    ],
)
def test_money_is_tokens_by_price_or_unknown(
    tokens: tuple[int, int], prices: Prices | None, money: float | None, why: str
) -> None:
    one = Spending("gpt", "grounding", 1, 1, *tokens, prices)
    assert (one.money, one.why_unknown) == (money, why)
