"""The service's clock is bounded by what answers prove (experience: honesty 2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.client.http import Exchange
from corr_tui.state.service_clock import MOST_SKEW, ServiceClock
from corr_tui.state.snapshot import Clock

EPOCH = datetime(2026, 5, 14, 13, 0, tzinfo=UTC)


def wall() -> datetime:
    """This machine's clock, some hours off."""
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
    clock, sent = ServiceClock(wall), 0.0
    for out, lag, back in answers:
        clock.heard(exchange(offset, sent, out, lag, back))
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
    clock = ServiceClock(wall)
    for step in range(10):
        clock.heard(exchange(0.05, 100 + step * 1.1, 0.01, 0.0, 0.01))
    assert clock.reading().uncertainty < 0.6


def test_a_clock_that_was_set_or_slept_stands_on_the_newest_answer() -> None:
    clock = ServiceClock(wall)
    clock.heard(Exchange(EPOCH, 10.0, 10.1))
    clock.heard(Exchange(EPOCH + timedelta(hours=1), 11.0, 11.1))
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
    absurd = Exchange(date.replace(tzinfo=UTC), 11.0, 11.1)
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
