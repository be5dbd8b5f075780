"""The service's clock is bounded by what answers prove (experience: honesty 2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.client.http import Exchange
from corr_tui.state.service_clock import DRIFT, JUMP, MOST_SKEW, ServiceClock
from corr_tui.state.snapshot import Clock

EPOCH = datetime(2026, 5, 14, 13, 0, tzinfo=UTC)


class Machine:
    """This machine's clocks, some hours off; the wall clock goes on while it sleeps."""

    def __init__(self) -> None:
        self.monotonic = 0.0
        self.slept = 0.0

    def wall(self) -> datetime:
        """The wall clock."""
        return EPOCH + timedelta(hours=7, seconds=self.monotonic + self.slept)

    def hear(self, clock: ServiceClock, exchange: Exchange) -> None:
        """Let an exchange take its time."""
        self.monotonic = exchange.ended
        clock.heard(exchange)


def wall() -> datetime:
    """A wall clock that was read once."""
    return EPOCH + timedelta(hours=7)


def exchange(true_offset: float, sent: float, out: float, lag: float, back: float) -> Exchange:
    """An answer whose Date is computed `out` seconds after the request left and lags, down to its whole second."""
    date = EPOCH + timedelta(seconds=int(true_offset + sent + out - lag))
    return Exchange(date, sent, sent + out + back)


journeys = st.tuples(st.floats(0, 5), st.floats(0, 0.999), st.floats(0, 5))


@given(st.floats(1000, 10_000), st.lists(journeys, min_size=1, max_size=20), st.floats(0, 100))
def test_the_true_time_lies_within_the_stated_uncertainty(
    offset: float, answers: list[tuple[float, float, float]], later: float
) -> None:
    machine = Machine()
    clock, sent = ServiceClock(machine.wall), 0.0
    for out, lag, back in answers:
        machine.hear(clock, exchange(offset, sent, out, lag, back))
        sent += out + back + 1
    reading = clock.reading()
    shown = reading.now(reading.measured_at + later)
    assert shown is not None
    truth = EPOCH + timedelta(seconds=offset + reading.measured_at + later)
    assert abs((shown - truth).total_seconds()) <= reading.uncertainty + 1e-3


def test_a_whole_second_and_a_stale_header_are_counted_in() -> None:
    clock = ServiceClock(wall)
    clock.heard(Exchange(EPOCH, 10.0, 10.2))
    assert clock.reading().uncertainty == pytest.approx(1.1)


def test_more_answers_narrow_the_bounds() -> None:
    machine = Machine()
    clock = ServiceClock(machine.wall)
    for step in range(10):
        machine.hear(clock, exchange(0.05, 100 + step * 1.1, 0.01, 0.0, 0.01))
    assert clock.reading().uncertainty < 0.6


def test_a_service_whose_clock_was_set_stands_on_the_newest_answer() -> None:
    machine = Machine()
    clock = ServiceClock(machine.wall)
    machine.hear(clock, Exchange(EPOCH, 10.0, 10.1))
    machine.hear(clock, Exchange(EPOCH + timedelta(hours=1), 11.0, 11.1))
    shown = clock.reading().now(11.1)
    assert shown is not None
    assert abs((shown - EPOCH - timedelta(hours=1)).total_seconds()) <= 2


def test_without_a_date_nothing_is_known() -> None:
    clock = ServiceClock(wall)
    clock.heard(Exchange(None, 1.0, 2.0))
    assert clock.reading().now(5.0) is None


ABSURD = [datetime.min, datetime.max, EPOCH + timedelta(days=9), datetime(1970, 1, 1)]


@pytest.mark.parametrize("date", ABSURD)
def test_a_date_far_from_this_machine_s_clock_is_not_believed(date: datetime) -> None:
    absurd = Exchange(date.replace(tzinfo=UTC), 10.1, 10.2)
    clock = ServiceClock(wall)
    clock.heard(absurd)
    assert clock.reading().now(12.0) is None
    clock.heard(Exchange(EPOCH, 10.0, 10.2))
    known = clock.reading()
    clock.heard(absurd)
    assert clock.reading() == known


