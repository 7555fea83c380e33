"""The failing queries behind a confirmed count: by final class and sub-cause, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, FilteredRelation, Q, QuerySet
from django.utils.http import urlencode

from labeling.models import Outcome
from triage.models import Run

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Choice:
    """A class and sub-cause there are final verdicts of, and how many."""

    label: str
    sub_cause: str
    count: int
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One query: what people decided and what the machine had said."""

    position: int
    key: str
    question: str
    label: str
    sub_cause: str
    #: Blank where the machine has not filed it.
    automatic: str


@dataclass(frozen=True, slots=True)
class ConfirmedPage:
    """Everything the list prints. `later`: the place to ask for the next page after, or nothing."""

    run: Run
    label: str
    sub_cause: str
    found: int
    choices: tuple[Choice, ...]
    lines: tuple[Line, ...]
    later: int | None

    @property
    def asked(self) -> str:
        """Return the filter as the start of a query string."""
        return urlencode({"label": self.label, "sub_cause": self.sub_cause})


def confirmed_page(run: Run, label: str, sub_cause: str, after: str) -> ConfirmedPage:
    """Return one page of the final verdicts on failing queries; an empty filter asks nothing."""
    final = Outcome.objects.filter(query__run=run, query__correct=False, state=Outcome.State.FINAL)
    counts = final.values_list("label", "sub_cause").annotate(number=Count("pk")).order_by("label", "-number")
    choices = tuple(Choice(name, cause, number, (name, cause) == (label, sub_cause)) for name, cause, number in counts)
    fits = [one for one in choices if label in ("", one.label) and (not sub_cause or sub_cause == one.sub_cause)]
    wanted = {"label": label, "sub_cause": sub_cause}
    rows = final.filter(**{name: value for name, value in wanted.items() if value})
    start = int(after) if after.isdecimal() and len(after) < 10 else 0
    lines = [_line(row) for row in _columns(rows, start)[: PAGE_SIZE + 1]]
    later = lines[PAGE_SIZE - 1].position if len(lines) > PAGE_SIZE else None
    return ConfirmedPage(
        run, label, sub_cause, sum(one.count for one in fits), choices, tuple(lines[:PAGE_SIZE]), later
    )


def _columns(rows: QuerySet[Outcome], start: int) -> QuerySet[Outcome, tuple[int, str, str, str, str, str | None]]:
    current = FilteredRelation("query__suggestions", condition=Q(query__suggestions__is_current=True))
    names = ("query__position", "query__key", "query__question", "label", "sub_cause", "current__label")
    later = rows.filter(query__position__gt=start).annotate(current=current)
    return later.order_by("query__position").values_list(*names)


def _line(row: tuple[int, str, str, str, str, str | None]) -> Line:
    position, key, question, label, sub_cause, automatic = row
    return Line(position, key, question, label, sub_cause, automatic or "")
