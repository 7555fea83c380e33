"""Throw odd input at uploads, the API and every form, and count what must not happen: a 500, a trace, a hang, growth.

Run from the root of the repository: `python -m benchmarks.hostile [SHOTS] [SEED]`. Default: 10,000 shots, seed 1. A
third are files (sound ones of every format cut, spliced and flipped; archives; bombs; odd lines), each sent through
the page and then read by the import; a third are calls of the API at every endpoint; a third are the forms that the
product's own pages show, each field of them given something odd. Everything happens in one process and a database of
its own, through Django's test client, middleware included. The same seed gives the same shots. A table is printed.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import django

from tests import throwaway

if TYPE_CHECKING:
    from django.test import Client

    from triage.models import Project, Run

HANG_S = 5.0
#: Texts that broke something somewhere: SQL, HTML, templates, encodings, numbers, paths, sheets, sizes.
NASTY = (
    "", " ", "\x00", "a\x00b", "\ud83d", "\udc81\ud83d", "\u202eevil", "\u2028", "\x1b[31m", "\r\n2026 CRITICAL forged",
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "javascript:alert(1)", "{{7*7}}", "{% debug %}",
    "{0.__class__.__mro__}", "%(x)s%n%s", "${jndi:ldap://x}", "'; DROP TABLE triage_run; --", "x\") --", "__class__",
    "../../../etc/passwd", "C:\\con\\nul", "=cmd|' /C calc'!A0", "@SUM(1)", "NaN", "Infinity", "-0", "1e999", "9" * 400,
    "9" * 5000, "-1", "2147483648", "9223372036854775808", "0x1F", "1_000", "true", "null", "[]", "{}", "[" * 900,
    "a" * 70_000, "(" * 5_000, "é" * 3_000, "👩‍👩‍👧‍👦" * 500, "ไม่มีช่องว่าง" * 200, "__import__('os').system('id')",
    "2026-13-45", "0001-01-01", "00000000-0000-0000-0000-000000000000", "\\", "%", "_", "%00", "\ufeff", "\ufffe",
)  # fmt: skip
#: Settings that would answer most calls with 429 instead of what they are about.
RATES = ("API_CALLS_PER_MINUTE", "API_BURST")


@dataclass(frozen=True)
class Shot:
    """One request. `read`: what was sent is a file, and the import is to read it."""

    kind: str
    method: str
    path: str
    body: bytes
    content_type: str
    read: bool = False


@dataclass
class Range:
    """What is shot at: somebody who may do everything, a program's token, and the forms the pages show."""

    client: Client
    secret: str
    project: Project
    run: Run
    forms: list[tuple[str, dict[str, str]]]
    sound: list[bytes]


@dataclass
class Toll:
    """What came of the shots of one kind."""

    shots: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest_s: float = 0.0


