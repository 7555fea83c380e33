"""What the scores foretell as a report people read, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labeling.confidence.read import Confidence, Foretold
from labeling.core.foretelling import Auroc
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
    spelled,
)

HOW = (
    "AUROC: the chance that a right answer's scores look surer than a failing one's; 0.5 says nothing (DeLong, 95 %). "
    "The line of a caveat is chosen on half of the queries, by their ids, and its figures are of the other half."
)


def document(found: Confidence) -> Document:
    """Return the report."""
    title = Paragraph(("Do the retriever's scores of ", Text(found.run.name), " foretell failure?"))
    sections = [Section(one.title, (Paragraph((sentence(one, found.decided),)), *_table(one))) for one in found.signals]
    return Document(title, Paragraph((HOW,)), tuple(sections), ())


def auroc_words(one: Auroc) -> str:
    """Return the AUROC with its interval and n."""
    if one.value is None:
        return f"no AUROC: {spelled(one.failing)} failing and {spelled(one.right)} right queries have it"
    interval = "" if one.low is None or one.high is None else f" ({spelled(one.low, 3)} to {spelled(one.high, 3)})"
    return f"AUROC {spelled(one.value, 3)}{interval}, n {spelled(one.n)}, {spelled(one.failing)} failing"


def sentence(one: Foretold, decided: int) -> str:
    """Say whether the signal foretells failure, what it rests on, and which line it suggests."""
    if not one.auroc.n:
        return f"No query says it, of {spelled(decided)} decided ones."
    words = f"{auroc_words(one.auroc)}; {spelled(decided - one.auroc.n)} decided queries do not say it."
    if one.caveat is None:
        return f"{words} No line is suggested: the signal is not known to foretell failure."
    side = "below" if one.is_surer_when_higher else "above"
    marked, rest = one.caveat.marked, one.caveat.rest
    return (
        f"{words} Suggested caveat: {side} {line(one)}. It marks {spelled(100 * one.caveat.share, 1)} % of answers; "
        f"{spelled(100 * marked.rate, 1)} % of those fail (n {spelled(marked.n)}), "
        f"{spelled(100 * rest.rate, 1)} % of the others (n {spelled(rest.n)})."
    )


def line(one: Foretold) -> str:
    """Return the suggested line as it is typed into `check-grounding`; blank where there is none."""
    return f"{one.told(one.caveat.line):.4g}" if one.caveat else ""


def _table(one: Foretold) -> tuple[Table, ...]:
    if not one.fifths:
        return ()
    columns = headed("Values", ("Queries", "Failing", "Failure rate", "95 % interval"))
    rows: list[tuple[Cell, ...]] = [
        (
            Text(f"{one.told(part.lowest):.4g} to {one.told(part.highest):.4g}"),
            number(part.n),
            number(part.failing),
            percent(part.rate),
            percent_span(part.low, part.high),
        )
        for part in one.fifths
    ]
    return (Table(columns, tuple(rows)),)


def as_json(found: Confidence) -> dict[str, Any]:
    """Return the stable keys of `confidence --json`."""
    return {
        "run": found.run.key,
        "decided": found.decided,
        "signals": [
            {
                "signal": one.signal,
                "higher_is_surer": one.is_surer_when_higher,
                "auroc": {**asdict(one.auroc), "n": one.auroc.n},
                "fifths": [_fifth(one, place) for place in range(len(one.fifths))],
                "caveat": _caveat(one),
            }
            for one in found.signals
        ],
    }


def _fifth(one: Foretold, place: int) -> dict[str, Any]:
    part = one.fifths[place]
    ends = sorted((one.told(part.lowest), one.told(part.highest)))
    return {"from": ends[0], "to": ends[1], "n": part.n, "failing": part.failing, "low": part.low, "high": part.high}


def _caveat(one: Foretold) -> dict[str, Any] | None:
    if one.caveat is None:
        return None
    sides = {"marked": asdict(one.caveat.marked), "rest": asdict(one.caveat.rest)}
    return {"line": one.told(one.caveat.line), "share": one.caveat.share, **sides}


#: The report in one of its formats.
render = Printer(document, as_json)
