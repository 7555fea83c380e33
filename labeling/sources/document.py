"""Where answers come from as a report people read, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labeling.core.printing import Printer
from labeling.core.tables import (
    Cell,
    Document,
    Paragraph,
    Section,
    Table,
    Text,
    headed,
    number,
    percent,
    percent_span,
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
    return Table(
        headed("Metric", ("Value", "95 % interval", "n")), tuple(_stored_row(title, one) for title, one in named)
    )


def _stored_row(title: str, one: Stored) -> tuple[Cell, ...]:
    value = number(one.value, 3, reason="no value", strong=True)
    return (Text(title), value, span(one.low, one.high, 3, reason="none"), number(one.n))


def _declining(rows: list[Declining], first: str) -> Table:
    titles = ("False answers", "95 % interval", "Unanswerable", "Over-abstention", "95 % interval", "Answerable")
    body = tuple(
        (Text(row.name if first == "Slice" else "all"), *_share(row.false_answers), *_share(row.over_abstention))
        for row in rows
    )
    return Table(headed(first, titles), body)


def _share(share: Share) -> tuple[Cell, ...]:
    value = percent(share.value, reason=share.why_none.replace("_", " "))
    return (value, percent_span(*share.ends, reason="none"), number(share.n))


def _kinds(found: Citations) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = (
        (Text("Of a chunk in the prompt"), number(found.in_context)),
        (Text("Fabricated: not in the prompt"), number(found.fabricated)),
        (Text("Unverifiable: a whole document"), number(found.unverifiable)),
        (Text("All"), number(found.total, strong=True)),
    )
    return Table(headed("Citations", ["Count"]), rows)


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
        key: {
            "value": share.value,
            "low": share.ends[0],
            "high": share.ends[1],
            "n": share.n,
            "why_none": share.why_none if share.value is None else "",
        }
        for key, share in told.items()
    }


#: The report in one of its formats.
render = Printer(document, as_json)
