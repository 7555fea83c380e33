"""Sentry and traces: not loaded unless set; watching_cases.py looks at what goes out, in a process of its own."""

from __future__ import annotations

import subprocess

import pytest

from tests.triage.test_sign_on import run

CASES = "tests/config/watching_cases.py"
LOADED = """
import config.wsgi, sys
print(sorted(name for name in ("sentry_sdk", "opentelemetry", "allauth", "requests") if name in sys.modules))
"""


def load(tmp_path: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Load the web's entry point with these settings and no services."""
    return run(["-c", LOADED], RAG_TRIAGE_VAR=str(tmp_path), **environment)


@pytest.mark.faults
def test_SEC16_what_goes_out_to_sentry_and_a_collector_is_what_is_listed() -> None:
    options = ["-p", "no:cacheprovider", "-q", "--no-header"]
    done = run(["-m", "pytest", *options, CASES], TRACES_ENDPOINT="http://127.0.0.1:9/v1/traces")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "5 passed" in done.stdout


def test_SEC03_nothing_that_could_tell_anybody_is_loaded_unless_it_is_set(tmp_path: object) -> None:
    done = load(tmp_path)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_both_begin_with_the_web_where_they_are_set(tmp_path: object) -> None:
    done = load(tmp_path, SENTRY_DSN="https://key@127.0.0.1:9/1", TRACES_ENDPOINT="http://127.0.0.1:9/v1/traces")
    assert done.returncode == 0, done.stderr
    assert "opentelemetry" in done.stdout
    assert "sentry_sdk" in done.stdout


def test_an_extra_that_is_not_installed_is_named_with_the_remedy(tmp_path: object) -> None:
    hidden = "import sys; sys.modules['sentry_sdk'] = None; import config.settings"
    done = run(["-c", hidden], RAG_TRIAGE_VAR=str(tmp_path), SENTRY_DSN="https://key@127.0.0.1:9/1")
    assert done.returncode == 1
    assert "SENTRY_DSN needs the package sentry_sdk" in done.stderr
    assert "requirements-extras.lock" in done.stderr
