"""The worklist for content owners: what is listed on which evidence, marks, and opening again."""

from __future__ import annotations

import csv
import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.core.mending import Evidence, Fault, Faulty, State, contradicting
from labeling.mend import faulty_documents, mark_mended, mend_file, unmark
from labeling.models import ClaimVerdict, MendedDocument
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
from triage.models import Project, Query, Role, Run, Score, Suggestion

pytestmark = pytest.mark.django_db


def classified(project: Project | None = None) -> Run:
    return make_run(project or make_project(), summary={"outcomes": {}, "classes": {}, "metrics": {}})


def filed(query: Query, sub_cause: str = "") -> Query:
    Suggestion.objects.create(
        query=query, label="still_wrong", proposed_sub_cause=sub_cause, policy_fingerprint="p", basis="b"
    )
    return query


def hurts(one: Faulty) -> dict[str, str]:
    return {hurt.key: str(hurt.evidence) for hurt in one.hurt}


def test_superseded_documents_are_listed_on_the_best_evidence_there_is() -> None:
    run = classified()
    old = make_chunk(run, "old-1", document="guide-2024", superseded_by="guide-2025", title="The guide")
    fresh = make_chunk(run, "new-1", document="guide-2025")
    said, proposed, seen, other, right = (make_query(run, [old, fresh], key=key) for key in ("s", "p", "n", "o", "r"))
    say(filed(said), "still_wrong", "superseded_document")
    filed(proposed, "superseded_document")
    filed(seen)
    say(filed(other), "unsupported_claims", "bridged_passages")
    say(filed(right), "not_a_failure")
    (one,) = faulty_documents(run)
    assert (one.document, one.fault, one.title, one.others) == (
        "guide-2024",
        Fault.SUPERSEDED,
        "The guide",
        ("guide-2025",),
    )
    assert hurts(one) == {"s": "people", "p": "machine", "n": "seen"}


def test_a_chunk_out_of_the_prompt_and_a_passing_query_hurt_nobody() -> None:
    run = classified()
    old = make_chunk(run, "old", superseded_by="new")
    query = filed(make_query(run, [old]))
    query.retrieved.update(in_context=False)
    make_query(run, [old], correct=True)
    assert faulty_documents(run) == []


def test_a_claim_that_people_find_supported_here_and_contradicted_there_names_both_documents() -> None:
    run = classified()
    one, two = make_chunk(run, "a", document="A"), make_chunk(run, "b", document="B")
    query = filed(make_query(run, [one, two], key="q"))
    claim = make_claim(query)
    for chunk, label, who in ((one, "supported", "ann"), (two, "contradicted", "ben")):
        ClaimVerdict.objects.create(claim=claim, chunk=chunk, label=label, imported_reviewer=who, blind=True)
    found = {each.document: each for each in faulty_documents(run)}
    assert {name: (each.fault, each.others, hurts(each)) for name, each in found.items()} == {
        "A": (Fault.CONTRADICTING, ("B",), {"q": "people"}),
        "B": (Fault.CONTRADICTING, ("A",), {"q": "people"}),
    }


def test_a_judge_that_says_both_of_one_claim_is_evidence_until_people_decide() -> None:
    run = classified()
    one, two = make_chunk(run, "a", document="A"), make_chunk(run, "b", document="B")
    query, judge = filed(make_query(run, [one, two])), make_judge()
    claim = make_claim(query)
    for chunk, label in ((one, "supported"), (two, "contradicted")):
        Score.objects.create(judge=judge, query=query, claim=claim, chunk=chunk, label=label)
    assert [each.by(Evidence.MACHINE) for each in faulty_documents(run)] == [1, 1]
    say(query, "unsupported_claims", "contradicts_evidence")
    assert faulty_documents(run) == []


def test_a_query_filed_under_contradicting_documents_names_its_gold_where_nothing_is_marked() -> None:
    run = classified()
    gold, other = make_chunk(run, "g", document="G"), make_chunk(run, "x", document="X")
    say(filed(make_query(run, [gold, other], gold=["g"])), "still_wrong", "contradicting_documents")
    assert [(one.document, one.others) for one in faulty_documents(run)] == [("G", ())]