@given(st.datetimes(timezones=st.just(UTC)), st.floats(0, 1e12), st.floats(0, 10), st.floats(-1e18, 1e18))
def test_no_date_and_no_instant_makes_a_clock_raise(date: datetime, began: float, took: float, asked: float) -> None:
    clock = ServiceClock(wall)
    clock.heard(Exchange(date, began, began + took))
    reading = clock.reading()
    assert (reading.service_time is not None) == (abs(date - wall()) <= MOST_SKEW)
    for moment in (asked, reading.measured_at, float("inf"), float("nan")):
        assert reading.service_time is None or isinstance(reading.now(moment), datetime | None)


@given(st.datetimes(timezones=st.just(UTC)), st.floats())
def test_a_clock_is_read_at_any_instant_without_raising(time: datetime, monotonic: float) -> None:
    assert isinstance(Clock(time, 0.0).now(monotonic), datetime | None)


sleeps = st.tuples(st.floats(0, 250), st.booleans(), st.booleans())


@given(st.floats(1000, 10_000), journeys, st.lists(sleeps, min_size=1, max_size=8), journeys)
def test_the_true_time_lies_within_the_stated_uncertainty_whatever_this_machine_slept(
    offset: float,
    first: tuple[float, float, float],
    jumps: list[tuple[float, bool, bool]],
    last: tuple[float, float, float],
) -> None:
    """Each jump is a sleep, or the wall clock was set, forwards or back; an answer in between may tell or not."""
    machine = Machine()
    clock = ServiceClock(machine.wall)
    machine.hear(clock, exchange(offset, 0.0, *first))
    for seconds, is_sleep, forwards in jumps:
        machine.monotonic += 1.0
        machine.slept += seconds if is_sleep or forwards else -seconds
        offset += seconds if is_sleep else 0.0
        clock.jump(machine.monotonic)
        reading = clock.reading(machine.monotonic)
        shown = reading.now(machine.monotonic)
        truth = EPOCH + timedelta(seconds=offset + machine.monotonic)
        if shown is not None:
            assert abs((shown - truth).total_seconds()) <= reading.uncertainty + JUMP * len(jumps) + 1e-3
    machine.hear(clock, exchange(offset, machine.monotonic, *last))
    shown = clock.reading().now(machine.monotonic)
    assert shown is not None
    truth = EPOCH + timedelta(seconds=offset + machine.monotonic)
    assert abs((shown - truth).total_seconds()) <= clock.reading().uncertainty + JUMP * len(jumps) + 1e-3


def test_a_jump_is_told_once_and_steps_that_two_clocks_may_part_by_are_none() -> None:
    machine = Machine()
    clock = ServiceClock(machine.wall)
    told = [clock.jump(0.0)]
    for slept in (0.1, 0.1, 30.0, 0.0, -7.0):
        machine.monotonic += 1.0
        machine.slept += slept
        told.append(clock.jump(machine.monotonic))
    assert told == pytest.approx([0, 0, 0, 30, 0, -7])


def test_a_jump_that_an_answer_meets_first_is_told_all_the_same_and_is_counted_in() -> None:
    machine = Machine()
    clock = ServiceClock(machine.wall)
    machine.hear(clock, exchange(5000, 0.0, 0.1, 0.0, 0.1))
    machine.slept += 3600
    machine.hear(clock, exchange(8600, 1.0, 0.1, 0.0, 0.1))
    assert clock.reading().uncertainty < 1.5
    assert clock.jump(machine.monotonic) == pytest.approx(3600)


def test_after_a_long_sleep_the_time_is_not_known_until_it_is_measured_again() -> None:
    machine = Machine()
    clock = ServiceClock(machine.wall)
    machine.hear(clock, Exchange(EPOCH, 0.0, 0.1))
    machine.slept += 60
    clock.jump(0.2)
    assert clock.reading().uncertainty == pytest.approx(31, abs=0.2)
    machine.slept += 8 * 3600
    clock.jump(0.3)
    assert clock.reading() == Clock()
    machine.hear(clock, Exchange(EPOCH + timedelta(hours=8, minutes=1), 1.0, 1.1))
    assert clock.reading().uncertainty < 1.2


def test_a_time_that_is_not_measured_grows_unsure() -> None:
    machine = Machine()
    clock = ServiceClock(machine.wall)
    machine.hear(clock, Exchange(EPOCH, 0.0, 0.2))
    assert clock.reading(36_000.2).uncertainty == pytest.approx(1.1 + 36_000 * DRIFT)
