"""One command: what it is called, which keys it has, and where those are heard."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from corr_tui.ui.key_names import show_key


class Scope(StrEnum):
    """Which part of the interface has the action of a command."""

    APP = "app"
    READING = "reading"
    """The board, and every view of what it shows."""
    BOARD = "board"
    VIEW = "view"
    """Every view over the board."""
    TRIAGE = "triage"
    TIMELINE = "timeline"
    LINEAGE = "lineage"
    INSPECTOR = "inspector"
    DIAGNOSTICS = "diagnostics"
    GRAPH = "graph"
    LADDER = "ladder"
    LIST = "list"
    """The list under the cursor, on any panel."""
    COMPOSE = "compose"
    HELP = "help"
    """Help, and every other page that is only read."""
    SEARCH = "search"
    PANELS = "panels"
    """What follows the key that hides and shows panels."""
    FILTER = "filter"
    """The line a filter is written in."""
    OUTBOX = "outbox"
    EXPORT = "export"


VIEWS: tuple[Scope, ...] = (
    Scope.TRIAGE,
    Scope.TIMELINE,
    Scope.LINEAGE,
    Scope.INSPECTOR,
    Scope.DIAGNOSTICS,
    Scope.GRAPH,
    Scope.LADDER,
)
"""The scopes of the views: each has its own commands beside those of every view."""

CONTEXTS = (
    frozenset({Scope.APP, Scope.READING, Scope.BOARD, Scope.LIST}),
    *(frozenset({Scope.APP, Scope.READING, Scope.VIEW, Scope.LIST, each}) for each in (Scope.VIEW, *VIEWS)),
    frozenset({Scope.APP, Scope.COMPOSE}),
    frozenset({Scope.APP, Scope.HELP}),
    frozenset({Scope.APP, Scope.SEARCH}),
    frozenset({Scope.APP, Scope.PANELS}),
    frozenset({Scope.APP, Scope.FILTER}),
    frozenset({Scope.APP, Scope.OUTBOX, Scope.LIST}),
    frozenset({Scope.APP, Scope.EXPORT, Scope.LIST}),
)
"""Scopes whose keys are heard at the same time."""

WRITING = frozenset({Scope.SEARCH, Scope.FILTER})
"""Scopes in which whatever types goes into a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing a person can do."""

    id: str
    """Stable: what a person's own key settings name."""
    keys: tuple[str, ...]
    """As Textual writes keys; the first is shown."""
    verb: str
    """The word beside the key in the footer."""
    description: str
    """A sentence for help and palette."""
    action: str
    """The action's name, on the part of the interface that `scope` names."""
    scope: Scope
    group: str
    """The heading it stands under in help."""
    panels: frozenset[str] = frozenset()
    """The panels whose footer shows it; empty means all."""
    footer: int | None = None
    """Its rank in the footer: when room is short, the highest goes first. None: not in the footer."""

    @property
    def speaks(self) -> bool:
        """Whether it says something, for which a key is needed."""
        return self.action.startswith("compose(")

    @property
    def shown(self) -> str:
        """Its first key as people write it."""
        return show_key(self.keys[0]) if self.keys else ""
