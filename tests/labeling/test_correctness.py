"""Correctness against people: by the file, by match and by the rule, recounted by scikit-learn and statsmodels."""

from __future__ import annotations

import json
import random
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from sklearn.metrics import (
    balanced_accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    precision_score,
    recall_score,
    roc_auc_score,
)
from statsmodels.stats.proportion import proportion_confint

from labeling.calibrate import calibrate, calibrate_all, correctness_judges, items_of, judge_page, judges_in
from labeling.models import Calibration
from tests.factories import PASSWORD, make_member, make_query, make_run
from tests.labeling.rows import say
from triage.models import Judge, Project
from triage.models.runs import Run

pytestmark = pytest.mark.django_db
FAILURES = ("retrieval_miss", "unsupported_claims", "grounded_wrong_question", "still_wrong")

#: (said correct, people say correct) of each query that was read
Read = list[tuple[bool, bool]]


def read_project(queries: int = 160) -> tuple[Project, Run, Read]:
    """Return a project whose file says what is correct; nearly all failing queries are read, a third of the passing."""
    rng, run, read = random.Random(4), make_run(), []
    for number in range(queries):
        said = rng.random() < 0.6
        query = make_query(run, key=f"query {number}", correct=said, slices={"topic": "ab"[number % 2]})
        if rng.random() < (0.35 if said else 0.9):
            human = rng.random() < (0.85 if said else 0.2)
            say(query, "not_a_failure" if human else rng.choice(FAILURES))
            read.append((said, human))
    return run.project, run, read


def judge_named(project: Project, name: str) -> Judge:
    return next(judge for judge in correctness_judges(project) if judge.name == name)


