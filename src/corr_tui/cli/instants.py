"""Instants as people type them: a time from now such as `45m` or `1h30m`, or a full instant with its zone (§2)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from corr_tui.cli.failures import Invalid
from corr_tui.state.snapshot import instant

_FROM_NOW = re.compile(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?")


def read_instant(text: str, now: datetime, *, option: str) -> str:
    """The RFC3339-ms form of what was typed for `option`; raises Invalid when it is neither form."""
    typed = text.strip()
    try:
        moment = _from_now(typed, now) or datetime.fromisoformat(typed)
        if moment.tzinfo is None:
            raise Invalid(f"{option}: an instant needs its zone, as 2026-05-14T16:00Z or 2026-05-14T18:00+02:00")
        return instant(moment)
    except OverflowError:
        raise Invalid(f"{option}: no year beyond 9999") from None
    except ValueError:
        raise Invalid(f"{option}: give a time from now, as 45m or 1h30m, or an instant, as 2026-05-14T16:00Z") from None


def read_duration(text: str, *, option: str) -> timedelta:
    """How long what was typed for `option` is; raises Invalid when it is no duration of some length."""
    try:
        duration = _duration(text.strip())
    except OverflowError:
        duration = None
    if not duration:
        raise Invalid(f"{option}: give how long, as 30d or 12h")
    return duration


def _from_now(typed: str, now: datetime) -> datetime | None:
    """The moment that lies a typed duration after `now`, or None when no duration was typed."""
    duration = _duration(typed)
    return None if duration is None else now + duration


def _duration(typed: str) -> timedelta | None:
    found = _FROM_NOW.fullmatch(typed)
    if not typed or not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
