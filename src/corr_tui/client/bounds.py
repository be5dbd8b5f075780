"""How much of a service's own words is kept: more than any honest service says, little enough to draw at once.

Names and words are cut and end in an ellipsis. Signed events have the bounds of the profile (§2, §5) and are never
touched; what is handed out as an event and is none keeps its members, cut as words are, since it is only ever shown.
"""

from __future__ import annotations

from msgspec.structs import replace

from corr_tui.protocol.records import EventsPage, MalformedEvent, Record, Voice, Warning

MAX_NAME = 256
"""Scalar values of a display name, a project's name or an identifier that is the service's own."""
MAX_WORDS = 1000
"""Scalar values of an error, a message, a hint or a warning."""
MAX_LISTED = 10_000
"""Identities, or keys of one identity; what is listed beyond them is left out."""
MAX_WARNINGS = 100


def cut(text: str, most: int) -> str:
    """At most so many scalar values; an ellipsis stands for what is cut off the end."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def bounded_page(page: EventsPage) -> EventsPage:
    """A page of bounded records."""
    return replace(page, events=tuple(map(bounded_record, page.events)))


def bounded_voice(voice: Voice) -> Voice:
    """A voice of bounded records."""
    return replace(voice, recent_events=tuple(map(bounded_record, voice.recent_events)))


def bounded_record(record: Record) -> Record:
    """The record with its unsigned words cut."""
    event = record.event
    if not record.warnings and not isinstance(event, MalformedEvent):
        return record
    warnings = tuple(map(_bounded_warning, record.warnings[:MAX_WARNINGS]))
    return replace(
        record, event=_bounded_event(event) if isinstance(event, MalformedEvent) else event, warnings=warnings
    )


def _bounded_warning(warning: Warning) -> Warning:
    return replace(warning, code=cut(warning.code, MAX_NAME), detail=cut(warning.detail, MAX_WORDS))


def _bounded_event(event: MalformedEvent) -> MalformedEvent:
    evidence = event.evidence
    if isinstance(evidence, dict):
        evidence = {cut(name, MAX_NAME): _bounded_member(value) for name, value in evidence.items()}
    return replace(event, event_id=cut(event.event_id, MAX_NAME), evidence=evidence, issues=event.issues[:MAX_WARNINGS])


def _bounded_member(value: object) -> object:
    return cut(value, MAX_WORDS) if isinstance(value, str) else value
