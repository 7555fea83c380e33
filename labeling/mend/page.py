"""The worklist as its page prints it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from labeling.core.mending import Evidence, Fault, Faulty, Hurt, State
from labeling.mend.listing import faulty_documents
from triage.models import Project, Run

#: Documents shown, and queries named for each; the files hold all.
MOST_DOCUMENTS, MOST_QUERIES = 100, 8
MOST_RUNS = 30
TONES = {State.OPEN: "warn", State.MENDED: "ok", State.REOPENED: "bad"}
JOINED = {Fault.SUPERSEDED: "by", Fault.CONTRADICTING: "with"}


@dataclass(frozen=True, slots=True)
class Line:
    """One document of the list."""

    faulty: Faulty
    tone: str
    people: int
    machine: int
    seen: int
    queries: tuple[Hurt, ...]
    queries_left: int
    #: "by guide-2026" for what replaced it, "with other-page" for what it contradicts.
    others: str

    @property
    def is_open(self) -> bool:
        """Say whether it waits for its owner."""
        return self.faulty.state is not State.MENDED


@dataclass(frozen=True, slots=True)
class MendPage:
    """Everything the page prints. `run` None: nothing is classified yet."""

    project: Project
    run: Run | None
    runs: tuple[Run, ...]
    lines: tuple[Line, ...]
    documents: int
    states: tuple[tuple[str, int], ...]
    can_mark: bool

    @property
    def has_choice(self) -> bool:
        """Say whether there is another run to look at."""
        return len(self.runs) > 1

    @property
    def hidden(self) -> int:
        """Return how many documents are in the files alone."""
        return self.documents - len(self.lines)


def mend_page(project: Project, run: Run | None, *, can_mark: bool) -> MendPage:
    """Return the worklist of a run, of the newest classified one where none is named."""
    classified = project.runs.exclude(summary={}).defer("errors", "warnings", "meta").order_by("-pk")
    runs = tuple(classified[:MOST_RUNS])
    shown = run or next(iter(runs), None)
    found = faulty_documents(shown) if shown else []
    states = Counter(str(one.state) for one in found)
    return MendPage(
        project=project,
        run=shown,
        runs=runs,
        lines=tuple(_line(one) for one in found[:MOST_DOCUMENTS]),
        documents=len(found),
        states=tuple((str(state), states[state]) for state in State if states[state]),
        can_mark=can_mark,
    )


def _line(one: Faulty) -> Line:
    best = sorted(one.hurt, key=lambda hurt: (list(Evidence).index(hurt.evidence), hurt.position))
    return Line(
        faulty=one,
        tone=TONES[one.state],
        people=one.by(Evidence.PEOPLE),
        machine=one.by(Evidence.MACHINE),
        seen=one.by(Evidence.SEEN),
        queries=tuple(best[:MOST_QUERIES]),
        queries_left=max(0, len(best) - MOST_QUERIES),
        others=f"{JOINED[one.fault]} {', '.join(one.others)}" if one.others else "",
    )
