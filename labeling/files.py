"""Every file a run can be handed out as: what it is called, the forms it comes in, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from labeling.calibrate import items_of, judges_in
from labeling.export import (
    CALIBRATION_FORMATS,
    GOLD_FORMATS,
    RUN_FORMATS,
    VERDICT_FORMATS,
    calibration_file,
    gold_file,
    run_file,
    verdicts_file,
)
from labeling.mend import MEND_FORMATS, mend_file
from labeling.resample import set_lines, whole_set
from triage import journal
from triage.models import Run
from triage.models.locks import snapshot


def _calibration(run: Run, to: str, _history: bool) -> list[str]:
    """Compare every judge of the project with the labels of this run."""
    judges = judges_in(run.project)
    compared = [(judge, [item for item in items_of(run.project, judge) if item.run == run.key]) for judge in judges]
    return [calibration_file(run.project, compared, to)]


#: what -> (formats, the first is the default; how its pieces are made, one after the other)
EXPORTS: dict[str, tuple[tuple[str, ...], Callable[[Run, str, bool], Iterable[str]]]] = {
    "calibration": (tuple(CALIBRATION_FORMATS), _calibration),
    "verdicts": (VERDICT_FORMATS, lambda run, to, history: verdicts_file(run, to, history=history)),
    "gold-patch": (GOLD_FORMATS, lambda run, to, _history: [gold_file(run, to)]),
    "evaluation-set": (RUN_FORMATS[:1], lambda run, _to, _history: set_lines(whole_set(run))),
    "worklist": (MEND_FORMATS, lambda run, to, _history: [mend_file(run, to)]),
    "run": (RUN_FORMATS, lambda run, to, _history: run_file(run, to)),
}


def handed_out(run: Run, what: str, to: str, *, history: bool = False) -> Iterable[str]:
    """Return the pieces of one of EXPORTS as it leaves the product, and write that it did."""
    journal.note("run.exported", run.project_id, run.key, new={"what": what, "format": to})
    return pieces(run, what, to, history=history)


def pieces(run: Run, what: str, to: str, *, history: bool = False) -> Iterator[str]:
    """Yield a file of the run piece by piece, all of it as the rows stood when it began. Raises as its maker does."""
    _, make = EXPORTS[what]
    with snapshot():
        yield from make(run, to, history)
