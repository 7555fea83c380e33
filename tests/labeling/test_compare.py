"""The verb `compare`, its command and its page: pairs, settings, flips, and the isolation test."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.compare import as_json, as_text, compare
from labeling.compare.explaining import slice_pairs
from labeling.core.paired import share_change
from labeling.models.pairing import CORRECT, NOT_CLASSIFIED, PAIRS, pair_groups
from tests.factories import PASSWORD, make_member, make_project, make_run
from tests.labeling.rows import make_classified
from triage.models import Project, Query, QueryMetrics, Role, Run
from triage.models.queries import WITHOUT_SLICE

pytestmark = pytest.mark.django_db


def arm(project: Project, wrong: set[int], size: int = 20, **fields: object) -> Run:
    """Return a classified run over the same 20 questions, of which those in `wrong` fail."""
    run = make_classified(project, still_wrong=0, correct=size)
    Query.objects.filter(run=run).update(answer="An answer.")
    Query.objects.filter(run=run, position__in=wrong).update(correct=False)
    QueryMetrics.objects.bulk_create(
        QueryMetrics(query=query, context_recall=1.0 if query.position % 2 else 0.25, faithfulness=0.8)
        for query in run.queries.all()
    )
    summary = {"metrics": {"accuracy": {"value": 0.5}}, "outcomes": {}}
    Run.objects.filter(pk=run.pk).update(**{"summary": summary, "config": {}, **fields})
    return Run.objects.select_related("project").get(pk=run.pk)


def test_accuracy_is_compared_on_pairs_and_flips_are_listed() -> None:
    project = make_project()
    before, now = arm(project, {1, 2, 3, 4}), arm(project, {4, 5})
    body = as_json(compare([before, now]))
    assert body["flips"] == {"wrong_to_right": ["q1", "q2", "q3"], "right_to_wrong": ["q5"]}
    change = {row["metric"]: row for row in body["changes"]}["accuracy"]
    expected = share_change(15, 1, 3, 1)
    assert (change["difference"], change["p"]) == (pytest.approx(expected.difference), pytest.approx(expected.p))
    assert (body["paired"], body["unpaired"]) == (20, 0)


def test_pairs_that_passed_and_pass_are_only_counted() -> None:
    project = make_project()
    before, now = arm(project, {1, 2, 3, 4}), arm(project, {4, 5})
    told = {(group.before, group.now): (group.count, group.ids) for group in pair_groups(now, before)}
    assert told[CORRECT, CORRECT] == (15, ())
    assert told[NOT_CLASSIFIED, CORRECT] == (3, ("q1", "q2", "q3"))
    assert told[CORRECT, NOT_CLASSIFIED] == (1, ("q5",))


def test_an_id_asked_in_other_words_is_no_pair_and_stands_alone_on_both_sides() -> None:
    project = make_project()
    before, now = arm(project, {1}), arm(project, {2})
    Query.objects.filter(run=now, position=3).update(question="question 3?")
    told = compare([before, now]).last
    assert (told.paired, told.other_question, told.only_now, told.only_before) == (19, 1, 0, 0)
    assert [one.key for one in told.alone_now] == [one.key for one in told.alone_before] == ["q3"]


def test_pairs_are_found_in_an_index_alone() -> None:
    """Over a handful of rows any index of the run would do: without the others the plan shows what this one spares."""
    now, before = arm(make_project(), {1}), arm(make_project(), {2})
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("DROP INDEX queries_by_id")
        cursor.execute("ALTER TABLE triage_query DROP CONSTRAINT one_query_per_position")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute(f"EXPLAIN {PAIRS}", {"now": now.pk, "before": before.pk})
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert plan.count("Index Only Scan using one_query_of_a_key") == 2


def test_a_slice_key_that_no_pair_carries_any_more_is_one_slice_without_it() -> None:
    project = make_project()
    before, now = arm(project, {1, 2}), arm(project, {2})
    Query.objects.filter(run=before).update(slices={"topic": "billing"})
    Query.objects.filter(run=now).update(slices={"other": "one"})
    assert slice_pairs(now, before, "topic") == {"topic": [(None, (18, 0, 1, 1))], "other": [("one", (18, 0, 1, 1))]}
    assert [(row.name, row.change.n) for row in compare([before, now]).last.slices] == [(WITHOUT_SLICE, 20)]


def test_per_query_metrics_are_compared_where_both_runs_have_them() -> None:
    project = make_project()
    before, now = arm(project, set()), arm(project, set())
    QueryMetrics.objects.filter(query__run=now).update(faithfulness=0.9)
    QueryMetrics.objects.filter(query__run=now, query__position__gt=15).update(faithfulness=None)
    Query.objects.filter(run=before).update(context_tokens=100)
    Query.objects.filter(run=now).update(context_tokens=60)
    rows = {row["metric"]: row for row in as_json(compare([before, now]))["changes"]}
    assert rows["faithfulness"]["n"] == 15
    assert rows["faithfulness"]["difference"] == pytest.approx(0.1)
    assert rows["faithfulness"]["verdict"] == "better"
    assert rows["context_tokens"]["difference"] == -40
    assert rows["context_tokens"]["verdict"] == "better"
    assert rows["context_recall"]["difference"] == 0
    assert rows["context_recall"]["verdict"] == "not decided"
    assert "answer_relevance" not in rows


def test_the_isolation_test_tags_what_was_buried() -> None:
    project = make_project()
    before = arm(project, {1, 2, 3, 4}, config={"context": "retrieved"})
    alone = arm(project, {4}, config={"context": "gold_only"})
    Query.objects.filter(run=alone, position=3).update(answerable=False)
    body = as_json(compare([before, alone]))
    assert body["flips"]["wrong_to_right"] == ["q1", "q2", "q3"]
    assert body["isolation"]["buried"] == ["q1"]
    assert (body["isolation"]["failing"], body["isolation"]["accuracy_after"]) == (4, 0.75)
    assert body["settings_that_differ"] == ["context"]
    assert "buried" in as_text(compare([before, alone]))
    assert as_json(compare([alone, before]))["isolation"] is None


def test_the_isolation_test_says_what_the_gold_alone_mends_in_each_class_and_slice() -> None:
    """S15: a slice at .31 before and .85 with the gold alone is 54 points."""
    project = make_project()
    before = arm(project, set(range(1, 70)), size=100, config={"context": "retrieved"})
    alone = arm(project, set(range(1, 16)), size=100, config={"context": "gold_only"})
    Query.objects.filter(run__in=[before, alone]).update(slices={"kind": "multi"})
    for query in before.queries.filter(correct=False):
        label = "retrieval_miss" if query.position <= 10 else "still_wrong"
        query.suggestions.create(label=label, policy_fingerprint="3f9c21ab", basis=f"x{query.position}")
    body = as_json(compare([before, alone], "kind"))
    rows = {row["label"]: row for row in body["isolation"]["by_class"]}
    assert (rows["retrieval_miss"]["failing"], rows["retrieval_miss"]["right"]) == (10, 0)
    assert (rows["still_wrong"]["failing"], rows["still_wrong"]["right"]) == (59, 54)
    (row,) = body["slices"]
    assert (row["before"], row["after"], row["mended"], row["failing_before"]) == (0.31, 0.85, 54, 69)
    assert row["difference"] == pytest.approx(0.54)
    text = client_of(project).get(f"/p/{project.slug}/compare/?run={before.key}&run={alone.key}").content.decode()
    assert "0 by construction" in text
    assert "54 of 69" in text


def padded_pair(project: Project, *, gold_now: str = "g", recall_now: float = 1.0) -> tuple[Run, Run]:
    """S12: relevance .81 without and .72 with the padding, the same claims supported."""
    plain, padded = (arm(project, set(), size=40, config={"context": kind}) for kind in ("retrieved", "padded"))
    for run, relevance in ((plain, 0.81), (padded, 0.72)):
        QueryMetrics.objects.filter(query__run=run).update(
            answer_relevance=relevance, faithfulness=0.9, context_recall=1.0, context_precision=relevance - 0.5
        )
        Query.objects.filter(run=run).update(gold=["g"])
    Query.objects.filter(run=padded, position=2).update(gold=[gold_now])
    QueryMetrics.objects.filter(query__run=padded, query__position=3).update(context_recall=recall_now)
    return plain, padded


def test_S12_padding_costs_nine_points_of_relevance_while_groundedness_stands_still() -> None:
    project = make_project()
    plain, padded = padded_pair(project)
    for order in ([plain, padded], [padded, plain]):
        told = as_json(compare(order))["padding"]
        assert (told["padded"], told["plain"], told["refused"]) == (padded.name, plain.name, "")
        assert told["changes"]["answer_relevance"]["difference"] == pytest.approx(-0.09)
        assert told["changes"]["faithfulness"]["difference"] == 0
        assert told["groundedness"].startswith("Groundedness did not move at all")
        assert "padding test" in as_text(compare(order))
    text = client_of(project).get(f"/p/{project.slug}/compare/?run={plain.key}&run={padded.key}").content.decode()
    assert "is the padded arm" in text
    assert "−0.090" in text


@pytest.mark.parametrize(
    ("fields", "why"), [({"gold_now": "h"}, "gold differs"), ({"recall_now": 0.5}, "share of the")]
)
def test_another_gold_is_no_padding_test(fields: dict[str, object], why: str) -> None:
    project = make_project()
    plain, padded = padded_pair(project, **fields)  # type: ignore[arg-type]
    told = as_json(compare([plain, padded]))["padding"]
    assert why in told["refused"]
    assert "1 of 40 pairs" in told["refused"]
    assert told["changes"] == {}
    text = client_of(project).get(f"/p/{project.slug}/compare/?run={plain.key}&run={padded.key}").content.decode()
    assert "No padding test." in text
    assert "no padding test" in as_text(compare([plain, padded]))


def test_declining_is_compared_where_it_is_wrong_and_where_it_is_right() -> None:
    project = make_project()
    before, now = arm(project, set()), arm(project, set())
    Query.objects.filter(run__in=[before, now], position__gt=10).update(answerable=False)
    Query.objects.filter(run=before, position=1).update(abstained=True)
    Query.objects.filter(run=now, position__gt=15).update(abstained=True)
    rows = {row["metric"]: row for row in as_json(compare([before, now]))["changes"]}
    assert (rows["false_answer_rate"]["difference"], rows["false_answer_rate"]["n"]) == (-0.5, 10)
    assert rows["over_abstention_rate"]["difference"] == pytest.approx(-0.1)
    assert rows["false_answer_rate"]["p"] == pytest.approx(0.0625)
    Query.objects.filter(run=now, position__gt=10).update(abstained=True)
    rows = {row["metric"]: row for row in as_json(compare([before, now]))["changes"]}
    assert rows["false_answer_rate"]["verdict"] == "better"


def test_nobody_declined_in_a_run_without_answers() -> None:
    project = make_project()
    before, now = arm(project, set()), arm(project, set())
    Query.objects.filter(run=now).update(answer=None, abstained=True)
    shown = {row["metric"] for row in as_json(compare([before, now]))["changes"]}
    assert "accuracy" in shown
    assert not shown & {"false_answer_rate", "over_abstention_rate"}
    # One answer is enough: the other queries were asked, and got none.
    Query.objects.filter(run=now, position=1).update(answer="Yes.", abstained=False)
    rows = {row["metric"]: row for row in as_json(compare([before, now]))["changes"]}
    assert rows["over_abstention_rate"]["difference"] == pytest.approx(0.95)


def test_a_small_price_is_never_printed_as_nothing() -> None:
    project = make_project()
    before, now = arm(project, set()), arm(project, set())
    Query.objects.filter(run=before).update(cost=0.0056)
    Query.objects.filter(run=now).update(cost=0.0014)
    text = client_of(project).get(f"/p/{project.slug}/compare/?run={before.key}&run={now.key}").content.decode()
    assert "−0.0042" in text
    assert "0.00</b>" not in text
    assert "cost: −0.0042" in as_text(compare([before, now]))
    costs = [run["cost"] for run in as_json(compare([before, now]))["runs"]]
    assert [cost["of_1000"] for cost in costs] == pytest.approx([5.6, 1.4])
    assert all(cost["is_from_file"] for cost in costs)


def test_S8_tokens_at_the_runs_price_stand_in_where_the_file_says_no_cost() -> None:
    project = make_project()
    runs = [
        arm(
            project,
            set(),
            prices={"input_per_million": 3, "currency": "USD"},
            summary={"metrics": {"context_tokens": {"value": tokens, "n": 20}}, "outcomes": {}},
        )
        for tokens in (2510, 655)
    ]
    costs = [run["cost"] for run in as_json(compare(runs))["runs"]]
    assert costs[0]["of_1000"] - costs[1]["of_1000"] == pytest.approx(5.565)
    assert "7.53 USD" in as_text(compare(runs))


def test_the_baseline_is_pinned_to_production_figures() -> None:
    project = make_project()
    told = {
        "context_recall": {"value": 0.94, "low": 0.91, "high": 0.96, "n": 400},
        "context_tokens": {"value": 2510, "low": 2490, "high": 2530, "n": 400},
        "latency_p95_ms": {"value": 1900, "low": None, "high": None, "n": 400},
    }
    before, now = arm(project, set(), summary={"metrics": told, "outcomes": {}}), arm(project, set())
    asked = {"context_recall": 0.94, "context_tokens": 2600.0, "latency_p95_ms": 1950.0, "faithfulness": 0.9}
    body = as_json(compare([before, now], production=asked))
    assert {pin["metric"]: pin["agrees"] for pin in body["production"]} == {
        "context_recall": True,
        "context_tokens": False,
        "latency_p95_ms": True,
        "faithfulness": None,
    }
    assert "reproduces 2 of 4 production figures" in as_text(compare([before, now], production=asked))
    with pytest.raises(ValueError, match="cannot be pinned on k"):
        compare([before, now], production={"k": 5.0})
    address = f"/p/{project.slug}/compare/?run={before.key}&run={now.key}"
    text = client_of(project).get(f"{address}&context_recall=0.94&faithfulness=").content.decode()
    assert "reproduces 1 of 1 production figures" in text
    assert client_of(project).get(f"{address}&context_recall=much").status_code == 400
    out = StringIO()
    call_command("compare", before.key, now.key, production=[("context_recall", 0.5)], stdout=out)
    assert "it is not production" in out.getvalue()


def test_unpaired_queries_are_listed_with_their_links() -> None:
    project = make_project()
    before, now = arm(project, set(), size=12), arm(project, set(), size=10)
    Query.objects.filter(run=now, position=1).update(question="Another?")
    found = compare([before, now]).last
    assert [flip.key for flip in found.alone_now] == ["q1"]
    assert [flip.key for flip in found.alone_before] == ["q1", "q11", "q12"]
    text = client_of(project).get(f"/p/{project.slug}/compare/?run={before.key}&run={now.key}").content.decode()
    assert "3 queries without a partner" in text


def test_unpaired_queries_are_counted_apart() -> None:
    project = make_project()
    before, now = arm(project, set(), size=12), arm(project, set(), size=10)
    Query.objects.filter(run=now, position=1).update(question="Another?")
    found = compare([before, now]).last
    assert (found.paired, found.only_now, found.only_before, found.other_question, found.unpaired) == (9, 0, 2, 1, 3)


def test_another_policy_makes_the_class_mix_not_comparable() -> None:
    project = make_project()
    before, now = arm(project, {1}), arm(project, {2})
    assert compare([before, now]).last.mix is not None
    now.policy_fingerprint = "other"
    assert compare([before, now]).last.mix is None


def test_the_first_run_is_the_baseline_of_every_other() -> None:
    project = make_project()
    runs = [arm(project, set(), config={"k": k, "reranker": r}) for k, r in ((20, "off"), (5, "off"), (5, "on"))]
    body = as_json(compare(runs))
    assert [each["run"] for each in body["runs"]] == [run.key for run in runs]
    assert [each["settings_that_differ"] for each in body["comparisons"]] == [["k"], ["k", "reranker"]]
    assert "cannot be credited to either" in body["comparisons"][1]["warning"]
    assert body["settings"] == {"k": ["20", "5", "5"], "reranker": ["off", "off", "on"]}


def test_what_cannot_be_compared_is_refused_in_words() -> None:
    project = make_project()
    one = arm(project, set())
    with pytest.raises(ValueError, match="2 to 6 runs, got 1"):
        compare([one])
    with pytest.raises(ValueError, match="not classified yet"):
        compare([one, make_run(project)])
    with pytest.raises(ValueError, match="different projects"):
        compare([one, arm(make_project(), set())])


def test_the_command_keeps_the_order_of_its_arguments() -> None:
    project = make_project()
    first, second = arm(project, {1}), arm(project, set())
    out = StringIO()
    call_command("compare", second.key, first.key, json=True, stdout=out)
    body = json.loads(out.getvalue())
    assert [run["run"] for run in body["runs"]] == [second.key, first.key]
    assert {"runs", "settings_that_differ", "paired", "unpaired", "changes", "flips"} <= body.keys()
    call_command("compare", first.name, second.name, project=project.slug, stdout=out)
    assert "20 queries paired" in out.getvalue()
    with pytest.raises(CommandError) as fault:
        call_command("compare", first.key)
    assert fault.value.returncode == 2


def client_of(project: Project) -> Client:
    client = Client()
    assert client.login(username=make_member(project, Role.VIEWER).username, password=PASSWORD)
    return client


def test_the_page_works_and_lets_runs_be_chosen() -> None:
    project = make_project()
    before, now = (
        arm(project, {1, 2}, config={"context": "retrieved"}),
        arm(project, set(), config={"context": "gold_only"}),
    )
    client = client_of(project)
    empty = client.get(f"/p/{project.slug}/compare/").content.decode()
    assert before.name in empty
    assert "Side by side" not in empty
    text = client.get(f"/p/{project.slug}/compare/?run={before.key}&run={now.key}").content.decode()
    for words in ("Side by side", "Isolation test", "gold_only", "2 from wrong to right"):
        assert words in text
    assert "None" not in text


def test_runs_of_other_projects_are_not_compared() -> None:
    project = make_project()
    mine, foreign = arm(project, set()), arm(make_project(), set())
    client = client_of(project)
    text = client.get(f"/p/{project.slug}/compare/?run={mine.key}&run={foreign.key}").content.decode()
    assert "Side by side" not in text
    assert client.get(f"/p/{foreign.project.slug}/compare/").status_code == 404


def test_the_number_of_statements_does_not_depend_on_the_number_of_queries() -> None:
    def statements(size: int) -> int:
        project = make_project()
        runs = [arm(project, {1, 2}, size=size), arm(project, {2, 3}, size=size)]
        with CaptureQueriesContext(connection) as captured:
            compare(runs)
        return len(captured)

    assert statements(5) == statements(40)


def test_P5_slices_are_tested_together_and_the_one_that_explains_most_comes_first() -> None:
    project = make_project()
    before, now = arm(project, set(range(1, 11)), size=40), arm(project, {9}, size=40)
    Query.objects.filter(position__lte=10).update(slices={"topic": "billing"})
    Query.objects.filter(position__gt=10, position__lte=30).update(slices={"topic": "export"})
    body = as_json(compare([before, now], "topic"))
    rows = body["slices"]
    assert rows[0]["slice"] == "billing"
    assert {row["slice"]: row["n"] for row in rows}["export"] == 20
    assert rows[0]["difference"] == pytest.approx(0.9)
    assert rows[0]["p_holm"] == pytest.approx(3 * share_change(0, 0, 9, 1).p)
    assert (body["slice_key"], rows[0]["verdict"]) == ("topic", "better")
    assert as_json(compare([before, now], "no such key"))["slice_key"] == "topic"
    text = (
        client_of(project)
        .get(f"/p/{project.slug}/compare/?run={before.key}&run={now.key}&slices=topic")
        .content.decode()
    )
    assert "Accuracy by topic" in text
