"""Instants as people type them."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.cli.failures import Invalid
from corr_tui.cli.instants import read_duration, read_instant
from corr_tui.protocol.scalars import check_timestamp
from corr_tui.state.snapshot import instant

NOW = datetime(2026, 5, 14, 13, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("45m", "2026-05-14T13:45:00.000Z"),
        ("1h30m", "2026-05-14T14:30:00.000Z"),
        ("2d", "2026-05-16T13:00:00.000Z"),
        ("90s", "2026-05-14T13:01:30.000Z"),
        ("2026-05-14T16:00Z", "2026-05-14T16:00:00.000Z"),
        ("2026-05-14T18:00:00.5+02:00", "2026-05-14T16:00:00.500Z"),
    ],
)
def test_a_time_from_now_and_an_instant_with_its_zone_become_rfc3339_ms(typed: str, meant: str) -> None:
    """§2"""
    assert read_instant(typed, NOW, option="--until") == meant


@pytest.mark.parametrize(
    "typed", ["", "soon", "24:00", "16:60", "7:5", "45", "m", "2026-05-14T16:00", "-5m", "99999999d", "0000-01-01"]
)
def test_anything_else_is_refused_with_the_option_it_was_given_to(typed: str) -> None:
    with pytest.raises(Invalid, match="--until"):
        read_instant(typed, NOW, option="--until")


@pytest.mark.parametrize(
    ("typed", "now", "meant"),
    [
        ("17:00", "2026-05-14T13:00+00:00", "2026-05-14T15:00:00.000Z"),
        ("9:30", "2026-05-14T13:00+00:00", "2026-05-15T07:30:00.000Z"),
        ("15:00", "2026-05-14T13:00+00:00", "2026-05-15T13:00:00.000Z"),
        ("15:00:01", "2026-05-14T13:00+00:00", "2026-05-14T13:00:01.000Z"),
        ("00:30", "2026-05-14T22:15+00:00", "2026-05-14T22:30:00.000Z"),
        ("12:00", "2026-10-24T20:00+00:00", "2026-10-25T11:00:00.000Z"),
    ],
)
def test_a_time_of_day_is_the_next_one_of_the_clocks_here(typed: str, now: str, meant: str) -> None:
    here = datetime.fromisoformat(now)
    assert read_instant(typed, here, option="--until", zone=ZoneInfo("Europe/Berlin")) == meant


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)), st.times())
def test_a_time_of_day_is_never_past_and_never_two_days_off(now: datetime, shown: time) -> None:
    here = now.replace(tzinfo=UTC)
    found = datetime.fromisoformat(read_instant(f"{shown:%H:%M:%S}", here, option="--until", zone=UTC))
    assert timedelta(milliseconds=-1) < found - here <= timedelta(days=1)
    assert found.time() == shown.replace(microsecond=0)


@given(st.integers(0, 999), st.integers(0, 999), st.integers(0, 999), st.integers(0, 999))
def test_a_duration_is_the_sum_of_its_parts(days: int, hours: int, minutes: int, seconds: int) -> None:
    later = read_instant(f"{days}d{hours}h{minutes}m{seconds}s", NOW, option="--until")
    assert later == instant(NOW + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds))
    check_timestamp(later)


@pytest.mark.parametrize(("typed", "days"), [("30d", 30), ("24h", 1), (" 1d24h ", 2)])
def test_a_duration_of_some_length_is_read(typed: str, days: int) -> None:
    assert read_duration(typed, option="--expires-in") == timedelta(days=days)


@pytest.mark.parametrize("typed", ["", "0d", "d", "-1d", "9999999999d", "999999999d999999999d", "2026-05-14T16:00Z"])
def test_what_is_no_duration_is_refused_with_the_option_it_was_given_to(typed: str) -> None:
    with pytest.raises(Invalid, match="--expires-in"):
        read_duration(typed, option="--expires-in")
