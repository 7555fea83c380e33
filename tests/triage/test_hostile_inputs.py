"""Some hundred of the odd inputs that benchmarks/hostile.py throws by the thousand: no 500, no trace, no exception."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from pytest_django import Settings

from benchmarks.hostile import Range, Shot, Toll, aim_at, fire, shots
from triage.models import Run

pytestmark = pytest.mark.django_db(transaction=True)
SHOTS, SEED = 300, 7


@pytest.fixture
def aim(settings: Settings, tmp_path: Path) -> Range:
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.API_BURST = settings.API_CALLS_PER_MINUTE = 1_000_000
    return aim_at()


def test_odd_input_is_read_or_refused_and_never_a_fault(aim: Range) -> None:
    assert len(aim.forms) >= 15, "the forms are found"
    toll = Toll()
    for shot in islice(shots(aim, SEED), SHOTS):
        fire(aim, shot, toll)
    slow = [fault for fault in toll.faults if fault.split(maxsplit=1)[1].startswith("s: ")]
    assert [fault for fault in toll.faults if fault not in slow] == []
    assert toll.shots == SHOTS
    assert set(toll.statuses) >= {200, 302, 422}, "some come through, some are refused"
    assert list(Run.objects.filter(project=aim.project)) == [aim.run]


def test_the_same_seed_gives_the_same_shots(aim: Range) -> None:
    assert list(islice(shots(aim, SEED), 30)) == list(islice(shots(aim, SEED), 30))


def test_what_the_long_run_found_stays_mended(aim: Range) -> None:
    """A null where an object belongs, an id of 400 digits, a NUL in a key that no address would let through."""
    toll, place = Toll(), f"/runs/{aim.run.key}"
    line = b'{"id": "1", "meta": null}\n{"id": "2", "question": "Why?", "retrieved": [{"meta": null}]}'
    for path, body in ((f"{place}/confirm/", b"query=" + b"9" * 400), (f"{place}/publish/", b"against=a%00b")):
        fire(aim, Shot("form", "POST", path, body, "application/x-www-form-urlencoded"), toll)
    head = b'--part\r\nContent-Disposition: form-data; name="run_files"; filename="a.jsonl"\r\n\r\n'
    kind = "multipart/form-data; boundary=part"
    for data in (line, b'{"name": {"a": null}, "slice": 1e308, "meta": null}\n' + line, b'[{"meta": null, "id": {}}]'):
        shot = Shot(
            "upload", "POST", f"/p/{aim.project.slug}/import/", head + data + b"\r\n--part--\r\n", kind, read=True
        )
        fire(aim, shot, toll)
    assert toll.faults == []
