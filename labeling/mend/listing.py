"""The worklist of a run, each document with its state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from labeling.core.mending import Evidence, Fault, Faulty, Hurt, Mark, contradicting, state_of
from labeling.mend.reading import CONTRADICTING, FACTS, SUPERSEDED, rows
from labeling.models import MendedDocument
from triage.models import Run


def faulty_documents(run: Run) -> list[Faulty]:
    """Return the documents to mend by what this run shows, open ones first, those that hurt most before the others."""
    found = [*_superseded(run), *_contradicting(run)]
    facts = {row[0]: row[1:] for row in rows(FACTS, run, {one.document for one in found})}
    marks = _marks(run)
    made_at = run.started_at or run.created_at
    told = (_with_facts(one, facts.get(one.document)) for one in found)
    marked = ((one, marks.get((one.fault, one.document))) for one in told)
    return sorted((replace(one, mark=mark, state=state_of(made_at, mark)) for one, mark in marked), key=_order)


def _order(one: Faulty) -> tuple[object, ...]:
    return one.order


def _superseded(run: Run) -> Iterable[Faulty]:
    for document, positions, keys, evidence in rows(SUPERSEDED, run):
        told = zip(positions, keys, evidence, strict=True)
        yield _faulty(document, Fault.SUPERSEDED, [Hurt(place, key, Evidence(why)) for place, key, why in told], [])


def _contradicting(run: Run) -> Iterable[Faulty]:
    told = ((place, key, Evidence(why), frozenset(names)) for place, key, why, names in rows(CONTRADICTING, run))
    for document, (hurt, others) in contradicting(told).items():
        yield _faulty(document, Fault.CONTRADICTING, hurt, others)


def _faulty(document: str, fault: Fault, hurt: list[Hurt], others: list[str]) -> Faulty:
    return Faulty(document, fault, "", "", None, tuple(others), tuple(hurt))


def _with_facts(one: Faulty, facts: tuple[Any, ...] | None) -> Faulty:
    """Add title, address, day and what replaced it, as the run's corpus tells them."""
    if facts is None:
        return one
    title, url, updated_at, replaced_by = facts
    others = one.others if one.fault is Fault.CONTRADICTING else tuple(sorted(replaced_by or ()))
    return replace(one, title=title, url=url, updated_at=updated_at, others=others)


def _marks(run: Run) -> dict[tuple[str, str], Mark]:
    """Return the newest standing mark of each document of the project."""
    found = {}
    for row in MendedDocument.objects.standing(run.project):
        by = row.by.get_username() if row.by else "a former member"
        found[row.kind, row.document] = Mark(by, row.at, row.note)
    return found
