"""Small facts in the words of the review screen."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

DAY_S = 86_400


def ranks_in_words(ranks: Iterable[int]) -> str:
    """Return ranks with their runs folded: 'rank 7', 'ranks 7, 9 and 11 to 20'."""
    runs: list[tuple[int, int]] = []
    for rank in sorted(set(ranks)):
        if runs and runs[-1][1] == rank - 1:
            runs[-1] = (runs[-1][0], rank)
        else:
            runs.append((rank, rank))
    words = [f"{low}" if low == high else f"{low} to {high}" for low, high in _pairs_unfolded(runs)]
    if not words:
        return ""
    head = "rank" if len(words) == 1 and " " not in words[0] else "ranks"
    return f"{head} {words[0]}" if len(words) == 1 else f"{head} {', '.join(words[:-1])} and {words[-1]}"


def _pairs_unfolded(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the runs, those of two ranks as two: '7, 8' is shorter than '7 to 8'."""
    return [pair for low, high in runs for pair in ([(low, low), (high, high)] if high == low + 1 else [(low, high)])]


def age_in_words(then: datetime, now: datetime) -> str:
    """Return how old something of `then` was at `now`: '3 days old', '6 weeks old', '4 mo old', '2 y 3 mo old'."""
    days = int((now - then).total_seconds() // DAY_S)
    if days < 0:
        return "from later on"
    if days < 14:
        return "new today" if days == 0 else f"{days} day{'s' if days > 1 else ''} old"
    if days < 61:
        return f"{days // 7} weeks old"
    months = days * 12 // 365
    if months < 12:
        return f"{months} mo old"
    years, rest = divmod(months, 12)
    return f"{years} y {rest} mo old" if rest else f"{years} y old"
