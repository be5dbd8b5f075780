"""A person's own editor: private, safe against what arrives meanwhile, and never a reason to lose words."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corr_tui.ui.editor import MOST_BYTES, EditorRefused, command_of, edited
from corr_tui.ui.screens.compose import ComposeScreen
from tests.ui.bare_app import screen_text, until
from tests.ui.desk import AskingDesk
from tests.ui.on_terminal import ENTERED, LEFT, on_terminal


def editor(code: str) -> tuple[str, ...]:
    """An editor that does this with the file at `path`."""
    return (sys.executable, "-c", f"import os, sys\nfrom pathlib import Path\npath = Path(sys.argv[1])\n{code}")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files are made for editors."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


# The editor alone.


async def test_the_words_come_back_and_the_file_is_gone(temporary: Path) -> None:
    append = editor("path.write_text(path.read_text() + ' and more\\n\\n')")
    assert await edited("some words", "summary", append) == "some words and more"
    assert os.listdir(temporary) == []


async def test_the_file_is_for_its_user_alone(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    look = editor(
        f"Path({str(seen)!r}).write_text(f'{{path.stat().st_mode}} {{path.parent.stat().st_mode}} {{path.name}}')"
    )
    await edited("secret", "detail", look)
    file, folder, name = seen.read_text().split()
    assert (stat.S_IMODE(int(file)), stat.S_IMODE(int(folder)), name) == (0o600, 0o700, "detail.txt")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("path.write_text('new'); sys.exit(3)", "ended with code 3"),
        ("path.write_bytes(b'\\xff\\xfe new')", "not UTF-8"),
        (f"path.write_text('x' * {MOST_BYTES + 1})", "too long"),
    ],
)
async def test_text_that_is_not_taken_stays_in_its_file_and_the_refusal_says_where(
    code: str, reason: str, temporary: Path
) -> None:
    with pytest.raises(EditorRefused, match=reason) as refused:
        await edited("old", "detail", editor(code))
    kept = os.path.join(temporary, *os.listdir(temporary), "detail.txt")
    assert str(refused.value).endswith(f"it is in {kept}")
    assert os.listdir(os.path.dirname(kept)) == ["detail.txt"]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("/nowhere/editor",), "could not be run"),
        (("nul\0byte",), "could not be run"),
        (editor("path.unlink()"), "is gone"),
        (editor("sys.exit(1)"), "ended with code 1"),
        (editor("path.unlink(); path.mkdir()"), "cannot be read"),
    ],
)
async def test_without_new_text_the_refusal_says_only_why(command: tuple[str, ...], reason: str) -> None:
    with pytest.raises(EditorRefused, match=reason):
        await edited("old", "detail", command)


async def test_a_folder_that_takes_no_file_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(EditorRefused, match="no file could be made"):
        await edited("old", "detail", editor("pass"))


def test_visual_comes_before_editor_and_neither_is_run_by_a_shell() -> None:
    assert command_of({"VISUAL": "code --wait", "EDITOR": "ed"}) == ("code", "--wait")
    assert command_of({"VISUAL": " ", "EDITOR": "'my editor' $HOME;"}) == ("my editor", "$HOME;")
    with pytest.raises(EditorRefused, match="neither"):
        command_of({})
    with pytest.raises(EditorRefused, match=r"\$EDITOR cannot be read"):
        command_of({"EDITOR": "'open"})


# In the composer.


@contextmanager
def lent() -> Iterator[None]:
    yield


async def composer(desk: AskingDesk, monkeypatch: pytest.MonkeyPatch, code: str) -> ComposeScreen:
    """The composer of an acknowledgement, with this editor and an app that can lend its terminal."""
    monkeypatch.setenv("VISUAL", shlex.join(editor(code)))
    monkeypatch.setattr(desk.app, "suspend", lent)
    await desk.press("k", "s")
    screen = desk.app.screen
    assert isinstance(screen, ComposeScreen)
    return screen


async def test_an_editors_words_are_in_the_field_and_are_posted_by_enter_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await composer(desk, monkeypatch, "path.write_text('first line\\nsecond line\\n')")
        await desk.press("ctrl+o")
        await until(desk.pilot, lambda: screen._composition.word("detail") == "first line second line")
        await until(desk.pilot, lambda: "its line breaks are spaces now" in screen_text(desk.app))
        assert desk.session.sent == []


async def test_an_editor_opened_while_writing_begins_with_what_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await composer(desk, monkeypatch, "path.write_text(path.read_text().upper())")
        await desk.press("e", *"typed", "ctrl+o")
        await until(desk.pilot, lambda: screen._composition.word("detail") == "TYPED")


async def test_words_that_break_a_rule_are_kept_and_the_rule_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await composer(desk, monkeypatch, "path.write_text('x' * 1001)")
        await desk.press("ctrl+o")
        await until(desk.pilot, lambda: len(screen._composition.word("detail")) == 1001)
        await until(desk.pilot, lambda: "needs a valid detail" in screen_text(desk.app))
        assert "1000" in screen_text(desk.app)


async def test_a_refusal_names_the_field_and_the_words_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await composer(desk, monkeypatch, "path.write_bytes(b'\\xff')")
        await desk.press("e", *"kept", "ctrl+o")
        await until(desk.pilot, lambda: "the detail is as it was" in screen_text(desk.app))
        assert screen._composition.word("detail") == "kept"


async def test_without_an_editor_it_is_said_and_the_words_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        await composer(desk, monkeypatch, "")
        monkeypatch.delenv("VISUAL")
        monkeypatch.delenv("EDITOR", raising=False)
        await desk.press("ctrl+o")
        await until(desk.pilot, lambda: "neither $VISUAL nor $EDITOR is set" in screen_text(desk.app))


async def test_a_terminal_that_cannot_be_lent_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        monkeypatch.setenv("VISUAL", "true")
        await desk.press("k", "s", "ctrl+o")
        await until(desk.pilot, lambda: "cannot be lent" in screen_text(desk.app))


async def test_strokes_typed_on_after_the_key_neither_post_nor_close(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        screen = await composer(desk, monkeypatch, "path.write_text('words')")
        closed = asyncio.Event()

        async def slow(text: str, name: str, command: tuple[str, ...]) -> str:
            await closed.wait()
            return "words"

        monkeypatch.setattr("corr_tui.ui.screens.compose_writing.edited", slow)
        await desk.press("ctrl+o", "enter", "escape")
        assert desk.app.screen is screen
        assert "waits for your editor" in screen_text(desk.app)
        closed.set()
        await until(desk.pilot, lambda: screen._composition.word("detail") == "words")
        assert desk.session.sent == []


# On a terminal.

WAKING = """
from tests.ui.bare_app import screen_text
from pathlib import Path
import os, signal

