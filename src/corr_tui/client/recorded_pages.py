"""Pages of events where a recording is asked from another cursor than when it was made (§7).

An answer to the same question stands as it was recorded unless later answers told more than it does: a page that lacks
what was told since would say that it is gone. Then, and for a cursor that was never asked from, a page is put together
of the records themselves, each as it was told last.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from math import inf
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from corr_tui.client.recorded import Answer, Recording
from corr_tui.client.recording import RecordingRefused
from corr_tui.protocol.errors import JsonRefused
from corr_tui.protocol.strict_json import COLLECTION_LIMITS, decode

EVENTS = "/v1/correspondence/events"
MOST = 200
"""Events a page (§7)."""
MOST_DIGITS = 64


class _Question(NamedTuple):
    """Which events are asked for, after which cursor, and how many."""

    which: tuple[tuple[str, str], ...]
    after: int
    limit: int


class _Span(NamedTuple):
    """Which cursors a page tells of: those after one, through another, and of these the ones there are."""

    after: int
    through: float
    cursors: tuple[int, ...]


class RecordedPages:
    """The pages of one recording, by what was asked for."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._pages: dict[tuple[tuple[str, str], ...], list[Answer]] = {}
        self._spans: dict[int, _Span] = {}
        """What the pages span, by where they are in the file."""
        for target, answer in recording.read_answers():
            question = _question(target)
            if question is not None and answer.status == 200 and answer.span is not None:
                self._pages.setdefault(question.which, []).append(answer)
        for pages in self._pages.values():
            pages.sort(key=_asked_ms)

    def page(self, target: str, recorded: Answer | None, ms: float) -> bytes | None:
        """The body to answer with in place of what was recorded; None where that stands, or nothing is known."""
        question = _question(target)
        if question is None or question.which not in self._pages or not self._since(question, -1, ms):
            return None
        if recorded is not None and recorded.asked_ms > ms:
            recorded = None  # it may know what nobody could then
        if recorded is not None and recorded.status != 200:
            if not self._since(question, recorded.asked_ms, ms):
                return None
            recorded = None  # whatever was wrong then, pages were answered since
        body = {} if recorded is None else self._body(recorded)
        if recorded is not None and (not body or body["page"].get("has_more") is not False):
            return None
        own = {_cursor(record): record for record in _records(body)}
        told = self._told(question, own, -1 if recorded is None else recorded.asked_ms, ms)
        if recorded is not None and told.keys() == own.keys():
            return None
        return _written(body, question, [told[cursor] for cursor in sorted(told)])

    def _told(self, question: _Question, own: dict[int, Any], since_ms: int, ms: float) -> dict[int, Any]:
        """The records after the cursor, with what was told in this time. A page says of the cursors it spans that
        there are no others, so of two histories at one address the later stands."""
        told = dict(own)
        for page in self._since(question, since_ms, ms):
            after, through, cursors = self._span_of(page)
            told = {cursor: each for cursor, each in told.items() if not after < cursor <= through}
            if any(cursor > question.after for cursor in cursors):
                told.update((_cursor(each), each) for each in _records(self._body(page)))
        return {cursor: each for cursor, each in told.items() if cursor > question.after}

    def _since(self, question: _Question, since_ms: int, ms: float) -> list[Answer]:
        """The pages of these events that were asked for in this time."""
        pages = self._pages[question.which]
        return pages[bisect_right(pages, since_ms, key=_asked_ms) : bisect_right(pages, ms, key=_asked_ms)]

    def _span_of(self, page: Answer) -> _Span:
        assert page.span is not None
        known = self._spans.get(page.span.offset)
        if known is None:
            known = self._spans[page.span.offset] = _span(self._body(page))
        return known

    def _body(self, page: Answer) -> dict[str, Any]:
        """The body of a page; empty for what is none."""
        try:
            value = decode(self._recording.body(page.span), COLLECTION_LIMITS)
        except (JsonRefused, RecordingRefused):
            return {}
        form = isinstance(value, dict) and isinstance(value.get("page"), dict) and isinstance(value.get("events"), list)
        return value if form and isinstance(value, dict) else {}


def _question(target: str) -> _Question | None:
    parts = urlsplit(target)
    if parts.path != EVENTS:
        return None
    asked = dict(parse_qsl(parts.query))
    after, limit = asked.pop("after", "0"), asked.pop("limit", str(MOST))
    if not (_is_number(after) and _is_number(limit)):
        return None
    return _Question(tuple(sorted(asked.items())), int(after), min(int(limit), MOST))


def _span(body: dict[str, Any]) -> _Span:
    """What a page spans; nothing for what is none."""
    cursors = tuple(map(_cursor, _records(body)))
    after = body["page"].get("after") if body else None
    if not body or not (after is None or _is_number(after)):
        return _Span(0, 0, ())
    more = body["page"].get("has_more") is not False
    return _Span(int(after or 0), max(cursors, default=0) if more else inf, cursors)


def _is_number(text: object) -> bool:
    return isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS


def _records(body: dict[str, Any]) -> list[Any]:
    """The records in a page that have a cursor."""
    return list(_with_cursor(body.get("events", ())))


def _with_cursor(records: Iterable[Any]) -> Iterator[Any]:
    for record in records:
        receipt = record.get("receipt") if isinstance(record, dict) else None
        if isinstance(receipt, dict) and _is_number(receipt.get("received_seq")):
            yield record


def _cursor(record: Any) -> int:
    return int(record["receipt"]["received_seq"])


def _written(body: dict[str, Any], question: _Question, records: list[Any]) -> bytes:
    """A page of these records."""
    after = str(question.after) if question.after else None
    shown = records[: question.limit]
    page = {
        "after": after,
        "next_after": shown[-1]["receipt"]["received_seq"] if shown else after,
        "has_more": len(records) > len(shown),
    }
    return json.dumps({**body, "events": shown, "page": page}, ensure_ascii=False).encode("utf-8")


def _asked_ms(answer: Answer) -> int:
    return answer.asked_ms
