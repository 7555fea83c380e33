"""The ladder as a report people read, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labeling.core.arms import money_places
from labeling.core.ladder import CLEAR_OF_NOISE, Noise, Step
from labeling.core.printing import Printer
from labeling.core.tables import (
    Cell,
    Document,
    Missing,
    Paragraph,
    Section,
    Table,
    Text,
    headed,
    number,
    p_words,
    percent_span,
    points,
    spelled,
)
from labeling.ladder.climb import FAILING, Climbed

NOT_SAID = "not said"
TITLES = ("Level", "Step", "95 % interval", "p", "Times the noise", "So", "Cost a query", "Cost", "Latency, ms")


def document(found: Climbed) -> Document:
    """Return the report."""
    title = Paragraph(("Interventions on ", Text(found.slice), ": ", Text(found.metric.replace("_", " "))))
    rows = tuple(_row(step) for step in found.ladder.steps)
    section = Section("Steps", (Table(headed("Run", TITLES), rows), Paragraph((notes(found),), small=True)))
    return Document(title, Paragraph((Text(lead(found)),)), (section,), ())


def lead(found: Climbed) -> str:
    """Say the whole in a sentence, step by step, and what the noise is."""
    ladder = found.ladder
    first, last = ladder.steps[0], ladder.steps[-1]
    moved = [step.change.difference for step in ladder.steps if step.change]
    sums = " ".join(f"{'+' if part >= 0 else '−'} {spelled(abs(part) * 100, 1)}" for part in moved).removeprefix("+ ")
    whole = f"{spelled(first.level, 3)} to {spelled(last.level, 3)}: {spelled(ladder.whole * 100, 1, signed=True)} pp"
    return f"{whole} = {sums}, over {spelled(ladder.n)} queries. {noise_words(ladder.noise)}"


def noise_words(noise: Noise) -> str:
    """Say what runs of the same settings differ by."""
    if noise.value is None:
        return "No run was repeated, so no step can be told from noise: import the same settings twice."
    pairs = f"{spelled(noise.pairs)} pair{'s' if noise.pairs > 1 else ''} of repeats"
    if noise.value == 0:
        return f"Runs of the same settings did not differ ({pairs}): the slice mean carries no noise here."
    return f"Runs of the same settings differ by {spelled(noise.value * 100, 1)} pp ({pairs})."


def notes(found: Climbed) -> str:
    """Say what the steps rest on and how to read them."""
    words = f"Means over the queries with a value in every run; {spelled(found.left_out)} of the slice have not. "
    words += (
        f"Beyond the noise: {spelled(CLEAR_OF_NOISE)} or more times what repeats differ by, and the paired interval "
    )
    words += "leaves out 0. "
    if found.slice == FAILING or "=" not in found.slice:
        words += "The slice was chosen by the first run's failures: a mere repeat of it would rise a little too."
        if found.metric == "accuracy":
            words += " Accuracy of the first run is 0 there by construction."
    return words.strip()


def _row(step: Step) -> tuple[Cell, ...]:
    change, spent = step.change, step.spent
    first = Missing("first")
    return (
        Text(step.name),
        number(step.level, 3, strong=True),
        points(change.difference) if change else first,
        percent_span(change.low, change.high, reason="none") if change else Missing("none"),
        Text(p_words(change.p)) if change else first,
        first if change is None else number(step.times_noise, 1, reason="not known"),
        Text(str(step.beside)) if step.beside else first,
        number(spent.cost, money_places(spent.cost), reason=NOT_SAID),
        first if change is None else _ratio(step.cost_ratio),
        number(spent.latency_ms, reason=NOT_SAID),
    )


def _ratio(value: float | None) -> Cell:
    return Missing(NOT_SAID) if value is None else Text(f"{spelled(value, 2)} times")


def as_json(found: Climbed) -> dict[str, Any]:
    """Return the stable keys of `ladder --json`."""
    ladder = found.ladder
    return {
        "metric": found.metric,
        "slice": found.slice,
        "n": ladder.n,
        "left_out": found.left_out,
        "noise": asdict(ladder.noise),
        "whole": ladder.whole,
        "repeats": [run.key for run in found.repeats],
        "steps": [
            {"run": run.key, **asdict(step), "beside": str(step.beside) if step.beside else None}
            for run, step in zip(found.runs, ladder.steps, strict=True)
        ],
    }


#: The report in one of its formats.
render = Printer(document, as_json)
