"""Lines of text as the panels lay them out: spans of ink, rows keyed by what they show.

A panel's content is computed by a pure function from a Snapshot, a View and a width, and is drawn by one widget. So
what stands on the screen can be tested without a screen, and a row is repainted only when its lines differ.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:  # for its name alone: the first paint does without what reads a snapshot
    from corr_tui.state.filter_grammar import Filter
    from corr_tui.state.snapshot import Heard


class Ink(StrEnum):
    """What a span is for; the theme gives it a colour (look: tokens)."""

    TEXT = "text"
    STRONG = "strong"
    """Bold."""
    DIM = "dim"
    FAINT = "faint"
    """Graphics only: never text."""
    RULE = "rule"
    ACCENT = "accent"
    KEY = "key"
    """Bold accent."""
    ATTN = "attn"
    ALARM = "alarm"


class Span(NamedTuple):
    """Clean text in one ink; its width is the number of cells, and it holds no control character."""

    text: str
    ink: Ink = Ink.TEXT


Line = tuple[Span, ...]
"""One screen line, from column 0 of the panel."""


class Row(NamedTuple):
    """One thing in a list: one or two lines under one key, which stays the same while the thing does."""

    key: str
    lines: tuple[Line, ...]
    alarm: bool = False
    """Whether the whole row has the alarm ground: key changed only."""
    space: int = 0
    """Blank lines below the row, never under the cursor."""
    known: bool = False
    """Whether its coming is no news: an event of mine, or an old one that is only now read. It never counts as new."""
    note: bool = False
    """Whether it says something about the list itself; rows that arrive are placed around the others, not around it."""
    heading: bool = False
    """Whether it stands over the rows below it: the cursor passes it, and it comes into view with the first of them."""


class LazyRows(Sequence[Row]):
    """Rows that are laid out when they are looked at: of a long list only those in view are."""

    keys: tuple[str, ...] = ()
    """The key of every row, in order."""
    lines: int = 1
    """Lines of each row."""
    space: int = 0
    """Blank lines below each row but the last."""
    joined: bool = False
    """Whether lines lead from row to row, so that in another order they would lead elsewhere."""

    @abstractmethod
    def row(self, place: int) -> Row:
        """The row at a place, laid out."""

    @abstractmethod
    def known(self, place: int) -> bool:
        """What `Row.known` says of the row at a place."""

    @abstractmethod
    def note(self, place: int) -> bool:
        """What `Row.note` says of the row at a place."""

    def heading(self, place: int) -> bool:
        """What `Row.heading` says of the row at a place."""
        return False

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(place, slice):
            return tuple(map(self.row, range(*place.indices(len(self)))))
        return self.row(range(len(self))[place])

    def __iter__(self) -> Iterator[Row]:
        return map(self.row, range(len(self)))


class Changed(LazyRows):
    """The same rows with every line changed in one way."""

    def __init__(self, rows: LazyRows, change: Callable[[Line], Line]) -> None:
        self.keys, self.lines, self.space, self.joined = rows.keys, rows.lines, rows.space, rows.joined
        self._rows, self._change = rows, change

    def row(self, place: int) -> Row:
        """The row at a place, changed."""
        row = self._rows.row(place)
        return row._replace(lines=tuple(map(self._change, row.lines)))

    def known(self, place: int) -> bool:
        """As it is."""
        return self._rows.known(place)

    def note(self, place: int) -> bool:
        """As it is."""
        return self._rows.note(place)

    def heading(self, place: int) -> bool:
        """As it is."""
        return self._rows.heading(place)


@dataclass(frozen=True, slots=True)
class Content:
    """What one panel shows."""

    title: str
    """`Events`; the frame puts the panel's number before it."""
    scope: str = ""
    """Dim, after the title: `all threads`."""
    info: Line = ()
    """At the right end of the rule."""
    above: Line = ()
    """A line over the column headings, if any."""
    columns: Line = ()
    """Column headings, if any."""
    rows: Sequence[Row] = ()
    between: Line = ()
    """What stands on the lines that no row has, among the rows and below them: the grid of a chart."""
    empty: tuple[Line, ...] = ()
    """Drawn in place of rows when there are none: a bold sentence naming the scope, then what may be done."""
    foot: tuple[Line, ...] = ()
    """Legend and scope at the panel's foot."""
    banner: tuple[Line, ...] = ()
    """At the foot on the attention ground: stale, unavailable, computed here."""
    stale: bool = False
    """Every row dim: the last good view of something that cannot be had now."""


class Layout(StrEnum):
    """How the board is divided (look: panels); panels say more or less by it, widths alone do not tell."""

    WIDE = "wide"
    """All panels at once, 140 columns and more."""
    MEDIUM = "medium"
    """Claims and conflicts as tabs, 100 to 139."""
    NARROW = "narrow"
    """One panel at a time under numbered tabs; the rule above it names the scope, not the panel."""


@dataclass(frozen=True, slots=True)
class View:
    """How the person at the keyboard looks at a Snapshot; nothing of it leaves this process."""

    now: datetime | None = None
    """The service's time, or None while it is unknown."""
    monotonic: float = 0.0
    thread_id: str | None = None
    """The chosen thread, or None for all."""
    selected: str | None = None
    """The event id under the cursor of the events."""
    read_through: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """By thread, the receipt number up to which it was looked at here; `new` counts beyond it."""
    height: int = 0
    """Lines the panel has for its rows, for panels that choose between one and two lines a row."""
    ascii_only: bool = False
    """Whether glyphs come from the ASCII set."""
    zone: tzinfo = UTC
    """The zone times of day are told in."""
    layout: Layout = Layout.WIDE
    new_after: int = 0
    """The receipt number up to which nothing is news: that of the first whole history, or so far of the replay."""
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """By command id, its key as people write it; a command that is not here has its built-in one."""
    recalled: tuple[Heard, ...] = ()
    """Events from before those of the Snapshot that a person opened, in receipt order."""
    new_below: int = 0
    """How many events came that lie below what the events panel shows."""
    filter: Filter | None = None
    """What narrows the panels that answer it, or None."""
    marked: frozenset[str] = frozenset()
    """By key, the events marked to say something of at once."""
    opened: frozenset[str] = frozenset()
    """Event ids whose text was opened although its signature does not match."""
