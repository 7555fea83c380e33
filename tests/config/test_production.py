"""What production refuses to start with."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.production import KNOWN_KEY_PARTS, is_weak, refuse_unsafe
from config.secret import local_secret_key
from tests.conftest import ROOT

GOOD = {
    "SECRET_KEY": secrets.token_urlsafe(64),
    "ALLOWED_HOSTS": "triage.example.org",
    "DATABASE_URL": "postgresql://a:b@localhost/c",
    "REDIS_URL": "redis://:password@localhost/0",
}


def start(tmp_path: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """Load the settings as production does, with these variables."""
    environment = {"PATH": os.environ["PATH"], "PRODUCTION": "1", "RAG_TRIAGE_VAR": str(tmp_path), **GOOD, **changes}
    code = "import config.settings"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_SEC01_production_starts_with_sound_settings(tmp_path: Path) -> None:
    assert start(tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SECRET_KEY", "", "needs SECRET_KEY"),
        ("SECRET_KEY", "short", "SECRET_KEY is short"),
        ("SECRET_KEY", "django-insecure-" + "qW7_xR2-" * 10, "SECRET_KEY is short"),
        ("SECRET_KEY", "a" * 80, "SECRET_KEY is short"),
        ("DEBUG", "1", "DEBUG=1"),
        ("ALLOWED_HOSTS", "*", "ALLOWED_HOSTS"),
        ("ALLOWED_HOSTS", "", "ALLOWED_HOSTS"),
        ("DATABASE_URL", "", "needs DATABASE_URL"),
        ("REDIS_URL", "", "REDIS_URL"),
        ("REDIS_URL", "redis://localhost/0", "REDIS_URL needs a password"),
    ],
)
def test_SEC01_production_refuses_to_start(tmp_path: Path, name: str, value: str, words: str) -> None:
    refused = start(tmp_path, **{name: value})
    assert refused.returncode != 0
    assert words in refused.stderr.splitlines()[-1]


@pytest.mark.parametrize("part", KNOWN_KEY_PARTS)
def test_SEC01_a_published_key_is_weak_however_it_is_written(part: str) -> None:
    assert is_weak(secrets.token_urlsafe(64) + part.upper())


def test_SEC01_a_generated_key_is_never_called_weak() -> None:
    assert not any(is_weak(secrets.token_urlsafe(64)) for _ in range(2_000))


def test_SEC01_two_fresh_installs_have_different_keys_that_only_their_owner_reads(tmp_path: Path) -> None:
    first, second = local_secret_key(tmp_path / "one"), local_secret_key(tmp_path / "two")
    assert first != second
    assert local_secret_key(tmp_path / "one") == first
    assert (tmp_path / "one" / "secret_key").stat().st_mode & 0o777 == 0o600


def test_a_socket_needs_no_password() -> None:
    refuse_unsafe(
        GOOD["SECRET_KEY"],
        debug=False,
        allowed_hosts=["a.example"],
        database_url="postgresql://x",
        redis_url="redis+socket:///run/redis.sock",
    )


def test_the_refusal_says_how_to_make_a_key() -> None:
    with pytest.raises(ImproperlyConfigured, match="token_urlsafe"):
        refuse_unsafe("x", debug=False, allowed_hosts=["a"], database_url="x", redis_url="x")
