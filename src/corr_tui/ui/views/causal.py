"""Events as nodes of a causal graph, kept from one snapshot to the next (§4: parents; look: graph).

Events come in receipt order; a parent that was received after who names it goes before it all the same, for lines
follow signed parents and never arrival. Bytes that are not those of their identifier, or that their signature refutes,
prove no parents: such an event stands there without lines, and is nobody's parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from corr_tui.state.filter_rows import found
from corr_tui.state.ledger import REFUTED
from corr_tui.state.snapshot import Heard, Snapshot, Unsent
from corr_tui.ui.line import View
from corr_tui.ui.panels.event_row import thread_of
from corr_tui.ui.panels.what import is_ack
from corr_tui.ui.views.lanes import Lanes, Node, parents_first

AT_ONCE = 500
"""Events laid in one turn of the loop, at most."""
STRIDE = 500
"""Of a history whose beginning is kept further back, events are left out up to a multiple of this receipt number; so
the first of those drawn stays the same for as many events."""
REFUTES = "refuted "
"""Begins the key of an event that is nobody's parent."""

Entry: TypeAlias = Heard | Unsent
"""An event with a receipt, or one of mine without."""


def chosen(snapshot: Snapshot, view: View) -> list[Entry]:
    """The events to draw: of the chosen thread, or of all, those without a receipt last."""
    heard: Sequence[Heard] = snapshot.events
    waiting: Iterable[Unsent] = snapshot.unsent
    if view.filter:
        heard, waiting = found(view.filter, snapshot)
    if snapshot.history.earlier and heard:
        first = -(-heard[0].record.seq // STRIDE) * STRIDE
        heard = [each for each in heard if each.record.seq >= first]
    thread_id = view.thread_id
    if thread_id is not None:
        heard = [each for each in heard if thread_of(each) == thread_id]
    unsent = [
        each
        for each in waiting
        if each.event.event_id not in snapshot.by_id and thread_id in (None, each.event.thread_id)
    ]
    return [*heard, *unsent]


def proves_parents(entry: Entry) -> bool:
    """Whether the parents an event names are those its bytes sign."""
    return isinstance(entry, Unsent) or (entry.genuine and entry.event is not None and entry.verdict not in REFUTED)


class Causal:
    """The graph of some events. One more event costs the same however many there are; `lanes.laid` counts the work."""

    def __init__(self) -> None:
        self.lanes = Lanes()
        self.entries: dict[str, Entry] = {}
        """By the key of its node."""
        self.senders: set[str] = set()
        """The identities of them."""
        self.laid = False
        """Whether all of them are laid."""
        self.late: dict[str, str] = {}
        """Events that were received after one that names them as parent; the first such one."""
        self._given: list[Entry] = []
        self._nodes: list[Node] = []
        self._order: list[Node] = []
        self._awaited: dict[str, str] = {}
        """Parents that were not there, and the first node that names each."""

    @property
    def count(self) -> int:
        """How many events it is of."""
        return len(self._order)

    def take(self, entries: Sequence[Entry], most: int | None = AT_ONCE) -> bool:
        """Go on to these events, in receipt order; whether all of them are laid, else call it again."""
        same = _common(self._given, entries)
        new = [_node(entry) for entry in entries[same:]]
        cut = same < len(self._given)
        if cut:
            self.entries, self.late, self._awaited, self.senders = {}, {}, {}, set()
            new = [*self._nodes[:same], *new]
            self._nodes = []
        late = self._note(new, entries[len(self._nodes) :])
        self._nodes += new
        self._given = list(entries)
        if cut or late:
            self._order = parents_first(self._nodes)
        else:
            self._order += new
        self.laid = self.lanes.take(self._order, most)
        return self.laid

    def after(self, seq: int) -> Iterator[Heard]:
        """The events received after a receipt number, from the newest."""
        for entry in reversed(self._given):
            if isinstance(entry, Heard):
                if entry.record.seq <= seq:
                    return
                yield entry

    def _note(self, nodes: Sequence[Node], entries: Sequence[Entry]) -> bool:
        """Take nodes into account; whether one is a parent that was named before it came."""
        late = False
        for node, entry in zip(nodes, entries, strict=True):
            self.entries[node.key] = entry
            if entry.event is not None:
                self.senders.add(entry.event.sender.identity_id)
            if node.key in self._awaited:
                late, self.late[node.key] = True, self._awaited[node.key]
            for parent in node.parents:
                if parent not in self.entries:
                    self._awaited.setdefault(parent, node.key)
        return late


def _node(entry: Entry) -> Node:
    if isinstance(entry, Unsent):
        return Node(entry.event.event_id, entry.event.parents, is_ack(entry.event.kind))
    event = entry.event
    if event is None or not proves_parents(entry):
        return Node(f"{REFUTES}{entry.key}")
    return Node(entry.key, event.parents, is_ack(event.kind))


def _common(one: Sequence[Entry], other: Sequence[Entry]) -> int:
    """How many entries both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (each, same) in pairs if each is not same), min(len(one), len(other)))
