"""The commands of the views: the keys that open them, what every view hears, and what each hears by itself."""

from __future__ import annotations

from corr_tui.ui.command import Command, Scope


def _opens(key: str, name: str, title: str, description: str, footer: int | None = None) -> Command:
    """The key that opens a view: heard on the board and in every view."""
    return Command(
        id=f"view.{name}",
        keys=(key,),
        verb=title,
        description=description,
        action=f"view('{name}')",
        scope=Scope.READING,
        group="Views",
        footer=footer,
    )


def _in(scope: Scope, name: str, keys: tuple[str, ...], verb: str, description: str, action: str) -> Command:
    """A command of one view, or for `Scope.VIEW` of each."""
    group = "In every view" if scope is Scope.VIEW else f"In the {scope}"
    return Command(
        id=f"{scope}.{name}",
        keys=keys,
        verb=verb,
        description=description,
        action=action,
        scope=scope,
        group=group,
        footer=1,
    )


VIEW_COMMANDS = (
    _in(Scope.VIEW, "close", ("escape", "q"), "back", "Back to where the view was opened", "close"),
    _in(Scope.VIEW, "details", ("6",), "details", "Go to what is told of the row under the cursor", "go('details')"),
    _in(Scope.VIEW, "turn", ("tab", "shift+tab"), "other part", "Between the rows and what is told of one", "turn"),
)
"""In the order of help: what opens a view, what every view hears, then view by view."""
