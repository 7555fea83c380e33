"""How the classes of many runs stand, people's word included, in as many statements as for one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from labeling.core.correction import correct
from labeling.models import Outcome, ReviewSession
from labeling.report.counts import draw_of
from labeling.report.reading import FINAL, category, coarse, coarse_draw, usable_draws_of
from triage.core.labels import FOUR_CLASSES, UNSCORED, VERDICT_LABELS
from triage.core.review import Corrected
from triage.models import Run


@dataclass(frozen=True, slots=True)
class Standing:
    """The failing queries of a classified run by class: the machine's counts, and what a random draw makes of them."""

    queries: int
    failing: int
    #: Failing queries with a final verdict.
    reviewed: int
    automatic: dict[str, int]
    #: Empty where no unfiltered random draw was read far enough.
    corrected: dict[str, Corrected]


def standings(runs: Sequence[Run]) -> dict[int, Standing]:
    """Return the standing of each classified run, by id. The machine's counts are those of its last classification."""
    confirmed, draws = _confirmed(runs), usable_draws_of(runs)
    found = {}
    for run in runs:
        outcomes, classes = run.summary["outcomes"], run.summary["classes"]
        failing, said = outcomes["failing"], confirmed.get(run.pk, Counter())
        draw = draw_of(failing, said, draws.get(run.pk, {}).get(ReviewSession.Population.FAILING))
        made = correct(coarse_draw(draw), coarse(said), VERDICT_LABELS).estimates if draw else {}
        found[run.pk] = Standing(
            queries=sum(outcomes.values()),
            failing=failing,
            reviewed=sum(said.values()),
            automatic={str(label): classes.get(label, 0) for label in (*FOUR_CLASSES, UNSCORED)},
            corrected={label: Corrected(one.value, one.low, one.high) for label, one in made.items()},
        )
    return found


def _confirmed(runs: Sequence[Run]) -> dict[int, Counter[str]]:
    """Return run -> category -> final verdicts on failing queries."""
    final = Outcome.objects.filter(query__run__in=[run.pk for run in runs], query__correct=False, state=FINAL)
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for run, label, sub_cause, count in final.values_list("query__run", "label", "sub_cause").annotate(Count("pk")):
        found[run][category(label, sub_cause)] += count
    return found
