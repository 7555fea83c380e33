"""Reading ahead in a thread: order, errors, how far ahead, and that the thread ends whatever happens."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from triage.ingest.ahead import WAITING, Ahead


def numbers(count: int, made: list[int]) -> Iterator[int]:
    for number in range(count):
        made.append(number)
        yield number


def readers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "read ahead"]


def test_batches_come_in_order_and_the_thread_is_gone_afterwards() -> None:
    with Ahead(numbers(20, [])) as batches:
        assert [batch for batch in batches if batch is not None] == list(range(20))
    assert readers() == []


def test_no_more_batches_are_made_than_may_wait() -> None:
    made: list[int] = []
    with Ahead(numbers(100, made)) as batches:
        assert next(batch for batch in batches if batch is not None) == 0
        assert len(made) <= 1 + WAITING + 2
    assert readers() == []


def test_what_reading_raises_is_raised_where_batches_are_taken() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("line 2")

    taken = []
    with Ahead(broken()) as batches, pytest.raises(ValueError, match="line 2"):
        taken.extend(batches)
    assert [batch for batch in taken if batch is not None] == [1]


def test_an_error_of_the_taker_ends_the_reader() -> None:
    def take() -> None:
        with Ahead(numbers(100, [])) as batches:
            next(batches)
            raise KeyError

    with pytest.raises(KeyError):
        take()
    assert readers() == []


def test_while_nothing_is_ready_the_taker_gets_a_moment_now_and_then() -> None:
    go = threading.Event()

    def slow() -> Iterator[int]:
        go.wait(30)
        yield 1

    with Ahead(slow()) as batches:
        assert next(batches) is None
        go.set()
        assert [batch for batch in batches if batch is not None] == [1]
