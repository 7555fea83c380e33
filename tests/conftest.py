"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import django
import pytest
from pytest_django import Settings

from tests import throwaway

ROOT = Path(__file__).resolve().parent.parent

_services = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Start this run's own PostgreSQL and Redis before the settings are read; xdist's workers inherit them."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        config.stash[_services] = throwaway.start()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop them and leave nothing behind, however the run went."""
    if (var := config.stash.get(_services, None)) is not None:
        throwaway.stop(var)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real, human-labelled data and cases; tests that need it skip, saying so, where it is absent."""
    folder = Path(os.environ.get("RAG_TRIAGE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data" / "runs").is_dir():
        pytest.skip(f"no shared data at {folder}: set RAG_TRIAGE_SHARED to the folder that holds data/ and cases/")
    return folder


@pytest.fixture(autouse=True)
def _fast_passwords(settings: Settings) -> None:
    """Hash passwords cheaply: the tests are not about the strength of the hash."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
