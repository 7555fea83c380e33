"""The published JSON Schema of run file version 1. `python -m triage.core.records.schema` prints it."""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic.json_schema import models_json_schema

from triage.core.records.parsing import KINDS

VERSION = 1
_REF = "#/$defs/{model}"


def json_schema() -> dict[str, Any]:
    """Return the schema of one line: a run, a chunk or a query (the kind may be left out for a query)."""
    models = [(model, "validation") for model in KINDS.values()]
    _, shared = models_json_schema(models, ref_template=_REF)  # type: ignore[arg-type]
    definitions = shared["$defs"]
    for kind, model in KINDS.items():
        definitions[model.__name__]["properties"]["kind"] = {"const": kind}
        if kind != "query":
            definitions[model.__name__]["required"] = ["kind", *definitions[model.__name__].get("required", [])]
    for definition in definitions.values():
        # Unknown fields are kept in `meta`, so the published schema allows them.
        definition.pop("additionalProperties", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"RAG Triage run file, version {VERSION}: one line",
        "anyOf": [{"$ref": _REF.format(model=model.__name__)} for model in KINDS.values()],
        "$defs": definitions,
    }


def published() -> str:
    """Return the schema as the text of docs/schema/run-file-1.json."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(published())