class _Forms(HTMLParser):
    """Collects the forms of a page that post: address -> field -> value."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self._fields: dict[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._fields = {}
            if (given.get("method") or "").lower() == "post":
                self.found.append((given.get("action") or "", self._fields))
        elif tag in {"input", "select", "textarea", "button"} and self._fields is not None and given.get("name"):
            self._fields[str(given["name"])] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._fields = None


def forms_of(client: Client, addresses: list[str]) -> list[tuple[str, dict[str, str]]]:
    """Return the forms the pages at these addresses show, each once; log-outs and deletions left out."""
    found: dict[tuple[str, tuple[str, ...]], tuple[str, dict[str, str]]] = {}
    for address in addresses:
        answer = client.get(address)
        if answer.status_code != 200 or "html" not in answer.headers["Content-Type"]:
            continue
        parser = _Forms()
        parser.feed(answer.content.decode())
        for action, fields in parser.found:
            place = action or address
            if not place.endswith(("/logout/", "/delete/", "/remove/", "/revoke/", "/close/", "/password/")):
                found.setdefault((place, tuple(sorted(fields))), (place, fields))
    return list(found.values())


def shots(aim: Range, seed: int) -> Iterator[Shot]:
    """Yield shots without end, the three kinds in turn; the same seed gives the same."""
    chance = random.Random(seed)
    makers: tuple[Callable[[Range, random.Random], Shot], ...] = (_file, _call, _form)
    while True:
        for make in makers:
            yield make(aim, chance)


# --- files -----------------------------------------------------------------------------------------------------------


def _file(aim: Range, chance: random.Random) -> Shot:
    data = chance.choice((_spoiled, _lines, _archive, _noise))(aim, chance)
    name = chance.choice(("run.jsonl", "run.csv", "run.json", "run.zip", "run.jsonl.gz", "run.parquet", *NASTY[:24]))
    shown = name.replace('"', "").replace("\r", "").replace("\n", "")[:200]
    kind = chance.choice(("", "", "table", "run_file", "ragas", "nonsense"))
    parts = [("run_files", shown, data), ("file_format", None, kind.encode())]
    body, content_type = _multipart(parts)
    return Shot("upload", "POST", f"/p/{aim.project.slug}/import/", body, content_type, read=True)


def _multipart(parts: list[tuple[str, str | None, bytes]]) -> tuple[bytes, str]:
    out = b""
    for name, file_name, data in parts:
        more = "" if file_name is None else f'; filename="{file_name}"'
        out += f'--part\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode("utf-8", "replace")
        out += data + b"\r\n"
    return out + b"--part--\r\n", "multipart/form-data; boundary=part"


def _spoiled(aim: Range, chance: random.Random) -> bytes:
    """A sound file with bytes flipped, cut, doubled or spliced in."""
    data = bytearray(chance.choice(aim.sound))
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(data) + 1)
        how = chance.randrange(4)
        if how == 0 and data:
            data[min(at, len(data) - 1)] = chance.randrange(256)
        elif how == 1:
            del data[at : at + chance.randint(1, 200)]
        elif how == 2:
            data[at:at] = data[at : at + chance.randint(1, 300)]
        else:
            data[at:at] = chance.choice(NASTY)[:2000].encode("utf-8", "surrogatepass")
    return bytes(data)


def _value(chance: random.Random, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    simple: list[Any] = [chance.choice(NASTY), None, True, False, 0, -1, 1e308, 10**30, 0.5, "q1", "still_wrong"]
    if depth < 4 and chance.random() < 0.4:
        if chance.random() < 0.5:
            return [_value(chance, depth + 1) for _ in range(chance.randint(0, 4))]
        return {chance.choice((*NASTY[:30], "id", "text")): _value(chance, depth + 1) for _ in range(3)}
    return chance.choice(simple)


def _lines(_aim: Range, chance: random.Random) -> bytes:
    """Lines whose fields have the names of ours and odd values."""
    names = ("id", "question", "answer", "retrieved", "gold", "claims", "scores", "human", "correct", "slice", "meta",
             "kind", "name", "config", "text", "reference", "latency_ms", "conversation", "challenges")  # fmt: skip
    lines = []
    for number in range(chance.randint(1, 12)):
        row = {name: _value(chance) for name in chance.sample(names, chance.randint(1, 8))}
        if chance.random() < 0.7:
            row |= {"id": str(number), "question": chance.choice(NASTY) or "Why?"}
        lines.append(json.dumps(row, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass"))
    return chance.choice((b"\n", b"\r\n", b"\r", b"\n\n")).join(lines)


def _archive(aim: Range, chance: random.Random) -> bytes:
    """A zip or gzip: bombs, nesting, odd members, cut short."""
    inner = chance.choice(
        (b"0" * 3_000_000, _lines(aim, chance), chance.choice(aim.sound), gzip.compress(b"{}" * 999, mtime=0))
    )
    if chance.random() < 0.4:
        packed = gzip.compress(inner, mtime=0) * chance.randint(1, 3)
    else:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in chance.sample(("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "../up", "/abs", "a.zip"), 3):
                archive.writestr(zipfile.ZipInfo(name), inner, zipfile.ZIP_DEFLATED)
        packed = out.getvalue()
    return packed[: chance.choice((len(packed), len(packed), len(packed) // 2))]


def _noise(_aim: Range, chance: random.Random) -> bytes:
    magic = chance.choice((b"", b"PK\x03\x04", b"\x1f\x8b\x08", b"PAR1", b"%PDF", b"\xff\xfe", b"\xfe\xff", b"[", b"{"))
    return magic + chance.randbytes(chance.randint(0, 3_000))


# --- calls of programs -----------------------------------------------------------------------------------------------


def _call(aim: Range, chance: random.Random) -> Shot:
    routes = (
        "/token", "/projects", "/projects/{slug}", "/projects/{slug}/runs", "/projects/{slug}/uploads", "/runs/{key}",
        "/runs/{key}/queries", "/runs/{key}/queries/{n}", "/runs/{key}/verdicts", "/runs/{key}/report",
        "/runs/{key}/gate", "/runs/{key}/export/{what}", "/projects/{slug}/judges", "/uploads/{n}",
        "/projects/{slug}/check-grounding",
    )  # fmt: skip
    odd = chance.random() < 0.3
    path = chance.choice(routes).format(
        slug=_quoted(chance) if odd else aim.project.slug,
        key=_quoted(chance) if chance.random() < 0.2 else aim.run.key,
        n=_quoted(chance) if odd else chance.randint(0, 4),
        what=chance.choice(("run", "verdicts", "calibration", "gold-patch", "x")),
    )
    names = ("limit", "after", "label", "outcome", "text", "to", "against", "strict", "history", "format", "x")
    query = urlencode({name: chance.choice(NASTY)[:500].encode("utf-8", "replace") for name in chance.sample(names, 2)})
    method = chance.choice(("GET", "GET", "POST", "PUT", "DELETE") if path.endswith("uploads") else ("GET", "POST"))
    body = json.dumps(_value(chance)) if chance.random() < 0.5 else json.dumps(_question(chance))
    raw = chance.choice((body.encode(), _lines(aim, chance), chance.randbytes(200), b""))
    kind = chance.choice(("application/json", "application/octet-stream", "text/plain", "application/x-ndjson", "/"))
    return Shot("API", method, f"/api/v1{path}?{query}", raw, kind)


def _question(chance: random.Random) -> dict[str, Any]:
    return {"question": _value(chance), "answer": chance.choice(NASTY), "passages": _value(chance)}


def _quoted(chance: random.Random) -> str:
    return urlencode({"x": chance.choice(NASTY)[:300].encode("utf-8", "replace")})[2:] or "x"


# --- forms -----------------------------------------------------------------------------------------------------------


def _form(aim: Range, chance: random.Random) -> Shot:
    place, shown = chance.choice(aim.forms)
    fields = dict(shown)
    for name in chance.sample(sorted(fields), chance.randint(1, len(fields))) if fields else ():
        fields[name] = chance.choice(NASTY)
    if chance.random() < 0.3:
        fields[chance.choice(NASTY)[:100]] = chance.choice(NASTY)
    sent = {name.encode("utf-8", "replace"): value.encode("utf-8", "replace") for name, value in fields.items()}
    return Shot("form", "POST", place, urlencode(sent).encode(), "application/x-www-form-urlencoded")


# --- firing ----------------------------------------------------------------------------------------------------------


def fire(aim: Range, shot: Shot, toll: Toll) -> None:
    """Send one shot and note what came of it."""
    headers = {"Authorization": f"Bearer {aim.secret}"} if shot.kind == "API" else {}
    began = time.perf_counter()
    toll.shots += 1
    try:
        answer = aim.client.generic(shot.method, shot.path, shot.body, shot.content_type, headers=headers)
        page = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        toll.statuses[answer.status_code] += 1
        if answer.status_code >= 500 and answer.status_code != 503:
            toll.faults.append(f"{answer.status_code}: {shot.method} {shot.path[:200]} {shot.body[:300]!r}")
        if b"Traceback (most recent call last)" in page:
            toll.faults.append(f"trace shown: {shot.method} {shot.path[:200]}")
        if shot.read:
            _read(aim)
    except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
        last = traceback.format_exc().strip().splitlines()
        toll.faults.append(f"raised: {shot.method} {shot.path[:120]} {shot.body[:200]!r}: {last[-3:]}")
    took = time.perf_counter() - began
    toll.slowest_s = max(toll.slowest_s, took)
    if took > HANG_S:
        toll.faults.append(f"{took:.1f} s: {shot.method} {shot.path[:200]}")


def _read(aim: Range) -> None:
    """Let the import read what has just come; then forget it, so that the next shot meets the same project."""
    from triage.housekeeping import delete
    from triage.ingest import ingest
    from triage.models import Run, Upload

    for upload in Upload.objects.filter(project=aim.project).exclude(state__in=["done", "failed", "cancelled"]):
        read = ingest(upload.pk) if upload.state == Upload.State.WAITING else upload
        if read.run is not None and read.run != aim.run and read.created_run:
            delete(Run.objects.get(pk=read.run.pk))
        upload.drop_file()
        Upload.objects.filter(pk=upload.pk).delete()


def resident_mb() -> float:
    """Return the memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def aim_at() -> Range:
    """Build a project with the demo's newest release in it, and everything to shoot from."""
    from django.conf import settings
    from django.test import Client

    from tests.factories import make_member, make_project
    from triage.ingest import ingest
    from triage.intake import store
    from triage.models import Role, Run, Scope
    from triage.tasks.inprocess import run_to_end
    from triage.tokens import make

    project = make_project(name="Range", judge_order=["lexical"])
    lead = make_member(project, Role.OWNER)
    demo = sorted((Path(settings.BASE_DIR) / "triage" / "demo").glob("*.jsonl"))[-1]
    upload = ingest(store(project, lead, demo.name, [demo.read_bytes()]).pk)
    assert upload.run_id is not None
    run_to_end(upload.run_id)
    run = Run.objects.select_related("project").get(pk=upload.run_id)
    client = Client(raise_request_exception=False, headers={"host": "localhost"})
    client.force_login(lead)
    samples = [path.read_bytes() for path in sorted((Path(settings.BASE_DIR) / "tests/data/formats").rglob("*.*"))]
    _, secret = make(project, lead, "range", Scope.values, 1)
    return Range(client, secret, project, run, forms_of(client, _addresses(client, project, run)), samples)


