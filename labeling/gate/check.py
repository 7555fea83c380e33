"""A run against the thresholds of its project."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from labeling.core.gates import Gate, GateResult, gate_of, overall, sentence, to_junit, to_markdown
from labeling.core.tables import Text
from triage.core.policy import DEFAULT_GATES
from triage.models import Run

#: What a command exits with.
EXIT = {GateResult.PASS: 0, GateResult.FAIL: 1, GateResult.NOT_DECIDED: 3}


@dataclass(frozen=True, slots=True)
class Gated:
    """All gates of a run."""

    run: Run
    strict: bool
    gates: tuple[Gate, ...]

    @property
    def result(self) -> GateResult:
        """Return the result of the run."""
        return overall(self.gates)


def gate(run: Run, *, strict: bool = False) -> Gated:
    """Check a classified run against its project's gates (else the defaults). Raises ValueError before its classes."""
    if not run.summary:
        raise ValueError(f"run {run.name} is not classified yet")
    thresholds = run.project.gates or DEFAULT_GATES
    metrics = run.summary["metrics"]
    gates = (gate_of(metric, least, metrics.get(metric), strict=strict) for metric, least in thresholds.items())
    return Gated(run, strict, tuple(sorted(gates, key=lambda one: one.metric)))


def as_json(found: Gated) -> dict[str, Any]:
    """Return the stable keys of `gate --json`."""
    return {
        "run": found.run.key,
        "result": str(found.result),
        "strict": found.strict,
        "gates": [asdict(one) for one in found.gates],
    }


def _text(found: Gated) -> str:
    words = [f"{found.run.name}: {found.result.replace('_', ' ')}"]
    return "\n".join([*words, *(f"  {one.result.replace('_', ' ')}: {sentence(one)}" for one in found.gates)]) + "\n"


#: format -> how it is made
RENDERED: dict[str, Callable[[Gated], str]] = {
    "text": _text,
    "json": lambda found: json.dumps(as_json(found), allow_nan=False) + "\n",
    "md": lambda found: to_markdown(Text(found.run.name), found.gates),
    "junit": lambda found: to_junit(found.run.name, found.gates),
}


def render(found: Gated, to: str) -> str:
    """Return the gates in one of RENDERED (KeyError for another)."""
    return RENDERED[to](found)
