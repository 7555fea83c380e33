"""Ranks and ages in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from labeling.core.wording import age_in_words, ranks_in_words

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ([], ""),
        ([7], "rank 7"),
        ([7, 9, *range(11, 21)], "ranks 7, 9 and 11 to 20"),
        ([3, 2, 1], "ranks 1 to 3"),
        ([4, 5], "ranks 4 and 5"),
        ([4, 4, 9], "ranks 4 and 9"),
    ],
)
def test_ranks_fold_their_runs(ranks: list[int], words: str) -> None:
    assert ranks_in_words(ranks) == words


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-3, "from later on"),
        (0, "new today"),
        (1, "1 day old"),
        (13, "13 days old"),
        (42, "6 weeks old"),
        (130, "4 mo old"),
        (365, "1 y old"),
        (830, "2 y 3 mo old"),
    ],
)
def test_ages_read_in_the_unit_one_would_say(days: int, words: str) -> None:
    assert age_in_words(NOW - timedelta(days=days), NOW) == words