def _addresses(client: Client, project: Project, run: Run) -> list[str]:
    """Return the pages that lead on from the project, two steps deep."""
    seen = {
        f"/p/{project.slug}/",
        f"/runs/{run.key}/",
        f"/runs/{run.key}/queries/1/",
        "/keys/",
        "/password/",
        "/login/",
    }
    edge = sorted(seen)
    for _ in range(2):
        found: set[str] = set()
        for address in edge[:150]:
            answer = client.get(address, follow=True)
            if answer.status_code == 200 and "html" in answer.headers["Content-Type"]:
                parser = _Links()
                parser.feed(answer.content.decode())
                found |= parser.found
        edge = sorted(found - seen)
        seen |= found
    return sorted(seen)


class _Links(HTMLParser):
    """Collects the addresses of our own that a page leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        place = dict(attrs).get("href") or ""
        if tag == "a" and place.startswith("/") and not place.startswith(("/static/", "//")) and "?" not in place:
            self.found.add(place)


def main(count: int = 10_000, seed: int = 1) -> int:
    """Shoot, print the table, and return how many faults there were."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    aim, tolls, memory = aim_at(), {"upload": Toll(), "API": Toll(), "form": Toll()}, []
    began = time.monotonic()
    for number, shot in enumerate(shots(aim, seed)):
        if number % max(1, count // 10) == 0:
            memory.append(resident_mb())
        if number == count:
            break
        fire(aim, shot, tolls[shot.kind])
    print("\n| input | sent | answers | 500, trace or hang | slowest s |\n|---|---:|---|---:|---:|")
    for kind, toll in tolls.items():
        said = ", ".join(f"{status}: {times:,}" for status, times in sorted(toll.statuses.items()))
        print(f"| {kind} | {toll.shots:,} | {said} | {len(toll.faults)} | {toll.slowest_s:.1f} |")
    tenths = ", ".join(f"{each:.0f}" for each in memory)
    print(f"\nSeed {seed}, {len(aim.forms)} forms, {time.monotonic() - began:.0f} s. Memory in MB by tenths: {tenths}.")
    faults = [fault for toll in tolls.values() for fault in toll.faults]
    for fault in faults[:40]:
        print(f"- {fault}")
    return len(faults)


if __name__ == "__main__":
    var = throwaway.start()
    try:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings"} | dict.fromkeys(RATES, "1000000")
        django.setup()
        sys.exit(min(1, main(*map(int, sys.argv[1:]))))
    finally:
        throwaway.stop(var)
