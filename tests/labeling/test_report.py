"""The verb `report`: the table from rows, the draw behind it, the release before, and its constant cost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.core.note_export import as_json
from labeling.report import NotClassifiedError, render, report
from tests.factories import make_project, make_run
from tests.labeling.rows import draw, make_classified, queries_of, say
from triage.models import Query, Run, Suggestion

pytestmark = pytest.mark.django_db
ESSAY = {"retrieval_miss": 16, "unsupported_claims": 61, "grounded_wrong_question": 44, "still_wrong": 31}


def rows_of(run: Run, against: Run | None = None) -> dict[str, dict[str, Any]]:
    return {row["class"]: row for row in as_json(report(run, against))["rows"]}


def read_twenty(run: Run) -> None:
    """Read 20 of the 31 still_wrong: 11 superseded, 6 contradicting, 3 wrong gold."""
    queries = queries_of(run, "still_wrong")
    causes = ["superseded_document"] * 11 + ["contradicting_documents"] * 6 + ["wrong_gold"] * 3
    draw(run, ESSAY, {query.pk: "still_wrong" for query in queries[:20]})
    for query, cause in zip(queries, causes, strict=False):
        say(query, "still_wrong", cause)


def test_S1_the_essay_run_gives_16_61_44_31_of_152_and_38_per_cent() -> None:
    run = make_classified(correct=248, **ESSAY)
    note = report(run)
    assert [rows_of(run)[label]["automatic"] for label in ESSAY] == [16, 61, 44, 31]
    assert note.population.failing / note.population.queries == pytest.approx(0.38)
    assert note.accuracy is not None
    assert note.accuracy.value == pytest.approx(0.62)
    assert "152 of 400 queries fail" in render(note, "md").text
    assert note.drawn == "Nothing is reviewed yet."


def test_C1_twenty_read_of_thirty_one_give_their_exact_ranges() -> None:
    run = make_classified(correct=248, **ESSAY)
    read_twenty(run)
    found = {row.sub_cause: row for row in report(run).sub_causes}
    ranges = {name: (row.confirmed, row.low, row.high) for name, row in found.items()}
    assert ranges == {
        "superseded_document": (11, 13, 21),
        "contradicting_documents": (6, 6, 14),
        "wrong_gold": (3, 3, 9),
    }
    assert {row.among for row in found.values()} == {31}
    row = rows_of(run)["still_wrong"]
    assert (row["reviewed"], row["confirmed"], row["corrected"]) == (20, 20, 31)
    assert rows_of(run)["not_estimated"]["corrected"] == 121


def test_relabelling_after_the_draw_does_not_move_the_estimate() -> None:
    run = make_classified(still_wrong=30, retrieval_miss=10)
    wrong, missed = queries_of(run, "still_wrong"), queries_of(run, "retrieval_miss")
    items = {query.pk: "still_wrong" for query in wrong[:10]} | {query.pk: "retrieval_miss" for query in missed[:5]}
    draw(run, {"still_wrong": 30, "retrieval_miss": 10}, items)
    for place, query in enumerate([*wrong[:10], *missed[:5]]):
        say(query, "retrieval_miss" if place % 2 else "still_wrong")
    before = rows_of(run)
    Suggestion.objects.filter(query__in=wrong[5:20]).update(label="unsupported_claims")
    Run.objects.update(gold_version=7)
    after = rows_of(Run.objects.get())
    for label in ("still_wrong", "retrieval_miss"):
        for key in ("corrected", "low", "high", "confirmed"):
            assert after[label][key] == before[label][key]
    assert after["unsupported_claims"]["automatic"] == 15


def test_chosen_verdicts_never_move_the_estimate() -> None:
    run = make_classified(still_wrong=30)
    queries = queries_of(run, "still_wrong")
    draw(run, {"still_wrong": 30}, {query.pk: "still_wrong" for query in queries[:10]})
    for query in queries[:10]:
        say(query, "still_wrong")
    before = rows_of(run)["still_wrong"]["corrected"]
    for query in queries[20:25]:
        say(query, "not_a_failure", drawn="chosen")
    note = report(run)
    assert rows_of(run)["still_wrong"]["corrected"] == before
    assert rows_of(run)["not_a_failure"]["confirmed"] == 5
    assert "5 more verdicts on chosen items move no estimate" in note.drawn


def test_chosen_verdicts_alone_estimate_nothing() -> None:
    run = make_classified(still_wrong=30)
    for query in queries_of(run, "still_wrong")[:10]:
        say(query, "still_wrong", drawn="chosen")
    row = rows_of(run)["still_wrong"]
    assert (row["confirmed"], row["corrected"], row["states"]["corrected"]) == (10, None, "no draw")
    assert "none of it is an unfiltered random draw" in report(run).drawn


def test_a_filtered_draw_does_not_feed_the_run() -> None:
    run = make_classified(still_wrong=30)
    queries = queries_of(run, "still_wrong")
    filtered = {"filter": {"slice": "topic=billing"}}
    draw(run, {"still_wrong": 30}, {query.pk: "still_wrong" for query in queries[:10]}, frame=filtered)
    for query in queries[:10]:
        say(query, "still_wrong")
    assert rows_of(run)["still_wrong"]["corrected"] is None


def test_items_known_before_the_draw_count_as_themselves() -> None:
    run = make_classified(still_wrong=30)
    queries = queries_of(run, "still_wrong")
    known, drawn = queries[:4], queries[4:14]
    for query in known:
        say(query, "not_a_failure")
    frame = {"filter": {}, "take_all": [query.pk for query in known]}
    draw(run, {"still_wrong": 26}, {query.pk: "still_wrong" for query in drawn}, frame=frame)
    for query in drawn:
        say(query, "still_wrong")
    found = rows_of(run)
    assert found["not_a_failure"]["corrected"] == 4
    assert found["still_wrong"]["corrected"] == 26
    assert "4 known before" in report(run).drawn


def test_all_read_needs_no_draw() -> None:
    run = make_classified(still_wrong=3)
    for query in queries_of(run, "still_wrong"):
        say(query, "retrieval_miss")
    row = rows_of(run)["retrieval_miss"]
    assert (row["corrected"], row["low"], row["high"]) == (3, 3, 3)
    assert report(run).drawn == "All 3 failing queries are read."


def test_pending_items_widen_the_interval() -> None:
    run = make_classified(still_wrong=30)
    queries = queries_of(run, "still_wrong")
    draw(run, {"still_wrong": 30}, {query.pk: "still_wrong" for query in queries[:12]})
    for query in queries[:10]:
        say(query, "still_wrong")
    settled = rows_of(run)["retrieval_miss"]["high"]
    for query in queries[10:12]:
        say(query, "still_wrong")
        say(query, "retrieval_miss", imported_reviewer="bob")
    assert rows_of(run)["retrieval_miss"]["high"] > settled
    assert "2 pending" in report(run).drawn


def test_passing_queries_are_audited_by_a_draw_of_their_own() -> None:
    run = make_classified(still_wrong=2, correct=20)
    passed = list(run.queries.filter(correct=True)[:10])
    assert rows_of(run)["missed_failure"]["states"]["corrected"] == "not audited"
    draw(run, {"passing": 20}, {query.pk: "passing" for query in passed}, population="passing")
    for place, query in enumerate(passed):
        say(query, "still_wrong" if place == 0 else "not_a_failure")
    row = rows_of(run)["missed_failure"]
    assert (row["reviewed"], row["confirmed"], row["corrected"], row["outside_total"]) == (10, 1, 2, True)
    after = report(run).accuracy_after
    assert after is not None
    assert after.value == pytest.approx((20 - 2) / 22)


def two_releases() -> tuple[Run, Run]:
    project = make_project()
    before = make_classified(project, still_wrong=4, retrieval_miss=2, correct=4)
    now = make_classified(project, retrieval_miss=3, still_wrong=1, correct=6)
    Run.objects.filter(pk=before.pk).update(release="1")
    Run.objects.filter(pk=now.pk).update(release="2")
    return Run.objects.get(pk=before.pk), Run.objects.get(pk=now.pk)


def test_the_release_before_is_found_and_paired_query_by_query() -> None:
    _, now = two_releases()
    found = rows_of(now)
    assert found["retrieval_miss"]["new"] == ["q1", "q2", "q3"]
    assert found["retrieval_miss"]["fixed"] == ["q5", "q6"]
    assert found["still_wrong"]["persisting"] == ["q4"]
    assert found["still_wrong"]["moved"] == ["q1", "q2", "q3"]
    assert found["total"]["fixed"] == ["q5", "q6"]
    assert found["total"]["persisting"] == ["q1", "q2", "q3", "q4"]
    assert found["retrieval_miss"]["previous"] == 2
    assert found["retrieval_miss"]["change"] == pytest.approx(3 / 4 - 2 / 6)
    paired = report(now).paired
    assert paired is not None
    assert (paired.n, paired.only_now, paired.only_before, paired.differing) == (10, 0, 0, 0)


def test_another_policy_is_not_comparable_but_failing_still_is() -> None:
    before, now = two_releases()
    Run.objects.filter(pk=before.pk).update(policy_fingerprint="00000000")
    found = rows_of(now)
    assert found["still_wrong"]["states"]["previous"] == "not comparable"
    assert found["still_wrong"]["persisting"] == []
    assert found["total"]["persisting"] == ["q1", "q2", "q3", "q4"]
    assert "made under policy 00000000 before" in report(now).why_not_comparable


def test_a_changed_question_is_not_paired() -> None:
    _, now = two_releases()
    Query.objects.filter(run=now, key="q1").update(question="Something else?")
    paired = report(now).paired
    assert paired is not None
    assert (paired.n, paired.differing) == (9, 1)


def test_a_run_can_be_reported_against_any_other() -> None:
    before, now = two_releases()
    assert report(before).previous == ""
    assert report(before, now).previous == "2"


def test_agreement_counts_first_blind_verdicts_only() -> None:
    run = make_classified(still_wrong=4)
    one, two, three, _ = queries_of(run, "still_wrong")
    for query, label in ((one, "still_wrong"), (two, "retrieval_miss"), (three, "still_wrong")):
        say(query, label)
    say(one, "still_wrong", imported_reviewer="bob")
    say(two, "still_wrong", imported_reviewer="bob")
    say(three, "retrieval_miss", imported_reviewer="bob", blind=False)
    note = report(run)
    assert (note.people.value, note.people.n) == (0.5, 2)
    assert note.machine.n == 3
    assert note.machine.value == pytest.approx((1 + 0.5 + 1) / 3)


def test_the_same_state_gives_the_same_bytes_in_every_format() -> None:
    run = make_classified(correct=248, **ESSAY)
    read_twenty(run)
    for to in ("md", "csv", "json", "html"):
        assert render(report(run), to).text == render(report(Run.objects.get(pk=run.pk)), to).text
    json.loads(render(report(run), "json").text)


def test_DJ4_the_file_name_of_a_download_is_safe() -> None:
    run = make_classified(still_wrong=1)
    Run.objects.filter(pk=run.pk).update(release='a";filename="x.bat\r\n../..')
    name = render(report(Run.objects.get(pk=run.pk)), "md").file_name
    assert name == f"release-note-a-filename-x.bat-..-{run.key}.md" or name.startswith("release-note-a-filename-x.bat")
    assert not set(name) & set('";\\/\r\n')


def test_a_run_without_classes_is_refused_in_words() -> None:
    with pytest.raises(NotClassifiedError, match="not classified yet"):
        report(make_run())


def test_the_number_of_statements_does_not_depend_on_the_number_of_queries() -> None:
    def statements(size: int) -> int:
        project = make_project()
        earlier = make_classified(project, still_wrong=size, correct=size)
        Run.objects.filter(pk=earlier.pk).update(release="earlier")
        run = make_classified(project, still_wrong=size, correct=size)
        queries = queries_of(run, "still_wrong")
        draw(run, {"still_wrong": size}, {query.pk: "still_wrong" for query in queries})
        for query in queries:
            say(query, "still_wrong")
        with CaptureQueriesContext(
            connection,
        ) as captured:
            report(Run.objects.select_related("project").get(pk=run.pk))
        return len(captured)

    assert statements(3) == statements(12)
    assert statements(3) < 40