def test_marked_as_mended_undone_and_open_again_by_a_later_run() -> None:
    project = make_project()
    user = make_member(project, Role.REVIEWER, "ann")

    def shown() -> tuple[Run, State]:
        run = classified(project)
        filed(make_query(run, [make_chunk(run, superseded_by="new", document="old")]), "superseded_document")
        (one,) = faulty_documents(run)
        return run, one.state

    run, state = shown()
    assert state is State.OPEN
    first = mark_mended(run, user, Fault.SUPERSEDED, "old", "unpublished")
    assert mark_mended(run, user, Fault.SUPERSEDED, "old") == first
    (one,) = faulty_documents(run)
    assert one.mark is not None
    assert (one.state, one.mark.by, one.mark.note) == (State.MENDED, "ann", "unpublished")
    later, state = shown()
    assert state is State.REOPENED
    earlier = classified(project)
    Run.objects.filter(pk=earlier.pk).update(started_at=timezone.now() - timedelta(days=9))
    earlier.refresh_from_db()
    filed(make_query(earlier, [make_chunk(earlier, superseded_by="new", document="old")]))
    assert faulty_documents(earlier)[0].state is State.MENDED
    mark_mended(later, user, Fault.SUPERSEDED, "old")
    assert faulty_documents(later)[0].state is State.MENDED
    assert unmark(later, user, Fault.SUPERSEDED, "old") == 2
    assert faulty_documents(run)[0].state is State.OPEN
    assert MendedDocument.objects.filter(undone_by=user).count() == 2


def test_files_hold_every_query_and_neutralise_formulas() -> None:
    run = classified()
    chunk = make_chunk(run, "old", document="=cmd()", superseded_by="new")
    for _ in range(12):
        filed(make_query(run, [chunk]), "superseded_document")
    told = json.loads(mend_file(run, "json"))
    assert len(told["documents"][0]["queries"]) == 12
    assert mend_file(run, "json") == mend_file(run, "json")
    out = StringIO()
    call_command("export", run.key, what="worklist", stdout=out)
    assert json.loads(out.getvalue()) == told
    (row,) = csv.DictReader(StringIO(mend_file(run, "csv")))
    assert (row["document"], row["machine"], row["state"]) == ("'=cmd()", "12", "open")
    assert row["query_ids"].count(";") == 11


def client_of(project: Project, role: Role) -> Client:
    client = Client()
    assert client.login(username=make_member(project, role).username, password=PASSWORD)
    return client


def test_the_page_marks_and_takes_back() -> None:
    run = classified()
    filed(make_query(run, [make_chunk(run, "c", document="Old & <b>", superseded_by="new")]))
    project = run.project
    client, address = client_of(project, Role.REVIEWER), f"/p/{project.slug}/mend/"
    assert "Old &amp; &lt;b&gt;" in client.get(address).content.decode()
    body = {"run": run.key, "fault": "superseded", "document": "Old & <b>"}
    assert client.post(f"{address}mark/", {**body, "act": "mend"}).status_code == 302
    assert "1 mended" in client.get(address).content.decode()
    client.post(f"{address}mark/", {**body, "act": "undo"})
    assert "1 open" in client.get(address).content.decode()
    assert client.post(f"{address}mark/", {**body, "act": "burn"}).status_code == 400
    foreign = classified()
    assert client.post(f"{address}mark/", {**body, "run": foreign.key, "act": "mend"}).status_code == 404
    assert client.get(f"{address}?run={foreign.key}").status_code == 404
    viewer = client_of(project, Role.VIEWER)
    assert "Mended<span" not in viewer.get(address).content.decode()
    assert viewer.get(f"/runs/{run.key}/mend.csv").headers["Content-Type"] == "text/csv; charset=utf-8"


def test_an_empty_list_says_why() -> None:
    project = make_project()
    client = client_of(project, Role.VIEWER)
    assert "Nothing is classified yet" in client.get(f"/p/{project.slug}/mend/").content.decode()
    classified(project)
    assert "Nothing to mend" in client.get(f"/p/{project.slug}/mend/").content.decode()


def test_a_query_told_twice_counts_once_on_its_best_evidence() -> None:
    told = [(1, "q", Evidence.MACHINE, frozenset("AB")), (1, "q", Evidence.PEOPLE, frozenset("AC"))]
    found = contradicting(told)
    assert [hurt.evidence for hurt in found["A"][0]] == [Evidence.PEOPLE]
    assert found["A"][1] == ["B", "C"]


def test_the_number_of_statements_is_constant() -> None:
    def statements(documents: int) -> int:
        run = classified()
        for number in range(documents):
            filed(make_query(run, [make_chunk(run, document=f"d{number}", superseded_by="new")]))
        client = client_of(run.project, Role.REVIEWER)
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/p/{run.project.slug}/mend/")
        return len(captured)

    assert statements(1) == statements(9)
