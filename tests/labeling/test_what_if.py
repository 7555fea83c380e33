"""What if: previews equal a full classification, nothing is stored, adopting re-classifies in the background."""

from __future__ import annotations

import pytest
from django.test import Client

from labeling.calibrate import Wish, what_if_page
from tests.factories import (
    PASSWORD,
    make_chunk,
    make_claim,
    make_judge,
    make_member,
    make_project,
    make_query,
    make_run,
)
from tests.labeling.rows import say
from triage.classify import adopt, classify, what_if
from triage.core.policy import Policy
from triage.models import Judge, PolicyVersion, Project, Role, Run, Score, Suggestion

pytestmark = pytest.mark.django_db


def varied_run(project: Project | None = None) -> Run:
    """Return a classified run of 24 failing queries with all kinds of recall, support and relevance."""
    run = make_run(project, state=Run.State.DONE)
    grounding, relevance = make_judge(), make_judge(task="relevance", threshold=0.7)
    near = make_chunk(run, "near")
    make_chunk(run, "far")
    for number in range(24):
        query = make_query(
            run, [near], gold=["near", "far"] if number % 3 == 0 else ["near"] if number % 4 else ["far"]
        )
        for step in range(2):
            value = (number * 7 % 10 + step * 3) / 13
            Score.objects.create(judge=grounding, query=query, claim=make_claim(query), chunk=near, value=value)
        Score.objects.create(judge=relevance, query=query, value=(number * 5 % 12) / 11)
    classify(run.pk)
    return Run.objects.select_related("project").get(pk=run.pk)


def labels(run: Run) -> dict[int, str]:
    return dict(Suggestion.objects.current_in(run).values_list("query_id", "label"))


@pytest.mark.parametrize(
    "moved",
    [
        {},
        {"faithfulness": 0.4},
        {"context_recall": 0.6},
        {"answer_relevance": 0.2},
        {"faithfulness": 0.0, "context_recall": 1.0},
    ],
)
def test_flips_equal_a_full_reclassification(moved: dict[str, float]) -> None:
    run = varied_run()
    policy = Policy(**moved)
    previewed = {one.query_id: one.label for one in what_if(run, policy)}
    before = labels(run)
    assert (previewed == before) is not bool(moved)
    adopt(run.project, policy)
    classify(run.pk)
    assert labels(run) == previewed


def test_a_judges_threshold_can_be_moved_too() -> None:
    run = varied_run()
    judge = Judge.objects.get(task="grounding")
    previewed = {one.query_id: one.label for one in what_if(run, run.project.policy(), {judge.fingerprint: 0.1})}
    assert previewed != labels(run)
    judge.refresh_from_db()
    assert judge.threshold == 0.5
    Judge.objects.filter(pk=judge.pk).update(threshold=0.1)
    classify(run.pk)
    assert labels(run) == previewed


def test_a_preview_stores_nothing_and_its_table_closes() -> None:
    run = varied_run()
    before = (Suggestion.objects.count(), PolicyVersion.objects.count(), labels(run))
    wish = Wish.read(run, {"faithfulness": "0.2"})
    rows = [(one.query_id, one.key, one.position, one.label) for one in what_if(run, wish.policy, wish.thresholds)]
    page = what_if_page(run, wish, rows)
    assert (Suggestion.objects.count(), PolicyVersion.objects.count(), labels(run)) == before
    assert sum(line.now for line in page.lines) == sum(line.then for line in page.lines) == page.failing == 24
    assert sum(line.flips_in for line in page.lines) == page.flips_in_all == len(page.flips)
    assert page.may_adopt


def test_agreement_with_people_is_shown_before_and_after() -> None:
    run = varied_run()
    for query in run.queries.all()[:6]:
        say(query, labels(run)[query.pk])
    wish = Wish.read(run, {"context_recall": "1", "faithfulness": "0"})
    rows = [(one.query_id, one.key, one.position, one.label) for one in what_if(run, wish.policy)]
    page = what_if_page(run, wish, rows)
    assert page.agreement_now is not None
    assert page.agreement_then is not None
    assert page.agreement_now.value == 1.0
    assert page.agreement_then.value is not None
    assert page.agreement_then.value < 1.0


def client_of(project: Project, role: Role) -> Client:
    client = Client()
    assert client.login(username=make_member(project, role).username, password=PASSWORD)
    return client


def test_the_page_works_and_only_a_lead_adopts() -> None:
    project = make_project()
    run = varied_run(project)
    path = f"/runs/{run.key}/what-if/"
    viewer, lead = client_of(project, Role.VIEWER), client_of(project, Role.LEAD)
    text = viewer.get(f"{path}?faithfulness=0.3").content.decode()
    assert "Adopt policy" in text
    assert "Which items" in text
    assert viewer.post(path, {"faithfulness": "0.3"}).status_code == 403
    assert client_of(make_project(), Role.LEAD).get(path).status_code == 404
    assert lead.post(path, {"faithfulness": "0.3"}).status_code == 302
    assert project.policy().faithfulness == 0.3
    run.refresh_from_db()
    assert run.state == Run.State.CLASSIFYING


def test_a_judges_threshold_is_previewed_and_never_adopted_with_a_policy() -> None:
    project = make_project()
    run = varied_run(project)
    judge = Judge.objects.get(task="grounding")
    text = client_of(project, Role.LEAD).get(f"/runs/{run.key}/what-if/?judge-{judge.fingerprint}=0.2").content.decode()
    assert "Adopt policy" not in text
    assert "part of its identity" in text


@pytest.mark.parametrize("asked", ["2", "-0.1", "nan", "inf", "x", "1e999"])
def test_a_threshold_that_is_no_share_is_refused(asked: str) -> None:
    project = make_project()
    run = varied_run(project)
    assert client_of(project, Role.VIEWER).get(f"/runs/{run.key}/what-if/", {"faithfulness": asked}).status_code == 400
