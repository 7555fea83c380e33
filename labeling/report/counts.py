"""From counted rows to the counts of the release table: which draw feeds the estimate, and in what words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from labeling.core.correction import Correction, Draw, correct
from labeling.core.note import SubCause
from labeling.core.release_note import Counts, owner_of
from labeling.report.reading import (
    Category,
    Drawn,
    Failing,
    coarse,
    coarse_draw,
    failing,
    label_of,
    passing,
    usable_draws,
)
from triage.core.labels import FOUR_CLASSES, MISSED_FAILURE, NOT_A_FAILURE, VERDICT_LABELS
from triage.models import Run

AUDIT = (MISSED_FAILURE, NOT_A_FAILURE)
DATE = "%-d %b %Y"


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of one run, the same by (class, sub-cause), and how they came about."""

    counts: Counts
    unfiled: int
    sub_causes: tuple[SubCause, ...]
    drawn: str
    audited: str


def counted(run: Run) -> Counted:
    """Count one run in a fixed number of statements."""
    found, draws, audit = failing(run), usable_draws(run), passing(run)
    passed = run.queries.filter(correct=True).count()
    draw = draw_of(found.total, found.confirmed, draws.get("failing"))
    audit_draw = draws.get("passing")
    counts = Counts(
        failing=found.total,
        automatic=found.automatic,
        reviewed=found.reviewed,
        confirmed=coarse(found.confirmed),
        correction=correct(coarse_draw(draw), coarse(found.confirmed), VERDICT_LABELS) if draw else None,
        audited=sum(audit.values()),
        missed=audit.get(MISSED_FAILURE, 0),
        missed_correction=_audit(audit_draw, audit, passed),
    )
    return Counted(
        counts=counts,
        unfiled=found.unfiled,
        sub_causes=_sub_causes(found, draw, run.project.owners),
        drawn=_drawn_words(found, counts.correction, draws.get("failing")),
        audited=_audited_words(counts, passed, audit_draw),
    )


def draw_of(failing: int, confirmed: Mapping[Category, int], drawn: Drawn | None) -> Draw | None:
    """Return what feeds the estimate: everything once all is read, else the draw while its population stands."""
    if failing and sum(confirmed.values()) == failing:
        return Draw("all read", (), confirmed)
    if drawn is None or drawn.draw.population != failing:
        return None
    return drawn.draw


def _audit(drawn: Drawn | None, audit: dict[str, int], passed: int) -> Correction | None:
    if drawn is None or drawn.draw.population != passed or drawn.draw.not_estimated:
        return None
    return correct(drawn.draw, audit, AUDIT)


def _sub_causes(found: Failing, draw: Draw | None, owners: dict[str, str]) -> tuple[SubCause, ...]:
    """Return a row for every (class, sub-cause) that people confirmed, by class, the commonest first.

    Estimated within the strata that were read far enough: what an unread stratum holds inside its classes is not
    guessed at. `among` says how many queries that is.
    """
    estimated = _read_part(draw) if draw else None
    rows = []
    for one, confirmed in found.confirmed.items():
        label, sub_cause = label_of(one), one.partition("/")[2]
        if label not in FOUR_CLASSES or not sub_cause:
            continue
        estimate = estimated.estimates.get(one) if estimated else None
        rows.append(
            SubCause(
                label=label,
                sub_cause=sub_cause,
                confirmed=confirmed,
                corrected=estimate.value if estimate else None,
                low=estimate.low if estimate else None,
                high=estimate.high if estimate else None,
                among=estimated.population if estimated else 0,
                owner=owner_of(label, owners, sub_cause),
            )
        )
    order = {str(label): place for place, label in enumerate(FOUR_CLASSES)}
    return tuple(sorted(rows, key=lambda row: (order[row.label], -row.confirmed, row.sub_cause)))


def _read_part(draw: Draw) -> Correction | None:
    """Return the estimate over the draw's strata that are read far enough; None where there is none."""
    strata = tuple(stratum for stratum in draw.strata if stratum.is_estimable)
    if not strata and not draw.take_all:
        return None
    seen: Counter[Category] = Counter(draw.take_all)
    for stratum in strata:
        seen.update(stratum.seen)
    return correct(Draw(draw.key, strata, draw.take_all), seen, sorted(seen))


def _drawn_words(found: Failing, correction: Correction | None, drawn: Drawn | None) -> str:
    """Say in one sentence what the corrected column rests on, or why there is none."""
    read = sum(found.confirmed.values())
    if not read:
        return "Nothing is reviewed yet."
    if correction and read == found.total:
        return f"All {read} failing queries are read."
    if correction is None or drawn is None:
        moved = drawn is not None and drawn.draw.population != found.total
        why = "the failing queries changed since the draw" if moved else "none of it is an unfiltered random draw"
        return f"{read} of {found.total} reviewed; {why}, so nothing is extrapolated."
    words = f"Random draw of {drawn.made_at.strftime(DATE)}: {correction.read} read"
    if correction.take_all:
        words += f", {correction.take_all} known before"
    if correction.pending:
        words += f", {correction.pending} pending"
    words += f", of {found.total} failing."
    if correction.chosen:
        words += f" {correction.chosen} more verdicts on chosen items move no estimate."
    if found.unfiled:
        words += f" {found.unfiled} failing queries are not classified yet."
    return words


def _audited_words(counts: Counts, passed: int, drawn: Drawn | None) -> str:
    if not counts.audited:
        return "Passing queries were not audited."
    how = f"random draw of {drawn.made_at.strftime(DATE)}" if drawn and counts.missed_correction else "no random draw"
    return f"missed_failure lies outside the total: {counts.audited} of {passed} passing queries read ({how})."
