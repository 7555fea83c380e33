"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real, human-labelled data and cases; tests that need it skip, saying so, where it is absent."""
    folder = Path(os.environ.get("RAG_TRIAGE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data" / "runs").is_dir():
        pytest.skip(f"no shared data at {folder}: set RAG_TRIAGE_SHARED to the folder that holds data/ and cases/")
    return folder
