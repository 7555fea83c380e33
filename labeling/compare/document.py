"""A comparison as a report people read, and its changes as rows for a sheet."""

from __future__ import annotations

from labeling.compare.arms import Arms, Comparison, metric_of
from labeling.compare.telling import TABLE, as_json, as_text, cost_words, places_of
from labeling.compare.verdicts import Isolation, MetricChange
from labeling.core.padding import Padding
from labeling.core.paired import Change
from labeling.core.pinning import pinning_words
from labeling.core.printing import Printer
from labeling.core.tables import (
    Cell,
    Column,
    Document,
    Missing,
    Paragraph,
    Section,
    Table,
    Text,
    headed,
    number,
    p_words,
    percent,
    span,
)
from labeling.core.tables import spelled as spell

Block = Table | Paragraph


def document(arms: Arms) -> Document:
    """Return the comparison as it is read."""
    names = Text(" beside ".join(run.name for run in (arms.runs[-1], arms.runs[0])))
    side: list[Block] = [_side_by_side(arms), Paragraph((Text(arms.tokens.detail),), small=True)]
    if arms.pins:
        side.append(Paragraph((Text(pinning_words(arms.pins, arms.runs[0].name)),)))
    sections = [Section("Side by side", tuple(side))]
    for number_, each in enumerate(arms.comparisons, 1):
        title = "Changes" if len(arms.comparisons) == 1 else f"Changes of run {number_ + 1}"
        sections.append(Section(title, _changes(each)))
    return Document(Paragraph(("Comparison: ", names)), Paragraph(_lead(arms)), tuple(sections), ())


def _lead(arms: Arms) -> tuple[Cell | str, ...]:
    if not arms.differing:
        return ("The files name no setting that differs.",)
    pieces: list[Cell | str] = ["Settings that differ: "]
    for place, setting in enumerate(arms.differing):
        pieces += [", " if place else "", Text(setting.name, code=True), " ", Text(" / ".join(setting.values))]
    return (*pieces, ".")


def _side_by_side(arms: Arms) -> Table:
    shown = [row for row in TABLE if any(metric_of(run, row[0]) is not None for run in arms.runs)]
    columns = headed("Run", ("k", *(words for _, words, _ in shown), "cost of 1,000"))
    rows = tuple(
        (
            Text(run.name),
            Text(str(run.config["k"])) if "k" in run.config else Missing("not said"),
            *(number(metric_of(run, key), places, reason="no value") for key, _, places in shown),
            Text(cost_words(cost)) if cost else Missing("no value"),
        )
        for run, cost in zip(arms.runs, arms.costs, strict=True)
    )
    return Table(columns, rows)


def _changes(each: Comparison) -> tuple[Block, ...]:
    words = f"{spell(each.paired)} queries paired, {spell(each.unpaired)} unpaired. "
    words += (
        f"{spell(len(each.wrong_to_right))} from wrong to right, {spell(len(each.right_to_wrong))} from right to wrong."
    )
    if each.mix:
        words += f" Class mix: Stuart-Maxwell p {p_words(each.mix.p)} (df {each.mix.degrees})."
    blocks: list[Block] = [Paragraph((Text(each.baseline.name), " to ", Text(each.run.name), ": ", words))]
    if each.warning:
        blocks.append(Paragraph((Text(each.warning, strong=True),)))
    blocks.append(_table([(row.metric, row) for row in each.changes]))
    if each.isolation:
        blocks += [Paragraph((isolation_words(each.isolation),)), _by_class(each.isolation)]
    if each.padding:
        blocks.append(Paragraph((Text(padding_words(each.padding)),)))
    return tuple(blocks)


def _table(rows: list[tuple[str, MetricChange]]) -> Table:
    body = tuple(
        (
            Text(name.replace("_", " ")),
            Text(spell(row.change.difference, places_of(row), signed=True), strong=True),
            _interval(row.change, places_of(row)),
            Text(p_words(row.change.p)),
            number(row.change.n),
            Text(str(row.decision)),
        )
        for name, row in rows
    )
    return Table((*headed("Metric", ("Change", "95 % interval", "p", "n")), Column("So")), body)


def _interval(change: Change, places: int) -> Cell:
    return span(change.low, change.high, places, reason="none")


def isolation_words(found: Isolation) -> str:
    """Say what the gold alone mends."""
    after = "" if found.accuracy_after is None else f" ({spell(100 * found.accuracy_after, 1)} %)"
    return (
        f"Isolation test: of {spell(found.failing)} queries that failed before (accuracy 0 there by construction) "
        f"{spell(found.right_with_gold_only)}{after} are right with the gold alone; {spell(len(found.buried))} of them "
        "are answerable and had at least half their evidence in the prompt: buried."
    )


def _by_class(found: Isolation) -> Table:
    titles = ("Failed", "Right with gold alone", "Accuracy after")
    rows = tuple(
        (Text(row.label, code=True), number(row.failing), number(row.right), percent(row.accuracy_after))
        for row in found.by_class
    )
    return Table(headed("Filed before", titles), rows)


def padding_words(found: Padding) -> str:
    """Say what the padding test shows, or why it is none."""
    if found.refused:
        return f"No padding test: {found.refused}"
    told = ", ".join(
        f"{metric.replace('_', ' ')} {spell(change.difference, 3, signed=True)} (n {spell(change.n)})"
        for metric, change in found.changes
    )
    return f"Padding test, {found.padded} (padded) minus {found.plain}: {told}. {found.groundedness}"


CSV_COLUMNS = ("baseline", "run", "metric", "difference", "low", "high", "p", "n", "verdict")


def rows_of(arms: Arms) -> Table:
    """Return every change as a row of plain numbers."""
    rows = tuple(
        (
            Text(each.baseline.name),
            Text(each.run.name),
            Text(row.metric),
            number(row.change.difference, 6),
            number(row.change.low, 6, reason="none"),
            number(row.change.high, 6, reason="none"),
            number(row.change.p, 6),
            number(row.change.n),
            Text(str(row.decision)),
        )
        for each in arms.comparisons
        for row in each.changes
    )
    return Table(tuple(Column(key, key) for key in CSV_COLUMNS), rows)


#: The comparison in one of its formats.
render = Printer(document, as_json, as_text=as_text, as_rows=rows_of)
