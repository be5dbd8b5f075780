"""Takes the pictures of the board from a fixed scene: `python -m screenshots.take [FOLDER]`, from the checkout's root.

A picture is the app itself at a size and under a theme, with the scene for a session and a clock that stands still.
It is written as SVG; the one the README shows is written as PNG as well, where cairosvg is installed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import re
import sys
from collections.abc import Callable
from html import escape, unescape
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from screenshots.scene import before_the_last, scene
from screenshots.states import as_it_is, computed, kept, offline, reading, waiting
from tests.correspondents import World
from tests.ui.fake_session import FakeSession

from corr_tui.state.border import Correspondence
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.app import CorrTui
from corr_tui.ui.text import cells

ARRIVING = 3
"""Events that come after the board was opened."""
HERE = Path(__file__).resolve().parent
FONTS = "JetBrains Mono, Menlo, Consolas, DejaVu Sans Mono, monospace"
CELL = 12.2
"""Units of the picture a cell is wide."""
PLAIN_FONT = "DejaVu Sans Mono"
PLAIN_SIZE = 20.266
"""At which a character of the plain font is one cell wide."""
STRETCH = 16
"""Characters drawn at once: a renderer that rounds their widths drifts no further than that."""


class Picture(NamedTuple):
    """A size, a theme, the keys pressed before it is taken, whether it is wanted as PNG too, and what is amiss."""

    name: str
    width: int
    height: int
    theme: str = "corr-dark"
    keys: tuple[str, ...] = ("k",)
    png: bool = False
    state: Callable[[World, Snapshot], Snapshot] = as_it_is


PICTURES = (
    Picture("board-160x48-dark", 160, 48),
    Picture("board-160x48-light", 160, 48, "corr-light"),
    Picture("board-120x36-dark", 120, 36, png=True),
    Picture("board-80x24-dark", 80, 24),
    Picture("board-80x24-claims", 80, 24, keys=("3", "j", "j", "j", "j")),
    Picture("composer-160x48-bytes", 160, 48, keys=("k", "s", "v")),
    Picture("composer-120x36", 120, 36, keys=("k", "s")),
    Picture("composer-80x24", 80, 24, keys=("k", "s")),
    Picture("computed-here-160x48", 160, 48, state=computed),
    Picture("offline-160x48-light", 160, 48, "corr-light", state=offline),
    Picture("offline-80x24-claims", 80, 24, keys=("3",), state=offline),
    Picture("reading-120x36", 120, 36, keys=("k",) * 8, state=reading),
    Picture("earlier-80x24", 80, 24, keys=("home",), state=kept),
    Picture("search-120x36", 120, 36, keys=("ctrl+f", *"retr", "enter"), state=as_it_is),
    Picture("search-80x24-light", 80, 24, "corr-light", keys=("ctrl+f", *"retr", "enter")),
    Picture("outbox-120x36", 120, 36, keys=("o", "j", "d"), state=waiting),
    Picture("outbox-80x24", 80, 24, keys=("o", "G"), state=waiting),
    Picture("triage-160x48", 160, 48, keys=("t",)),
    Picture("triage-80x24-light", 80, 24, "corr-light", keys=("t",)),
    Picture("timeline-160x48", 160, 48, keys=("T", "j", "j", "j")),
    Picture("lineage-160x48", 160, 48, keys=("3", "L")),
    Picture("graph-160x48", 160, 48, keys=("g",)),
    Picture("graph-80x24", 80, 24, keys=("g",)),
    Picture("ladder-160x48", 160, 48, keys=("l",)),
    Picture("paths-120x36", 120, 36, keys=("P",)),
    Picture("participants-120x36-light", 120, 36, "corr-light", keys=("p",)),
    Picture("inspector-120x36", 120, 36, keys=("k", "i")),
    Picture("diagnostics-120x36", 120, 36, keys=("D",)),
)


def board(session: FakeSession, theme: str = "") -> CorrTui:
    """The app over a session, its clock standing still."""

    async def open_session() -> Correspondence:
        return session

    return CorrTui(open_session, title="corr-tui", theme=theme, monotonic=lambda: 0.0)


async def take(picture: Picture) -> str:
    """The picture as SVG: the last events come while the cursor is on an earlier one."""
    world, snapshot = scene()
    snapshot = picture.state(world, snapshot)
    session = FakeSession(world)
    session.show(before_the_last(snapshot, ARRIVING))
    app = board(session, picture.theme)
    async with app.run_test(size=(picture.width, picture.height)) as pilot:
        await pilot.pause()
        await pilot.press(*picture.keys)
        session.show(snapshot)
        await pilot.pause()
        await pilot.pause()
        return placed(app.export_screenshot(title=f"corr-tui, {picture.width} × {picture.height}"))


def placed(svg: str) -> str:
    """The same picture with each word at its own cell, in fonts of the system: nothing is fetched to draw it."""
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL).replace("Fira Code, monospace", FONTS)
    return re.sub(
        r'<text class="([^"]+)" x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+"([^>]*)>([^<]*)</text>', _words, svg
    )


def _words(found: re.Match[str]) -> str:
    style, x, y, rest, escaped = found.groups()
    text = unescape(escaped)
    words = []
    for match in re.finditer(rf"[^\s\xa0]{{1,{STRETCH}}}", text):
        start, word = float(x) + cells(text[: match.start()]) * CELL, match.group()
        length = f'textLength="{cells(word) * CELL:.1f}"'
        shown = escape(word)
        words.append(f'<text class="{style}" x="{start:.1f}" y="{y}" {length}{rest}>{shown}</text>')
    return "".join(words)


def as_png(svg: str, path: Path) -> None:
    """Write the picture as PNG, drawn in one font that most systems have."""
    svg = svg.replace(FONTS, PLAIN_FONT).replace("font-size: 20px", f"font-size: {PLAIN_SIZE}px")
    import_module("cairosvg").svg2png(bytestring=svg.encode(), write_to=str(path))


def main(folder: Path) -> None:
    """Take every picture into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        svg = asyncio.run(take(picture))
        (folder / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
        if picture.png and importlib.util.find_spec("cairosvg") is not None:
            as_png(svg, folder / f"{picture.name}.png")
        print(folder / picture.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
