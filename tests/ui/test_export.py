"""What is shown, in a file: three forms, no address of another computer, nothing written over unasked."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from screenshots.scene import scene

from corr_tui.state.snapshot import Snapshot
from corr_tui.ui.export_file import FileThere, NotWritten, path_of, write
from corr_tui.ui.exporting import Exported, Format, as_text, rendered, without_addresses
from corr_tui.ui.line import Content, Ink, Row, Span, View
from corr_tui.ui.panels import events
from corr_tui.ui.screens.export import ExportScreen
from tests.ui.bare_app import screen_text, until
from tests.ui.desk import AskingDesk

# Forms.


def exported(snapshot: Snapshot | None = None, picture: str = "") -> Exported:
    shown = snapshot or scene()[1]
    content = events.content(shown, View(), 100)
    return Exported(
        "events", content, shown, None, lambda key: (shown.by_id[key],) if key in shown.by_id else (), picture
    )


def test_text_is_the_title_and_every_line_of_the_panel() -> None:
    text = rendered(exported(), Format.TEXT).decode()
    assert text.startswith("Events  all threads")
    assert all(f"#{number} " in text for number in range(1, 45))
    assert all(line == line.rstrip() for line in text.splitlines())


def test_an_empty_panel_says_in_text_what_it_says_on_the_screen() -> None:
    content = Content("Claims", empty=((Span("No active claims", Ink.STRONG),),), foot=((Span("to #4"),),))
    assert as_text(content) == "Claims\nNo active claims\nto #4\n"
    rows = replace(content, rows=(Row("a", ((Span("one  "),), (Span("two"),))),))
    assert as_text(rows) == "Claims\none\ntwo\nto #4\n"


def test_json_holds_the_events_with_receipt_and_verdict() -> None:
    taken = exported()
    data = json.loads(rendered(taken, Format.JSON))
    heard = taken.snapshot.events[-1]
    assert data["events"][heard.key] == {
        "event": heard.record.event.evidence,
        "receipt": {"received_seq": "44", "received_at": heard.record.receipt.received_at},
        "missing_parents": [],
        "lineage_status": "not_applicable",
        "verdict": str(heard.verdict),
        "verdict_detail": heard.detail,
        "genuine": True,
    }
    assert (data["view"], data["cursor"], data["history_complete"]) == ("events", "44", True)
    assert {key for row in data["rows"] for key in row["events"]} == data["events"].keys()
    live = {each["event_id"] for each in data["claims"]}
    assert live == {each.event_id for each in taken.snapshot.projection.voice.active_claims}  # type: ignore[union-attr]


def test_json_is_ascii_whatever_others_wrote() -> None:
    world, _ = scene()
    world.say("bo", "observation", summary="\x1b]0;x\x07 \u202e \x9b")
    assert rendered(exported(world.snapshot()), Format.JSON).replace(b"\n", b"").isascii()
    assert b"\x1b" not in rendered(exported(world.snapshot()), Format.JSON)
    assert b"\x1b" not in rendered(exported(world.snapshot()), Format.TEXT)


async def test_the_picture_is_well_formed_and_names_no_other_computer() -> None:
    desk = AskingDesk()
    async with desk.at(120, 36):
        svg = desk.app.export_screenshot()
    assert "cdnjs" in svg  # what this is for
    kept = without_addresses(svg)
    assert re.findall(r"\w+://[^\s\"'<)]+", kept) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in kept.replace("url(#", "")
    ElementTree.fromstring(kept)
    assert kept.count("<text") == svg.count("<text")


# Files.


def test_a_file_is_made_for_its_user_alone_and_never_over_another_unasked(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    write(path, b"one")
    with pytest.raises(FileThere):
        write(path, b"two")
    assert path.read_bytes() == b"one"
    write(path, b"two", over=True)
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["board.txt"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing/board.txt", "there is no folder"),
        (".", "it is a folder"),
        ("x" * 300, "the name is too long"),
        ("a\0b", "no name of a file"),
    ],
)
@pytest.mark.parametrize("over", [False, True])
def test_what_stands_in_the_way_is_said_in_words(tmp_path: Path, name: str, words: str, over: bool) -> None:
    with pytest.raises(NotWritten, match=words):
        write(tmp_path / name, b"", over=over)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EROFS, "only be read"), (errno.EACCES, "may not"), (errno.EIO, "error")],
)
def test_a_disk_that_does_not_take_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refuse(path: Path, content: bytes) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("corr_tui.state.private_file.create", refuse)
    with pytest.raises(NotWritten, match=words):
        write(tmp_path / "board.txt", b"")


def test_a_name_alone_is_in_the_folder_and_a_home_that_is_not_there_is_only_a_name() -> None:
    assert path_of("board.svg", Path("/here")) == Path("/here/board.svg")
    assert path_of("/there/board.svg", Path("/here")) == Path("/there/board.svg")
    assert path_of("~/x", Path("/here")) == Path.home() / "x"
    assert path_of("~nobody-of-that-name/x", Path("/here")) == Path("/here/~nobody-of-that-name/x")


# In the app.


def the_only(folder: Path) -> tuple[str, str]:
    """The name and the text of the only file there."""
    (path,) = folder.iterdir()
    return path.name, path.read_text(encoding="utf-8")


async def written(desk: AskingDesk, folder: Path, *keys: str) -> tuple[str, str]:
    """What the only file holds after these keys."""
    await desk.press(*keys)
    await until(desk.pilot, lambda: not isinstance(desk.app.screen, ExportScreen))
    assert "Written: " in desk.text("footer")
    return the_only(folder)


async def test_three_strokes_write_a_picture_beside_the_work(tmp_path: Path) -> None:
    desk = AskingDesk(folder=tmp_path)
    async with desk.at(120, 36):
        name, text = await written(desk, tmp_path, "E", "enter", "enter")
    assert name == "corr-tui-events-44.svg"
    assert "1&#160;Threads" in text or "Threads" in text
    assert "Export" not in text


async def test_the_panel_with_the_focus_is_written_as_text(tmp_path: Path) -> None:
    desk = AskingDesk(folder=tmp_path)
    async with desk.at(160, 48):
        name, text = await written(desk, tmp_path, "3", "E", "j", "w")
    assert name == "corr-tui-claims-44.txt"
    assert text.startswith("Claims")


async def test_the_selected_event_is_written_with_the_event_itself(tmp_path: Path) -> None:
    desk = AskingDesk(folder=tmp_path)
    async with desk.at(160, 48):
        await desk.press("k")
        event_id = desk.app.board.view.selected
        name, text = await written(desk, tmp_path, "6", "E", "j", "j", "w")
    assert name == "corr-tui-selected-44.json"
    assert list(json.loads(text)["events"]) == [event_id]


async def test_a_view_is_written_under_its_name(tmp_path: Path) -> None:
    desk = AskingDesk(folder=tmp_path)
    async with desk.at(160, 48):
        name, text = await written(desk, tmp_path, "T", "E", "j", "j", "w")
    assert name == "corr-tui-timeline-44.json"
    assert json.loads(text)["claims"]


async def test_nothing_is_written_over_without_a_stroke_of_its_own(tmp_path: Path) -> None:
    there = tmp_path / "corr-tui-events-44.svg"
    there.write_text("there before")
    desk = AskingDesk(folder=tmp_path)
    async with desk.at(120, 36):
        await desk.press("E", "enter", "enter")
        await until(desk.pilot, lambda: "Write over it?" in screen_text(desk.app))
        await desk.press("escape", "o")
        assert "Write over it?" not in screen_text(desk.app)
        assert the_only(tmp_path)[1] == "there before"
        await desk.press("w")
        await until(desk.pilot, lambda: "o write over it  Esc close" in screen_text(desk.app))
        await desk.press("o")
        await until(desk.pilot, lambda: not isinstance(desk.app.screen, ExportScreen))
        assert the_only(tmp_path)[1].startswith("<svg")


async def test_a_folder_that_is_not_there_is_said_and_the_name_stays(tmp_path: Path) -> None:
    desk = AskingDesk(folder=tmp_path)
    async with desk.at(120, 36):
        await desk.press("E", "enter", "home", *"no/", "enter")
        # however long the folder's own name is, and so wherever the sentence is folded
        await until(desk.pilot, lambda: "there is no folder" in " ".join(screen_text(desk.app).split()))
        assert "no/corr-tui-events-44.svg" in screen_text(desk.app)
        await desk.press("escape", "escape")
        assert desk.app.screen is desk.app.board
    assert os.listdir(tmp_path) == []


async def test_a_name_of_ones_own_ending_keeps_it_when_the_form_changes(tmp_path: Path) -> None:
    desk = AskingDesk(folder=tmp_path)
    async with desk.at(120, 36):
        await desk.press("E", "enter", "ctrl+u", *"notes.log", "escape", "j", "w")
        await until(desk.pilot, lambda: not isinstance(desk.app.screen, ExportScreen))
    assert the_only(tmp_path)[0] == "notes.log"


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_every_key_of_it_stands_at_its_foot_and_can_be_clicked(tmp_path: Path, size: tuple[int, int]) -> None:
    desk = AskingDesk(folder=tmp_path)
    async with desk.at(*size):
        await desk.press("E")
        foot = desk.app.screen.query("Bar").last()
        line = "".join(segment.text for segment in foot.render_line(0))
        assert all(word in line for word in ("Esc close", "w write", "Enter open"))
        await desk.pilot.click(foot, offset=(line.index("w write"), 0))
        await until(desk.pilot, lambda: not isinstance(desk.app.screen, ExportScreen))
    assert the_only(tmp_path)[0].endswith(".svg")
