"""What if: previews equal a full classification, nothing is stored, adopting re-classifies in the background."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from labeling.calibrate import Wish, items_of, judges_in, what_if_page
from labeling.models import ClaimVerdict
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


def test_recorded_scores_stand_in_as_they_do_in_a_classification() -> None:
    """Of the metrics that decide, and of one that does not."""
    run = make_run(state=Run.State.DONE)
    for faithful, relevant in ((0.2, 0.9), (0.9, 0.2), (0.9, 0.9)):
        scores = [
            {"metric": metric, "value": value, "tool": "", "scale": [0, 1]}
            for metric, value in (
                ("context_recall", 0.8), ("faithfulness", faithful), ("answer_relevance", relevant),
                ("citation_precision", 0.1),
            )
        ]  # fmt: skip
        query = make_query(run, gold=None, scores=scores)
        make_claim(query)
    policy = Policy(answer_relevance=0.6)
    previewed = {one.query_id: one.label for one in what_if(run, policy)}
    adopt(run.project, policy)
    classify(run.pk)
    assert labels(run) == previewed
    assert sorted(previewed.values()) == ["grounded_wrong_question", "still_wrong", "unsupported_claims"]


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.35, 7 / 13, 0.9, 1.0])
def test_flips_of_a_moved_judge_equal_a_full_reclassification(threshold: float) -> None:
    run = varied_run()
    judge = Judge.objects.get(task="grounding")
    before = labels(run)
    policy = Policy(judge_thresholds={judge.fingerprint: threshold})
    previewed = {one.query_id: one.label for one in what_if(run, policy)}
    assert labels(run) == before
    adopt(run.project, policy)
    classify(run.pk)
    assert labels(run) == previewed
    judge.refresh_from_db()
    assert judge.threshold == 0.5, "the judge that scores stays as it is"


def test_a_moved_judge_is_another_identity_that_hears_the_same_scores() -> None:
    run = varied_run()
    judge = Judge.objects.get(task="grounding")
    adopt(run.project, Policy(judge_thresholds={judge.fingerprint: 0.1}))
    classify(run.pk)
    moved = Judge.objects.get(scores_of=judge)
    assert (moved.threshold, moved.fingerprint) == (0.1, judge.identity().at(0.1).fingerprint)
    used = {mark for row in Suggestion.objects.current_in(run) for mark in row.judges}
    assert moved.fingerprint in used
    assert judge.fingerprint not in used
    assert Score.objects.filter(judge=moved).count() == 0
    claim = run.queries.earliest("pk").claims.earliest("pk")
    ClaimVerdict.objects.create(claim=claim, label="supported", blind=True, stage="imported", imported_reviewer="ann")
    assert [item.judge for item in items_of(run.project, moved)] == [
        item.score is not None and item.score >= 0.1 for item in items_of(run.project, judge)
    ]
    assert {each.fingerprint for each in judges_in(run.project)} >= {judge.fingerprint, moved.fingerprint}
    assert moved in Judge.objects.in_use(run.project)
    assert judge not in Judge.objects.in_use(run.project)
    assert not Judge.objects.of_project(make_project()).exists()


def test_adopting_the_earlier_policy_brings_the_earlier_labels_back_and_keeps_all_results() -> None:
    run = varied_run()
    judge, before = Judge.objects.get(task="grounding"), labels(run)
    adopt(run.project, Policy(judge_thresholds={judge.fingerprint: 0.9}))
    classify(run.pk)
    between, rows = labels(run), Suggestion.objects.count()
    assert between != before
    adopt(run.project, Policy())
    classify(run.pk)
    assert labels(run) == before
    assert Suggestion.objects.count() == rows
    kept = Suggestion.objects.filter(query__run=run, is_current=False)
    assert {row.query_id: row.label for row in kept} == {pk: between[pk] for pk in kept.values_list("query", flat=True)}


def test_a_policy_that_moves_no_judge_keeps_the_fingerprint_of_its_results() -> None:
    assert (
        Policy().fingerprint
        == Policy(judge_thresholds={}).fingerprint
        != Policy(judge_thresholds={"a": 0.1}).fingerprint
    )


def test_a_preview_stores_nothing_and_its_table_closes() -> None:
    run = varied_run()
    before = (Suggestion.objects.count(), PolicyVersion.objects.count(), labels(run))
    wish = Wish.read(run, {"faithfulness": "0.2"})
    rows = [(one.query_id, one.key, one.position, one.label) for one in what_if(run, wish.policy)]
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


def test_a_judges_threshold_is_previewed_then_adopted_and_undone_with_who_and_when() -> None:
    project = make_project()
    run = varied_run(project)
    judge, lead = Judge.objects.get(task="grounding"), client_of(project, Role.LEAD)
    name = f"judge-{judge.fingerprint}"
    text = lead.get(f"/runs/{run.key}/what-if/?{name}=0.2").content.decode()
    assert "Adopt policy" in text
    assert "part of its identity" in text
    assert PolicyVersion.objects.count() == 0
    assert lead.post(f"/runs/{run.key}/what-if/", {name: "0.2"}).status_code == 302
    assert project.policy().judge_thresholds == {judge.fingerprint: 0.2}
    run.refresh_from_db()
    assert run.state == Run.State.CLASSIFYING
    version = project.policy_versions.get()
    page = lead.get(f"/p/{project.slug}/policies/").content.decode()
    assert "threshold of judge" in page
    assert version.adopted_by is not None
    assert version.adopted_by.username in page
    assert version.fingerprint in page
    Run.objects.filter(pk=run.pk).update(state=Run.State.DONE, policy_fingerprint=version.fingerprint)
    assert lead.post(f"/p/{project.slug}/policies/", {"version": "default"}).status_code == 302
    assert project.policy() == Policy()
    assert lead.post(f"/p/{project.slug}/policies/", {"version": str(version.pk)}).status_code == 302
    assert project.policy_versions.count() == 3
    assert project.policy().judge_thresholds == {judge.fingerprint: 0.2}


def test_the_judges_own_threshold_is_no_move() -> None:
    run = varied_run()
    judge = Judge.objects.get(task="grounding")
    assert Wish.read(run, {f"judge-{judge.fingerprint}": "0.5"}).policy == Policy()


@pytest.mark.parametrize("version", ["", "x", "0", "-1", "9" * 30, "²"])
def test_only_a_policy_of_the_project_is_adopted_again(version: str) -> None:
    project, other = make_project(), make_project()
    adopt(other, Policy(near=0.2))
    foreign = other.policy_versions.get().pk
    lead = client_of(project, Role.LEAD)
    assert lead.post(f"/p/{project.slug}/policies/", {"version": version or str(foreign)}).status_code == 404
    assert (
        client_of(project, Role.REVIEWER).post(f"/p/{project.slug}/policies/", {"version": "default"}).status_code
        == 403
    )


def test_the_policies_page_asks_the_database_no_more_for_more_policies(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    project = make_project()
    judge = make_judge()
    viewer = client_of(project, Role.VIEWER)
    for step in range(12):
        adopt(project, Policy(near=step / 20, judge_thresholds={judge.fingerprint: step / 20}))
    with django_assert_max_num_queries(12):
        assert viewer.get(f"/p/{project.slug}/policies/").status_code == 200


@pytest.mark.parametrize("asked", ["2", "-0.1", "nan", "inf", "x", "1e999"])
def test_a_threshold_that_is_no_share_is_refused(asked: str) -> None:
    project = make_project()
    run = varied_run(project)
    assert client_of(project, Role.VIEWER).get(f"/runs/{run.key}/what-if/", {"faithfulness": asked}).status_code == 400
