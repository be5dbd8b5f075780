"""A recording as it is read back: which answers there are to a question, which streams, and when.

The file is read once from end to end to learn where everything is; bodies stay in it until they are asked for, so that
a long recording takes little memory. What cannot be read ends the recording there: `broken` names the line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from corr_tui.client.recording import (
    MAX_LINE,
    Answered,
    Asked,
    Begun,
    Chunk,
    Ended,
    How,
    Lost,
    Opened,
    Pins,
    RecordingRefused,
    bytes_of,
    read_header,
    read_line,
)

MAX_LINES = 2_000_000
MAX_HELD_BACK = 1_000_000
"""Answers and pieces of streams that are kept track of."""


@dataclass(frozen=True, slots=True)
class Span:
    """Where in the file a line is."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request came to: an answer, or `status` 0 for none."""

    asked_ms: int
    ended_ms: int
    how: How
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    span: Span | None = None
    validator: str | None = None
    """The entity tag the request was conditional on."""

    @property
    def took_ms(self) -> int:
        """Milliseconds from the question to the end of the answer."""
        return max(self.ended_ms - self.asked_ms, 0)


@dataclass(slots=True)
class Stream:
    """One wake stream, from the request on. What is no stream of events is its `answer`."""

    asked_ms: int
    answer: Answer | None = None
    opened_ms: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: list[tuple[int, Span]] = field(default_factory=list)
    ended_ms: int | None = None
    how: How = "left"

    @property
    def over_ms(self) -> int | None:
        """When there is nothing more of it; None for one that was open to the end of the recording."""
        if self.answer is not None:
            return self.answer.ended_ms
        return self.ended_ms


