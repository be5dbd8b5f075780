"""What a filter says of things that are no events, and how its text may go on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.state.filter import matching
from corr_tui.state.filter_completion import complete
from corr_tui.state.filter_grammar import Field, Is, parse_filter
from corr_tui.state.filter_rows import Thing, asked_of_things, found, things_test
from tests.correspondents import World, uuid

ANA, BO = uuid(2, 1), uuid(2, 2)


@pytest.mark.parametrize(
    ("text", "thing", "is_found"),
    [
        ("path:src", Thing(paths=["src/api"]), True),
        ("path:src/api/x", Thing(paths=["src/api"]), True),
        ("path:srcs", Thing(paths=["src"]), False),
        ("-path:src", Thing(paths=["src/api"]), False),
        ("by:ana", Thing([ANA]), True),
        ("by:ana", Thing([BO, ANA]), True),
        ("by:ana", Thing([BO]), False),
        (f"by:{ANA[:8]}", Thing([ANA]), True),
        ("-by:ana", Thing([BO]), True),
        ("thread:task:*", Thing(thread_ids=["task:42"]), True),
        ("thread:task:4", Thing(thread_ids=["task:42"]), False),
        ("thread:task:42", Thing(), False),
        ("kind:intent is:live words", Thing(), True),
        ("by:ana kind:intent path:docs", Thing([ANA], paths=["src"]), False),
    ],
)
def test_a_thing_is_found_by_the_terms_it_can_answer(text: str, thing: Thing, is_found: bool) -> None:
    assert things_test(parse_filter(text), World().snapshot())(thing) is is_found


def test_only_terms_that_are_asked_of_things_are_named_for_them() -> None:
    assert str(asked_of_things(parse_filter("kind:intent by:ana -path:src words"))) == "by:ana -path:src"
    assert str(asked_of_things(parse_filter("by:ana path:src"), frozenset({Field.BY}))) == "by:ana"
    assert not asked_of_things(None)


def test_found_is_what_matches_in_the_order_of_the_events() -> None:
    world = World()
    for number in range(9):
        world.say("ana" if number % 2 else "bo", "intent", summary=f"words {number}")
    snapshot, wanted = world.snapshot(), parse_filter("by:ana")
    test = matching(wanted, snapshot)
    assert found(wanted, snapshot).heard == tuple(each for each in snapshot.events if test(each))
    assert found(wanted, snapshot) is found(parse_filter("by:ana"), snapshot)


@pytest.mark.parametrize(
    ("text", "cursor", "done", "choices"),
    [
        ("ki", 2, "kind:", ()),
        ("i", 1, "i", ("id:", "is:")),
        ("-ki", 3, "-kind:", ()),
        ("kind:ack.se", 11, "kind:ack.seen ", ()),
        ("is:unv", 6, "is:unverified ", ()),
        ("is:un", 5, "is:un", ("unverified", "unsent", "unresolved")),
        ("has:my by:ana", 6, "has:my-ack by:ana", ()),
        ("by:an", 5, "by:ana ", ()),
        ("by:", 3, "by:", ("ana", "build", '"bo with blanks"')),
        ("nothing:x", 9, "nothing:x", ()),
        ('by:"an', 6, 'by:"an', ()),
        ("is:zzz", 6, "is:zzz", ()),
    ],
)
def test_a_text_goes_on_as_far_as_one_way_leads(text: str, cursor: int, done: str, choices: tuple[str, ...]) -> None:
    known = {Field.BY: ("ana", "bo with blanks", "build")}
    got = complete(text, cursor, known)
    assert got.text == done
    assert set(got.choices) == set(choices)


@given(st.text(alphabet='kindshas:-" abyrtu.*', max_size=20), st.integers(0, 20))
def test_what_stands_before_the_term_and_after_the_cursor_stays(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    got = complete(text, cursor, {Field.BY: ("ana",), Field.THREAD: ("task:1",)})
    assert got.text.startswith(text[:cursor])
    assert got.text.endswith(text[cursor:])
    assert cursor <= got.cursor <= len(got.text)


@given(st.sampled_from(list(Is)))
def test_every_value_of_a_closed_set_is_reached_from_itself(value: Is) -> None:
    assert complete(f"is:{value}", 3 + len(value)).text.strip() in {
        f"is:{each}" for each in Is if each.startswith(value)
    }
