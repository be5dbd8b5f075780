"""The filter grammar: what each text means, where a text that is none goes wrong, and that print and parse agree."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corr_tui.protocol.bodies import KINDS
from corr_tui.state.filter_grammar import (
    FIELDS,
    KIND_GROUPS,
    MEANINGS,
    Field,
    Filter,
    FilterRefused,
    Has,
    Is,
    Term,
    parse_filter,
)

WORDS = st.text(min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
VALUES = {
    Field.WORDS: WORDS,
    Field.KIND: st.sampled_from((*KINDS, *KIND_GROUPS, "*")),
    Field.BY: WORDS,
    Field.THREAD: WORDS,
    Field.PATH: st.sampled_from((".", "src", "src/api", "docs/a b.md", 'odd"name', "ü/–")),
    Field.ID: st.from_regex(r"[0-9a-f]{1,64}|#[1-9][0-9]{0,39}", fullmatch=True),
    Field.IS: st.sampled_from(tuple(Is)),
    Field.HAS: st.sampled_from(tuple(Has)),
}
TERMS = st.one_of(
    *(st.builds(Term, st.just(field), values, st.booleans()) for field, values in VALUES.items()),
)
FILTERS = st.builds(Filter, st.lists(TERMS, max_size=5).map(tuple))
PIECES = st.lists(st.sampled_from([*'-: "\\*…#\t\n', "kind:", "is:", "id:", "path:", "ack.", "src/", "ä", "\ud800"]))


def term(text: str) -> Term:
    """The one term of a text."""
    (only,) = parse_filter(text).terms
    return only


@pytest.mark.parametrize(
    ("text", "field", "value", "negated"),
    [
        ("flaky", Field.WORDS, "flaky", False),
        ("-Flaky", Field.WORDS, "Flaky", True),
        ('"on arm64"', Field.WORDS, "on arm64", False),
        ('-"on arm64"', Field.WORDS, "on arm64", True),
        ('"task:42"', Field.WORDS, "task:42", False),
        ('"-x"', Field.WORDS, "-x", False),
        (r'"say \"hi\" \\ \n"', Field.WORDS, r'say "hi" \ \n', False),
        ("12:30", Field.WORDS, "12:30", False),
        ("kind:ack.*", Field.KIND, "ack.*", False),
        ("Kind:ACK.Seen", Field.KIND, "ack.seen", False),
        ("by:bo", Field.BY, "bo", False),
        ('-by:"bo b"', Field.BY, "bo b", True),
        ("by:-x", Field.BY, "-x", False),
        ("thread:task:42", Field.THREAD, "task:42", False),
        ("path:src/api/", Field.PATH, "src/api", False),
        ("path:.", Field.PATH, ".", False),
        ("id:6F9D", Field.ID, "6f9d", False),
        ("id:6f9d…", Field.ID, "6f9d", False),
        ("id:sha256:6f9d", Field.ID, "6f9d", False),
        ("id:#4810", Field.ID, "#4810", False),
        ("is:unverified", Field.IS, "unverified", False),
        ("-has:missing", Field.HAS, "missing", True),
    ],
)
def test_a_term_means(text: str, field: Field, value: str, negated: bool) -> None:
    assert term(text) == Term(field, value, negated)


def test_terms_stand_beside_each_other_and_remember_where() -> None:
    text = '  kind:ack.*\t-by:"bo b"  flaky '
    terms = parse_filter(text).terms
    assert [text[each.position : each.position + each.length] for each in terms] == [
        "kind:ack.*",
        '-by:"bo b"',
        "flaky",
    ]
    assert str(parse_filter(text)) == 'kind:ack.* -by:"bo b" flaky'


@pytest.mark.parametrize("text", ["", "  ", "\t\n"])
def test_an_empty_text_asks_nothing(text: str) -> None:
    assert not parse_filter(text)


@pytest.mark.parametrize(
    ("text", "at", "rule"),
    [
        ("flaky kinds:ack", "kinds:", "no field is called kinds"),
        ("flaky kind:akc.*", "akc.*", "no kind is called or begins so"),
        ("is:online", "online", "is: knows only"),
        ('-has:"the time"', '"the time"', "has: knows only"),
        ("path:/etc", "/etc", "must have no leading or trailing /"),
        ("path:src/*.py", "src/*.py", "must be a prefix, not a pattern"),
        ("id:sha256:xyz", "sha256:xyz", "in hexadecimal"),
        ("id:#0", "#0", "in hexadecimal"),
        ("a kind: b", "kind:", "kind: asks for a value"),
        ("a -by:", "-by:", "by: asks for a value"),
        ("a - b", "-", "there is none"),
        ("a --b", "--", "negated by one -"),
        ('a "b c', '"b c', "not closed"),
        (r'"\"', r'"\"', "not closed"),
        ('""', '""', "nothing between"),
        ('by:" "', '" "', "nothing between"),
        ('ab"c"', '"', "opens a whole value"),
        ('"a"b', "b", "a blank follows"),
    ],
)
def test_a_refusal_points_at_its_place(text: str, at: str, rule: str) -> None:
    with pytest.raises(FilterRefused) as caught:
        parse_filter(text)
    refused = caught.value
    assert text[refused.position : refused.position + refused.length] == at
    assert rule in refused.rule


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("kind:nothing", ("ack.*", "claim.*", "conflict.*")),
        ("is:online", tuple(Is)),
        ("is:", tuple(Is)),
        ("has:", tuple(Has)),
        ("status:x", ("kind:", "by:", "thread:", "path:", "id:", "is:", "has:")),
    ],
)
def test_a_refusal_names_what_would_be_known_there(text: str, known: tuple[str, ...]) -> None:
    with pytest.raises(FilterRefused) as caught:
        parse_filter(text)
    assert set(known) <= set(caught.value.known)
    assert all(value in str(caught.value) for value in known)


def test_every_field_state_and_possession_says_what_it_means() -> None:
    assert set(FIELDS) == set(Field)
    assert set(MEANINGS) == {*Is, *Has}


@given(FILTERS)
@example(Filter((Term(Field.WORDS, "kind:ack"), Term(Field.WORDS, "--"), Term(Field.BY, "a\u2003b\\"))))
def test_what_is_printed_reads_back_as_the_same_filter(wanted: Filter) -> None:
    assert parse_filter(str(wanted)) == wanted


@given(st.one_of(st.text(st.characters(codec=None)), PIECES.map("".join)))
@example('"' + "\\" * 999)
@example("-" * 999)
def test_any_text_is_terms_and_blanks_or_is_refused_at_a_place_in_it(text: str) -> None:
    spans: list[tuple[int, int]] = []
    try:
        wanted = parse_filter(text)
    except FilterRefused as refused:
        spans.append((refused.position, refused.length))
    else:
        assert parse_filter(str(wanted)) == wanted
        spans += [(each.position, each.length) for each in wanted.terms]
        assert not "".join(text[slice(*gap)] for gap in gaps(spans, len(text))).strip()
    assert all(0 <= position < position + length <= len(text) for position, length in spans)


def gaps(spans: list[tuple[int, int]], end: int) -> list[tuple[int, int]]:
    """The places that lie in none of the spans."""
    starts = [0, *(position + length for position, length in spans)]
    return list(zip(starts, [*(position for position, _ in spans), end], strict=True))
