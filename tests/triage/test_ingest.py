"""A file becomes one run, all of it or nothing, however often and by however many it is read."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import DataError, OperationalError, connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tests.factories import make_project, make_query, make_run
from triage import intake
from triage.core.flags import Flag
from triage.formats import FileError, RunFile
from triage.ingest import MAX_ATTEMPTS, ingest, references, writing
from triage.ingest.beat import Beat
from triage.ingest.corpus import Corpus
from triage.ingest.verb import GAVE_UP, NO_SPACE
from triage.ingest.writing import name_of
from triage.models import Chunk, Citation, Claim, Project, Query, Retrieved, Run, RunChunk, Upload
from triage.signals import run_ingested

pytestmark = pytest.mark.django_db

HEAD = {"kind": "run", "name": "release 7", "config": {"k": 2}, "evaluation_set": {"name": "set", "version": "1"}}
CHUNKS = [
    {"kind": "chunk", "id": "a", "text": "Refunds take 14 days.", "document": "refunds", "title": "Refunds"},
    {"kind": "chunk", "id": "b", "text": "Shipping is free.", "document": "shipping"},
]
QUERIES: list[dict[str, Any]] = [
    {
        "id": "q1",
        "question": "How long do refunds take?",
        "answer": "14 days.",
        "retrieved": [{"id": "a", "score": 2.5, "in_context": True}, {"id": "b", "score": 1.5, "in_context": False}],
        "gold": ["a"],
        "gold_from": {"a": ["human"]},
        "reference": "Two weeks.",
        "correct": False,
        "claims": [{"text": "It takes 14 days.", "span": [0, 7], "cites": ["a", "shipping", "z"]}],
        "scores": {"faithfulness": 0.5},
        "human": [{"label": "still_wrong", "reviewer": "r1"}],
        "slice": {"topic": "refunds"},
        "latency_ms": 12.5,
        "meta": {"session": 7},
    },
    {"id": "q2", "question": "Is shipping free?", "answer": "Yes.", "retrieved": ["b"], "correct": True, "claims": []},
    {"id": "q3", "question": "Who are you?", "answer": None, "retrieved": None, "answerable": False},
]


@pytest.fixture(autouse=True)
def _uploads(settings: Settings, tmp_path: Path) -> None:
    settings.UPLOAD_DIR = tmp_path / "uploads"


@pytest.fixture
def project() -> Project:
    return make_project()


def text(*objects: object) -> bytes:
    return "".join(f"{item if isinstance(item, str) else json.dumps(item)}\n" for item in objects).encode()


def take_in(project: Project, data: bytes, name: str = "run.jsonl") -> Upload:
    return intake.store(project, None, name, [data])


def imported(project: Project, data: bytes, name: str = "run.jsonl") -> Upload:
    return ingest(take_in(project, data, name).pk)


def run_of(upload: Upload) -> Run:
    assert upload.state == Upload.State.DONE, upload.reason
    assert upload.run is not None
    return upload.run


def warnings_of(run: Run) -> dict[str, int]:
    return {notice["code"]: notice["count"] for notice in run.warnings}


def nothing_left() -> bool:
    rows = (Run, Chunk, RunChunk, Query, Retrieved, Claim, Citation)
    return not any(model._default_manager.exists() for model in rows)


def files_left(settings: Settings) -> list[str]:
    folder = Path(settings.UPLOAD_DIR)
    return [path.name for path in folder.iterdir()] if folder.exists() else []


# --- what a file becomes ---------------------------------------------------------------------------------------------


def test_a_file_becomes_a_run_with_all_it_says(project: Project) -> None:
    run = run_of(imported(project, text(HEAD, *CHUNKS, *QUERIES)))
    assert (run.name, run.state, run.evaluation_set, run.config) == ("release 7", Run.State.SCORING, "set", {"k": 2})
    assert run.counts == {
        "lines": 6,
        "faulty": 0,
        "run_lines": 1,
        "chunk_lines": 2,
        "chunks": 2,
        "named": 1,
        "queries": 3,
        "correct": 2,
        "failing": 1,
        "undecided": 0,
        "slots": 3,
        "claims": 1,
    }


def test_a_query_row_holds_what_its_line_says(project: Project) -> None:
    run = run_of(imported(project, text(HEAD, *CHUNKS, *QUERIES)))
    query = run.queries.get(key="q1")
    assert (query.position, query.answer, query.reference, query.correct) == (1, "14 days.", "Two weeks.", False)
    assert (query.gold, query.gold_from, query.slices) == (["a"], {"a": ["human"]}, {"topic": "refunds"})
    assert query.scores == [{"metric": "faithfulness", "value": 0.5, "usable": True}]
    assert query.human == [{"label": "still_wrong", "reviewer": "r1"}]
    assert (query.latency_ms, query.meta, query.retrieval_known) == (12.5, {"session": 7}, True)


def test_slots_point_to_the_chunks_in_rank_order(project: Project) -> None:
    run = run_of(imported(project, text(HEAD, *CHUNKS, *QUERIES)))
    slots = Retrieved.objects.filter(query__run=run, query__key="q1").order_by("rank")
    told = [(slot.rank, slot.chunk.key, slot.chunk.text, slot.score, slot.in_context) for slot in slots]
    assert told == [(1, "a", "Refunds take 14 days.", 2.5, True), (2, "b", "Shipping is free.", 1.5, False)]


def test_claims_keep_place_and_citations_a_chunk_a_document_or_nothing(project: Project) -> None:
    run = run_of(imported(project, text(HEAD, *CHUNKS, *QUERIES)))
    claim = Claim.objects.get(query__run=run)
    assert (claim.text, claim.span_start, claim.span_end, claim.source) == ("It takes 14 days.", 0, 7, "file")
    cited = [
        (c.cited, c.chunk.key if c.chunk else None, c.whole_document) for c in claim.citations.order_by("position")
    ]
    assert cited == [("a", "a", False), ("shipping", None, True), ("z", None, False)]


def test_unknown_retrieval_and_no_claims_given_stay_known(project: Project) -> None:
    run = run_of(imported(project, text(*QUERIES)))
    assert not run.queries.get(key="q3").retrieval_known
    assert run.queries.get(key="q2").flags == [Flag.NO_CLAIMS_GIVEN]


def test_the_verdict_that_counts_follows_the_rules_and_the_file_s_word_stays(project: Project) -> None:
    lines = [
        {"id": "a", "question": "?", "answer": "I cannot find that.", "answerable": False},
        {"id": "b", "question": "?", "answer": "It is 5.", "answerable": False},
        {"id": "c", "question": "?", "answer": "It is 5."},
        {"id": "d", "question": "?", "answer": "I do not know.", "abstained": False, "correct": True},
    ]
    run = run_of(imported(project, text(*lines)))
    rows = run.queries.order_by("position").values_list("correct", "correct_in_file", "abstained", "abstained_in_file")
    assert list(rows) == [
        (True, None, True, None),
        (False, None, False, None),
        (None, None, False, None),
        (True, True, False, False),
    ]
    assert (run.counts["correct"], run.counts["failing"], run.counts["undecided"]) == (2, 1, 1)


def test_a_run_without_a_name_is_called_like_its_file(project: Project) -> None:
    assert run_of(imported(project, text(*QUERIES), "nightly k5.jsonl.gz")).name == "nightly k5"
    assert name_of("x" * 400) == "x" * 300


def test_what_people_said_is_announced_inside_the_transaction(project: Project) -> None:
    heard: list[tuple[int, bool]] = []

    def listen(sender: object, run_id: int, **_more: object) -> None:
        heard.append((Query.objects.filter(run=run_id).count(), connection.in_atomic_block))

    run_ingested.connect(listen)
    try:
        imported(project, text(HEAD, *QUERIES))
    finally:
        run_ingested.disconnect(listen)
    assert heard == [(3, True)]


def test_P52_verdicts_that_came_with_the_file_are_verdicts_of_imported_reviewers(project: Project) -> None:
    run = run_of(imported(project, text(HEAD, *CHUNKS, *QUERIES)))
    verdict = run.queries.get(key="q1").verdicts.get()
    assert (verdict.imported_reviewer, verdict.label, verdict.stage) == ("r1", "still_wrong", "imported")


# --- chunks ----------------------------------------------------------------------------------------------------------


def test_runs_of_a_project_share_chunks_that_are_exactly_the_same(project: Project) -> None:
    other = [{**query, "answer": "another"} for query in QUERIES[:1]]
    run_of(imported(project, text(*CHUNKS, *QUERIES)))
    run_of(imported(project, text(CHUNKS[0], {**CHUNKS[1], "text": "Shipping costs 5."}, *other)))
    assert Chunk.objects.filter(project=project).count() == 3
    assert RunChunk.objects.count() == 4


def test_projects_do_not_share_chunks() -> None:
    for _ in range(2):
        imported(make_project(), text(*CHUNKS, *QUERIES))
    assert Chunk.objects.count() == 4


@pytest.mark.parametrize("size", [1, 2, 500])
def test_a_chunk_described_late_or_bit_by_bit_ends_as_one_row(project: Project, settings: Settings, size: int) -> None:
    settings.INGEST_BATCH_QUERIES = size
    lines = [
        {"id": 1, "question": "?", "retrieved": ["a", "b"], "claims": [{"text": "c", "cites": ["a", "late"]}]},
        {"id": 2, "question": "?", "retrieved": [{"id": "a", "text": "x"}]},
        {"id": 3, "question": "?", "retrieved": [{"id": "a", "title": "T"}, "late"]},
        {"kind": "chunk", "id": "b", "text": "y", "document": "d"},
        {"kind": "chunk", "id": "late", "text": "z"},
        {"id": 4, "question": "?", "retrieved": ["a"]},
    ]
    run = run_of(imported(project, text(*lines)))
    chunks = {chunk.key: (chunk.text, chunk.title, chunk.document) for chunk in Chunk.objects.all()}
    assert chunks == {"a": ("x", "T", ""), "b": ("y", "", "d"), "late": ("z", "", "")}
    held = dict(RunChunk.objects.filter(run=run).values_list("chunk__key", "chunk__text"))
    assert held == {"a": "x", "b": "y", "late": "z"}
    assert set(Retrieved.objects.values_list("chunk__key", "chunk__text")) == {("a", "x"), ("b", "y"), ("late", "z")}
    assert dict(Citation.objects.values_list("cited", "chunk__text")) == {"a": "x", "late": "z"}


def test_F40_ids_without_text_are_kept_as_ids_counted_and_listed(project: Project) -> None:
    line = {"id": 1, "question": "?", "retrieved": ["a"], "gold": ["g"]}
    run = run_of(imported(project, text(line)))
    chunk = Chunk.objects.get()
    assert (chunk.key, chunk.text) == ("a", None)
    assert warnings_of(run)["text_not_supplied"] == 2


def test_a_blank_text_is_not_a_missing_one(project: Project) -> None:
    imported(project, text({"id": 1, "question": "?", "retrieved": [{"id": "a", "text": ""}]}))
    assert Chunk.objects.get().text == ""


# --- the same again --------------------------------------------------------------------------------------------------


def test_F35_the_same_file_again_is_the_same_run_and_shows_its_first_errors(project: Project) -> None:
    data = text(HEAD, *QUERIES, '{"id": "bad"')
    first, second = imported(project, data), imported(project, data, "copy.jsonl")
    assert (first.created_run, second.created_run) == (True, False)
    assert run_of(first) == run_of(second)
    assert [error["line"] for error in second.errors] == [5]
    assert "release 7" in second.reason
    assert Query.objects.count() == 3


def test_F35_the_same_content_in_another_spelling_is_the_same_run(project: Project) -> None:
    spelled = [dict(reversed(query.items())) for query in QUERIES]
    first = imported(project, text(HEAD, *CHUNKS, *QUERIES))
    second = imported(project, gzip.compress(json.dumps([HEAD, *reversed(CHUNKS), *spelled], indent=1).encode()))
    assert second.created_run is False
    assert run_of(first) == run_of(second)
    assert Chunk.objects.count() == 2


def test_the_same_file_in_another_project_is_another_run(project: Project) -> None:
    data = text(*QUERIES)
    assert run_of(imported(project, data)) != run_of(imported(make_project(), data))


def test_a_deleted_run_can_be_imported_again(project: Project) -> None:
    run_of(imported(project, text(*QUERIES))).delete()
    assert imported(project, text(*QUERIES)).created_run is True


def test_a_name_that_is_taken_is_said(project: Project) -> None:
    imported(project, text(HEAD, *QUERIES))
    run = run_of(imported(project, text(HEAD, *QUERIES[:2])))
    assert warnings_of(run)["name_taken"] == 1


@pytest.mark.django_db(transaction=True)
def test_F35_two_imports_of_one_file_at_the_same_time_make_one_run(project: Project) -> None:
    data = text(HEAD, *CHUNKS, *({**QUERIES[1], "id": number} for number in range(200)))
    uploads = [take_in(project, data).pk for _ in range(3)]
    threads = [threading.Thread(target=_ingest_and_close, args=(upload,)) for upload in uploads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(Upload.objects.values_list("created_run", flat=True)) == [False, False, True]
    assert (Run.objects.count(), Query.objects.count(), Chunk.objects.count()) == (1, 200, 2)


def _ingest_and_close(upload: int) -> None:
    ingest(upload)
    connection.close()


def test_an_upload_that_is_done_is_not_read_again(project: Project) -> None:
    upload = imported(project, text(*QUERIES))
    assert ingest(upload.pk).attempts == 1


# --- faulty lines and files ------------------------------------------------------------------------------------------


def test_faulty_lines_are_named_and_the_rest_is_imported(project: Project) -> None:
    run = run_of(imported(project, text(HEAD, QUERIES[0], {"id": "x", "question": "?", "gold": "a"}, QUERIES[1])))
    assert run.error_count == 1
    assert run.errors == [
        {
            "line": 3,
            "field": "gold",
            "found": "“a”, a string",
            "expected": "a list of chunk ids, or null",
            "remedy": 'Write ["a"].',
        }
    ]
    assert [query.position for query in run.queries.order_by("key")] == [1, 2]


def test_F36_a_cut_gzip_is_refused_and_nothing_is_left_behind(project: Project, settings: Settings) -> None:
    lines = [{**QUERIES[0], "id": number, "answer": str(hash(str(number)))} for number in range(2_000)]
    data = gzip.compress(text(HEAD, *CHUNKS, *lines))
    settings.INGEST_BATCH_QUERIES = 50
    upload = imported(project, data[: len(data) // 2])
    assert upload.state == Upload.State.FAILED
    assert "ends in the middle" in upload.reason
    assert nothing_left()
    assert files_left(settings) == []


def test_F44_a_file_with_too_many_faulty_lines_keeps_nothing_and_shows_the_first_20(project: Project) -> None:
    upload = imported(project, text(*QUERIES, *['{"id": 1}'] * 40))
    assert (upload.state, upload.error_count, len(upload.errors)) == (Upload.State.FAILED, 20, 20)
    assert nothing_left()


def test_F28_P12_no_number_that_is_none_reaches_a_column(project: Project) -> None:
    odd = '"retrieved": [{"id": "a", "score": NaN}], "latency_ms": 1e999, "scores": {"f": NaN}'
    line = f'{{"id": 1, "question": "?", {odd}}}'
    run = run_of(imported(project, text(line)))
    query = run.queries.get()
    assert (query.latency_ms, query.scores) == (None, [{"metric": "f", "value": None, "usable": False}])
    assert Retrieved.objects.get().score is None


def test_F24_P26_text_that_postgresql_cannot_hold_is_replaced(project: Project) -> None:
    line = {"id": "i\0", "question": "q\0", "answer": "a\0", "meta": {"k\0": ["\0"]}, "slice": {"s\0": "\0"}}
    lone = json.dumps({"id": "j", "question": "x"}).replace('"x"', '"\\ud83d"')
    run = run_of(imported(project, text({**line, "retrieved": [{"id": "c\0", "text": "t\0"}]}, lone)))
    assert {query.question for query in run.queries.all()} == {"q\ufffd", "\ufffd"}
    assert warnings_of(run)["bad_characters"] == 2


def test_the_database_sees_what_copy_could_mistake_for_its_own_marks(project: Project) -> None:
    odd = "tab\t newline\n backslash \\N \\. quote ' {1,2} é 😀 \u2028"
    line = {"id": odd, "question": odd, "retrieved": [{"id": odd, "text": odd}], "gold": [odd, "\\N"], "claims": [odd]}
    run = run_of(imported(project, text(line)))
    query = run.queries.get()
    assert (query.key, query.question, query.gold) == (odd, odd, [odd, "\\N"])
    assert (Chunk.objects.get().text, Claim.objects.get().text) == (odd, odd)


# --- what rows point at -----------------------------------------------------------------------------------------------


def points_at_nothing() -> int:
    """Count slots and citations whose chunk is not there."""
    slots = Retrieved.objects.exclude(chunk__in=Chunk.objects.all())
    return slots.count() + Citation.objects.exclude(chunk=None).exclude(chunk__in=Chunk.objects.all()).count()


def test_rows_that_point_at_nothing_are_refused_as_a_whole(project: Project) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Corpus, "row", lambda _corpus, _key: 10**15)
        upload = ingest(take_in(project, text(*CHUNKS, *QUERIES)).pk)
    assert upload.state == Upload.State.FAILED
    assert "slots: 0 of 3" in upload.reason
    assert nothing_left()


def test_the_planner_learns_of_rows_that_statistics_from_elsewhere_could_not_see(project: Project) -> None:
    run = make_run(project)
    for _ in range(3):
        make_query(run)
    elsewhere = connection.copy()
    with elsewhere.cursor() as cursor:
        cursor.execute("ANALYZE triage_query")
    elsewhere.close()
    references.check(run.pk, {"queries": 3, "slots": 0, "claims": 0, "citations": 0, "chunks": 0})
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'triage_query'::regclass")
        assert cursor.fetchone()[0] >= 3


def test_after_an_import_the_database_checks_every_row_again(project: Project) -> None:
    ingest(take_in(project, text(*CHUNKS, *QUERIES)).pk)
    with connection.cursor() as cursor:
        cursor.execute("SHOW session_replication_role")
        assert cursor.fetchone() == ("origin",)
    assert points_at_nothing() == 0


def test_a_role_that_may_not_leave_out_checks_imports_the_same(project: Project) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE importer")
        cursor.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO importer")
        cursor.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO importer")
        cursor.execute("SET LOCAL ROLE importer")
        upload = ingest(take_in(project, text(*CHUNKS, *QUERIES)).pk)
        cursor.execute("RESET ROLE")
    assert (upload.state, upload.reason) == (Upload.State.DONE, "")
    assert (Query.objects.count(), Retrieved.objects.count(), points_at_nothing()) == (3, 3, 0)


def test_the_same_rows_come_of_a_file_whichever_way_its_lines_are_read(project: Project) -> None:
    lines = text(*CHUNKS, *QUERIES, {**QUERIES[0], "id": "q4", "human": []})
    quick = rows_of(ingest(take_in(project, lines).pk))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunFile, "_plain", lambda *_: None)
        slow = rows_of(ingest(take_in(make_project(), lines).pk))
    assert quick == slow
    assert quick[0]["key"] == "q1"


def rows_of(upload: Upload) -> list[dict[str, Any]]:
    """Return the content of an import's rows, without the numbers the database gave them."""
    assert upload.run is not None
    own = {"id", "run_id", "query_id", "chunk_id", "claim_id", "project_id", "content_hash"}
    tables = (
        Query.objects.filter(run=upload.run).order_by("position"),
        Retrieved.objects.filter(query__run=upload.run).order_by("query__position", "rank"),
        Claim.objects.filter(query__run=upload.run).order_by("query__position", "position"),
        Citation.objects.filter(claim__query__run=upload.run).order_by("claim__query__position", "claim", "position"),
        Chunk.objects.filter(run_chunks__run=upload.run).order_by("key"),
    )
    return [
        {
            name: bytes(value) if isinstance(value, memoryview) else value
            for name, value in row.items()
            if name not in own
        }
        for table in tables
        for row in table.values()
    ]


