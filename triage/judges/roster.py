"""Which judges there are and how a panel of them is opened: ours by their names, the operator's by those given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from triage.core.atomic import ClaimCutter
from triage.core.judging import DEFAULT_ORDER, GroundingJudge, RelevanceJudge
from triage.core.roster import Seen
from triage.judges import embedded, lexical, recorded
from triage.judges.chat import Chat
from triage.judges.cross_encoder import WEIGHTS, ModelFaultError, fault_of
from triage.judges.llm import LlmGrounding, LlmRelevance
from triage.judges.llm_claims import LlmClaims
from triage.judges.nli import NliFaultError, NliGrounding
from triage.judges.panel import FREE, Panel
from triage.judges.setups import LlmSetup, NliSetup, SetupError

Judge = GroundingJudge | RelevanceJudge | ClaimCutter
Setups = Mapping[str, NliSetup | LlmSetup]


class UnknownJudgeError(SetupError):
    """A project names a judge that does not exist here."""


def open_panel(names: Sequence[str] = (), setups: Setups | None = None, weights: Path = WEIGHTS) -> Panel:
    """Return the panel of these judges in order; none named = `DEFAULT_ORDER`. Raises UnknownJudgeError.

    `setups`: the operator's judges by name. `weights`: where the embedded judge's files are. A judge whose files
    are not whole is left out and named in the panel's notes; where none that reads is left, the lexical one stands in.
    """
    opened: dict[str, list[Judge]] = {}
    notes = []
    for name in dict.fromkeys(names or DEFAULT_ORDER):
        try:
            opened[name] = _open(name, setups or {}, weights)
        except (ModelFaultError, NliFaultError) as fault:
            notes.append(f"The judge {name} is not asked. {fault}")
    if notes and not opened.keys() - FREE:
        opened[lexical.NAME] = _open(lexical.NAME, {}, weights)
        notes.append("The lexical judge stands in.")
    every = [judge for judges in opened.values() for judge in judges]
    return Panel(
        grounding=tuple(judge for judge in every if isinstance(judge, GroundingJudge)),
        relevance=tuple(judge for judge in every if isinstance(judge, RelevanceJudge)),
        notes=tuple(notes),
        cutter=next((judge for judge in every if isinstance(judge, ClaimCutter)), None),
    )


def look_at(name: str, setups: Setups | None = None, weights: Path = WEIGHTS) -> Seen:
    """Return what can be told of a judge without asking it anything. Raises UnknownJudgeError."""
    setup = (setups or {}).get(name)
    kind = setup.kind if setup is not None and name not in _OURS else "ours"
    try:
        judges = _open(name, setups or {}, weights)
    except (ModelFaultError, NliFaultError) as fault:
        return Seen(name, kind, fault=str(fault))
    return Seen(name, kind, tuple(judge.identity for judge in judges if not isinstance(judge, ClaimCutter)))


def known_names(setups: Setups | None = None) -> tuple[str, ...]:
    """Return the names a project may put in its order: ours first, then the operator's."""
    return (*_OURS, *sorted(setups or {}))


def _open(name: str, setups: Setups, weights: Path) -> list[Judge]:
    if name in _OURS:
        return _OURS[name](weights)
    setup = setups.get(name)
    if isinstance(setup, NliSetup):
        return [NliGrounding(name, setup)]
    if isinstance(setup, LlmSetup):
        chat = Chat(setup)
        cutters = [LlmClaims(name, setup, chat)] if setup.decompose else []
        return [LlmGrounding(name, setup, chat), LlmRelevance(name, setup, chat), *cutters]
    raise UnknownJudgeError(f"there is no judge named {name!r}; known judges: {', '.join(known_names(setups))}")


def _embedded(weights: Path) -> list[Judge]:
    if fault := fault_of(weights):
        raise ModelFaultError(fault)
    return [embedded.EmbeddedGrounding(weights), embedded.EmbeddedRelevance(weights)]


_OURS: dict[str, Callable[[Path], list[Judge]]] = {
    recorded.NAME: lambda _: [recorded.RecordedGrounding(), recorded.RecordedRelevance()],
    embedded.NAME: _embedded,
    lexical.NAME: lambda _: [lexical.LexicalGrounding(), lexical.LexicalRelevance()],
}
