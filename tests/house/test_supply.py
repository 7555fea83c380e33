"""What ships can be listed and audited: the bill of materials is whole, and an audit that saw nothing says so."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from types import ModuleType
from typing import Any

import pytest

from tests.house.tree import ROOT


def locked(file: str = "requirements.lock") -> dict[tuple[str, str], set[str]]:
    """Return what a lock file names: (name, version) to the sha256 of its files."""
    found: dict[tuple[str, str], set[str]] = {}
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        if named := re.match(r"([\w.-]+)==(\S+)", line):
            at = found.setdefault((named[1], named[2]), set())
        at |= set(re.findall(r"--hash=sha256:([0-9a-f]{64})", line))
    return found


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `make sbom` writes."""
    path = tmp_path_factory.mktemp("sbom") / "sbom.json"
    done = subprocess.run(["make", "-s", "sbom-file", f"SBOM={path}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    written: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return written


def test_the_bill_names_every_locked_package_with_version_and_hashes(bill: dict[str, Any]) -> None:
    listed = {
        (part["name"], part["version"]): {
            digest["content"] for where in part["externalReferences"] for digest in where["hashes"]
        }
        for part in bill["components"]
    }
    assert listed == locked()
    assert len(listed) > 50
    assert all(listed.values())


def test_the_bill_says_what_it_is_of_and_in_which_form(bill: dict[str, Any]) -> None:
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    about = bill["metadata"]["component"]
    assert (about["name"], about["type"]) == ("rag-triage", "application")
    assert {part["purl"].split("?")[0] for part in bill["components"]} == {
        f"pkg:pypi/{name}@{version}" for name, version in locked()
    }


@pytest.mark.parametrize("file", ["requirements-extras.lock", "requirements-dev.lock"])
def test_every_lock_file_has_the_same_versions_of_what_ships(file: str) -> None:
    shipped, more = locked(), locked(file)
    named = dict(more.keys())
    assert {name: named.get(name) for name, _ in shipped if name in named} == {
        name: version for name, version in shipped if name in named
    }
    assert file == "requirements-dev.lock" or shipped.items() <= more.items()
    assert {"django-allauth", "pyjwt", "sentry-sdk", "opentelemetry-sdk"} <= set(named)
    assert "torch" not in named


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    """The script behind `make audit`."""
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CLEAN = {"name": "django", "version": "5.2.19", "vulns": []}
FLAWED = {"name": "django", "version": "1.0", "vulns": [{"id": "CVE-1", "fix_versions": ["1.1"]}]}
UNKNOWN = {"name": "django", "skip_reason": "Dependency not found on PyPI and could not be audited"}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([CLEAN], 0, "1 packages checked, 0 known flaws."),
        ([CLEAN, UNKNOWN], 2, "COULD NOT CHECK: 1 of 2 packages: django"),
        ([], 2, "COULD NOT CHECK"),
        ([FLAWED, UNKNOWN], 1, "django 1.0: CVE-1, fixed in ['1.1']"),
    ],
    ids=["clean", "one_unknown", "none", "flawed"],
)
def test_an_audit_is_clean_only_where_every_package_was_checked(
    audit: ModuleType, packages: list[dict[str, Any]], code: int, words: str
) -> None:
    got, said = audit.verdict(json.dumps({"dependencies": packages}), "")
    assert got == code
    assert words in said


def test_an_audit_that_reached_nobody_says_so(audit: ModuleType) -> None:
    code, said = audit.verdict("", "ERROR: could not connect to the service\n")
    assert code == 2
    assert "Nothing was checked. ERROR: could not connect" in said