async def say():
    for number in range(1, 41):  # more drawings than a writer that nobody reads could hold
        world.say("bo", "progress", summary="said meanwhile")
        session.show(world.snapshot(me=session.me))
        while f"{number} new event" not in screen_text(app):
            await asyncio.sleep(0)
    Path(os.environ["HEARD"]).write_text("drawn nowhere")

asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: asyncio.ensure_future(say()))
"""
HOLDING = """
import os, sys
from pathlib import Path
print("EDITOR " + "HAS IT", flush=True)
with open(os.environ["GATE"]) as gate:
    said = gate.read()
Path(sys.argv[1]).write_text("from the editor")
sys.exit(int(said))
"""


@pytest.fixture
def held(tmp_path: Path, temporary: Path) -> dict[str, str]:
    """An editor that waits for its exit code to be written to GATE; HEARD is written when the app drew what came."""
    gate, heard, program = tmp_path / "gate", tmp_path / "heard", tmp_path / "editor.py"
    program.write_text(HOLDING)
    os.mkfifo(gate)
    os.mkfifo(heard)
    return {
        "VISUAL": shlex.join((sys.executable, str(program))),
        "GATE": str(gate),
        "HEARD": str(heard),
        "TMPDIR": str(temporary),
    }


def test_what_arrives_while_an_editor_has_the_terminal_is_heard_and_nothing_is_drawn_over_it(
    held: dict[str, str],
) -> None:
    with on_terminal(WAKING, **held) as terminal:
        terminal.type("ks")
        terminal.read_until(b"posts ack.seen")
        terminal.type("\x0f")
        terminal.read_until(b"EDITOR HAS IT")
        given = len(terminal.output)
        terminal.process.send_signal(signal.SIGUSR1)
        with open(held["HEARD"]) as heard:
            assert heard.read() == "drawn nowhere"
        os.kill(terminal.process.pid, signal.SIGINT)  # as a stroke of ^C in the editor is for its whole group
        with open(held["GATE"], "w") as gate:
            gate.write("0")
        terminal.read_until(b"from the editor", given)
        terminal.read_until(b"40 new events", given)
        again = terminal.output[given:]
        assert again[: again.index(ENTERED)].strip() == b""


def test_the_terminal_is_painted_anew_at_its_new_size_after_an_editor(held: dict[str, str]) -> None:
    import fcntl
    import struct
    import termios

    with on_terminal(WAKING, **held, COLUMNS="", LINES="") as terminal:
        terminal.type("ks")
        terminal.read_until(b"posts")
        terminal.type("\x0f")
        terminal.read_until(b"EDITOR HAS IT")
        given = len(terminal.output)
        fcntl.ioctl(terminal.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
        with open(held["GATE"], "w") as gate:
            gate.write("1")
        terminal.read_until(b"the detail is as it was", given)
        terminal.read_until(b"\x1b[24;1H", given)


def test_a_signal_that_ends_leaves_the_terminal_restored_while_an_editor_has_it(held: dict[str, str]) -> None:
    with on_terminal(WAKING, **held) as terminal:
        terminal.type("ks")
        terminal.read_until(b"posts ack.seen")
        terminal.type("\x0f")
        terminal.read_until(b"EDITOR HAS IT")
        given = len(terminal.output)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.read_to_the_end() == 128 + signal.SIGTERM
        assert ENTERED not in terminal.output[given:]
        assert LEFT in terminal.output[:given]
