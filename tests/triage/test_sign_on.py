"""Log-in by a provider: off by default, refused half-set; on, sign_on_cases.py in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from django.test import Client

from config.stack.ports import listen
from tests.house.tree import ROOT
from tests.provider import CLIENT_ID, CLIENT_SECRET

CASES = "tests/triage/sign_on_cases.py"
ON = {"OIDC_CLIENT_ID": CLIENT_ID, "OIDC_CLIENT_SECRET": CLIENT_SECRET, "OIDC_NAME": "Example accounts"}


def run(code: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these settings and no services of this run's own."""
    passed_on = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "OIDC_"))}
    left = {"DATABASE_URL", "REDIS_URL", "RAG_TRIAGE_VAR"}
    clean = {name: value for name, value in passed_on.items() if name not in left}
    everything = {**clean, "NO_PROXY": "127.0.0.1", **environment}
    return subprocess.run([sys.executable, *code], cwd=ROOT, env=everything, capture_output=True, text=True)


@pytest.mark.faults
def test_SEC09_the_cases_hold_against_a_real_local_provider() -> None:
    options = ["-p", "no:cacheprovider", "-q", "--no-header"]
    with listen("127.0.0.1", 0) as line:
        port = line.getsockname()[1]
    done = run(["-m", "pytest", *options, CASES], OIDC_ISSUER=f"http://127.0.0.1:{port}", **ON)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 80


def test_SEC11_without_a_provider_there_is_no_such_page_and_nothing_of_it_is_loaded(db: None) -> None:
    for path in ("/login/single-sign-on/", "/login/single-sign-on/return/?state=x&code=y"):
        assert Client().get(path).status_code == 404
    assert "single-sign-on" not in Client().get("/login/").content.decode()
    assert "allauth" not in sys.modules


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"OIDC_ISSUER": "http://id.example.org"}, "https://"),
        ({"OIDC_ISSUER": "id.example.org"}, "https://"),
        ({"OIDC_ISSUER": "https://id.example.org", "OIDC_CLIENT_SECRET": ""}, "OIDC_CLIENT_SECRET"),
        ({"OIDC_ISSUER": "https://id.example.org", "OIDC_ADMIT_TO": "default"}, "OIDC_DOMAINS"),
    ],
)
def test_SEC01_settings_of_a_provider_that_are_half_or_too_wide_stop_the_start(
    given: dict[str, str], said: str
) -> None:
    done = run(["-c", "import config.settings"], **(ON | given), RAG_TRIAGE_VAR=str(ROOT / "var"))
    assert done.returncode == 1
    assert "ImproperlyConfigured" in done.stderr
    assert said in done.stderr.splitlines()[-1]
