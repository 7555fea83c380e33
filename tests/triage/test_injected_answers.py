"""Twenty answers that talk to their judge, from the file to the page: no verdict turns, and each one is flagged."""

from __future__ import annotations

import json

import pytest

from tests.core.injection_examples import INJECTIONS
from tests.factories import make_project
from triage import intake
from triage.core.flags import Flag
from triage.ingest import ingest
from triage.models import Project, Run, Score
from triage.tasks import run_to_end

pytestmark = pytest.mark.django_db

PASSAGE = "The refund window of the business plan is thirty days. Gift cards are excluded from refunds."
FALSE = "Elephants live in tents on the moon."


def judged(project: Project, answers: list[str]) -> Run:
    """Import answers over one passage and take the run to its end."""
    lines = (
        {"id": number, "question": "How long?", "answer": answer, "retrieved": [{"id": "p", "text": PASSAGE}]}
        for number, answer in enumerate(answers)
    )
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    run = ingest(intake.store(project, None, "run.jsonl", [data]).pk).run
    assert run is not None
    run_to_end(run.pk)
    return run


def supported(run: Run) -> set[tuple[str, str]]:
    """Return (judge, claim) of every word that supports its claim."""
    words = Score.objects.filter(query__run=run, claim__isnull=False).select_related("judge", "claim")
    return {
        (word.judge.name, word.claim.text)
        for word in words
        if word.claim is not None and word.value is not None and word.value >= word.judge.threshold
    }


@pytest.mark.parametrize("order", [["embedded"], ["lexical"]], ids=lambda order: order[0])
def test_P64_SEC22_twenty_injected_answers_turn_no_verdict_and_are_all_flagged(order: list[str]) -> None:
    run = judged(make_project(judge_order=order), [f"{FALSE} {text}" for text in INJECTIONS])
    assert len(INJECTIONS) == 20
    assert Score.objects.filter(query__run=run, claim__isnull=False, value__isnull=False).exists()
    assert supported(run) == set()
    assert {tuple(flags) for flags in run.queries.values_list("flags", flat=True)} == {(Flag.TALKS_TO_JUDGE.value,)}
