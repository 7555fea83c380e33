"""The items behind a number of the judge page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.core.exceptions import BadRequest

from labeling.calibrate.run import items_of
from labeling.calibrate.words import SIDES
from labeling.core.items import Item, worst_first
from labeling.core.sampling import DEV, TEST, split_of
from labeling.models import Verdict
from labeling.models.calibrations import KIND_OF
from triage.core.judging import Task
from triage.models import Judge, Member, Project, Role

MOST = 200
CELLS = ("", "tp", "fp", "fn", "tn")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items: a cell of the matrix (blank = every disagreement), a split (blank = both)."""

    cell: str = ""
    split: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> Wanted:
        """Read the parameters of a page. Raises BadRequest for any word that is not one of ours."""
        wanted = cls(asked.get("cell", ""), asked.get("split", ""))
        if wanted.cell not in CELLS or wanted.split not in ("", DEV, TEST):
            raise BadRequest("cell is tp, fp, fn or tn; split is dev or test")
        return wanted


@dataclass(frozen=True, slots=True)
class ItemsPage:
    """A list of items with what both sides said."""

    project: Project
    judge: Judge
    title: str
    items: tuple[Item, ...]
    in_all: int
    #: Items whose words this person reads after a verdict of their own.
    kept_back: int
    yes: str
    no: str

    @property
    def is_cut(self) -> bool:
        """Say whether there are more than are shown."""
        return self.in_all > len(self.items)


def readable(items: Iterable[Item], project: Project, user_id: int) -> list[Item]:
    """Return the items whose human word and note this person may read: leads all, others after their own verdict.

    The rule of a query's own page (`Verdicts.may_be_seen_by`): whoever may still be asked must not know the answer.
    """
    if Member.objects.filter(project=project, user=user_id, role__in=Role.at_least(Role.LEAD)).exists():
        return list(items)
    spoken_on = Verdict.objects.places_spoken_on(project.pk, user_id)
    return [item for item in items if (item.run, item.position) in spoken_on]


def items_page(project: Project, judge: Judge, wanted: Wanted, user_id: int) -> ItemsPage:
    """Return the items asked for that this person may read: disagreements worst first, agreements by query."""
    yes, no = SIDES[KIND_OF[Task(judge.task)]]
    titles = {
        "tp": f"Both say {yes}",
        "tn": f"Both say {no}",
        "fp": f"Judge says {yes}, people say {no}",
        "fn": f"Judge says {no}, people say {yes}",
        "": "Disagreements, worst first",
    }
    items = [item for item in items_of(project, judge) if item.is_usable and _is_in(item, wanted)]
    found = items if wanted.cell in ("tp", "tn") else worst_first(items)
    shown = readable(found, project, user_id)
    title = f"{titles[wanted.cell]}, {wanted.split} split" if wanted.split else titles[wanted.cell]
    return ItemsPage(project, judge, title, tuple(shown[:MOST]), len(shown), len(found) - len(shown), yes, no)


def _is_in(item: Item, wanted: Wanted) -> bool:
    return wanted.cell in ("", item.cell) and wanted.split in ("", split_of(item.query))
