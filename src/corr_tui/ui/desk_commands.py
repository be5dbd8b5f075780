"""The commands that take something away from a screen: to a file, in a form."""

from __future__ import annotations

from corr_tui.ui.command import Command, Scope


def _exporting(
    name: str, keys: tuple[str, ...], verb: str, description: str, action: str, footer: int | None = None
) -> Command:
    return Command(
        id=f"export.{name}",
        keys=keys,
        verb=verb,
        description=description,
        action=action,
        scope=Scope.EXPORT,
        group="While exporting",
        footer=footer,
    )


DESK_COMMANDS = (
    Command(
        id="export",
        keys=("E",),
        verb="export",
        description="Write what is shown to a file: a picture, text or JSON",
        action="export",
        scope=Scope.READING,
        group="The board",
    ),
    _exporting("write", ("w",), "write", "Write the file named, unless there is one", "write", footer=1),
    _exporting("over", ("o",), "write over it", "Write over the file that was asked about", "write_over", footer=2),
    _exporting("close", ("escape", "q", "E"), "close", "Close, and write nothing", "close", footer=0),
)
