"""A run taken to its end in the caller's process: no Redis, no worker. The steps are the worker's own."""

from __future__ import annotations

import time

from triage.classify import classify
from triage.models import Run
from triage.score import score
from triage.tasks import driver
from triage.tasks.driver import Do

#: Between two looks at a run whose last queries wait for another try, or are held by a worker.
PAUSE_S = 0.2


def run_to_end(run_id: int) -> Run:
    """Score and classify the run here and now; return it as it stands then. Safe beside workers on the same run."""
    while (step := driver.next_step(run_id)).do is not Do.NOTHING:
        for batch in step.batches:
            score(run_id, batch)
        if step.do is Do.CLASSIFY:
            _classify(run_id)
        if step.do is Do.WAIT:
            time.sleep(PAUSE_S)
    return Run.objects.select_related("project").get(pk=run_id)


def _classify(run_id: int) -> None:
    with driver.classifying(run_id) as is_mine:
        if is_mine:
            classify(run_id)
            driver.end_classifying(run_id)
        else:
            time.sleep(PAUSE_S)
