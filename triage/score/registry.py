"""Which judges a project asks, in which order, and a trial of one or two of them on its own claims."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from triage import journal
from triage.core.judging import DEFAULT_ORDER, ChunkText, ClaimText, GroundingItem, JudgeIdentity, PairScore
from triage.core.roster import Entry, Seen
from triage.core.support import word
from triage.judges.roster import known_names, look_at, open_panel
from triage.judges.setups import SetupError, read_setups
from triage.models import Claim, JudgeTrial, Project, Retrieved
from triage.signals import trust_of

log = logging.getLogger(__name__)
#: Claims a trial reads.
TRIAL_CLAIMS = 10
_EXCERPT = 600


def roster_of(project: Project) -> list[Entry]:
    """Return every judge there is, those asked first in their order. Raises SetupError."""
    setups = read_setups(settings.JUDGES)
    order = list(project.judge_order or DEFAULT_ORDER)
    names = [*(name for name in order if name in known_names(setups)), *known_names(setups)]
    return [
        _entry(project, look_at(name, setups), order.index(name) + 1 if name in order else None)
        for name in dict.fromkeys(names)
    ]


def _entry(project: Project, seen: Seen, place: int | None) -> Entry:
    return Entry(seen, place, {one.fingerprint: trust_of(project.pk, one.fingerprint) for one in seen.identities})


@transaction.atomic
def order_judges(project: Project, names: Sequence[str]) -> None:
    """Ask these judges from now on, in this order. Raises SetupError for a name that is none."""
    known = known_names(read_setups(settings.JUDGES))
    if strangers := [name for name in names if name not in known]:
        raise SetupError(f"there is no judge named {strangers[0]!r}; known judges: {', '.join(known)}")
    before = list(project.judge_order)
    project.judge_order = list(dict.fromkeys(names))
    project.save(update_fields=["judge_order"])
    journal.changed("judges.ordered", project, project.slug, {"order": before}, {"order": project.judge_order})


def try_judges(trial_id: int) -> None:
    """Have the trial's judges read the same few claims of the project's newest run. Twice is once."""
    trial = JudgeTrial.objects.select_related("project").filter(pk=trial_id, state=JudgeTrial.State.WAITING).first()
    if trial is None:
        return
    try:
        _read(trial)
        trial.state = JudgeTrial.State.DONE
    except Exception as fault:
        log.exception("trial %s failed", trial_id)
        trial.state, trial.reason = JudgeTrial.State.FAILED, f"{type(fault).__name__}: {str(fault)[:500]}"
    trial.save()


def _read(trial: JudgeTrial) -> None:
    items = _items(trial.project)
    if not items:
        raise LookupError("The project has no claims with a chunk yet: import a run first.")
    lines: list[dict[str, Any]] = [
        {
            "claim": item.claims[0].text[:_EXCERPT],
            "chunk": item.chunks[0].key,
            "passage": (item.chunks[0].text or "")[:_EXCERPT],
            "words": {},
        }
        for item in items
    ]
    setups = read_setups(settings.JUDGES)
    for name in trial.names:
        judge = next(judge for judge in open_panel([name], setups).grounding if judge.identity.name == name)
        began = time.perf_counter()
        answers = judge.ground(items)
        trial.took_ms[name] = round((time.perf_counter() - began) * 1000)
        for line, words in zip(lines, answers, strict=True):
            line["words"][name] = _told(words, judge.identity)
    trial.lines = lines


def _told(words: Sequence[PairScore], identity: JudgeIdentity) -> dict[str, Any]:
    if not words:
        return {"score": None, "label": "", "error": "no word on it", "supports": None}
    said = words[0]
    spoken = word(said.chunk, said.score, said.label or "", identity.threshold)
    return {"score": said.score, "label": said.label or "", "error": said.error, "supports": spoken.supports}


def _items(project: Project) -> list[GroundingItem]:
    """Return a few claims of the newest run, spread by their hash, each with the first chunk of its context."""
    newest = project.runs.order_by("-pk").first()
    claims = Claim.objects.filter(query__run=newest, is_current=True).order_by("text_hash", "pk")
    items = []
    for claim in claims.select_related("query")[: TRIAL_CLAIMS * 3]:
        slots = Retrieved.objects.filter(query=claim.query_id, in_context=True, chunk__text__gt="")
        slot = slots.select_related("chunk").order_by("rank").first()
        if slot is not None:
            texts = (ClaimText(str(claim.pk), claim.text),)
            chunks = (ChunkText(slot.chunk.key, slot.chunk.text),)
            items.append(GroundingItem(str(claim.pk), claim.query.question, texts, chunks))
    return items[:TRIAL_CLAIMS]
