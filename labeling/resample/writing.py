"""The planned set as a run file: carried questions with their accepted gold, drawn ones to be given theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from labeling.resample.plan import Item, Planned
from triage import journal
from triage.core.records import Remarks, parse
from triage.core.records.writing import line
from triage.models import Chunk, Query

AT_ONCE = 500


def handed_out(planned: Planned) -> Iterator[str]:
    """Return the set's lines as they leave the product, and write that they did."""
    new = {"questions": len(planned.carried) + len(planned.drawn)}
    journal.note("evaluation_set.downloaded", planned.logs.project_id, planned.logs.key, new=new)
    return set_lines(planned)


def set_lines(planned: Planned) -> Iterator[str]:
    """Yield the lines of the run file, each with its newline: the set, the chunks of its gold, its questions."""
    yield _line(_head(planned))
    for chunk in _chunks(planned):
        told = {"kind": "chunk", "id": chunk.key, "text": chunk.text, "document": chunk.document, "title": chunk.title}
        yield _line({**told, "section": chunk.section, "url": chunk.url, "tokens": chunk.tokens})
    for item in planned.carried:
        yield _line(_carried(item))
    taken = {item.key for item in planned.carried}
    rows = {query.key: query for query in _drawn(planned)}
    for key in planned.drawn:
        yield _line(_fresh(rows[key], planned, taken))


def _line(told: dict[str, Any]) -> str:
    return f"{line(parse(told, Remarks(), storable_text=True))}\n"


def _head(planned: Planned) -> dict[str, Any]:
    wanted, last = planned.wanted, planned.last
    name = (last.evaluation_set if last else "") or planned.logs.evaluation_set or planned.logs.name
    facts = {
        "name": name,
        "version": wanted.day.isoformat(),
        "built_at": wanted.day.isoformat(),
        "questions_from": "logs",
    }
    plan = {
        **asdict(wanted),
        "day": wanted.day.isoformat(),
        "logs": planned.logs.key,
        "last": last.key if last else None,
    }
    return {
        "kind": "run",
        "name": f"{name} {wanted.day.isoformat()}",
        "evaluation_set": facts,
        "meta": {"sampled": plan},
    }


def _chunks(planned: Planned) -> Iterator[Chunk]:
    keys = {key for item in planned.carried for key in item.gold or ()}
    yield from Chunk.objects.filter(run_chunks__run=planned.logs, key__in=keys).order_by("key", "pk")


def _drawn(planned: Planned) -> list[Query]:
    return list(planned.logs.queries.filter(key__in=planned.drawn).only("key", "question", "slices", "conversation"))


def _carried(item: Item) -> dict[str, Any]:
    meta = {"carried": True, "gold_age_days": item.age_days, "gold_version": item.gold_version}
    return {
        "id": item.key,
        "question": item.question,
        "gold": list(item.gold) if item.gold is not None else None,
        "reference": item.reference,
        "answerable": item.answerable,
        "slice": item.slices,
        "meta": meta,
    }


def _fresh(query: Query, planned: Planned, taken: set[str]) -> dict[str, Any]:
    """Return a question of the logs; an id that a carried one has gets the logs' key in front."""
    key = f"{planned.logs.key}/{query.key}" if query.key in taken else query.key
    told = {"id": key, "question": query.question, "slice": query.slices, "conversation": query.conversation}
    return {**told, "meta": {"carried": False, "logs": planned.logs.key}}


def as_json(planned: Planned) -> dict[str, Any]:
    """Return the plan as one object: slices, each question's fate and age, the ids drawn."""
    return {
        "logs": planned.logs.key,
        "last": planned.last.key if planned.last else None,
        "wanted": {**asdict(planned.wanted), "day": planned.wanted.day.isoformat()},
        "size": planned.size,
        "slices": [asdict(one) for one in planned.slices],
        "last_set": [
            {"id": item.key, "slice": item.slice, "fate": str(item.fate), "gold_age_days": item.age_days}
            for item in planned.items
        ],
        "drawn": list(planned.drawn),
    }
