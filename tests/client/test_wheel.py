"""The client as people install it: a wheel built from `client/`, alone in a folder, in a Python of nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from tests.factories import make_member, make_project
from triage.models import Role, Scope
from triage.tokens import make

BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
#: Lists the runs of a server that has none.
ASK = """
import sys
sys.path.insert(0, sys.argv[1])
import ragtriage
assert ragtriage.__file__.startswith(sys.argv[1]), ragtriage.__file__
print(list(ragtriage.Client(sys.argv[2], token=sys.argv[3]).runs()))
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder with what the wheel holds."""
    source = shutil.copytree(Path(settings.BASE_DIR) / "client", tmp_path / "client")
    built = _python("-c", BUILD, str(tmp_path), where=source)
    target = tmp_path / "site"
    with ZipFile(tmp_path / built.splitlines()[-1]) as wheel:
        wheel.extractall(target)
    return target


@pytest.mark.django_db(transaction=True)
def test_the_wheel_holds_one_file_and_talks_to_a_server(installed: Path, live_server: LiveServer) -> None:
    assert sorted(path.name for path in installed.iterdir()) == ["ragtriage-1.0.0.dist-info", "ragtriage.py"]
    told = (installed / "ragtriage-1.0.0.dist-info" / "METADATA").read_text()
    assert "Requires-Python: >=3.11" in told
    assert "Requires-Dist" not in told
    project = make_project()
    _row, secret = make(project, make_member(project, Role.LEAD), "wheel", [Scope.READ], 1)
    assert _python("-I", "-c", ASK, str(installed), str(live_server), secret, where=installed).strip() == "[]"


def _python(*words: str, where: Path) -> str:
    """Run Python there; return what it printed."""
    done = subprocess.run([sys.executable, *words], cwd=where, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
