"""The verb `calibrate`: which items are compared, on which labels, and that the figures equal a recount."""

from __future__ import annotations

import json
import random
import uuid
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, roc_auc_score

from labeling.calibrate import calibrate, items_of, judges_in
from labeling.core.sampling import split_of
from labeling.core.trust import Trust
from labeling.models import Calibration, ClaimVerdict, Verdict
from tests.factories import make_chunk, make_claim, make_judge, make_project, make_query, make_run
from tests.labeling.rows import say
from triage.models import Claim, Judge, Project, Score, Suggestion

pytestmark = pytest.mark.django_db


def mark(claim: Claim, label: str, who: str = "ann", **fields: object) -> ClaimVerdict:
    return ClaimVerdict.objects.create(
        **{"claim": claim, "label": label, "imported_reviewer": who, "stage": "first", "blind": True, **fields}
    )


def marked_project(claims: int = 120) -> tuple[Project, Judge, list[tuple[str, bool, float]]]:
    """Return a project whose judge scored claims that people marked, and (query, human, score) of each."""
    rng, project = random.Random(11), make_project()
    run, judge, rows = make_run(project), make_judge("entail"), []
    chunk = make_chunk(run, "c")
    for number in range(claims // 3):
        query = make_query(run, [chunk], key=f"query {number}", slices={"topic": "a" if number % 2 else "b"})
        for _ in range(3):
            human, claim = rng.random() < 0.6, make_claim(query)
            score = min(1.0, max(0.0, rng.gauss(0.65 if human else 0.35, 0.2)))
            Score.objects.create(judge=judge, query=query, claim=claim, chunk=chunk, value=score)
            mark(claim, "supported" if human else "unsupported")
            rows.append((query.key, human, score))
    return project, judge, rows


def test_the_figures_equal_a_recount() -> None:
    project, judge, rows = marked_project()
    figures = calibrate(project, judge)[0].figures
    for part in ("all", "dev", "test"):
        kept = [row for row in rows if part in ("all", split_of(row[0]))]
        human, said = [row[1] for row in kept], [row[2] >= 0.5 for row in kept]
        assert figures[part]["n"] == len(kept)
        assert figures[part]["balanced_accuracy"]["value"] == pytest.approx(balanced_accuracy_score(human, said))
        assert figures[part]["kappa"]["value"] == pytest.approx(cohen_kappa_score(human, said))
        assert figures[part]["auroc"]["value"] == pytest.approx(roc_auc_score(human, [row[2] for row in kept]))
        assert sum(figures[part]["confusion"].values()) == len(kept)
    assert figures["dev"]["n"] + figures["test"]["n"] == figures["n"] == 120


def test_the_threshold_is_chosen_on_dev_and_reported_on_test() -> None:
    project, judge, rows = marked_project()
    suggested = calibrate(project, judge)[0].figures["suggested"]
    dev = [row for row in rows if split_of(row[0]) == "dev"]
    by_threshold = {
        score: balanced_accuracy_score([h for _, h, _ in dev], [s >= score for *_, s in dev]) for *_, score in dev
    }
    assert suggested["dev"]["balanced_accuracy"] == pytest.approx(max(by_threshold.values()))
    assert by_threshold[suggested["threshold"]] == pytest.approx(max(by_threshold.values()))
    test = [row for row in rows if split_of(row[0]) == "test"]
    assert suggested["test"]["positives"] + suggested["test"]["negatives"] == len(test)


def test_the_same_labels_keep_the_row_and_fresh_ones_make_another() -> None:
    project, judge, _ = marked_project(36)
    first = calibrate(project, judge)[0]
    assert calibrate(project, judge)[0].pk == first.pk
    ClaimVerdict.objects.filter(label="supported").first().delete()  # type: ignore[union-attr]
    again = calibrate(project, judge)[0]
    assert again.pk != first.pk
    assert again.n == first.n - 1
    assert Calibration.objects.history(project, judge).first() == again


def test_only_the_first_blind_mark_of_each_reviewer_counts() -> None:
    project = make_project()
    run, judge = make_run(project), make_judge()
    chunk = make_chunk(run)
    query = make_query(run, [chunk])
    claim, unblinded = make_claim(query), make_claim(query)
    for one in (claim, unblinded):
        Score.objects.create(judge=judge, query=query, claim=one, chunk=chunk, value=0.9)
    mark(claim, "supported", is_current=False)
    mark(claim, "unsupported", stage="revised", blind=False)
    mark(unblinded, "supported", blind=False)
    items = {item.claim_id: item for item in items_of(project, judge)}
    assert items[claim.pk].human is True
    assert items[claim.pk].final == "unsupported"
    assert items[unblinded.pk].human is None
    assert calibrate(project, judge)[0].n == 1


def test_an_even_split_of_people_is_left_out_and_counted() -> None:
    project = make_project()
    run, judge = make_run(project), make_judge()
    query = make_query(run, [make_chunk(run, "c")])
    claim = make_claim(query)
    Score.objects.create(judge=judge, query=query, claim=claim, value=0.9)
    mark(claim, "supported", "ann")
    mark(claim, "contradicted", "bob")
    row = calibrate(project, judge)[0]
    assert (row.n, row.figures["tied"]) == (0, 1)
    assert row.figures["people"]["n"] == 1
    assert row.trust(timezone.now()) is Trust.UNCALIBRATED


def test_marks_pair_by_pair_are_compared_pair_by_pair() -> None:
    project = make_project()
    run, judge = make_run(project), make_judge()
    chunks = [make_chunk(run, f"c{number}") for number in range(3)]
    query = make_query(run, chunks)
    claim = make_claim(query)
    for chunk, value in zip(chunks, (0.9, 0.2, 0.7), strict=True):
        Score.objects.create(judge=judge, query=query, claim=claim, chunk=chunk, value=value)
        label = "supported" if value > 0.8 else "unsupported"
        mark(claim, label, chunk=chunk, stage="imported")
    items = items_of(project, judge)
    assert [(item.chunk, item.human, item.judge) for item in items] == [
        ("c0", True, True),
        ("c1", False, False),
        ("c2", False, True),
    ]
    assert [item.cell for item in items] == ["tp", "tn", "fp"]


def test_a_reviewers_mark_is_compared_with_the_judge_over_the_whole_context() -> None:
    project = make_project()
    run, judge = make_run(project), make_judge()
    inside, outside = make_chunk(run, "in"), make_chunk(run, "out")
    query = make_query(run, [inside, outside])
    query.retrieved.filter(chunk=outside).update(in_context=False)
    claim = make_claim(query)
    Score.objects.create(judge=judge, query=query, claim=claim, chunk=inside, value=0.3)
    Score.objects.create(judge=judge, query=query, claim=claim, chunk=outside, value=0.9)
    mark(claim, "supported", chunk=inside)
    (item,) = items_of(project, judge)
    assert (item.chunk, item.human, item.judge, item.score) == ("", True, False, 0.3)


def test_a_failed_score_is_counted_and_compared_with_nothing() -> None:
    project = make_project()
    run, judge = make_run(project), make_judge()
    query = make_query(run, [make_chunk(run, "c")])
    claim = make_claim(query)
    Score.objects.create(judge=judge, query=query, claim=claim, error="timeout")
    mark(claim, "supported")
    row = calibrate(project, judge)[0]
    assert (row.n, row.figures["without_score"]) == (0, 1)


def test_relevance_is_compared_with_ratings_and_with_labels_that_tell_it() -> None:
    project = make_project()
    run, judge = make_run(project), make_judge("rel", task="relevance", threshold=0.7)
    rated = make_query(
        run, key="rated", human_scores=[{"metric": "relevance", "value": 2, "scale": [1, 4], "reviewer": "a"}]
    )
    wrong, right, silent = (make_query(run, key=key) for key in ("wrong", "right", "silent"))
    for query, value in ((rated, 0.9), (wrong, 0.2), (right, 0.8), (silent, 0.5)):
        Score.objects.create(judge=judge, query=query, value=value)
    say(wrong, "grounded_wrong_question")
    say(right, "not_a_failure")
    say(silent, "retrieval_miss")
    cells = {item.query: item.cell for item in items_of(project, judge)}
    assert cells == {"rated": "fp", "wrong": "tn", "right": "tp"}


def test_the_four_labels_are_compared_where_classes_rest_on_the_judge() -> None:
    project, judge, _ = marked_project(36)
    queries = list(project.runs.get().queries.all())
    for number, query in enumerate(queries):
        Suggestion.objects.create(
            query=query, label="still_wrong", policy_fingerprint="p", basis=str(number), judges=[judge.fingerprint]
        )
        say(query, "still_wrong" if number % 3 else "retrieval_miss")
    rows = {row.kind: row for row in calibrate(project, judge)}
    labels = rows["labels"].figures
    assert labels["n"] == len(queries)
    assert labels["raw_agreement"]["value"] == pytest.approx(8 / 12)
    assert labels["per_label"]["still_wrong"]["precision"]["value"] == pytest.approx(8 / 12)
    assert labels["per_label"]["still_wrong"]["recall"]["value"] == 1.0
    assert labels["per_label"]["unsupported_claims"]["f1"]["undefined"] == "never said"


def test_a_judge_grows_stale_and_is_known_by_its_newest_identity() -> None:
    project, judge, _ = marked_project()
    row = calibrate(project, judge)[0]
    assert row.trust(timezone.now()) is Trust.CALIBRATED
    assert row.trust(timezone.now() + timedelta(days=91)) is Trust.STALE
    other = make_judge("entail", threshold=0.7)
    query = project.runs.get().queries.first()
    assert query is not None
    claim = query.claims.first()
    Score.objects.create(judge=other, query=query, claim=claim, value=0.5)
    assert judges_in(project) == [other, judge]
    assert Calibration.objects.newest_of(project.pk, [judge.pk, other.pk]) == {judge.pk: row}


def test_the_command_prints_the_stable_keys() -> None:
    project, judge, _ = marked_project(60)
    out = StringIO()
    call_command("calibrate", judge.name, project=project.slug, json=True, stdout=out)
    body = json.loads(out.getvalue())
    assert {
        "judge", "kind", "state", "n", "confusion", "tpr", "tnr", "kappa", "balanced_accuracy", "auroc", "brier", "ece",
        "threshold", "suggested_threshold",
    } <= body.keys()  # fmt: skip
    assert (body["kind"], body["state"], body["n"]) == ("claim_support", "calibrated", 60)
    assert body["tpr"].keys() == {"value", "low", "high", "n"}
    call_command("calibrate", judge.fingerprint, project=project.slug, stdout=out)
    assert "entail (claim_support): calibrated, 60 labels." in out.getvalue()


def test_an_unknown_judge_or_project_is_bad_input() -> None:
    project, *_ = marked_project(3)
    for judge, slug in (("nobody", project.slug), ("entail", "nowhere")):
        with pytest.raises(CommandError) as fault:
            call_command("calibrate", judge, project=slug)
        assert fault.value.returncode == 2
    with pytest.raises(CommandError, match="Judges there: entail"):
        call_command("calibrate", "nobody", project=project.slug)


def test_without_any_label_a_judge_is_uncalibrated_in_every_figure() -> None:
    project = make_project()
    run, judge = make_run(project), make_judge()
    query = make_query(run)
    Score.objects.create(judge=judge, query=query, claim=make_claim(query), value=0.9)
    out = StringIO()
    call_command("calibrate", judge.name, project=project.slug, json=True, stdout=out)
    body = json.loads(out.getvalue())
    assert (body["state"], body["n"], body["suggested_threshold"]) == ("uncalibrated", 0, None)
    assert body["tpr"]["value"] is None
    assert body["tpr"]["undefined"] == "no positive labels"
    assert "NaN" not in out.getvalue()


def test_an_undone_verdict_does_not_count() -> None:
    project = make_project()
    run, judge = make_run(project), make_judge("rel", task="relevance")
    query = make_query(run)
    Score.objects.create(judge=judge, query=query, value=0.9)
    say(query, "not_a_failure")
    Verdict.objects.update(withdrawn=True)
    assert items_of(project, judge) == []
    say(query, "still_wrong", imported_reviewer="bob", idempotency_key=uuid.uuid4())
    assert len(items_of(project, judge)) == 1


def test_runs_nobody_labelled_are_corrected_and_do_not_refresh_the_comparison() -> None:
    project, judge, rows = marked_project(180)
    first = calibrate(project, judge)[0]
    computed = first.computed_at
    run = make_run(project)
    chunk = make_chunk(run, "elsewhere")
    for number in range(40):
        query = make_query(run, [chunk])
        Score.objects.create(judge=judge, query=query, claim=make_claim(query), chunk=chunk, value=0.9 - 0.02 * number)
    again = calibrate(project, judge)[0]
    assert (again.pk, again.computed_at) == (first.pk, computed)
    rates = {rate["run"]: rate for rate in again.figures["rates"]}
    found = rates[run.key]
    assert (found["judged"], found["passes"], found["by"]) == (40, 21, "rogan_gladen")
    table = again.figures["all"]["confusion"]
    tpr, tnr = table["tp"] / (table["tp"] + table["fn"]), table["tn"] / (table["tn"] + table["fp"])
    assert found["corrected"]["value"] == pytest.approx((21 / 40 + tnr - 1) / (tpr + tnr - 1))
    labelled = rates[project.runs.exclude(pk=run.pk).get().key]
    assert (labelled["judged"], labelled["labelled"]) == (len(rows), len(rows))


def test_J7_a_judge_that_tells_nothing_is_refused_on_other_runs() -> None:
    project, judge, _ = marked_project(60)
    Score.objects.filter(judge=judge).update(value=0.9)
    other = make_run(project)
    query = make_query(other)
    Score.objects.create(judge=judge, query=query, claim=make_claim(query), value=0.9)
    rates = {rate["run"]: rate for rate in calibrate(project, judge)[0].figures["rates"]}
    assert rates[other.key]["corrected"]["value"] is None
    assert "tells nothing" in rates[other.key]["corrected"]["undefined"]


def test_a_run_labelled_in_part_is_corrected_by_its_own_labels() -> None:
    project, judge, _ = marked_project(120)
    ClaimVerdict.objects.filter(claim__query__position__gt=20).delete()
    (rate,) = calibrate(project, judge)[0].figures["rates"]
    assert (rate["by"], rate["judged"], rate["labelled"]) == ("prediction_powered", 120, 60)
    assert 0 <= rate["corrected"]["low"] <= rate["corrected"]["value"] <= rate["corrected"]["high"] <= 1
