"""May this run pass? Each metric's interval against its threshold; the worst result is the run's. Plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from xml.etree.ElementTree import Element, SubElement, tostring

from labeling.core.markdown import to_markdown_table
from labeling.core.tables import Column, Table, Text, number, span, spelled


class GateResult(StrEnum):
    """What a gate says. The words are stable: `gate --json` prints them."""

    PASS = "pass"  # noqa: S105 - a result, not a password
    FAIL = "fail"
    NOT_DECIDED = "not_decided"


@dataclass(frozen=True, slots=True)
class Gate:
    """One metric against the least it must be."""

    metric: str
    threshold: float
    value: float | None
    low: float | None
    high: float | None
    n: int
    result: GateResult
    #: Why there is no value; blank where there is one.
    why: str = ""


def gate_of(metric: str, threshold: float, told: Mapping[str, object] | None, *, strict: bool) -> Gate:
    """Return one gate from a stored run-level metric (`value`, `low`, `high`, `n`, `left_out`).

    Pass: the whole interval is at or above the threshold; fail: all of it is below; else not decided. `strict`
    goes by the value alone, so that it always decides; a metric without a value is never a pass.
    """
    value, low, high = (_number(told, key) for key in ("value", "low", "high"))
    n = int(_number(told, "n") or 0)
    if value is None:
        result = GateResult.FAIL if strict else GateResult.NOT_DECIDED
        return Gate(metric, threshold, None, None, None, n, result, _why(told))
    if strict or low is None or high is None:
        low_end, high_end = (value, value) if strict else (float("-inf"), float("inf"))
    else:
        low_end, high_end = low, high
    if low_end >= threshold:
        result = GateResult.PASS
    else:
        result = GateResult.FAIL if high_end < threshold else GateResult.NOT_DECIDED
    return Gate(metric, threshold, value, low, high, n, result)


def _number(told: Mapping[str, object] | None, key: str) -> float | None:
    value = told.get(key) if told else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _why(told: Mapping[str, object] | None) -> str:
    left_out = told.get("left_out") if told else None
    if not isinstance(left_out, Mapping) or not left_out:
        return "not measured"
    return ", ".join(f"{count} {str(reason).replace('_', ' ')}" for reason, count in left_out.items())


def overall(gates: Sequence[Gate]) -> GateResult:
    """Return fail if any gate fails, else not decided if any is, else pass; no gate at all is not decided."""
    results = {gate.result for gate in gates}
    if GateResult.FAIL in results:
        return GateResult.FAIL
    return GateResult.NOT_DECIDED if GateResult.NOT_DECIDED in results or not gates else GateResult.PASS


def false_alarm(count: int, confidence: float = 0.95) -> float:
    """Return the chance that at least one of `count` independent gates errs, each at its own confidence."""
    return 1.0 - confidence**count


def sentence(gate: Gate) -> str:
    """Say what a gate found, in one line."""
    if gate.value is None:
        return f"{gate.metric}: no value ({gate.why}), at least {spelled(gate.threshold, 3)} is asked"
    interval = "no interval" if gate.low is None or gate.high is None else f"{gate.low:.3f} to {gate.high:.3f}"
    shown = f"{spelled(gate.value, 3)} ({interval}), n {spelled(gate.n)}, at least {spelled(gate.threshold, 3)}"
    return f"{gate.metric}: {shown}"


def table(gates: Sequence[Gate]) -> Table:
    """Return the gates as a table for people."""
    columns = (
        Column("Metric"),
        Column("Threshold", is_number=True),
        Column("Value", is_number=True),
        Column("95 % interval", is_number=True),
        Column("n", is_number=True),
        Column("Result"),
    )
    rows = tuple(
        (
            Text(gate.metric, code=True),
            number(gate.threshold, 3),
            number(gate.value, 3, reason=gate.why or "no value", strong=True),
            span(gate.low, gate.high, 3, reason="none"),
            number(gate.n),
            Text(gate.result.replace("_", " ")),
        )
        for gate in gates
    )
    return Table(columns, rows)


def to_markdown(name: Text, gates: Sequence[Gate]) -> str:
    """Return a summary for a CI job's page."""
    return to_markdown_table(
        ("Gates of ", name, ": ", Text(overall(gates).replace("_", " "), strong=True)), table(gates)
    )


def to_junit(run: str, gates: Sequence[Gate]) -> str:
    """Return JUnit XML: a gate is a test case, not decided counts as skipped, so that CI shows it."""
    results = [gate.result for gate in gates]
    suite = Element(
        "testsuite",
        name="rag-triage gates",
        tests=str(len(gates)),
        failures=str(results.count(GateResult.FAIL)),
        skipped=str(results.count(GateResult.NOT_DECIDED)),
        errors="0",
    )
    for gate in gates:
        case = SubElement(suite, "testcase", classname=f"gate.{_printable(run)}", name=gate.metric)
        if gate.result is not GateResult.PASS:
            tag = "failure" if gate.result is GateResult.FAIL else "skipped"
            SubElement(case, tag, message=sentence(gate))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode") + "\n"


def _printable(words: str) -> str:
    """Leave out what XML 1.0 cannot hold."""
    return "".join(letter for letter in words if letter.isprintable())
