"""The format is documented as it is: schema, fields, warnings, limits."""

from __future__ import annotations

import json

import pytest

from tests.house.tree import ROOT
from triage.core.records import (
    NOTICES,
    ChallengeRecord,
    ChunkRecord,
    ClaimMarkRecord,
    ClaimRecord,
    EvaluationSetRecord,
    HumanVerdictRecord,
    PricesRecord,
    QueryRecord,
    RatingRecord,
    RetrievedRecord,
    RunRecord,
    ScoreRecord,
    TurnRecord,
    VerdictRecord,
)
from triage.core.records.record import Record
from triage.core.records.schema import json_schema, published

DOC = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
#: Heading in docs/formats.md -> the object it documents.
OBJECTS: dict[str, type[Record]] = {
    "run": RunRecord,
    "run.evaluation_set": EvaluationSetRecord,
    "run.prices": PricesRecord,
    "chunk": ChunkRecord,
    "query": QueryRecord,
    "query.retrieved[]": RetrievedRecord,
    "query.claims[]": ClaimRecord,
    "query.claims[].verdicts[]": VerdictRecord,
    "query.claims[].human[]": ClaimMarkRecord,
    "query.scores[]": ScoreRecord,
    "query.human[]": HumanVerdictRecord,
    "query.human_scores[]": RatingRecord,
    "query.conversation[]": TurnRecord,
    "query.challenges[]": ChallengeRecord,
}


def section(heading: str) -> str:
    """Return the part of the document under a heading."""
    return DOC.split(f"### `{heading}`\n")[1].split("\n#")[0]


@pytest.mark.parametrize(("heading", "model"), OBJECTS.items())
def test_every_field_of_the_format_is_documented_under_its_object(heading: str, model: type[Record]) -> None:
    said = section(heading) + (section("chunk") if model is RetrievedRecord else "")
    missing = [name for name in model.model_fields if name != "meta" and f"| `{name}` |" not in said]
    assert not missing, f"add to docs/formats.md, section {heading}: {missing}"


def test_every_object_of_the_format_is_in_the_list_above() -> None:
    named = {model.__name__ for model in OBJECTS.values()}
    assert json_schema()["$defs"].keys() == named


def test_every_warning_is_documented_with_what_is_done() -> None:
    missing = [code for code, done in NOTICES.items() if f"| `{code}` | {done} |" not in DOC]
    assert not missing, f"add to docs/formats.md, section Warnings: {missing}"


def test_the_published_schema_is_the_models() -> None:
    path = ROOT / "docs" / "schema" / "run-file-1.json"
    assert path.read_text(encoding="utf-8") == published(), "run: python -m triage.core.records.schema > docs/schema/…"


def test_the_schema_allows_what_is_read_a_query_without_kind_and_unknown_fields() -> None:
    schema = json.loads(published())
    query = schema["$defs"]["QueryRecord"]
    assert query["required"] == ["id", "question"]
    assert "additionalProperties" not in query
    assert schema["$defs"]["RunRecord"]["properties"]["kind"] == {"const": "run"}
