"""The word of a failed gate to the project's webhooks."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse

from labeling.core.gates import GateResult
from labeling.gate.check import as_json, gate
from triage.models import Event, Run
from triage.webhooks import tell


def tell_failed(run: Run) -> int:
    """Tell that a finished run fails a gate, once for each time it finished; return how many messages are new.

    "Not decided" is no failure: nothing is told.
    """
    if run.state != Run.State.DONE or run.finished_at is None or not run.summary:
        return 0
    found = gate(run)
    if found.result != GateResult.FAIL:
        return 0
    url = settings.PUBLIC_URL + reverse("gate", args=[run.key])
    data = {**as_json(found), "name": run.name, "release": run.release, "url": url}
    return tell(run.project_id, Event.GATE_FAILED, f"{run.key} {run.finished_at.isoformat()}", data, run_key=run.key)
