"""Where answers come from as a report people read, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from labeling.core.html_page import to_html
from labeling.core.markdown import to_markdown
from labeling.core.tables import (
    Cell,
    Column,
    Document,
    Missing,
    Paragraph,
    Section,
    Table,
    Text,
    number,
    percent,
    span,
    spelled,
)
from labeling.sources.read import Citations, Declining, Share, Sources, Stored


def document(found: Sources) -> Document:
    """Return the report."""
    title = Paragraph(("Where the answers of ", Text(found.run.name), " come from"))
    lead = Paragraph((drift_words(found),))
    declining = [Section("Declining", (_declining([found.whole], "Run"),))]
    if found.slices:
        declining.append(Section("Declining by slice", (_declining(list(found.slices), "Slice"),)))
    sections = (Section("Drift", (_stored(found),)), *declining, Section("Citations", (_kinds(found.citations),)))
    return Document(title, lead, sections, ())


def drift_words(found: Sources) -> str:
    """Say how much of what is supported rests on gold."""
    support = found.support_from_gold
    if support.value is None:
        return "No supported claim can be held against gold: drift is not known."
    rest = spelled(100 * (1 - support.value), 1)
    words = f"{rest} % of supported claims rest on chunks that are not gold (mean over {spelled(support.n)} answers)."
    if support.high is not None and support.high < 0.5:
        return f"{words} Most do: the answers drift, and groundedness cannot see it."
    return words


def _stored(found: Sources) -> Table:
    named = (
        ("Groundedness", found.faithfulness),
        ("Support from gold", found.support_from_gold),
        ("Citation precision", found.citation_precision),
        ("Citation coverage", found.citation_coverage),
    )
    columns = (Column("Metric"), *(Column(title, is_number=True) for title in ("Value", "95 % interval", "n")))
    return Table(columns, tuple(_stored_row(title, one) for title, one in named))


def _stored_row(title: str, one: Stored) -> tuple[Cell, ...]:
    value = number(one.value, 3, reason="no value", strong=True)
    return (Text(title), value, span(one.low, one.high, 3, reason="none"), number(one.n))


def _declining(rows: list[Declining], first: str) -> Table:
    titles = ("False answers", "95 % interval", "Unanswerable", "Over-abstention", "95 % interval", "Answerable")
    body = tuple(
        (Text(row.name if first == "Slice" else "all"), *_share(row.false_answers), *_share(row.over_abstention))
        for row in rows
    )
    return Table((Column(first), *(Column(title, is_number=True) for title in titles)), body)


def _share(share: Share) -> tuple[Cell, ...]:
    low, high = share.ends
    ends = Missing("none") if low is None or high is None else span(100 * low, 100 * high, 1)
    return (percent(share.value, reason="none asked"), ends, number(share.n))


def _kinds(found: Citations) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = (
        (Text("Of a chunk in the prompt"), number(found.in_context)),
        (Text("Fabricated: not in the prompt"), number(found.fabricated)),
        (Text("Unverifiable: a whole document"), number(found.unverifiable)),
        (Text("All"), number(found.total, strong=True)),
    )
    return Table((Column("Citations"), Column("Count", is_number=True)), rows)


def as_json(found: Sources) -> dict[str, Any]:
    """Return the stable keys of `sources --json`."""
    stored = ("faithfulness", "support_from_gold", "citation_precision", "citation_coverage")
    return {
        "run": found.run.key,
        **{key: asdict(getattr(found, key)) for key in stored},
        "declining": _declining_json(found.whole),
        "slice_key": found.slice_key,
        "slices": [{"slice": row.name, **_declining_json(row)} for row in found.slices],
        "citations": {**asdict(found.citations), "in_context": found.citations.in_context},
    }


def _declining_json(row: Declining) -> dict[str, Any]:
    told = {"false_answer_rate": row.false_answers, "over_abstention_rate": row.over_abstention}
    return {
        key: {"value": share.value, "low": share.ends[0], "high": share.ends[1], "n": share.n}
        for key, share in told.items()
    }


#: format -> how it is made
RENDERED: dict[str, Callable[[Sources], str]] = {
    "md": lambda found: to_markdown(document(found)),
    "html": lambda found: to_html(document(found)),
    "json": lambda found: json.dumps(as_json(found), allow_nan=False) + "\n",
}


def render(found: Sources, to: str) -> str:
    """Return the report in one of RENDERED (KeyError for another)."""
    return RENDERED[to](found)
