"""The economics of a reranker as a report people read, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labeling.core.arms import money_places
from labeling.core.economics import Latency, Money
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
    spelled,
)
from labeling.economics.read import Economics

Pieces = tuple[Cell | str, ...]
UNMEASURED = "not measured"


def document(found: Economics) -> Document:
    """Return the report."""
    title = Paragraph(("What ", Text(found.run.name), " costs and saves beside ", Text(found.baseline.name)))
    lead: Pieces = (Text(found.warning),) if found.warning else ("One setting differs at most.",)
    sections = [
        Section("Latency", (_latency(found), Paragraph((latency_words(found),), small=True))),
        Section("Added latency by candidates", (_fit(found), Paragraph((fit_words(found),), small=True))),
        Section("Tokens and money", (_money(found.money), Paragraph((money_words(found.money),), small=True))),
        Section("Paths of the reranked arm", (_paths(found), Paragraph((found.fallback or "No fallback is known.",)))),
    ]
    return Document(title, Paragraph(lead), tuple(sections), ())


def _latency(found: Economics) -> Table:
    titles = ("Before, ms", "After, ms", "Added, ms", "Reranker's own, ms", "Unattributed, ms")
    return Table(headed("Percentile", titles), tuple(_latency_row(one) for one in found.latencies))


def _latency_row(one: Latency) -> tuple[Cell, ...]:
    return (
        Text(one.name),
        number(one.before_ms),
        number(one.after_ms),
        number(one.added_ms, strong=True),
        number(one.own_ms, reason=UNMEASURED),
        number(one.unattributed_ms, reason=UNMEASURED),
    )


def latency_words(found: Economics) -> str:
    """Say what the unattributed part is."""
    if not found.latencies:
        return "The files say no latency."
    open_ = [one for one in found.latencies if one.unattributed_ms is not None]
    if not open_:
        return "Give the reranker's own p95 to see how much of the change it accounts for."
    return (
        f"{spelled(open_[0].unattributed_ms or 0.0)} ms at {open_[0].name} are unattributed: they are the cost of the "
        "arm's other changes, such as a wider retrieval or another prompt length, until somebody measures them."
    )


def _fit(found: Economics) -> Table:
    titles = ("Candidates", "Added, ms", "ms a candidate", "Off the line, ms")
    rows = tuple(
        (
            number(point.candidates),
            number(point.added_ms, 1),
            number(point.ms_each, 2),
            Missing("no line") if point.residual_ms is None else Text(spelled(point.residual_ms, 1, signed=True)),
        )
        for point in found.fit.points
    )
    return Table(tuple(Column(title, is_number=True) for title in titles), rows)


def fit_words(found: Economics) -> str:
    """Say what line the points lie on, and what it rests on."""
    line = found.fit
    if not line.points:
        return "No arm says both its candidates and its latency, and no points were given."
    what = "Points as given." if found.points_are_typed else "Mean added latency of whole arms, paired by query."
    if line.ms_each is None or line.fixed_ms is None:
        return f"{what} One number of candidates gives no line."
    words = f"{what} {spelled(line.fixed_ms, 1)} ms and {spelled(line.ms_each, 2)} ms a candidate, least squares."
    return f"{words} Any two points lie on a line: nothing is proved." if line.is_exact_by_construction else words


def amount(value: float | None, money: Money, reason: str) -> Cell:
    """Return an amount of money with as many digits as it takes."""
    if value is None:
        return Missing(reason)
    return Text(f"{spelled(value, max(3, money_places(value)))} {money.currency}".strip())


def _money(money: Money) -> Table:
    no_price, no_input = "no input price", "not given"
    rows: tuple[tuple[Cell, ...], ...] = (
        (Text("Context tokens saved a query"), number(money.tokens_saved, 1, strong=True)),
        (Text("Input price a million tokens"), amount(money.price_per_million, money, no_price)),
        (Text("Saved per 1,000 queries"), amount(money.saved_per_1000, money, no_price)),
        (Text("Hosted reranker per 1,000 queries"), amount(money.hosted_per_1000, money, no_input)),
        (Text("Left per 1,000 queries, hosted"), amount(money.net_hosted_per_1000, money, no_input)),
        (Text("Node a month"), amount(money.node_per_month, money, no_input)),
        (Text("Break-even queries a month"), number(money.break_even_per_month, reason=no_input)),
        (Text("Break-even queries a second"), number(money.break_even_per_s, 3, reason=no_input)),
    )
    return Table(headed("What", ["Value"]), rows)


def money_words(money: Money) -> str:
    """Say what the saving rests on and where a node pays."""
    if not money.n:
        return "The files say no context tokens."
    words = f"Input tokens only, over {spelled(money.n)} pairs."
    if money.tokens_saved <= 0:
        return f"{words} The reranked arm sends no fewer tokens: there is no saving to set against its price."
    if money.break_even_per_s is not None and money.break_even_per_month is not None:
        rate = f"{spelled(money.break_even_per_month)} queries a month ({spelled(money.break_even_per_s, 3)} a second)"
        words += f" Above {rate} the saving covers the node, below it does not."
    return words


def _paths(found: Economics) -> Table:
    titles = ("Queries", "Accuracy", "Precision", "Mean latency, ms", "Context tokens")
    rows = tuple(
        (
            Text(path.path),
            number(path.n),
            number(path.accuracy, 3, reason="not decided"),
            number(path.precision, 3, reason="no value"),
            number(path.latency_ms, reason="no value"),
            number(path.tokens, 1, reason="no value"),
        )
        for path in found.paths
    )
    return Table(headed("Path", titles), rows)


def as_json(found: Economics) -> dict[str, Any]:
    """Return the stable keys of `economics --json`."""
    money = found.money
    derived = ("saved_per_query", "saved_per_1000", "net_hosted_per_1000", "break_even_per_month", "break_even_per_s")
    return {
        "baseline": found.baseline.key,
        "run": found.run.key,
        "settings_that_differ": [setting.name for setting in found.differing],
        "warning": found.warning,
        "latency": [
            {**asdict(one), "added_ms": one.added_ms, "unattributed_ms": one.unattributed_ms} for one in found.latencies
        ],
        "fit": {
            "points_are_typed": found.points_are_typed,
            "fixed_ms": found.fit.fixed_ms,
            "ms_each": found.fit.ms_each,
            "points": [{**asdict(point), "ms_each": point.ms_each} for point in found.fit.points],
        },
        "money": {**asdict(money), **{key: getattr(money, key) for key in derived}},
        "paths": [asdict(path) for path in found.paths],
        "fallback": found.fallback,
    }


#: The report in one of its formats.
render = Printer(document, as_json)
