"""When a worker counts as deaf."""

from __future__ import annotations

import pytest

from config.stack.ears import LOOK_EVERY_S, Ears


def looks(waiting: list[int], busy: list[bool], patience_s: float = 60) -> list[int]:
    """Return at which looks the worker was called deaf."""
    at = {"look": 0}
    ears = Ears(patience_s, lambda: waiting[at["look"]], lambda: busy[at["look"]])
    deaf = []
    for look in range(len(waiting)):
        at["look"] = look
        if ears.are_deaf(now=1_000 + look * LOOK_EVERY_S):
            deaf.append(look)
    return deaf


def test_messages_that_lie_before_an_idle_worker_for_a_minute_mean_deaf() -> None:
    assert looks([3] * 20, [False] * 20) == [12]


@pytest.mark.parametrize(("waiting", "busy"), [([0] * 30, [False] * 30), ([9] * 30, [True] * 30)])
def test_an_empty_queue_or_a_busy_worker_never_means_deaf(waiting: list[int], busy: list[bool]) -> None:
    assert looks(waiting, busy) == []


def test_one_taken_message_begins_the_count_anew() -> None:
    assert looks([1] * 10 + [0] + [1] * 12, [False] * 23) == []


def test_after_it_was_said_the_count_begins_anew() -> None:
    assert looks([1] * 30, [False] * 30) == [12, 25]


def test_it_looks_only_now_and_then() -> None:
    asked = []
    ears = Ears(60, lambda: asked.append(1) or 0, lambda: False)
    for tenth in range(100):
        ears.are_deaf(now=1_000 + tenth / 10)
    assert len(asked) == 2
