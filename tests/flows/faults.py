"""What can happen to one exchange between a client and a service, as values that can be drawn and shrunk."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Route(StrEnum):
    """What an exchange is for."""

    POST = "post"
    EVENTS = "events"
    VOICE = "voice"
    CLAIMS = "claims"
    STREAM = "stream"
    PROJECT = "project"
    LISTS = "lists"


class Kind(StrEnum):
    """What happens to one exchange."""

    # the service never sees the request
    CUT_BEFORE = "the connection is cut before the request went on"
    MUTE = "the request is taken and nothing is ever said"
    UNAUTHORIZED = "401"
    FORBIDDEN_PAGE = "403 with a page of somebody in between"
    NOT_FOUND_PAGE = "404 with a page of somebody in between"
    TOO_MANY = "429"
    UNAVAILABLE = "503 without a word"
    APPEND_UNAVAILABLE = "503 correspondence_append_unavailable"
    PROJECTION_UNAVAILABLE = "503 correspondence_projection_unavailable"
    FAILED_PAGE = "500 with a page"
    LOGIN_PAGE = "200 with a page of somebody in between"
    REDIRECT = "302"
    GARBAGE = "bytes that are no HTTP"
    # the service answers
    DELAY = "the answer comes late"
    CUT_AFTER = "the connection is cut instead of the answer"
    CUT_WITHIN = "the answer is cut within its body"
    STALL_WITHIN = "the answer stops within its body"
    SHORT = "the answer is whole, and half of its JSON"
    DRIP = "the answer comes byte by byte"
    OTHER_TYPE = "the answer says it is text"
    APPENDED_UNAVAILABLE = "503 correspondence_append_unavailable, although it is stored"
    TWICE = "the request arrives twice"
    # of a wake stream alone
    REJECTED = "the stream says rejected and ends"
    FRAMES_DROPPED = "frames of change are lost"
    FRAMES_TWICE = "every frame comes twice"
    FRAMES_LATE = "every frame comes late"
    FRAMES_SWAPPED = "every two frames change places"
    STREAM_CUT = "the stream is cut within a chunk"
    STREAM_ENDS = "the stream ends in order"
    STREAM_STALLS = "the stream says nothing more"
    STREAM_GARBLED = "the stream says what is no frame"
    STREAM_UNCHUNKED = "the stream breaks its chunks"


BEFORE = tuple(Kind)[: tuple(Kind).index(Kind.DELAY)]
"""What the service does not see, on any route."""
AFTER = tuple(Kind)[tuple(Kind).index(Kind.DELAY) : tuple(Kind).index(Kind.APPENDED_UNAVAILABLE)]
"""What becomes of an answer that is not a stream."""
PATIENT = (Kind.DELAY, Kind.DRIP)
"""What an exchange may survive, where it does not take too long."""
OF_POSTS = (Kind.APPENDED_UNAVAILABLE, Kind.TWICE)
OF_STREAMS = tuple(Kind)[tuple(Kind).index(Kind.REJECTED) :]


def kinds_of(route: Route) -> tuple[Kind, ...]:
    """The faults that can meet a route."""
    before = tuple(kind for kind in BEFORE if route is Route.POST or kind is not Kind.APPEND_UNAVAILABLE)
    if route not in (Route.VOICE, Route.CLAIMS):
        before = tuple(kind for kind in before if kind is not Kind.PROJECTION_UNAVAILABLE)
    if route is Route.STREAM:
        return (*before, Kind.DELAY, *OF_STREAMS)
    return (*before, *AFTER, *(OF_POSTS if route is Route.POST else ()))


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens, and how much of it: seconds of waiting or of Retry-After, or frames that pass first."""

    kind: Kind
    amount: int = 0

    def __str__(self) -> str:
        return f"{self.kind} ({self.amount})" if self.amount else self.kind.value
