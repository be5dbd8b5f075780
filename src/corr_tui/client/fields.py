"""Header fields of an answer (RFC 9110), each read within its bounds or not at all: a service may write anything."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MAX_DATE = 64
"""Characters of a date."""
MAX_VALIDATOR = 512
"""Characters of an entity tag."""
MAX_SECONDS = 9
"""Digits of seconds that are read; more of them are as long as any."""


def read_date(field: str | None) -> datetime | None:
    """The moment an HTTP date names; None for anything else."""
    try:
        return parsedate_to_datetime(field).astimezone(UTC) if field and len(field) <= MAX_DATE else None
    except (ValueError, OverflowError, LookupError, TypeError):
        return None


def read_retry_after(field: str | None, date: str | None) -> float | None:
    """The seconds a Retry-After field asks to wait, never fewer than none.

    A moment in it is the service's, and is counted from the moment of the same answer: this machine's clock may be off
    by more than the wait. Without that Date it says nothing, and a back-off of our own stands in.
    """
    if field and field.isascii() and field.isdigit():
        return float(field[:MAX_SECONDS] if len(field) <= MAX_SECONDS else "9" * MAX_SECONDS)
    until, now = read_date(field), read_date(date)
    return None if until is None or now is None else max((until - now).total_seconds(), 0.0)


def read_validator(field: str | None) -> str | None:
    """An entity tag that can be sent back, or None: a service may write what no request can hold."""
    sendable = field is not None and len(field) <= MAX_VALIDATOR and field.isascii() and field.isprintable()
    return field if sendable else None


def read_media_type(field: str) -> str:
    """The media type of a Content-Type, without its parameters."""
    return field.partition(";")[0].strip().lower()
