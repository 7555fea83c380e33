"""A list of queries of a run: the filter in words, one page by position."""

from __future__ import annotations

from dataclasses import dataclass, fields

from django.utils.http import urlencode

from triage.core.correctness import SaidBy
from triage.core.filters import QueryFilter
from triage.models import Query, Run
from triage.pages.words import FLAG_NAMES

PAGE_SIZE = 50
#: Queries with a word or of a slice are counted this far: most may have it, and each has to be looked at.
MOST_COUNTED = 1_000
#: Who says whether an answer is correct, short, where that is not the file.
_BY: dict[str, str] = {**dict.fromkeys(SaidBy, ""), SaidBy.MATCH: "by match", SaidBy.ABSTENTION: "by rule"}


@dataclass(frozen=True, slots=True)
class QueryLine:
    """One query of the list; a number without a value is its named reason."""

    position: int
    key: str
    question: str
    outcome: str
    tone: str
    label: str
    would_be: str
    is_near: bool
    recall: float | str
    faithfulness: float | str
    relevance: float | str
    #: Who says whether it is correct, where that is not the file.
    by: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueriesPage:
    """Everything the list prints."""

    run: Run
    #: How many match; None: more than `MOST_COUNTED`, which a search for words or a slice leaves open.
    found: int | None
    lines: tuple[QueryLine, ...]
    #: The filter as (parameter, value) pairs, for the links to the other pages.
    asked: tuple[tuple[str, str], ...]
    earlier: int | None
    later: int | None

    @property
    def title(self) -> str:
        """Return how many queries match, in words."""
        if self.found is None:
            return f"More than {MOST_COUNTED:,} queries"
        return f"{self.found:,} {'query' if self.found == 1 else 'queries'}"

    @property
    def query_string(self) -> str:
        """Return the filter as the start of a query string, for the links to the other pages."""
        return "".join(f"{urlencode([pair])}&" for pair in self.asked)


def queries_page(run: Run, wanted: QueryFilter, after: int = 0, before: int | None = None) -> QueriesPage:
    """Read one page: those after a position, or the ones just before one."""
    matching = Query.objects.matching(run, wanted)
    rows = matching.for_queries_page()
    if before is None:
        shown = list(rows.filter(position__gt=after)[: PAGE_SIZE + 1])
        more, shown = len(shown) > PAGE_SIZE, shown[:PAGE_SIZE]
        earlier = shown[0].position if shown and after else None
        later = shown[-1].position if more else None
    else:
        shown = list(rows.filter(position__lt=before).order_by("-position")[: PAGE_SIZE + 1])
        more, shown = len(shown) > PAGE_SIZE, shown[:PAGE_SIZE][::-1]
        earlier = shown[0].position if more else None
        later = shown[-1].position if shown else None
    is_open = bool(wanted.text or wanted.slice_key)
    counted = matching[: MOST_COUNTED + 1].count() if is_open else matching.count()
    found = None if is_open and counted > MOST_COUNTED else counted
    return QueriesPage(run, found, tuple(_line(query) for query in shown), _asked(wanted), earlier, later)


def _asked(wanted: QueryFilter) -> tuple[tuple[str, str], ...]:
    pairs = ((field.name, getattr(wanted, field.name)) for field in fields(wanted))
    return tuple((name, "1" if value is True else value) for name, value in pairs if value)


def _line(query: Query) -> QueryLine:
    metrics = getattr(query, "metrics", None)
    reasons = metrics.reasons if metrics else {}
    outcome, tone = {True: ("correct", "ok"), False: ("failing", "bad"), None: ("undecided", "open")}[query.correct]
    recall, faithfulness, relevance = (
        _number(getattr(metrics, name, None), reasons.get(name, "not_scored"))
        for name in ("context_recall", "faithfulness", "answer_relevance")
    )
    label, would_be, near = (getattr(query, name) for name in ("label", "would_be", "near"))
    return QueryLine(
        query.position,
        query.key,
        query.question,
        outcome,
        tone,
        label or "",
        would_be or "",
        bool(near),
        recall,
        faithfulness,
        relevance,
        by=_BY[query.correct_by],
        flags=tuple(FLAG_NAMES[flag] for flag in query.flags if flag in FLAG_NAMES),
    )


def _number(value: float | None, reason: str) -> float | str:
    return reason if value is None else value
