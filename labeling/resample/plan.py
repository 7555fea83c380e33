"""The plan of the next evaluation set, from the rows of the logs and of the last set: a fixed number of statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from labeling.core.resampling import Carry, How, Old, Slice, allocate, carried, drawn
from triage.models import Chunk, GoldRevision, Query, Run
from triage.models.queries import WITHOUT_SLICE

#: The name of the one slice where none is asked for.
EVERYTHING = "all"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the next set should be. `day`: from when ages are counted; a plan does not depend on the clock."""

    day: date
    slice_key: str = ""
    size: int = 200
    minimum: int = 10
    how: How = How.PROPORTIONAL
    #: At most this share of the set is carried over.
    carry_share: float = 0.5
    #: Gold older than this is not carried; None: any age.
    oldest_days: int | None = None
    seed: str = "1"


@dataclass(frozen=True, slots=True)
class SlicePlan:
    """One slice: how many the logs hold, how many the set gets, and where those come from."""

    name: str
    logged: int
    wanted: int
    carried: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Item:
    """One question of the set, or one of the last set that is not carried."""

    key: str
    slice: str
    question: str
    fate: Carry
    age_days: int | None
    gold: tuple[str, ...] | None
    reference: str | None
    answerable: bool
    gold_version: int
    #: Every slice of the question, not only the one the set is spread by.
    slices: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Planned:
    """The next set: carried questions, then the drawn ones by their ids in the logs."""

    logs: Run
    last: Run | None
    wanted: Wanted
    slices: tuple[SlicePlan, ...]
    items: tuple[Item, ...]
    drawn: tuple[str, ...]

    @property
    def carried(self) -> tuple[Item, ...]:
        """Return the questions carried over."""
        return tuple(item for item in self.items if item.fate is Carry.CARRIED)

    @property
    def left(self) -> Counter[str]:
        """Return why the others are not carried."""
        return Counter(str(item.fate) for item in self.items if item.fate is not Carry.CARRIED)

    @property
    def size(self) -> int:
        """Return how many questions the set has."""
        return len(self.carried) + len(self.drawn)


def plan_set(logs: Run, last: Run | None, wanted: Wanted) -> Planned:
    """Plan the set: slices by the logs, then what is carried, then the draw. The same rows and seed, the same plan."""
    asked = list(logs.queries.order_by("position").values_list("key", "question", "slices"))
    frame = {key: _slice(slices, wanted.slice_key) for key, _question, slices in asked}
    items = _old_items(logs, last, wanted) if last else []
    sizes, results = Counter(frame.values()), _results(last, wanted)
    parts = [Slice(name, size, *results.get(name, (0, 0))) for name, size in sizes.items()]
    take = allocate(parts, wanted.size, wanted.minimum, wanted.how)
    olds = [
        Old(item.key, item.slice, item.age_days, None if item.fate is Carry.CARRIED else item.fate) for item in items
    ]
    fates = carried(olds, take, round(wanted.size * wanted.carry_share), wanted.seed)
    items = [replace(item, fate=fates[item.key]) for item in items]
    kept = [item for item in items if item.fate is Carry.CARRIED]
    known = {item.question for item in kept}
    fresh = {key: frame[key] for key, question, _slices in asked if question not in known}
    held = Counter(item.slice for item in kept)
    lot = drawn(fresh, {name: count - held[name] for name, count in take.items()}, wanted.seed)
    found = Counter(fresh[key] for key in lot)
    plans = (
        SlicePlan(name, sizes[name], take[name], held[name], found[name]) for name in sorted(sizes, key=_order(sizes))
    )
    return Planned(logs, last, wanted, tuple(plans), tuple(items), tuple(lot))


def _order(sizes: Mapping[str, int]) -> Callable[[str], tuple[int, str]]:
    return lambda name: (-sizes[name], name)


def _slice(slices: Mapping[str, str], key: str) -> str:
    return str(slices.get(key, WITHOUT_SLICE)) if key else EVERYTHING


def _results(last: Run | None, wanted: Wanted) -> dict[str, tuple[int, int]]:
    """Return slice -> (failing, decided) of the last set: what Neyman's spread is expected from."""
    failing, decided = Counter[str](), Counter[str]()
    rows = last.queries.exclude(correct=None).values_list("slices", "correct") if last else ()
    for slices, correct in rows:
        name = _slice(slices, wanted.slice_key)
        decided[name] += 1
        failing[name] += not correct
    return {name: (failing[name], count) for name, count in decided.items()}


def _old_items(logs: Run, last: Run, wanted: Wanted) -> list[Item]:
    """Return the questions of the last set with their gold as accepted now, and what speaks against each."""
    revisions = GoldRevision.objects.current(last)
    built = _day(last.evaluation_set_facts.get("built_at"))
    rows = last.queries.order_by("position").only("key", "question", "gold", "reference", "answerable", "slices")
    items = [_item(query, revisions.get(query.key), built, wanted) for query in rows]
    standing = _standing(logs, {key for item in items for key in item.gold or ()})
    return [replace(item, fate=_against(item, standing, wanted)) for item in items]


def _item(query: Query, revision: GoldRevision | None, built: date | None, wanted: Wanted) -> Item:
    gold = revision.gold if revision else query.gold
    day = revision.created_at.date() if revision else built
    return Item(
        key=query.key,
        slice=_slice(query.slices, wanted.slice_key),
        question=query.question,
        fate=Carry.CARRIED,
        age_days=(wanted.day - day).days if day else None,
        gold=None if gold is None else tuple(gold),
        reference=revision.reference if revision and revision.reference is not None else query.reference,
        answerable=revision.answerable if revision else query.answerable,
        gold_version=revision.version if revision else 1,
        slices=query.slices,
    )


def _against(item: Item, standing: set[str], wanted: Wanted) -> Carry:
    if item.answerable and not item.gold:
        return Carry.NO_GOLD
    if not standing.issuperset(item.gold or ()):
        return Carry.GONE
    is_old = wanted.oldest_days is not None and (item.age_days is None or item.age_days > wanted.oldest_days)
    return Carry.TOO_OLD if is_old else Carry.CARRIED


def _standing(logs: Run, keys: Iterable[str]) -> set[str]:
    """Return the chunk ids that the corpus of the logs still holds, with a text and not superseded."""
    held = Chunk.objects.filter(run_chunks__run=logs, key__in=list(keys), text__isnull=False, superseded_by="")
    return set(held.values_list("key", flat=True))


def _day(value: object) -> date | None:
    try:
        return datetime.fromisoformat(str(value)).date() if value else None
    except ValueError:
        return None


def whole_set(run: Run) -> Planned:
    """Return the run's own set: every question, with the gold accepted since wherever it still holds."""
    day = (run.started_at or run.created_at).date()
    return plan_set(run, run, Wanted(day, size=max(run.queries.count(), 1), minimum=0, carry_share=1.0))