# --- interruptions ---------------------------------------------------------------------------------------------------


def test_an_import_cancelled_while_it_waits_is_not_read(project: Project, settings: Settings) -> None:
    upload = take_in(project, text(*QUERIES))
    assert intake.cancel(upload)
    assert ingest(upload.pk).state == Upload.State.CANCELLED
    assert nothing_left()
    assert files_left(settings) == []
    assert not intake.cancel(upload)


@pytest.mark.django_db(transaction=True)
def test_an_import_cancelled_while_it_runs_leaves_nothing(project: Project, settings: Settings) -> None:
    settings.INGEST_BATCH_QUERIES = 10
    upload = take_in(project, text(*({**QUERIES[1], "id": number} for number in range(300))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Beat, "tell", _cancel_at(upload, 150))
        assert ingest(upload.pk).state == Upload.State.CANCELLED
    assert nothing_left()
    assert files_left(settings) == []


def _cancel_at(upload: Upload, line: int) -> Any:
    tell = Beat.tell

    def cancelling(beat: Beat, bytes_read: int, lines_read: int) -> None:
        if lines_read >= line:
            Beat.tell = tell  # type: ignore[method-assign]
            thread = threading.Thread(target=_cancel_elsewhere, args=(upload,))
            thread.start()
            thread.join()
            tell(beat, bytes_read, lines_read, now=True)

    return cancelling


def _cancel_elsewhere(upload: Upload) -> None:
    intake.cancel(upload)
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_progress_is_seen_from_outside_while_the_rows_are_not(project: Project, settings: Settings) -> None:
    settings.INGEST_BATCH_QUERIES = 10
    upload = take_in(project, text(*({**QUERIES[1], "id": number} for number in range(100))))
    seen: list[tuple[int, int, int]] = []

    def look() -> None:
        row = Upload.objects.get(pk=upload.pk)
        seen.append((row.lines_read, row.bytes_read, Run.objects.count()))
        connection.close()

    def telling(beat: Beat, bytes_read: int, lines_read: int) -> None:
        if lines_read >= 80 and not seen:
            tell(beat, bytes_read, lines_read, now=True)
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()

    tell = Beat.tell
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Beat, "tell", telling)
        ingest(upload.pk)
    ((lines, size, runs),) = seen
    assert 80 <= lines <= 100
    assert (size, runs, Run.objects.count()) == (upload.size_bytes, 0, 1)


