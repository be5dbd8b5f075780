"""The live list: cursor and view under patches, following the tail, keys, mouse, and what is repainted."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown
from textual.geometry import Region, Size
from textual.message import Message

from corr_tui.ui.line import Ink, Row, Span
from corr_tui.ui.theme import DARK, Ground, Inks, themes
from corr_tui.ui.widgets.cursor_view import CursorView
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.row_places import RowPlaces, surviving
from corr_tui.ui.widgets.strips import Laid, draw

WIDTH = 24


def row(key: str, lines: int = 1, words: str = "", space: int = 0) -> Row:
    return Row(key, tuple((Span(f"  {key} {words} {line}"),) for line in range(lines)), space=space)


def rows(*keys: str) -> list[Row]:
    return [row(key) for key in keys]


class Bench(LineList):
    """A list without a terminal: it keeps what its refreshes would have painted."""

    def __init__(self, height: int = 6, **named: Any) -> None:
        self._bench_size = Size(WIDTH, height)
        self.posted: list[Message] = []
        self.screen_lines: list[Laid] = []
        self.refreshed: list[Region] = []
        super().__init__(**named)
        self.visited = True
        self.view.resize(height)

    @property
    def size(self) -> Size:
        return self._bench_size

    def post_message(self, message: Message) -> bool:
        self.posted.append(message)
        return True

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Bench:
        fresh = self.laid()
        self.refreshed += regions
        for y in range(self.size.height):
            if not regions or any(region.y <= y < region.bottom for region in regions):
                self.screen_lines[y : y + 1] = [fresh[y]]
        return self

    def screen_line(self) -> int | None:
        view = self.view
        first = None if view.cursor is None else view.places.first_line(view.cursor)
        return None if first is None else first - view.top


ROWS = st.lists(
    st.builds(
        row,
        st.sampled_from("abcdefghijklmnopqrst"),
        st.integers(1, 2),
        st.sampled_from(["", "said", "other"]),
        st.integers(0, 1),
    ),
    unique_by=lambda each: each.key,
    max_size=20,
)


@given(before=ROWS, after=ROWS, choice=st.integers(0, 19), scrolled=st.integers(-9, 9), height=st.integers(1, 9))
def test_a_patch_keeps_the_cursor_on_its_key_and_its_screen_line(
    before: list[Row], after: list[Row], choice: int, scrolled: int, height: int
) -> None:
    bench = Bench(height)
    bench.patch(before)
    if before:
        bench.choose(before[choice % len(before)].key)
    bench.view.scroll(scrolled)
    key, line = bench.view.cursor, bench.screen_line()
    was_visible = line is not None and 0 <= line < height
    bench.patch(after)
    if key is None or key not in {each.key for each in after}:
        assert (bench.view.cursor is None) == (not after)
        return
    assert bench.view.cursor == key
    if was_visible and line is not None:
        wanted = bench.view.places.firsts[bench.view.places.index[key]] - line
        assert bench.view.top == max(0, min(wanted, bench.view.places.height - height))


@given(patches=st.lists(ROWS, max_size=6), keys=st.lists(st.sampled_from(["down", "up", "first", "last", "page_down"])))
def test_every_line_on_the_screen_equals_a_fresh_drawing(patches: list[list[Row]], keys: list[str]) -> None:
    bench, inks = Bench(5), Inks(DARK)
    for place, patch in enumerate(patches):
        bench.patch(patch)
        for key in keys[place::2]:
            getattr(bench, f"action_cursor_{key}")()
        assert bench.screen_lines == bench.laid()
        assert all(draw(laid, inks, WIDTH).cell_length == WIDTH for laid in bench.screen_lines)


def test_a_changed_row_repaints_its_own_line_only() -> None:
    bench = Bench()
    bench.patch(rows("a", "b", "c"))
    bench.refreshed.clear()
    bench.patch([row("a"), row("b", words="more"), row("c")])
    assert bench.refreshed == [Region(0, 1, WIDTH, 1)]


def test_rows_inserted_above_leave_the_cursor_where_it_stands_on_the_screen() -> None:
    bench = Bench(4)
    bench.patch(rows("a", "b", "c", "d", "e", "f", "g"))
    bench.choose("e")
    line = bench.screen_line()
    bench.patch(rows("x", "y", "a", "b", "c", "d", "e", "f", "g"))
    assert (bench.view.cursor, bench.screen_line()) == ("e", line)


def test_a_row_that_goes_hands_the_cursor_to_its_neighbour() -> None:
    before, after = RowPlaces(rows("a", "b", "c")), RowPlaces(rows("a", "c"))
    assert surviving(before, "b", after) == "c"
    assert surviving(before, "c", RowPlaces(rows("a"))) == "a"
    assert surviving(before, "b", RowPlaces(rows("x"))) is None


def test_the_tail_is_followed_only_from_the_last_row() -> None:
    bench = Bench(3, follow=True)
    bench.patch(rows("a", "b", "c", "d"))
    assert bench.view.cursor == "d"
    bench.patch(rows("a", "b", "c", "d", "e"))
    assert bench.view.cursor == "e"
    bench.choose("b")
    bench.patch(rows("a", "b", "c", "d", "e", "f", "g"))
    assert (bench.view.cursor, bench.view.below) == ("b", 2)
    bench.action_cursor_last()
    assert (bench.view.cursor, bench.view.below) == ("g", 0)
    bench.patch(rows("a", "b", "c", "d", "e", "f", "g", "h"))
    assert bench.view.cursor == "h"


def test_a_list_told_not_to_follow_stays_on_the_last_row_it_had() -> None:
    bench = Bench(3, follow=True)
    bench.patch(rows("a", "b"))
    bench.view.following = False
    bench.patch(rows("a", "b", "c"))
    assert bench.view.cursor == "b"


def test_only_a_person_moving_the_cursor_says_so() -> None:
    bench = Bench()
    bench.patch(rows("a", "b"))
    bench.choose("b")
    said = [(each.key, each.by_person) for each in bench.posted if isinstance(each, LineList.Highlighted)]
    assert said == [("a", False), ("b", True)]


def test_the_cursor_covers_all_lines_of_its_row_and_no_blank_one() -> None:
    bench = Bench()
    bench.patch([row("a", 2, space=1), row("b")])
    assert [laid.ground for laid in bench.screen_lines[:4]] == [
        Ground.RAISED,
        Ground.RAISED,
        Ground.PANEL,
        Ground.PANEL,
    ]
    assert [laid.bar and laid.bar.text for laid in bench.screen_lines[:4]] == ["▏", "▏", None, None]


def test_the_row_of_a_changed_key_keeps_its_ground_under_the_cursor() -> None:
    bench = Bench()
    bench.patch([row("a")._replace(alarm=True)])
    assert bench.screen_lines[0].ground is Ground.ALARM


def test_markup_in_a_row_is_drawn_as_text() -> None:
    hostile = "[red]x[/red] [@click=app.quit]y[/]"
    strip = draw(Laid((Span(hostile, Ink.TEXT),)), Inks(DARK), 60)
    assert strip.text.rstrip() == hostile
    assert not any(segment.style and segment.style.meta for segment in strip)


class Harness(App[None]):
    """One list on a screen."""

    CSS = "Screen { background: $canvas; }"

    def __init__(self, **named: Any) -> None:
        super().__init__()
        for each in themes():
            self.register_theme(each)
        self.theme = "corr-dark"
        self.line_list = LineList(**named)
        self.opened: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.line_list

    def on_line_list_opened(self, message: LineList.Opened) -> None:
        self.opened.append(message.key)


async def test_keys_move_the_cursor_and_keep_it_in_view() -> None:
    app = Harness()
    async with app.run_test(size=(30, 5)) as pilot:
        app.line_list.patch(rows(*"abcdefghij"))
        app.line_list.focus()
        walked = []
        for key in ("j", "down", "k", "G", "home", "pagedown", "end", "home", "up"):
            await pilot.press(key)
            walked.append(app.line_list.view.cursor)
        assert walked == ["b", "c", "b", "j", "a", "e", "j", "a", "a"]
        assert app.line_list.view.top == 0


async def test_the_mouse_chooses_opens_and_scrolls() -> None:
    app = Harness()
    async with app.run_test(size=(30, 4)) as pilot:
        app.line_list.patch(rows(*"abcdefgh"))
        await pilot.click(LineList, offset=(3, 2))
        assert (app.line_list.view.cursor, app.opened) == ("c", [])
        await pilot.click(LineList, offset=(3, 1), times=2)
        assert (app.line_list.view.cursor, app.opened) == ("b", ["b"])
        await pilot._post_mouse_events([MouseScrollDown], LineList)
        assert (app.line_list.view.top, app.line_list.view.cursor) == (3, "b")
        await pilot.press("enter")
        assert app.opened == ["b", "b"]


async def test_what_is_mounted_shows_what_was_patched() -> None:
    app = Harness()
    async with app.run_test(size=(20, 3)) as pilot:
        app.line_list.patch(rows("a", "b"))
        await pilot.pause()
        app.line_list.patch([row("a"), row("b", words="new"), row("c")])
        await pilot.pause()
        shown = [app.line_list.render_line(y).text.rstrip() for y in range(3)]
        assert shown == ["▌ a  0", "  b new 0", "  c  0"]


async def test_another_theme_recolours_the_strips() -> None:
    app = Harness()
    async with app.run_test(size=(20, 3)) as pilot:
        app.line_list.patch(rows("a", "b"))
        await pilot.pause()
        dark = app.line_list.render_line(1)
        app.theme = "corr-light"
        await pilot.pause()
        assert app.line_list.render_line(1) != dark


def mine(key: str) -> Row:
    return row(key)._replace(known=True)


def test_what_is_mine_is_never_counted_as_new_below() -> None:
    bench = Bench(2, follow=True)
    bench.patch(rows("a", "b", "c", "d"))
    bench.choose("a")
    bench.patch([*rows("a", "b", "c", "d"), mine("e")])
    assert bench.view.below == 0
    bench.patch([*rows("a", "b", "c", "d"), mine("e"), *rows("f")])
    assert bench.view.below == 1


def test_following_that_was_held_resumes_with_what_arrives_from_others() -> None:
    bench = Bench(4, follow=True)
    bench.patch(rows("a", "b"))
    bench.view.hold()
    bench.patch([*rows("a", "b"), mine("c")])
    bench.view.resume()
    assert bench.view.cursor == "b"
    bench.patch([*rows("a", "b"), mine("c")])
    assert bench.view.cursor == "b", "the same rows again are no arrival"
    bench.patch([*rows("a", "b"), mine("c"), *rows("d")])
    assert bench.view.cursor == "d"
    bench.patch(rows("a", "b", "c", "d", "e"))
    assert bench.view.cursor == "e"


def test_what_arrived_while_following_was_held_does_not_end_it() -> None:
    bench = Bench(4, follow=True)
    bench.patch(rows("a", "b"))
    bench.view.hold()
    bench.patch(rows("a", "b", "c"))
    bench.view.resume()
    assert bench.view.cursor == "b"
    bench.patch(rows("a", "b", "c", "d"))
    assert bench.view.cursor == "d"


def test_a_cursor_that_did_not_follow_does_not_after_it_was_held() -> None:
    bench = Bench(4, follow=True)
    bench.patch(rows("a", "b"))
    bench.choose("a")
    bench.view.hold()
    bench.view.resume()
    bench.patch(rows("a", "b", "c"))
    assert bench.view.cursor == "a"


def test_a_person_who_moves_the_cursor_ends_following_that_was_resumed() -> None:
    bench = Bench(4, follow=True)
    bench.patch(rows("a", "b"))
    bench.view.hold()
    bench.view.resume()
    bench.action_cursor_up()
    bench.patch(rows("a", "b", "c"))
    assert bench.view.cursor == "a"


# Headings.

HEADED = st.lists(
    st.builds(
        lambda each, heading: each._replace(heading=heading),
        st.builds(row, st.sampled_from("abcdefghij")),
        st.booleans(),
    ),
    unique_by=lambda each: (each.key, each.heading),
    max_size=10,
).map(lambda found: [each._replace(key=f"{each.key}{each.heading:d}") for each in found])
MOVES = st.lists(st.sampled_from([("step", 1), ("step", -1), ("step", 99), ("step", -99), ("page", 1), ("page", -1)]))


@given(before=HEADED, after=HEADED, moves=MOVES, height=st.integers(1, 5))
def test_the_cursor_is_never_on_a_heading_and_never_off_the_rows(
    before: list[Row], after: list[Row], moves: list[tuple[str, int]], height: int
) -> None:
    view = CursorView(height=height)
    for shown in (before, after):
        view.patch(shown, height)
        stops = [each.key for each in shown if not each.heading]
        assert (view.cursor in stops) if stops else (view.cursor is None)
        for name, by in moves:
            getattr(view, name)(by)
            assert (view.cursor in stops) if stops else (view.cursor is None)


def test_a_heading_comes_into_view_with_the_first_row_below_it() -> None:
    found = [row("h", words="heading")._replace(heading=True), *rows("a", "b", "c", "d", "e")]
    view = CursorView(height=3)
    view.patch(found, 3)
    assert (view.cursor, view.top) == ("a", 0)
    view.step(99)
    assert (view.cursor, view.top) == ("e", 3)
    view.step(-99)
    assert (view.cursor, view.top) == ("a", 0)
    assert view.choose("h") == "a"


# Another choice of the same things.


def test_of_rows_chosen_anew_none_arrived_and_none_is_followed() -> None:
    view = CursorView(follow=True, height=2)
    view.patch(rows("a", "b", "c"), 2)
    view.choose("c")
    view.choose_anew()
    view.patch(rows("a", "b", "c", "d", "e"), 2)
    assert (view.cursor, view.below, view.following) == ("c", 0, False)
    view.choose_anew()
    view.patch(rows("a", "c"), 2)
    assert (view.cursor, view.following) == ("c", True)
    view.patch(rows("a", "c", "d"), 2)
    assert view.cursor == "d"
