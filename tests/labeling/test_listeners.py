"""What the human's half answers when a page of the machine's half asks."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from labeling.models import Calibration, Outcome, Verdict
from tests.factories import make_chunk, make_member, make_project, make_query, make_run
from triage.classify import classify
from triage.core.grounding import GroundingRequest
from triage.core.review import ReviewState, first_answer
from triage.core.trust import Trust
from triage.ground import Checker
from triage.judges.lexical import LexicalGrounding
from triage.models import Judge, Query, Role, Run
from triage.signals import review_wanted

pytestmark = pytest.mark.django_db


def verdict(query: Query, reviewer: User, label: str = "retrieval_miss", **fields: object) -> Verdict:
    return Verdict.objects.create(
        query=query, reviewer=reviewer, label=label, blind=True, idempotency_key=uuid4(), **fields
    )


@pytest.fixture
def run() -> Run:
    """Return a classified run of two retrieval misses and one right answer."""
    run = make_run(make_project(), state=Run.State.DONE)
    for correct in (False, False, True):
        make_query(run, [make_chunk(run)], gold=["nowhere"], correct=correct, correct_in_file=correct)
    classify(run.pk)
    return run


def test_a_page_is_told_what_people_found(run: Run) -> None:
    failing, right = run.queries.order_by("position")[0], run.queries.get(position=3)
    Outcome.objects.create(query=failing, state="final", label="not_a_failure", verdicts=1)
    Outcome.objects.create(query=right, state="final", label="still_wrong", verdicts=1)
    state = first_answer(review_wanted.send(sender=Run, run_id=run.pk), ReviewState)
    assert state is not None
    assert state.reviewed["retrieval_miss"] == 1
    assert state.confirmed == {"not_a_failure": 1}
    assert (state.passing_reviewed, state.missed_failures) == (1, 1)


def test_the_run_page_counts_accuracy_after_review(run: Run, client: Client) -> None:
    failing = run.queries.order_by("position")[0]
    Outcome.objects.create(query=failing, state="final", label="not_a_failure", verdicts=1)
    client.force_login(make_member(run.project))
    html = client.get(reverse("run", args=[run.key])).content.decode()
    assert "1 of 2 failures reviewed" in html
    assert "Accuracy by the file 0.333; after review 0.667" in html


def test_P44_a_reviewer_reads_others_verdicts_only_after_their_own(run: Run, client: Client) -> None:
    query = run.queries.get(position=1)
    first, second = make_member(run.project, Role.REVIEWER), make_member(run.project, Role.REVIEWER)
    verdict(query, first, note="a telling note")
    address = reverse("query", args=[run.key, 1])
    client.force_login(second)
    html = client.get(address).content.decode()
    assert "a telling note" not in html
    assert first.username not in html
    own = verdict(query, second, "still_wrong")
    assert "a telling note" in client.get(address).content.decode()
    Verdict.objects.filter(pk=own.pk).update(withdrawn=True, is_current=False)
    assert "a telling note" not in client.get(address).content.decode()


def test_a_lead_reads_the_whole_history_newest_first(run: Run, client: Client) -> None:
    query = run.queries.get(position=1)
    reviewer = make_member(run.project, Role.REVIEWER)
    verdict(query, reviewer, "still_wrong", is_current=False)
    verdict(query, reviewer, "retrieval_miss", stage="revised")
    client.force_login(make_member(run.project, Role.LEAD))
    lines = client.get(reverse("query", args=[run.key, 1])).context["page"].verdicts
    assert [(line.label, line.stands) for line in lines] == [("retrieval_miss", True), ("still_wrong", False)]


def test_a_former_member_and_an_imported_reviewer_have_names(run: Run, client: Client) -> None:
    query = run.queries.get(position=1)
    Verdict.objects.create(
        query=query, label="still_wrong", blind=False, stage="imported", imported_reviewer="r7", idempotency_key=uuid4()
    )
    gone = make_member(run.project, Role.REVIEWER)
    verdict(query, gone)
    gone.delete()
    client.force_login(make_member(run.project))
    lines = client.get(reverse("query", args=[run.key, 1])).context["page"].verdicts
    assert [line.reviewer for line in lines] == ["a former member", "r7"]


@pytest.mark.parametrize(
    ("n", "positives", "days", "trust"),
    [
        (0, 0, 0, Trust.UNCALIBRATED),
        (40, 35, 0, Trust.TOO_FEW),
        (40, 20, 0, Trust.CALIBRATED),
        (40, 20, 91, Trust.STALE),
    ],
    ids=str,
)
def test_an_answer_checked_now_says_what_the_judge_page_says_of_its_judge(
    n: int, positives: int, days: int, trust: Trust
) -> None:
    project, other = make_project(judge_order=["lexical"]), make_project(judge_order=["lexical"])
    identity = LexicalGrounding().identity
    judge, _ = Judge.objects.get_or_create(fingerprint=identity.fingerprint, defaults=asdict(identity))
    if n:
        row = Calibration.objects.create(
            project=project, judge=judge, kind="claim_support", n=n, figures={"positives": positives}
        )
        Calibration.objects.filter(pk=row.pk).update(computed_at=timezone.now() - timedelta(days=days))
    request = GroundingRequest.model_validate({"answer": "It is free.", "passages": [{"id": "a", "text": "Free."}]})
    checked = Checker(project).check(request)
    assert (checked.judge, checked.calibration, checked.calibrated) == ("lexical", trust, trust is Trust.CALIBRATED)
    assert Checker(other).trust is Trust.UNCALIBRATED
