"""The gates of a run as their page prints them."""

from __future__ import annotations

from dataclasses import dataclass

from labeling.core.gates import Gate, GateResult, false_alarm
from labeling.gate.check import Gated, gate
from triage.core.pictures import Axis, Interval, interval, share_axis
from triage.models import Run

TONES = {GateResult.PASS: "ok", GateResult.FAIL: "bad", GateResult.NOT_DECIDED: "open"}


@dataclass(frozen=True, slots=True)
class GateLine:
    """One gate with its bar."""

    gate: Gate
    tone: str
    words: str
    bar: Interval


@dataclass(frozen=True, slots=True)
class GatePage:
    """Everything the page prints."""

    run: Run
    found: Gated
    tone: str
    words: str
    axis: Axis
    lines: tuple[GateLine, ...]
    #: Chance that at least one of the gates errs although each holds 95 %.
    false_alarm: float


def gate_page(run: Run, *, strict: bool) -> GatePage:
    """Return the page of a classified run."""
    found, on = gate(run, strict=strict), share_axis()
    lines = tuple(
        GateLine(
            one, TONES[one.result], _words(one.result), interval(on, one.value, one.low, one.high, target=one.threshold)
        )
        for one in found.gates
    )
    return GatePage(run, found, TONES[found.result], _words(found.result), on, lines, false_alarm(len(lines)))


def _words(result: GateResult) -> str:
    return result.replace("_", " ")