def test_F02_a_lost_worker_leaves_nothing_and_the_next_attempt_starts_clean(project: Project) -> None:
    upload = take_in(project, text(*QUERIES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing.RunWriter, "finish", _raise(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            ingest(upload.pk)
    assert nothing_left()
    upload.refresh_from_db()
    assert upload.state == Upload.State.READING
    assert run_of(ingest(upload.pk)).counts["queries"] == 3


def test_F15_attempts_are_limited(project: Project) -> None:
    upload = take_in(project, text(*QUERIES))
    Upload.objects.filter(pk=upload.pk).update(state=Upload.State.READING, attempts=MAX_ATTEMPTS)
    given_up = ingest(upload.pk)
    assert (given_up.state, given_up.reason) == (Upload.State.FAILED, GAVE_UP)
    assert intake.retry(given_up)
    assert run_of(ingest(upload.pk)).counts["queries"] == 3


def _raise(error: BaseException) -> Any:
    def raising(*_args: object, **_more: object) -> None:
        raise error

    return raising


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DataError("value too long"), "value too long"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (OSError(errno.ENOSPC, "No space left on device"), NO_SPACE),
    ],
)
def test_F13_what_goes_wrong_below_ends_as_failed_with_a_reason_and_can_be_retried(
    project: Project, error: Exception, reason: str
) -> None:
    upload = take_in(project, text(*QUERIES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing.RunWriter, "finish", _raise(error))
        failed = ingest(upload.pk)
    assert failed.state == Upload.State.FAILED
    assert reason in failed.reason
    assert nothing_left()
    assert intake.retry(failed)
    assert run_of(ingest(upload.pk)).counts["queries"] == 3


def test_F13_a_full_database_disk_ends_as_failed(project: Project) -> None:
    full = OperationalError("could not extend file")
    full.__cause__ = psycopg.errors.DiskFull("could not extend file")
    upload = take_in(project, text(*QUERIES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing.RunWriter, "finish", _raise(full))
        assert ingest(upload.pk).reason == NO_SPACE


def test_F10_a_database_that_goes_away_is_raised_for_the_next_attempt(project: Project) -> None:
    upload = take_in(project, text(*QUERIES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing.RunWriter, "finish", _raise(OperationalError("server closed the connection")))
        with pytest.raises(OperationalError):
            ingest(upload.pk)
    assert Upload.objects.get().state == Upload.State.READING
    assert nothing_left()


def test_an_upload_whose_file_is_gone_says_so(project: Project) -> None:
    upload = take_in(project, text(*QUERIES))
    upload.path.unlink()
    assert "cannot be read" in ingest(upload.pk).reason


def test_the_uploads_of_lost_workers_are_found_and_those_of_living_ones_left_alone(project: Project) -> None:
    waiting, lost, alive = (take_in(project, text(*QUERIES)) for _ in range(3))
    ids = [lost.pk, alive.pk]
    Upload.objects.filter(pk__in=ids).update(state=Upload.State.READING)
    with connection.cursor() as cursor:
        sql = "UPDATE triage_upload SET heartbeat_at = statement_timestamp() - %s * interval '1 second' WHERE id = %s"
        cursor.execute(sql, [40, lost.pk])
        cursor.execute(sql, [5, alive.pk])
    assert set(Upload.objects.unclaimed()) == {waiting, lost}


# --- storing ---------------------------------------------------------------------------------------------------------


def test_SEC05_a_file_is_stored_under_a_name_of_our_own(project: Project, settings: Settings) -> None:
    upload = intake.store(project, None, "../../etc/passwd\0", [b"{}"])
    assert upload.file_name == "passwd\ufffd"
    assert files_left(settings) == [upload.stored_as]
    assert "passwd" not in upload.stored_as
    assert upload.sha256 == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_a_file_over_the_limit_is_refused_while_it_comes_and_not_kept(project: Project, settings: Settings) -> None:
    settings.UPLOAD_MAX_BYTES = 10

    def endless() -> Iterator[bytes]:
        while True:
            yield b"12345"

    with pytest.raises(FileError, match="size limit"):
        intake.store(project, None, "a", endless())
    assert files_left(settings) == []
    assert not Upload.objects.exists()


def test_F13_a_full_disk_at_upload_is_told_and_leaves_nothing(project: Project, settings: Settings) -> None:
    def full() -> Iterator[bytes]:
        yield b"{}"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(FileError, match="room"):
        intake.store(project, None, "a", full())
    assert files_left(settings) == []


def test_F34_what_dead_requests_left_is_swept_after_an_hour(settings: Settings, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    Path(settings.UPLOAD_DIR).mkdir()
    old, new = Path(settings.UPLOAD_DIR) / "old.part", Path(settings.UPLOAD_DIR) / "new.part"
    for path in (old, new):
        path.touch()
    os.utime(old, (1, 1))
    assert intake.sweep_files() == 1
    assert files_left(settings) == ["new.part"]


# --- real data and effort --------------------------------------------------------------------------------------------

REAL = {
    "clapnq_arm_k20.jsonl.gz": (345, 232, 113, 0, 1260),
    "clapnq_arm_k5.jsonl.gz": (345, 228, 117, 0, 1260),
    "clapnq_arm_rerank50to5.jsonl.gz": (345, 228, 117, 0, 1260),
    "clapnq_arm_gold_only.jsonl.gz": (345, 164, 181, 0, 1260),
    "mtrag_gpt-4o.jsonl": (159, 35, 124, 0, None),
    "mtrag_llama-3_1-405b-instruct.jsonl": (159, 33, 126, 0, None),
    "factcheck_gpt.jsonl": (94, 68, 24, 2, None),
}


@pytest.mark.parametrize(("name", "expected"), REAL.items())
def test_real_runs_are_imported_without_an_error(
    project: Project, shared: Path, name: str, expected: tuple[int, int, int, int, int | None]
) -> None:
    run = run_of(imported(project, (shared / "data" / "runs" / name).read_bytes(), name))
    queries, failing, correct, undecided, chunks = expected
    counts = run.counts
    assert run.errors == []
    assert (counts["queries"], counts["failing"], counts["correct"], counts["undecided"]) == (
        queries,
        failing,
        correct,
        undecided,
    )
    assert chunks is None or counts["chunks"] == chunks
    assert run.run_chunks.count() == counts["chunks"]
    assert Query.objects.filter(run=run).count() == queries
    assert Retrieved.objects.filter(query__run=run).count() == counts["slots"]
    assert Claim.objects.filter(query__run=run).count() == counts["claims"]


def test_every_40th_line_of_a_real_run_damaged_leaves_the_rest(project: Project, shared: Path) -> None:
    packed = (shared / "data" / "runs" / "clapnq_arm_k20.jsonl.gz").read_bytes()
    lines = gzip.decompress(packed).split(b"\n")
    damaged = [line[: len(line) // 2] if number % 40 == 0 else line for number, line in enumerate(lines, 1)]
    run = run_of(imported(project, b"\n".join(damaged)))
    assert [error["line"] for error in run.errors] == list(range(40, 1607, 40))
    assert run.counts["lines"] == 1606
    assert run.counts["queries"] + run.counts["chunk_lines"] + 1 + 40 == 1606


def test_the_number_of_statements_does_not_grow_with_the_rows_of_a_batch(project: Project) -> None:
    counts = []
    for size in (5, 20, 200):
        lines = [{**QUERIES[0], "id": f"{size} {number}"} for number in range(size)]
        upload = take_in(project, text(*CHUNKS, *lines))
        with CaptureQueriesContext(connection) as queries:
            ingest(upload.pk)
        looks = [query["sql"] for query in queries if str(query["sql"]).startswith("ANALYZE")]
        assert len(looks) == len(set(looks)), "whether a table is looked at hangs on its size, and once is enough"
        counts.append(len(queries) - len(looks))
    assert counts[1] == counts[2]


def test_F33_the_import_reads_forward_only_and_never_the_whole_file(project: Project, settings: Settings) -> None:
    class Forward(io.BytesIO):
        largest = 0

        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert 0 < size <= 1024**2
            return super().read(size)

    stream = Forward(text(*QUERIES))
    assert len(list(RunFile(stream))) == 3


def test_who_uploaded_a_file_is_kept_with_its_run(project: Project) -> None:
    user = User.objects.create_user("lena")
    upload = intake.store(project, user, "a.jsonl", [text(*QUERIES)])
    assert run_of(ingest(upload.pk)).created_by == user
