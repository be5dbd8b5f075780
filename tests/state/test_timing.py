"""Waiting for a signal or a time, and full-jitter back-off."""

from __future__ import annotations

import asyncio

import pytest

from corr_tui.state.allowance import Allowance
from corr_tui.state.timing import MOST_ASKED, Backoff, granted
from tests.state.virtual_time import VirtualTime, settle


async def test_a_signal_ends_a_wait_and_its_absence_does_not() -> None:
    time, signal = VirtualTime(), asyncio.Event()
    wait = asyncio.ensure_future(time.timing.wait(signal, 10))
    await time.advance(9)
    assert not wait.done()
    signal.set()
    assert await wait is True
    signal.clear()
    wait = asyncio.ensure_future(time.timing.wait(signal, 10))
    await time.advance(10)
    assert await wait is False


async def test_a_wait_without_a_time_ends_with_the_signal_alone() -> None:
    time, signal = VirtualTime(), asyncio.Event()
    wait = asyncio.ensure_future(time.timing.wait(signal, None))
    await time.advance(1e6)
    assert not wait.done()
    signal.set()
    assert await wait


async def test_a_cancelled_wait_leaves_no_task_behind() -> None:
    time = VirtualTime()
    before = asyncio.all_tasks()
    wait = asyncio.ensure_future(time.timing.wait(asyncio.Event(), 10))
    await settle()
    wait.cancel()
    with pytest.raises(asyncio.CancelledError):
        await wait
    assert asyncio.all_tasks() == before


def test_back_off_doubles_its_bound_up_to_its_most_and_starts_again() -> None:
    backoff = Backoff(VirtualTime(chance=1.0).timing, most=10)
    assert [backoff.failed() for _ in range(6)] == [1, 2, 4, 8, 10, 10]
    backoff.reset()
    assert backoff.failed() == 1


def test_back_off_is_drawn_from_all_of_its_bound_and_heeds_what_the_service_asks() -> None:
    backoff = Backoff(VirtualTime(chance=0.25).timing)
    assert [backoff.failed() for _ in range(3)] == [0.25, 0.5, 1]
    assert backoff.failed(at_least=30) == 30


def test_back_off_does_not_overflow() -> None:
    backoff = Backoff(VirtualTime().timing)
    backoff.failures = 10**6
    assert backoff.failed() == 60


@pytest.mark.parametrize(("asked", "seconds"), [(None, 0.0), (7.0, 7.0), (99_999.0, MOST_ASKED), (-5.0, 0.0)])
def test_a_wish_to_wait_is_granted_within_bounds(asked: float | None, seconds: float) -> None:
    assert granted(asked) == seconds
    assert Backoff(VirtualTime(chance=0.0).timing).failed(asked) == seconds


def test_an_allowance_is_so_many_at_once_and_so_many_a_second_after_that() -> None:
    time = VirtualTime()
    allowance = Allowance(3, 2.0, lambda: time.now)
    taken: list[bool] = []
    for _ in range(4):
        allowance.take()
        taken.append(allowance.spent)
    assert taken == [False, False, True, True]
    time.now += 1
    allowance.take()
    assert not allowance.spent
    time.now += 1000
    allowance.take()
    allowance.take()
    assert not allowance.spent
    allowance.take()
    assert allowance.spent