def test_the_file_against_people_equals_a_recount() -> None:
    project, _, read = read_project()
    figures = calibrate(project, judge_named(project, "file"))[0].figures
    said, human = np.array([s for s, _ in read]), np.array([h for _, h in read])
    told = figures["all"]
    (tn, fp), (fn, tp) = confusion_matrix(human, said)
    assert told["confusion"] == {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    expected = {
        "tpr": recall_score(human, said),
        "tnr": recall_score(~human, ~said),
        "balanced_accuracy": balanced_accuracy_score(human, said),
        "kappa": cohen_kappa_score(human, said),
    }
    assert {name: told[name]["value"] for name in expected} == pytest.approx(expected)
    for name, hits, n in (("tpr", tp, tp + fn), ("tnr", tn, tn + fp)):
        low, high = proportion_confint(hits, n, method="wilson")
        assert (told[name]["low"], told[name]["high"], told[name]["n"]) == pytest.approx((low, high, n))
    assert told["auroc"]["undefined"] == "no scores"
    assert {row["value"] for row in figures["by_slice"]} == {"a", "b"}
    assert sum(row["n"] for row in figures["by_slice"]) == len(read) == figures["n"]


def test_what_holds_of_all_answers_equals_a_weighted_recount() -> None:
    project, run, read = read_project()
    told = calibrate(project, judge_named(project, "file"))[0].figures["in_all"]
    said, human = np.array([s for s, _ in read]), np.array([h for _, h in read])
    called = {value: run.queries.filter(correct=value).count() for value in (True, False)}
    assert told["called"] == {"yes": called[True], "no": called[False]}
    weights = np.array([called[bool(s)] / np.sum(said == s) for s in said])
    expected = {
        "ppv": precision_score(human, said),
        "npv": precision_score(~human, ~said),
        "tpr": recall_score(human, said, sample_weight=weights),
        "tnr": recall_score(~human, ~said, sample_weight=weights),
    }
    assert {name: told[name]["value"] for name in expected} == pytest.approx(expected)
    assert all(told[name]["low"] < told[name]["value"] < told[name]["high"] for name in expected)
    assert told["tpr"]["value"] != pytest.approx(recall_score(human, said), abs=0.02)


def test_a_match_is_compared_by_its_f1_at_the_threshold_of_the_policy() -> None:
    rng, run = random.Random(8), make_run()
    words = [f"word{number}" for number in range(8)]
    scores, people = [], []
    for number in range(60):
        kept = rng.randrange(9)
        answer = " ".join(["other", *words[:kept][::-1]])
        f1 = 2 * kept / (kept + 1 + len(words))
        fields = {"answer": answer, "reference": " ".join(words), "correct_in_file": None, "correct_by": "match"}
        query = make_query(run, key=f"query {number}", correct=f1 >= 0.5, **fields)
        human = rng.random() < kept / 8
        say(query, "not_a_failure" if human else "still_wrong")
        scores.append(f1)
        people.append(human)
    judge = judge_named(run.project, "match")
    told = calibrate(run.project, judge)[0].figures["all"]
    assert judge.threshold == 0.5
    assert told["auroc"]["value"] == pytest.approx(roc_auc_score(people, scores))
    assert told["kappa"]["value"] == pytest.approx(cohen_kappa_score(people, [score >= 0.5 for score in scores]))
    assert told["n"] == 60


def test_an_included_reference_counts_as_a_whole_match_only_where_the_policy_says_so() -> None:
    run = make_run()
    answer = "it is a very long way of saying that we refund within 14 days of the purchase"
    fields = {"answer": answer, "reference": "14 days", "correct_in_file": None, "correct_by": "match"}
    say(make_query(run, correct=True, **fields), "not_a_failure")
    judge = judge_named(run.project, "match")
    assert [(item.score, item.judge) for item in items_of(run.project, judge)] == [(1.0, True)]
    run.project.policy_versions.create(
        body={**run.project.policy().model_dump(mode="json"), "match_inclusion": False}, fingerprint="0" * 8
    )
    strict = judge_named(run.project, "match")
    assert strict.fingerprint != judge.fingerprint
    (item,) = items_of(run.project, strict)
    assert item.judge is False
    assert item.score is not None
    assert item.score < 0.5


def test_verdicts_on_chosen_queries_and_unblinded_ones_do_not_count() -> None:
    run = make_run()
    kept, chosen, seen = (make_query(run, correct=False) for _ in range(3))
    say(kept, "not_a_failure", drawn="random")
    say(chosen, "not_a_failure", drawn="chosen")
    say(seen, "not_a_failure", blind=False)
    items = items_of(run.project, judge_named(run.project, "file"))
    assert [(item.query, item.human, item.judge, item.cell) for item in items] == [(kept.key, True, False, "fn")]


def test_the_page_leads_to_the_items_and_says_what_holds_of_what_nobody_read() -> None:
    project, _, read = read_project()
    calibrate_all(project)
    judge = next(judge for judge in judges_in(project) if judge.name == "file")
    client = Client()
    assert client.login(username=make_member(project).username, password=PASSWORD)
    base = f"/p/{project.slug}/judges/"
    text = client.get(f"{base}{judge.fingerprint}/").content.decode()
    for words in ("People: correct", "Judge:<br>wrong", "Read or not", "Called correct, and it is", "topic"):
        assert words in text
    assert "at 0.500" not in text
    missed = sum(said and not human for said, human in read)
    items = client.get(f"{base}{judge.fingerprint}/items/?cell=fp").content.decode()
    assert f"{missed} items" in items
    assert items.count("/queries/") >= missed
    listed = client.get(base).content.decode()
    assert "correctness" in listed
    assert judge.fingerprint in listed


def test_without_reads_of_both_words_nothing_is_said_of_all() -> None:
    run = make_run()
    make_query(run, correct=True)
    say(make_query(run, correct=False), "still_wrong")
    row = calibrate(run.project, judge_named(run.project, "file"))[0]
    assert row.figures["in_all"]["tpr"] == {
        "value": None,
        "low": None,
        "high": None,
        "n": 1,
        "undefined": "not both answers were read",
    }
    assert row.figures["in_all"]["ppv"]["undefined"] == "never said"
    assert judge_page(run.project, row.judge, timezone.now(), user_id=0).in_all


def test_more_passing_queries_change_what_holds_of_all_and_not_the_age() -> None:
    project, run, _ = read_project(60)
    judge = judge_named(project, "file")
    first = calibrate(project, judge)[0]
    make_query(run, correct=True, key="one more")
    again = calibrate(project, judge)[0]
    assert again.pk == first.pk
    assert again.figures["in_all"]["called"]["yes"] == first.figures["in_all"]["called"]["yes"] + 1
    assert Calibration.objects.filter(kind="correctness").count() == 1


def test_the_command_takes_a_voice_by_name() -> None:
    project, _, read = read_project()
    out = StringIO()
    call_command("calibrate", "file", "--project", project.slug, "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["kind"], told["n"], told["judge"]["task"]) == ("correctness", len(read), "correctness")
    assert told["in_all"]["called"]["yes"] > 0
