"""How a person divides the board: a panel has all the room, or none; kept as long as the board runs.

Nothing is out of reach: the key of a hidden panel brings it back, and so does whatever goes to it.
"""

from __future__ import annotations

from dataclasses import replace

from corr_tui.ui.screens.board_asking import BoardAsking
from corr_tui.ui.screens.places import PANELS, Arrangement


class BoardArranging(BoardAsking):
    """The board with its divisions."""

    def divide(self, arrangement: Arrangement) -> None:
        """Divide the board otherwise, and draw it so."""
        self.board.divide(arrangement)
        self.draw()

    def action_maximise(self) -> None:
        """Give the focused panel all the room, or give it back."""
        arrangement = self.board.arrangement
        if arrangement.strip:
            self.tell("A strip shows one panel only.")
            return
        self.divide(replace(arrangement, maximised=not arrangement.maximised))
        if not arrangement.maximised:
            self.tell(f"Maximised: {self.key('panel.maximise')} gives the room back, numbers go to other panels.")

    def action_arrange(self) -> None:
        """Ask which panel to hide or to show."""
        from corr_tui.ui.screens.prefix_sheet import PanelsSheet

        hidden = self.board.arrangement.hidden
        notes = {f"show.{name}": "hidden" if name in hidden else "shown" for name in PANELS if name != "events"}
        sheet = PanelsSheet(self.key("panel.arrange"), notes, ascii_only=self.view.ascii_only)
        self.app.push_screen(sheet, self._chosen)

    def _chosen(self, name: str | None) -> None:
        if name == "all":
            self.divide(replace(self.board.arrangement, hidden=frozenset()))
        elif name is not None:
            self._turn(name)

    def _turn(self, name: str) -> None:
        """Hide a panel, or show it again."""
        arrangement = self.board.arrangement
        if name in arrangement.hidden:
            self.divide(replace(arrangement, hidden=arrangement.hidden - {name}))
            return
        if self.board.active == name:
            self.action_panel("events")
        self.divide(replace(arrangement, hidden=arrangement.hidden | {name}))
        self.tell(f"{name.capitalize()} hidden; {self.key(f'panel.{name}')} brings it back.")

    def action_panel(self, name: str) -> None:
        """Go to a panel, which is shown again if it was hidden."""
        arrangement = self.board.arrangement
        if name in arrangement.hidden:
            self.board.divide(replace(arrangement, hidden=arrangement.hidden - {name}))
            self.redraw()
        super().action_panel(name)
