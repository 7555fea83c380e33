"""Label Studio: people's words come in as people's, and a run goes out and comes back."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from tests.triage.formats.reading import ids, read, read_file, refused
from triage.core.labels import VERDICT_LABELS
from triage.core.records import QueryRecord, Remarks, parse
from triage.formats.write_label_studio import interface, label_studio_pieces

DATA: dict[str, Any] = {"id": "7", "question": "How long?", "answer": "Ten years 🧀. Ask."}


def result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "from_name": name, "to_name": "answer", "type": kind, "value": value}


def said(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 1, "completed_by": 3, "result": list(results), "was_cancelled": False, "ground_truth": False, **more}


def tasks(*annotations: dict[str, Any], **data: Any) -> str:
    return json.dumps([{"id": 1, "annotations": list(annotations), "predictions": [], "data": {**DATA, **data}}])


def choice(name: str, text: str) -> dict[str, Any]:
    return result(name, "choices", {"choices": [text]})


def region(start: int, end: int, text: str | None, label: str = "unsupported") -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": [label], **({} if text is None else {"text": text})}
    return result("support", "labels", value)


def test_an_export_by_the_published_schema_is_read_field_by_field() -> None:
    found = read_file("label_studio.json")
    assert (found.format, found.errors) == ("label_studio", [])
    first, second = found.queries
    assert (first.question, first.reference, ids(first.retrieved)) == (
        "How long is the warranty?",
        "Two years.",
        ["k1"],
    )
    assert [(v.label, v.reviewer, v.note, v.adjudicated) for v in first.human] == [
        ("retrieval_miss", "7", "Wrong number.", False),
        ("still_wrong", "9", "", True),
    ]
    assert first.human[0].at is not None
    assert first.human[0].at.isoformat() == "2026-11-02T10:05:00+00:00"
    assert [(c.text, c.span, c.human[0].label, c.human[0].reviewer) for c in first.claims or ()] == [
        ("It lasts ten years 🧀", [0, 20], "unsupported", "7"),
        ("Ask us.", [22, 29], "supported", "7"),
    ]
    assert [(r.metric, r.value, r.reviewer) for r in first.human_scores] == [("helpful", 2.0, "7")]
    assert (first.correct, second.correct) == (True, False), "the annotation that settles it says correct"
    assert found.notices["left_out"].examples == ("annotation 1003",)
    assert first.meta == {"channel": "web"}


def test_people_who_disagree_leave_the_answer_undecided() -> None:
    found = read(tasks(said(choice("right", "Correct")), said(choice("right", "incorrect"), completed_by=4)))
    assert found.query.correct is None
    assert found.notices["reviewers_disagree"].examples == ("7",)


@pytest.mark.parametrize("text", ["Unsupported claims", "unsupported_claims", "UNSUPPORTED-CLAIMS"])
def test_a_label_is_known_by_its_name_or_title(text: str) -> None:
    (verdict,) = read(tasks(said(choice("x", text)))).query.human
    assert verdict.label == "unsupported_claims"


def test_a_sub_cause_counts_where_it_belongs_to_the_label() -> None:
    fits = said(choice("a", "retrieval_miss"), choice("b", "ranked_out"))
    does_not = said(choice("a", "still_wrong"), choice("b", "ranked_out"))
    assert [v.sub_cause for v in read(tasks(fits, does_not)).query.human] == ["ranked_out", ""]


def test_P52_a_note_alone_comes_in_and_other_choices_are_kept() -> None:
    query = read(tasks(said(result("note", "textarea", {"text": ["odd", "very"]}), choice("tone", "rude")))).query
    assert [(v.label, v.note) for v in query.human] == [("", "odd\nvery")]
    assert query.meta["label_studio"] == [{"choice": "rude", "name": "tone", "reviewer": "3"}]


def test_predictions_are_a_machines_and_never_a_persons() -> None:
    data = json.loads(tasks())
    data[0]["predictions"] = [{"model_version": "m", "result": [choice("x", "retrieval_miss")]}]
    assert read(json.dumps(data)).query.human == []


@pytest.mark.parametrize(
    ("start", "end", "text", "span"),
    [
        (14, 17, "Ask", [13, 16]),
        (13, 16, "Ask", [13, 16]),
        (13, 16, None, [13, 16]),
        (90, 93, "Ask", [13, 16]),
        (0, 9, "Ten years", [0, 9]),
    ],
)
def test_F38_a_region_is_found_whether_counted_in_code_points_or_browser_units(
    start: int, end: int, text: str | None, span: list[int]
) -> None:
    (claim,) = read(tasks(said(region(start, end, text)))).query.claims or ()
    assert (claim.span, claim.text) == (span, text or "Ask")


def test_a_region_that_is_not_in_the_answer_is_a_row_error() -> None:
    bad = json.loads(tasks(said(region(0, 5, "Never said"))))
    data = json.dumps([*bad, *json.loads(tasks(id="8"))])
    assert read(data).error.field == "annotations.result.value"


@pytest.mark.parametrize(
    ("row", "hint"),
    [
        ({"id": 1, "question": "x", "annotator": 1, "annotation_id": 2}, "JSON-MIN"),
        ({"id": 1, "data": {"image": "a.png"}, "annotations": []}, "question"),
        ({"id": 1, "data": {"": False}, "annotations": []}, "question"),
    ],
)
def test_another_export_or_another_task_says_what_is_needed(row: dict[str, Any], hint: str) -> None:
    error = refused(json.dumps([row]), "label_studio")
    assert hint in error.errors[0].remedy


def test_a_csv_export_is_told_to_be_exported_as_json() -> None:
    error = refused("id,annotation_id,annotator,question\n1,2,3,How?\n")
    assert "Export as JSON" in error.errors[0].remedy


def query_of(**fields: Any) -> QueryRecord:
    record = parse({"id": "7", "question": "How long?", "answer": "Ten years 🧀. Ask.", **fields}, Remarks())
    assert isinstance(record, QueryRecord)
    return record


def test_a_run_goes_out_as_tasks_and_comes_back() -> None:
    mark, at = {"label": "unsupported", "reviewer": "ada"}, "2026-11-01T00:00:00Z"
    query = query_of(
        retrieved=[{"id": "k1", "text": "Two years."}, "k2"],
        gold=["k1"],
        correct=False,
        reference="Two years.",
        claims=[{"text": "Ask", "span": [13, 16], "human": [mark]}, {"text": "Free."}],
        human=[
            {"label": "retrieval_miss", "sub_cause": "ranked_out", "note": "x", "reviewer": "ada", "at": at},
            {"label": "still_wrong", "reviewer": "bob", "adjudicated": True},
        ],
    )
    found = read("".join(label_studio_pieces([query], {"k2": "Later told."})))
    back = found.query
    assert (found.format, found.errors) == ("label_studio", [])
    for name in ("id", "question", "answer", "reference", "correct", "gold"):
        assert getattr(back, name) == getattr(query, name), name
    assert back.human == query.human
    assert (ids(back.retrieved), found.chunks) == (["k1", "k2"], {"k1": "Two years.", "k2": "Later told."})
    assert [(c.text, c.span, [(m.label, m.reviewer) for m in c.human]) for c in back.claims or ()] == [
        ("Ask", [13, 16], [("unsupported", "ada")]),
        ("Free.", None, []),
    ]


def test_no_run_is_an_empty_list_and_the_same_run_the_same_bytes() -> None:
    assert json.loads("".join(label_studio_pieces([], {}))) == []
    assert "".join(label_studio_pieces([query_of()], {})) == "".join(label_studio_pieces([query_of()], {}))


def test_the_interface_offers_every_label_and_only_names_the_tasks_have() -> None:
    view = ET.fromstring(interface())
    choices = {item.get("value") for item in view.iter("Choice")}
    assert set(VERDICT_LABELS) <= choices
    (task,) = json.loads("".join(label_studio_pieces([query_of(retrieved=[])], {})))
    shown = {value[1:] for item in view.iter() if (value := item.get("value", "")).startswith("$")}
    assert shown <= set(task["data"])