class Recording:
    """One file, read. Raises RecordingRefused when it is none, or holds nothing that could be played."""

    def __init__(self, path: Path, check: Callable[[Begun], None] = lambda begun: None) -> None:
        """`check` raises RecordingRefused for a first line that cannot be played; then no other one is read."""
        self.duration_ms = 0
        self.broken = ""
        """Where and why reading ended early, or empty."""
        self.pins: Pins | None = None
        self.moments: list[int] = []
        """When something came from the service, in order (milliseconds)."""
        self._answers: dict[tuple[str, str], list[Answer]] = {}
        self._asked: dict[str, list[int]] = {}
        self._streams: dict[str, list[Stream]] = {}
        self._open: dict[int, Asked] = {}
        self._streaming: dict[int, Stream] = {}
        self._kept = 0
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise RecordingRefused(f"it cannot be read: {error.strerror}") from None
        try:
            self.begun = self._index(check)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def body(self, span: Span | None) -> bytes:
        """The bytes in a line; raises RecordingRefused when the file is another by now."""
        if span is None:
            return b""
        try:
            self._file.seek(span.offset)
            line = read_line(self._file.read(span.length))
        except (OSError, ValueError) as error:  # the latter for a file that was let go of
            raise RecordingRefused(f"it cannot be read any more: {error}") from None
        if not isinstance(line, Answered | Chunk):
            raise RecordingRefused("it was changed meanwhile")
        return bytes_of(line)

    def answer(self, method: str, target: str, ms: float) -> Answer | None:
        """What this question was answered last, by this time; its first answer when that came later; None for none."""
        answers = self._answers.get((method, target), [])
        at = bisect_right(answers, ms, key=_asked_ms)
        return answers[max(at - 1, 0)] if answers else None

    def asked_next(self, target: str, ms: int) -> int:
        """When something was asked next at this address after a moment, whatever its query; 0 for not any more."""
        times = self._asked.get(target.partition("?")[0], [])
        at = bisect_right(times, ms)
        return times[at] if at < len(times) else 0

    def read_answers(self) -> Iterator[tuple[str, Answer]]:
        """What every read was answered, wholly, with its address."""
        for (method, target), answers in self._answers.items():
            if method == "GET":
                yield from ((target, answer) for answer in answers if answer.how == "whole")

    def validated(self, method: str, target: str, unchanged: Answer) -> Answer | None:
        """The body that a 304 stands for: the newest before it with the entity tag it was asked about."""
        answers = self._answers.get((method, target), [])
        for before in reversed(answers[: bisect_right(answers, unchanged.asked_ms, key=_asked_ms)]):
            if before.status == 200 and before.headers.get("etag") == unchanged.validator:
                return before
        return None

    def streams(self, target: str) -> list[Stream]:
        """The streams that were opened there, in order."""
        return self._streams.get(target, [])

    def _index(self, check: Callable[[Begun], None]) -> Begun:
        """Read every line; the first one is returned."""
        first = self._file.readline(MAX_LINE + 1)
        begun = read_header(first)
        check(begun)
        offset, number = len(first), 1
        while raw := self._file.readline(MAX_LINE + 1):
            number += 1
            try:
                self._take_raw(raw, Span(offset, len(raw)), number)
            except RecordingRefused as refused:
                self.broken = f"line {number}: {refused}"
                break
            offset += len(raw)
        self._finish()
        return begun

    def _take_raw(self, raw: bytes, span: Span, number: int) -> None:
        if not raw.endswith(b"\n"):
            raise RecordingRefused("it ends in the middle" if len(raw) <= MAX_LINE else f"it is over {MAX_LINE} bytes")
        if number > MAX_LINES or self._kept > MAX_HELD_BACK:
            raise RecordingRefused("there are too many lines")
        line = read_line(raw)
        if isinstance(line, Begun):
            raise RecordingRefused("another recording begins here")
        self.duration_ms = max(self.duration_ms, line.ms)
        match line:
            case Pins():
                self.pins = line
            case Asked():
                self._take_asked(line)
            case Answered():
                bytes_of(line)
                self._take_answer(self._ask(line.n), line, span)
            case Lost():
                self._take_answer(self._ask(line.n), line, None)
            case Opened():
                self._take_opened(self._ask(line.n), line)
            case Chunk():
                bytes_of(line)
                self._stream(line.n).chunks.append((line.ms, span))
                self._note(line.ms)
            case Ended():
                stream = self._stream(line.n)
                del self._streaming[line.n]
                stream.ended_ms, stream.how = line.ms, line.how
                self._note(line.ms)

    def _note(self, ms: int) -> None:
        self._kept += 1
        self.moments.append(ms)

    def _take_asked(self, asked: Asked) -> None:
        if asked.n in self._open or asked.n in self._streaming:
            raise RecordingRefused(f"exchange {asked.n} begins twice")
        self._kept += 1
        self._open[asked.n] = asked

    def _ask(self, n: int) -> Asked:
        asked = self._open.pop(n, None)
        if asked is None:
            raise RecordingRefused(f"exchange {n} was not asked for")
        return asked

    def _stream(self, n: int) -> Stream:
        stream = self._streaming.get(n)
        if stream is None:
            raise RecordingRefused(f"stream {n} is not open")
        return stream

    def _take_answer(self, asked: Asked, line: Answered | Lost, span: Span | None) -> None:
        """Keep an answer, unless this side gave it up: then nobody knows what it would have been."""
        if line.how == "cancelled":
            return
        answer = Answer(asked.ms, line.ms, line.how, span=span, validator=asked.headers.get("if-none-match"))
        if isinstance(line, Answered):
            answer = Answer(
                asked.ms, line.ms, line.how, line.status, line.headers, span, asked.headers.get("if-none-match")
            )
        self._note(line.ms)
        if asked.headers.get("accept") == "text/event-stream":
            self._streams.setdefault(asked.target, []).append(Stream(asked.ms, answer))
        else:
            self._answers.setdefault((asked.method, asked.target), []).append(answer)

    def _take_opened(self, asked: Asked, opened: Opened) -> None:
        stream = Stream(asked.ms, opened_ms=opened.ms, headers=opened.headers)
        self._streaming[opened.n] = stream
        self._streams.setdefault(asked.target, []).append(stream)
        self._note(opened.ms)

    def _finish(self) -> None:
        """Put everything in the order of its time; raises RecordingRefused when there is nothing."""
        if not self._answers and not self._streams:
            raise RecordingRefused(f"it holds no answer{f' ({self.broken})' if self.broken else ''}")
        self.moments.sort()
        for (_, target), answers in self._answers.items():
            answers.sort(key=_asked_ms)
            self._asked.setdefault(target.partition("?")[0], []).extend(map(_asked_ms, answers))
        for times in self._asked.values():
            times.sort()
        for streams in self._streams.values():
            streams.sort(key=_asked_ms)
            for stream in streams:
                stream.chunks.sort(key=lambda chunk: chunk[0])
        self._open.clear()
        self._streaming.clear()


def _asked_ms(asked: Answer | Stream) -> int:
    return asked.asked_ms
