"""Names, numbers, paths and times of one Snapshot as clean text, the way one View wants them (§5: text, not commands).

Everything untrusted that a panel shows is asked for here or passes `clean` where it is shown.
"""

from __future__ import annotations

from datetime import date

from corr_tui.state.snapshot import Me, Snapshot, instant
from corr_tui.ui import times
from corr_tui.ui.commands import find
from corr_tui.ui.glyphs import Glyph
from corr_tui.ui.line import Ink, Line, Span, View
from corr_tui.ui.text import clean, quoted


def my_name(me: Me) -> str:
    """What to call whom this process signs as: the listed name, or while none is known the start of the id."""
    return clean(me.name).strip() or f"{clean(me.identity_id[:4])}…"


class Reading:
    """A Snapshot as somebody reads it; names are looked up once."""

    def __init__(self, snapshot: Snapshot, view: View) -> None:
        self.snapshot = snapshot
        self.view = view
        self._names: dict[str, str] = {}
        self._numbers: dict[str, str] = {}

    def name(self, identity_id: str | None) -> str:
        """What an identity is called."""
        if identity_id is None:
            return Glyph.SILENCE.symbol
        found = self._names.get(identity_id)
        if found is None:
            found = self._names[identity_id] = clean(self.snapshot.name_of(identity_id)).strip() or "—"
        return found

    def number(self, event_id: str) -> str:
        """`#4810` here, `6f9d…` elsewhere."""
        found = self._numbers.get(event_id)
        if found is None:
            found = self._numbers[event_id] = clean(self.snapshot.number_of(event_id))
        return found

    def device(self, device_id: str) -> str:
        """My device's name, or the start of another's id."""
        me = self.snapshot.me
        if me is not None and me.device_id == device_id:
            return clean(me.device_name)
        return f"{clean(device_id[:4])}…"

    def key(self, command_id: str, verb: str = "") -> Line:
        """The key of a command and what it does here; nothing where it has none."""
        keys = self.view.keys
        shown = keys[command_id] if command_id in keys else find(command_id).shown
        if not shown:
            return ()
        return (Span(shown, Ink.KEY), Span(f" {verb}", Ink.DIM)) if verb else (Span(shown, Ink.KEY),)

    @property
    def scope(self) -> str:
        """`all threads`, or the chosen one."""
        return "all threads" if self.view.thread_id is None else clean(self.view.thread_id)

    @property
    def heading(self) -> str:
        """The scope as a title: `All threads`, or the chosen one."""
        return "All threads" if self.view.thread_id is None else self.scope

    @property
    def now(self) -> str | None:
        """The service's now as RFC3339-ms, or None while unknown."""
        return None if self.view.now is None else instant(self.view.now)

    @property
    def today(self) -> date | None:
        """The day it is for the viewer, by the service's clock."""
        return None if self.view.now is None else self.view.now.astimezone(self.view.zone).date()

    def clock(self, moment: str, *, seconds: bool = True) -> str:
        """The time of day of an instant."""
        return times.clock(moment, self.view.zone, seconds=seconds)

    def until(self, moment: str) -> str:
        """An instant to come: its time of day, or its day when that is not today."""
        return times.until(moment, self.view.zone, self.today)

    def in_full(self, moment: str) -> str:
        """An instant to come: its time of day, after its day when that is not today."""
        return times.in_full(moment, self.view.zone, self.today)

    def in_scope(self, thread_id: str) -> bool:
        """Whether a thread is among those looked at."""
        return self.view.thread_id in (None, thread_id)


def paths_words(paths: tuple[str, ...] | list[str]) -> str:
    """The first prefix and how many more: `packages/sdk-ts +2`."""
    first = clean(paths[0]) if paths else "—"
    return first if len(paths) < 2 else f"{first} +{len(paths) - 1}"


def revision(value: str) -> str:
    """A revision or a digest, short."""
    return value.removeprefix("sha256:")[:7]


def quote(words: object, ink: Ink = Ink.TEXT) -> Line:
    """The words of others in quotation marks, or nothing when there are none."""
    return (Span(quoted(words), ink),) if isinstance(words, str) else ()
