"""What exists is documented: settings, labels, policy fields, commands. The fix is a line in the named file."""

from __future__ import annotations

import re

from config.management.commands.write_docs import commands_page
from tests.house.tree import ROOT, text
from triage.core.labels import CODEBOOK, SUB_CAUSES
from triage.core.policy import Policy
from triage.core.recorded_scores import DEFINITIONS
from triage.core.summary import RUN_LEVEL_KEYS


def _doc(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_every_environment_variable_is_documented() -> None:
    source = "".join(text(path) for path in sorted((ROOT / "config").rglob("*.py")))
    variables = set(re.findall(r"env_(?:text|bool|int|list)\(\s*\"([A-Z_]+)\"", source))
    assert len(variables) > 20
    missing = sorted(name for name in variables if f"`{name}`" not in _doc("settings.md"))
    assert not missing, f"add a row to docs/settings.md for {missing}"


def test_every_label_and_sub_cause_is_documented() -> None:
    words = [str(entry.label) for entry in CODEBOOK] + [name for names in SUB_CAUSES.values() for name in names]
    missing = sorted({word for word in words if f"`{word}`" not in _doc("labels.md")})
    assert not missing, f"add to docs/labels.md: {missing}"


def test_the_codebook_reads_the_same_on_screen_and_in_the_docs() -> None:
    missing = [entry.definition for entry in CODEBOOK if entry.definition not in _doc("labels.md")]
    assert not missing, f"copy these definitions to docs/labels.md: {missing}"


def test_every_policy_field_is_documented() -> None:
    missing = [name for name in Policy.model_fields if f"`{name}`" not in _doc("labels.md")]
    assert not missing, f"add a row to docs/labels.md, section 'The policy', for {missing}"


def test_every_command_is_documented_as_it_is() -> None:
    assert _doc("commands.md") == commands_page(), "run: manage.py write_docs"


def test_every_metric_and_definition_tag_is_documented() -> None:
    words = {*RUN_LEVEL_KEYS, *DEFINITIONS, *DEFINITIONS.values()}
    missing = sorted(word for word in words if f"`{word}`" not in _doc("metrics.md"))
    assert not missing, f"add to docs/metrics.md: {missing}"
