"""The application: what it paints first, how it opens, what it hands on, and how it leaves a terminal."""

from __future__ import annotations

import asyncio
import gc
import os
import pty
import re
import select
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from screenshots.scene import scene
from textual.widgets import OptionList

from corr_tui.state.border import Correspondence
from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.app import CorrTui, DrawsSnapshot
from corr_tui.ui.commands import KeyClash
from corr_tui.ui.screens.help import HelpScreen
from corr_tui.ui.theme import OWN, ThemeUnknown, inks_of
from tests.ui.fake_session import FakeSession

ROOT = Path(__file__).resolve().parent.parent.parent


class Refused(Exception):
    """The correspondence cannot be opened, in words."""


def app_over(session: FakeSession | Exception, **named: str) -> CorrTui:
    async def opening() -> Correspondence:
        if isinstance(session, Exception):
            raise session
        return session

    return CorrTui(opening, monotonic=lambda: 0.0, theme=named.get("theme", ""))


def session_of_the_scene() -> FakeSession:
    world, snapshot = scene()
    session = FakeSession(world)
    session.show(snapshot)
    return session


async def test_the_board_is_painted_before_the_correspondence_is_opened() -> None:
    painted: list[str] = []
    held = asyncio.Event()

    async def opening() -> Correspondence:
        header, events = app.board.board.header, app.board.board.panels["events"]
        painted.append(header.render_line(0).text)
        painted.append(events.render_line(0).text)
        await held.wait()
        return session_of_the_scene()

    app = CorrTui(opening, monotonic=lambda: 0.0)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        assert painted[0].startswith("  corr-tui")
        assert painted[1].startswith("─ 2 Events")
        assert gc.isenabled()
        await pilot.press("1", "question_mark", "escape", "2")
        held.set()
        await pilot.pause()
        assert "#44" in app.board.board.header.render_line(0).text


async def test_why_it_cannot_be_opened_is_said_in_place() -> None:
    app = app_over(Refused("the bearer was refused: [b]401[/b] \x1b[2J"))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        lines = [app.board.board.panels["events"].render_line(y).text for y in range(6)]
        assert any("Not open" in line for line in lines)
        assert any("the bearer was refused: [b]401[/b] ␛[2J" in line for line in lines)
        await pilot.press("R", "s", "y", "enter", "q")
    assert app.return_code == 0


async def test_every_screen_of_the_stack_that_draws_a_snapshot_gets_it() -> None:
    class Drawing(HelpScreen):
        snapshot = Snapshot(repository_id="")

    session = session_of_the_scene()
    app, above = app_over(session), Drawing()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.push_screen(above)
        await pilot.pause()
        assert isinstance(above, DrawsSnapshot)
        shown = replace(session.snapshot, project_name="other")
        session.show(shown)
        await pilot.pause()
        assert above.snapshot is shown
        assert app.board.snapshot is shown


async def test_the_session_is_closed_when_the_app_ends() -> None:
    session = session_of_the_scene()
    async with app_over(session).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert not session.closed
    assert session.closed


async def test_a_session_that_breaks_ends_the_app_with_a_code() -> None:
    class Broken(FakeSession):
        async def snapshots(self) -> AsyncIterator[Snapshot]:
            yield self.snapshot
            raise RuntimeError("broken")

    app = app_over(Broken(scene()[0]))
    with pytest.raises(Exception, match="broken"):
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
    assert app.return_code == 1


@pytest.mark.parametrize(("asked", "used"), [("", "corr-dark"), ("corr-light", "corr-light"), ("nord", "nord")])
async def test_the_board_has_the_theme_asked_for(asked: str, used: str) -> None:
    app = app_over(session_of_the_scene(), theme=asked)
    assert app.theme == used
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        assert inks_of(app).tokens.canvas == str(app.board.styles.background.hex6).lower()


@pytest.mark.parametrize("asked", ["no such theme", "ansi-dark"])
def test_a_theme_that_is_not_there_or_has_no_colours_is_refused_with_those_that_have(asked: str) -> None:
    with pytest.raises(ThemeUnknown, match=f"'{asked}'; there are corr-dark, corr-light, .*nord"):
        app_over(session_of_the_scene(), theme=asked)


