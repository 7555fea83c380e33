"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import django
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings

from tests import throwaway
from tests.chromium import MISSING
from tests.tabs import chromium, open_tab

__all__ = ["chromium", "open_tab"]

ROOT = Path(__file__).resolve().parent.parent

# No example is timed: a busy computer is no fault of what is tested.
hypothesis_settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("untimed")

_services = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Start this run's own PostgreSQL and Redis before the settings are read; xdist's workers inherit them."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        config.stash[_services] = throwaway.start()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    if hasattr(config, "workerinput"):
        _own_queue(config.workerinput["workerid"])


def _own_queue(worker: str) -> None:
    """Give each of xdist's workers a queue of its own: they share one Redis, and a message must not cross."""
    from celery import current_app

    options = current_app.conf.broker_transport_options
    current_app.conf.broker_transport_options = {**options, "global_keyprefix": f"{worker}-"}


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop them and leave nothing behind, however the run went."""
    if (var := config.stash.get(_services, None)) is not None:
        throwaway.stop(var)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep browsers, and each file that starts processes, on one of xdist's workers: two would time each other out."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("browser"))
        if item.get_closest_marker("faults"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def browser_skips(config: pytest.Config) -> int:
    """Return how many tests were skipped for want of a Chromium."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    return sum(MISSING in str(report.longrepr) for report in skipped)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where a browser is required (CI), a browser test that was skipped is a failure."""
    if os.environ.get("REQUIRE_BROWSER") and session.exitstatus == 0 and browser_skips(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say loudly what was not looked at."""
    if count := browser_skips(config):
        terminalreporter.section(f"{count} BROWSER TESTS WERE SKIPPED: {MISSING}", red=True, bold=True)


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
    #: The throttle wants a request where `Client.login` has none; tests/triage/test_security.py switches it on.
    settings.AXES_ENABLED = False
