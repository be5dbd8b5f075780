"""The palette of themes: ours first, in the order of `theme.OWN`, then Textual's (look: tokens)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from corr_tui.ui.theme import in_order


class ThemeProvider(Provider):
    """Every theme there is by name; choosing one recolours the running board, and nothing else is written."""

    async def discover(self) -> Hits:
        """All of them, in order."""
        for name in self._names():
            yield DiscoveryHit(Content(name), partial(self._choose, name), text=name)

    async def search(self, query: str) -> Hits:
        """Those whose name matches."""
        matcher = self.matcher(query)
        for name in self._names():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), partial(self._choose, name), text=name)

    def _names(self) -> Iterator[str]:
        yield from (theme.name for theme in in_order(self.app.available_themes.values()))

    def _choose(self, name: str) -> None:
        self.app.theme = name
