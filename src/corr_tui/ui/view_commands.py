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
    _opens("t", "triage", "triage", "What may want my eyes, each with its reason", 9),
    _opens("T", "timeline", "timeline", "Live and recent claims as bars from receipt to expiry", 14),
    _opens("L", "lineage", "lineage", "Every event of the claim under the cursor, by generation", 15),
    _opens("P", "paths", "paths", "Who claims what, as a tree of path prefixes, overlaps marked", 18),
    _opens("p", "participants", "participants", "Identities with their keys, sessions, last reports and claims", 17),
    _opens("D", "diagnostics", "diagnostics", "Notices, link, refreshes, clock, history and what is unsent"),
    _opens("i", "inspector", "inspect", "Everything of the event under the cursor, its exact bytes too", 16),
    _opens("g", "graph", "graph", "Events by the parents they sign, newest first", 17),
    _opens("l", "ladder", "acknowledgements", "What each declared about each event, and who said nothing", 18),
    _in(Scope.VIEW, "close", ("escape", "q"), "back", "Back to where the view was opened", "close"),
    _in(Scope.VIEW, "details", ("6",), "details", "Go to what is told of the row under the cursor", "go('details')"),
    _in(Scope.VIEW, "turn", ("tab", "shift+tab"), "other part", "Between the rows and what is told of one", "turn"),
    _in(Scope.TRIAGE, "next", ("n",), "next", "To the next of what may want my eyes", "next"),
    _in(Scope.TRIAGE, "previous", ("b",), "previous", "To the one before", "previous"),
    _in(Scope.TRIAGE, "hide", ("z",), "hide here", "Hide it here, or show it again; nothing is posted", "hide"),
    _in(Scope.TRIAGE, "hidden", ("Z",), "show hidden", "List what is hidden here too, or no longer", "hidden"),
    _in(Scope.LINEAGE, "older", ("left",), "older", "To the event it continues", "older"),
    _in(Scope.LINEAGE, "newer", ("right",), "newer", "To the first event that continues it, by event id", "newer"),
    _in(Scope.GRAPH, "older", ("left",), "older", "To the first of its parents that is drawn", "older"),
    _in(Scope.GRAPH, "newer", ("right",), "newer", "To the first event that names it as parent", "newer"),
    _in(Scope.LADDER, "left", ("left",), "others before", "To the participants on the left", "shift(-1)"),
    _in(Scope.LADDER, "right", ("right",), "others after", "To the participants on the right", "shift(1)"),
    _in(Scope.DIAGNOSTICS, "copy", ("b",), "copy report", "Copy all of it as text, for a report of a fault", "copy"),
    _in(Scope.INSPECTOR, "return", ("backspace",), "return", "Back to the event inspected before", "return"),
    _in(Scope.INSPECTOR, "next", ("n",), "next section", "To the next section", "section(1)"),
    _in(Scope.INSPECTOR, "previous", ("b",), "section before", "To the section before", "section(-1)"),
    _in(Scope.TIMELINE, "wider", ("plus", "equals_sign"), "wider", "Less time, so that each claim is wider", "zoom(1)"),
    _in(Scope.TIMELINE, "narrower", ("minus",), "narrower", "More time, so that each is narrower", "zoom(-1)"),
    _in(Scope.TIMELINE, "now", ("0",), "now", "Back to now, at the scale it began with", "now"),
    _in(Scope.TIMELINE, "earlier", ("left",), "earlier", "To an earlier time", "shift(-2)"),
    _in(Scope.TIMELINE, "later", ("right",), "later", "To a later time", "shift(2)"),
)
"""In the order of help: what opens a view, what every view hears, then view by view."""
