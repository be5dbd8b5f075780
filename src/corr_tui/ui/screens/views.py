"""The views there are, by name; each is loaded when it is first opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from corr_tui.ui.screens.snapshot_screen import SnapshotScreen

Opener = Callable[[SnapshotScreen, str | None], SnapshotScreen]
"""Makes the screen of a view over another screen, with an event to begin at."""

VIEWS: Mapping[str, str] = MappingProxyType(
    {
        "triage": "TriageScreen",
        "timeline": "TimelineScreen",
        "lineage": "LineageScreen",
        "inspector": "InspectorScreen",
        "participants": "ParticipantsScreen",
        "paths": "PathsScreen",
        "diagnostics": "DiagnosticsScreen",
        "graph": "GraphScreen",
        "ladder": "LadderScreen",
    }
)
"""By name, the class of its screen, in the module `screens/<name>.py`."""


def view(name: str) -> Opener:
    """The screen of a view."""
    found: Opener = getattr(import_module(f"corr_tui.ui.screens.{name}"), VIEWS[name])
    return found
