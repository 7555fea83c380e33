"""The import contracts hold, and each of them catches a wrong import."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOMS, ROOT

#: contract id -> (module to spoil, the wrong import).
VIOLATIONS: dict[str, tuple[str, str]] = {
    "apps": ("triage/models/keys.py", "import labeling.models"),
    "rooms": ("triage/models/keys.py", "import triage.views"),
    "pure": ("triage/core/labels.py", "import django"),
    "adapters": ("triage/judges/recorded.py", "import django"),
    "judges": ("triage/classify/__init__.py", "import triage.judges.recorded"),
    "acyclic": ("triage/core/labels.py", "import triage.core.policy, triage.core.judging"),
    "face": ("labeling/models/sessions.py", "import triage.views"),
    "verbs": ("triage/views/people.py", "import triage.score"),
    "enqueue": ("labeling/models/sessions.py", "import triage.tasks"),
}


def lint(folder: Path, contract: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run import-linter in a folder; all contracts, or the one named."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"]
    if contract:
        command += ["--contract", contract]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_all_contracts_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_wrong_import_breaks_the_contract(contract: str, tmp_path: Path) -> None:
    for room in ROOMS:
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__", "*.onnx", "*.jsonl"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    module, wrong = VIOLATIONS[contract]
    target = tmp_path / module
    if not target.exists():
        target = tmp_path / (module.removesuffix("/__init__.py") + ".py")
    target.write_text(target.read_text(encoding="utf-8") + f"\n{wrong}\n", encoding="utf-8")
    result = lint(tmp_path, contract)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "BROKEN" in result.stdout
