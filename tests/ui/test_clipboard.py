"""Copying: which way it goes, that this is said, and what of it reaches a terminal."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.ui import clipboard
from corr_tui.ui.clipboard import Way, copy, tools
from corr_tui.ui.sequences import MAX_CLIPBOARD, Between, between, notification, title
from corr_tui.ui.sequences import clipboard as sequence_of
from tests.ui.on_terminal import on_terminal

HOSTILE = "a\x1b]52;c;ZXZpbA==\x07\x9d0;b\x9c\x00\r\n\u202ec\u2028d\x1b\\e"
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def program(folder: Path, name: str, code: str) -> None:
    """A program of that name that does this."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{code}\n")
    path.chmod(0o700)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of the path there is."""
    monkeypatch.setenv("PATH", f"{tmp_path}")
    return tmp_path


# Which programs.


@pytest.mark.parametrize(
    ("environment", "platform", "names"),
    [
        ({}, "linux", []),
        ({"DISPLAY": ":0"}, "linux", ["xclip", "xsel"]),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "linux", ["wl-copy", "xclip", "xsel"]),
        ({"TMUX": "/tmp/tmux,1,0"}, "linux", ["tmux"]),
        ({"WSL_DISTRO_NAME": "Debian"}, "linux", ["clip.exe"]),
        ({}, "darwin", ["pbcopy"]),
        ({"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, "darwin", []),
        ({"SSH_TTY": "/dev/pts/1", "DISPLAY": "localhost:10.0"}, "linux", ["xclip", "xsel"]),
    ],
)
def test_a_program_is_asked_only_where_this_session_has_its_clipboard(
    environment: dict[str, str], platform: str, names: list[str]
) -> None:
    assert [each.name for each in tools(environment, lambda name: f"/bin/{name}", platform)] == names
    assert tools(environment, lambda name: None, platform) == ()


# Which way.


async def test_a_program_takes_the_text_and_is_named(here: Path) -> None:
    program(here, "xclip", f'/bin/cat > "{here}/taken"; printf %s "$*" > "{here}/said"')
    written: list[str] = []
    copied = await copy("sha256:ab", Way.AUTO, written.append, {"DISPLAY": ":0"})
    assert copied == (True, "by xclip")
    assert (here / "taken").read_bytes() == b"sha256:ab"
    assert (here / "said").read_text() == "-selection clipboard -in"
    assert written == []


async def test_a_program_that_refuses_leaves_it_to_the_next_and_then_to_the_terminal(here: Path) -> None:
    program(here, "xclip", "exit 1")
    written: list[str] = []
    copied = await copy("words", Way.AUTO, written.append, {"DISPLAY": ":0"})
    assert copied == (True, "by OSC 52; whether it was taken cannot be known")
    assert written == ["\x1b]52;c;d29yZHM=\a"]


async def test_the_platform_alone_says_why_it_did_not_take_it(here: Path) -> None:
    written: list[str] = []
    nowhere = await copy("words", Way.PLATFORM, written.append, {})
    program(here, "xclip", "exit 3")
    program(here, "xsel", "exit 4")
    refused = await copy("words", Way.PLATFORM, written.append, {"DISPLAY": ":0"})
    assert nowhere == (False, "there is no wl-copy, xclip, xsel, pbcopy, clip.exe or tmux with a clipboard here")
    assert refused == (False, "xclip ended with code 3; xsel ended with code 4")
    assert written == []


async def test_a_program_that_does_not_end_is_given_up(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "TIMEOUT", 0.05)
    program(here, "xclip", "exec /bin/sleep 60")
    copied = await copy("words", Way.PLATFORM, list[str]().append, {"DISPLAY": ":0"})
    assert copied == (False, "xclip did not take it in 0.05 s")


async def test_a_program_that_is_none_is_said(here: Path) -> None:
    program(here, "xclip", "")
    (here / "xclip").write_bytes(b"\0")
    copied = await copy("words", Way.PLATFORM, list[str]().append, {"DISPLAY": ":0"})
    assert not copied.done
    assert copied.words.startswith("xclip could not be run")


async def test_nothing_is_copied_where_the_configuration_says_so() -> None:
    written: list[str] = []
    copied = await copy("words", Way.NONE, written.append, {})
    assert (copied.done, written) == (False, [])


async def test_what_is_too_long_for_osc_52_is_said_and_not_sent() -> None:
    written: list[str] = []
    most = await copy("x" * MAX_CLIPBOARD, Way.OSC52, written.append, {})
    more = await copy("x" * (MAX_CLIPBOARD + 1), Way.OSC52, written.append, {})
    assert (most.done, len(written)) == (True, 1)
    assert len(written[0]) <= 100_000
    assert more == (False, "it has 74,995 bytes, and by OSC 52 at most 74,994 go")


async def test_in_tmux_it_is_said_what_tmux_needs(here: Path) -> None:
    written: list[str] = []
    copied = await copy("words", Way.AUTO, written.append, {"TMUX": "x"})
    assert copied == (True, "by OSC 52; tmux takes it with set-clipboard or allow-passthrough on")
    plain, wrapped = "\x1b]52;c;d29yZHM=\a", "\x1bPtmux;\x1b\x1b]52;c;d29yZHM=\a\x1b\\"
    assert written == [plain + wrapped]
    program(here, "tmux", f'/bin/cat > "{here}/taken"')
    assert (await copy("words", Way.AUTO, written.append, {"TMUX": "x"})).words.startswith("by tmux")
    assert (here / "taken").read_text() == "words"


async def test_hostile_text_is_copied_as_the_text_door_shows_it() -> None:
    written: list[str] = []
    await copy(HOSTILE, Way.OSC52, written.append, {})
    taken = b64decode(written[0].removeprefix("\x1b]52;c;").removesuffix("\a")).decode()
    assert CONTROLS.findall(taken) == ["\n"]


# Sequences.


@given(st.text(), st.sampled_from(Between))
def test_no_text_ends_a_sequence_or_begins_another(text: str, through: Between) -> None:
    for sequence, begin in ((title(text), "\x1b]2;"), (notification(text), "\x1b]9;corr-tui: ")):
        assert sequence.startswith(begin)
        assert sequence.endswith("\a")
        assert CONTROLS.search(sequence[len(begin) : -1]) is None
    assert re.fullmatch("\x1b]52;c;[A-Za-z0-9+/=]*\a", sequence_of(text))
    wrapped = notification(text, through)
    assert unwrapped(wrapped, through) == notification(text)


def unwrapped(sequence: str, through: Between) -> str:
    """What the terminal gets of what is written to tmux or screen."""
    if through is Between.NOTHING:
        return sequence
    begin = "\x1bPtmux;" if through is Between.TMUX else "\x1bP"
    pieces = re.findall(re.escape(begin) + "(.*?)(?<!\x1b)\x1b\\\\", sequence, re.DOTALL)
    assert "".join(f"{begin}{piece}\x1b\\" for piece in pieces) == sequence
    assert all(len(piece) <= 240 for piece in pieces) or through is Between.TMUX
    return "".join(pieces).replace("\x1b\x1b", "\x1b") if through is Between.TMUX else "".join(pieces)


def test_what_stands_between_is_told_by_the_environment() -> None:
    assert between({"TMUX": "/tmp/x", "STY": "1.pts"}) is Between.TMUX
    assert between({"STY": "1.pts"}) is Between.SCREEN
    assert between({"TMUX": ""}) is Between.NOTHING


# On a terminal.


def test_what_reaches_the_terminal_is_the_event_under_the_cursor_in_base64() -> None:
    with on_terminal(settings="clipboard='osc52'") as terminal:
        terminal.type("k")
        terminal.read_until(b"claim.renew by bo")
        terminal.type("Y")
        terminal.read_until(b"Copied")
        (sent,) = re.findall(rb"\x1b]52;c;([^\x07]*)\x07", terminal.output)
        assert b'"signature"' in b64decode(sent)
        terminal.type("q")
        assert terminal.read_to_the_end() == 0


def test_no_title_is_set_unasked() -> None:
    with on_terminal() as terminal:
        terminal.type("q")
        assert terminal.read_to_the_end() == 0
        assert set(re.findall(rb"\x1b\](\d+)", terminal.output)) <= {b"22"}  # the shape of the mouse pointer
        assert b"\x1b[22;2t" not in terminal.output
