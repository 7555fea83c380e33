"""Pages with the machine's word on correctness, doubted summaries, flags and cost: clean for axe, whole on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from tests.factories import make_chunk, make_claim, make_judge, make_member, make_project, make_query, make_run
from tests.tabs import PHONE, WIDE, Tab
from triage.classify import classify
from triage.models import Judge, Run, Score
from triage.score import score

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SUMMARY = "The refund window of the gold plan is ninety days for everyone."
CLAIM = "The refund window of the gold plan is ninety days."
COST = '{"replies": ["x"], "input_tokens": 1200, "output_tokens": 90, "calls": 3}'


@pytest.fixture
def judged() -> tuple[Run, User]:
    """Return a classified run without recorded correctness, with a doubted summary, flags and a paid judge."""
    run = make_run(make_project(), state=Run.State.DONE)
    make_chunk(run, "source", "Whales sing at night in the northern sea.")
    summary = make_chunk(run, "summary", SUMMARY, summary_of=["source", "gone"])
    unsaid: dict[str, Any] = {"correct": None, "correct_in_file": None, "answer": CLAIM, "gold": ["summary"]}
    query = make_query(run, [summary], reference="Ten days.", flags=["talks_to_judge", "not_english"], **unsaid)
    first = make_claim(query, CLAIM, meta={"cut": {"by": "gpt m 1a2b", "fault": "it found no claim", "calls": 1,
        "input_tokens": 90, "output_tokens": 9}}, source="split")  # fmt: skip
    make_query(run, [summary], reference=CLAIM, **unsaid)
    score(run.pk, [query.pk])
    paid = make_judge("gpt")
    Judge.objects.filter(pk=paid.pk).update(prompt_hash="1a2b3c")
    Score.objects.create(judge=paid, query=query, claim=first, chunk=summary, value=0.8, raw=COST)
    classify(run.pk)
    return run, make_member(run.project)


@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (WIDE, True), (PHONE, False), (PHONE, True)])
def test_the_pages_are_clean_and_whole(
    open_tab: Callable[..., Tab], judged: tuple[Run, User], width: int, dark: bool
) -> None:
    run, user = judged
    for name, arguments in (("run", [run.key]), ("query", [run.key, 1]), ("queries", [run.key])):
        tab = open_tab(reverse(name, args=arguments), user=user, width=width, dark=dark)
        assert tab.axe() == []
        assert tab.overflow() == 0
        assert tab.complaints == []
