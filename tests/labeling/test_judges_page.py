"""Judge pages: what they show, where their numbers lead, who may see and start what."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling import tasks
from labeling.calibrate import calibrate
from labeling.calibrate.words import FIGURES
from labeling.core.meanings import OF_A_JUDGE
from labeling.models import Calibration, ClaimVerdict, Verdict
from tests.factories import PASSWORD, make_claim, make_judge, make_member, make_project, make_query, make_run
from tests.labeling.rows import say
from tests.labeling.test_calibrate import marked_project
from triage.models import Judge, Project, Role, Score

pytestmark = pytest.mark.django_db


def client_of(project: Project, role: Role = Role.VIEWER) -> Client:
    client = Client()
    assert client.login(username=make_member(project, role).username, password=PASSWORD)
    return client


def page(project: Project, judge: Judge, more: str = "") -> str:
    return client_of(project, Role.LEAD).get(f"/p/{project.slug}/judges/{judge.fingerprint}/{more}").content.decode()


def test_it_works() -> None:
    project, judge, rows = marked_project()
    calibrate(project, judge)
    text = page(project, judge)
    for words in ("Calibrated today", "Test split, at 0.500", "All labels", "AUROC", "chosen on dev", "worst first"):
        assert words in text
    assert "None" not in text
    assert "nan" not in text
    assert f"{len(rows)} of 40 queries" in text


def test_a_judge_nobody_labelled_for_says_so_and_shows_no_figure() -> None:
    project = make_project()
    query = make_query(make_run(project))
    judge = make_judge("fresh")
    Score.objects.create(judge=judge, query=query, claim=make_claim(query), value=0.4)
    text = page(project, judge)
    assert "Uncalibrated" in text
    assert "Not compared with people yet" in text
    assert "AUROC" not in text


def test_the_list_marks_what_may_not_be_relied_on() -> None:
    project, judge, _ = marked_project(12)
    calibrate(project, judge)
    other = make_judge("fresh")
    query = project.runs.get().queries.first()
    assert query is not None
    Score.objects.create(judge=other, query=query, claim=query.claims.first(), value=0.4)
    text = client_of(project).get(f"/p/{project.slug}/judges/").content.decode()
    assert "too few to rely on" in text
    assert "uncalibrated" in text
    assert "No judge has scored" in client_of(make := make_project()).get(f"/p/{make.slug}/judges/").content.decode()


def test_P63_each_cell_leads_to_exactly_its_items() -> None:
    project, judge, rows = marked_project()
    calibrate(project, judge)
    for cell, human, said in (("fp", False, True), ("fn", True, False), ("tp", True, True)):
        count = sum(row[1] is human and (row[2] >= 0.5) is said for row in rows)
        text = page(project, judge, f"items/?cell={cell}")
        assert f"{count} items" in text
        assert text.count("whole context") == count
    wrong = sum((row[2] >= 0.5) is not row[1] for row in rows)
    assert page(project, judge, "items/").count("whole context") == wrong


@pytest.mark.parametrize("role", list(Role))
def test_SEC07_what_others_said_of_an_item_is_for_leads_and_for_who_spoke_on_it(role: Role) -> None:
    project, judge, _ = marked_project(30)
    run = project.runs.get()
    for query in run.queries.all():
        said = say(query, "still_wrong", note="a note somebody wrote")
        ClaimVerdict.objects.filter(claim__query=query).update(verdict=said)
    calibrate(project, judge)
    client = Client()
    member = make_member(project, role)
    client.force_login(member)
    base = f"/p/{project.slug}/judges/{judge.fingerprint}/"

    def notes() -> list[int]:
        return [client.get(base + more).content.decode().count("a note somebody wrote") for more in ("", "items/")]

    if role.rank >= Role.LEAD.rank:
        assert min(notes()) > 0
        return
    assert notes() == [0, 0]
    assert "after a verdict of your own" in client.get(base + "items/").content.decode()
    assert "after a verdict of your own" in client.get(base).content.decode()
    for query in run.queries.all():
        say(query, "still_wrong", reviewer=member, imported_reviewer="", stage="first")
    assert min(notes()) > 0
    Verdict.objects.filter(reviewer=member).update(withdrawn=True, is_current=False)
    assert notes() == [0, 0], "an undone word is none"


@pytest.mark.parametrize("query", ["cell=zz", "split=all", "cell=fp&split=__class__"])
def test_SEC02_an_unknown_cell_or_split_is_refused(query: str) -> None:
    project, judge, _ = marked_project(3)
    answer = client_of(project).get(f"/p/{project.slug}/judges/{judge.fingerprint}/items/?{query}")
    assert answer.status_code == 400


def test_a_stranger_sees_nothing_and_a_judge_of_elsewhere_does_not_exist() -> None:
    project, judge, _ = marked_project(3)
    base = f"/p/{project.slug}/judges/"
    stranger, member = client_of(make_project()), client_of(project)
    for path in (
        base,
        f"{base}{judge.fingerprint}/",
        f"{base}{judge.fingerprint}/items/",
        f"{base}{judge.fingerprint}/export.csv",
    ):
        assert stranger.get(path).status_code == 404
        assert Client().get(path).status_code == 302
    assert member.get(f"{base}{make_judge('elsewhere').fingerprint}/").status_code == 404
    assert member.get(f"{base}{judge.fingerprint}/export.exe").status_code == 404


def test_comparing_anew_needs_a_reviewer_and_a_post(monkeypatch: pytest.MonkeyPatch) -> None:
    project, judge, _ = marked_project(30)
    path = f"/p/{project.slug}/judges/{judge.fingerprint}/compare/"
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(tasks.calibrate, "delay", lambda *ids: asked.append(ids))
    assert client_of(project).post(path).status_code == 403
    reviewer = client_of(project, Role.REVIEWER)
    assert reviewer.get(path).status_code == 405
    assert reviewer.post(path).status_code == 302
    assert asked == [(project.pk, judge.pk)]
    tasks.calibrate(*asked[0])
    tasks.calibrate(*asked[0])
    assert Calibration.objects.filter(kind="claim_support").count() == 1


def test_without_a_queue_the_page_says_which_command_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from kombu.exceptions import OperationalError

    def down(*_ids: int) -> None:
        raise OperationalError("down")

    project, judge, _ = marked_project(3)
    monkeypatch.setattr(tasks.calibrate, "delay", down)
    path = f"/p/{project.slug}/judges/{judge.fingerprint}/compare/"
    text = client_of(project, Role.REVIEWER).post(path, follow=True).content.decode()
    assert f"manage.py calibrate {judge.fingerprint}" in text


def export(project: Project, judge: Judge, to: str) -> bytes:
    return client_of(project, Role.LEAD).get(f"/p/{project.slug}/judges/{judge.fingerprint}/export.{to}").content


def test_two_exports_of_the_same_state_are_the_same_bytes() -> None:
    project, judge, rows = marked_project(60)
    for to in ("jsonl", "csv", "judgy", "openai"):
        assert export(project, judge, to) == export(project, judge, to)
    told = [json.loads(line) for line in export(project, judge, "jsonl").splitlines()]
    assert len(told) == len(rows)
    assert {row["split"] for row in told} == {"dev", "test"}
    assert {row["judge_label"] for row in told} == {"supported", "unsupported"}
    table = list(csv.DictReader(io.StringIO(export(project, judge, "csv").decode())))
    assert [float(row["score"]) for row in table] == pytest.approx([row["score"] for row in told], abs=1e-6)


def test_SEC24_an_export_names_no_reviewer() -> None:
    project, judge, _ = marked_project(6)
    body = export(project, judge, "jsonl").decode()
    assert '"ann"' not in body
    assert "reviewer-" in body


def test_the_arrays_and_the_messages_tell_the_same_items() -> None:
    project, judge, _ = marked_project(60)
    arrays = json.loads(export(project, judge, "judgy"))[judge.fingerprint]
    assert len(arrays["test_labels"]) == len(arrays["test_preds"]) == 60
    told = [json.loads(line) for line in export(project, judge, "jsonl").splitlines()]
    assert arrays["test_labels"] == [int(row["human_label"] == "supported") for row in told]
    messages = [json.loads(line)["messages"] for line in export(project, judge, "openai").splitlines()]
    assert len(messages) == sum(row["split"] == "dev" for row in told)
    assert {message[2]["content"] for message in messages} == {"supported", "unsupported"}
    assert all("Some text." in message[1]["content"] for message in messages)


def test_the_number_of_statements_is_constant() -> None:
    def statements(claims: int) -> int:
        project, judge, _ = marked_project(claims)
        calibrate(project, judge)
        client = client_of(project)
        path = f"/p/{project.slug}/judges/{judge.fingerprint}/"
        client.get(path)
        with CaptureQueriesContext(connection) as captured:
            client.get(path)
        return len(captured)

    assert statements(30) == statements(90)


def test_every_figure_is_explained_one_click_away() -> None:
    project, judge, _ = marked_project(30)
    calibrate(project, judge)
    text = page(project, judge)
    assert "What these figures say" in text
    names = " ".join(meaning.name for meaning in OF_A_JUDGE)
    for _key, words in FIGURES:
        assert words.split(",")[0].replace("Cohen's kappa", "Kappa") in names
    assert text.count("<dt>") >= len(OF_A_JUDGE)