async def test_a_theme_of_textual_recolours_a_running_board() -> None:
    app = app_over(session_of_the_scene())
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        panel = app.board.board.panels["events"]
        before = panel.render_line(3)
        app.theme = "gruvbox"
        await pilot.pause()
        assert panel.render_line(3) != before


async def test_the_palette_of_themes_lists_ours_first_and_recolours_the_board() -> None:
    app = app_over(session_of_the_scene())
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        await app.run_action("change_theme")
        await pilot.pause()
        options = app.screen.query_one(OptionList)
        while options.option_count < len(OWN):
            await pilot.pause()
        assert [str(options.get_option_at_index(index).prompt) for index in range(len(OWN))] == list(OWN)
        options.highlighted = 1
        await pilot.press("enter")
        await pilot.pause()
        assert app.theme == list(OWN)[1]


def test_keys_of_a_person_that_clash_are_refused_at_start() -> None:
    async def never() -> Correspondence:
        raise AssertionError

    with pytest.raises(KeyClash, match="quit"):
        CorrTui(never, keys={"help": ("q",)})


async def test_keys_of_a_person_replace_the_built_in_ones() -> None:
    async def opening() -> Correspondence:
        return session_of_the_scene()

    app = CorrTui(opening, keys={"panel.claims": ("f3",)}, monotonic=lambda: 0.0)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        assert app.board.board.active == "events"
        await pilot.press("f3")
        assert app.board.board.active == "claims"


# A real terminal.


async def breaking() -> None:
    """A session that ends by a fault of its own."""
    secret = "b3" + "arer"
    raise RuntimeError(f"broken session of {len(secret)}")


PROGRAM = """
    import asyncio, sys
    from corr_tui.ui.app import CorrTui, run
    from tests.ui.test_app import session_of_the_scene

    async def opening():
        session = session_of_the_scene()
        {deed}
        return session

    sys.exit(run(CorrTui(opening)))
"""
ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"


class Terminal:
    """A program on a pseudo-terminal of its own."""

    def __init__(self, deed: str = "pass", **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        program = textwrap.dedent(PROGRAM).format(deed=deed)
        inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TEXTUAL")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=ROOT,
            env={**inherited, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", **environment},
            start_new_session=True,
        )
        os.close(theirs)
        self.output = b""

    def read_until(self, wanted: bytes) -> None:
        while wanted not in self.output and self._read():
            pass
        assert wanted in self.output

    def read_to_the_end(self) -> int:
        while self._read():
            pass
        return self.process.wait(20)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._ours], [], [], 20)
        if not ready:
            return False
        try:
            found = os.read(self._ours, 65_536)
        except OSError:
            return False
        self.output += found
        return bool(found)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(20)
        os.close(self._ours)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(number: signal.Signals) -> None:
    terminal = Terminal()
    try:
        terminal.read_until(b"#44")
        assert ENTERED in terminal.output
        terminal.process.send_signal(number)
        assert terminal.read_to_the_end() == 128 + number
        assert LEFT in terminal.output
    finally:
        terminal.close()


def test_a_crash_restores_the_terminal_returns_a_code_and_shows_no_values() -> None:
    terminal = Terminal("from tests.ui.test_app import breaking; session.run = breaking")
    try:
        assert terminal.read_to_the_end() == 1
        assert LEFT in terminal.output
        assert b"broken session" in terminal.output
        assert b"b3arer" not in terminal.output
    finally:
        terminal.close()


def test_no_color_means_none() -> None:
    terminal = Terminal(NO_COLOR="1")
    try:
        terminal.read_until(b"#44")
        os.write(terminal._ours, b"q")
        assert terminal.read_to_the_end() == 0
        styles = re.findall(rb"\x1b\[([\d;]*)m", terminal.output)
        coloured = [style for style in styles if re.search(rb"(^|;)([34]8|3[0-7]|4[0-7]|9[0-7]|10[0-7])(;|$)", style)]
        assert coloured == []
        assert any(re.search(rb"(^|;)7(;|$)", style) for style in styles)
    finally:
        terminal.close()
