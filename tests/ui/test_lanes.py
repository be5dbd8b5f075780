"""Lanes: what is drawn leads from every node to exactly its parents, and what comes later moves nothing."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from corr_tui.ui.layout import width_of
from corr_tui.ui.line import Ink, Span
from corr_tui.ui.views.edges import edges, room_for
from corr_tui.ui.views.lanes import LANES, Joint, Lanes, Mark, Node, parents_first


@st.composite
def histories(draw: st.DrawFn, most: int = 16) -> list[Node]:
    """Nodes that name some of those before them, and some that are not there."""
    nodes: list[Node] = []
    for place in range(draw(st.integers(0, most))):
        before = st.integers(0, place - 1).map(str) if place else st.nothing()
        absent = st.integers(0, 2).map("absent {}".format)
        parents = draw(st.lists(st.one_of(before, absent), max_size=3, unique=True))
        nodes.append(Node(str(place), tuple(parents), draw(st.booleans())))
    return nodes


def laid(nodes: list[Node]) -> Lanes:
    lanes = Lanes()
    assert lanes.take(nodes)
    return lanes


def drawn(lanes: Lanes) -> list[tuple[Mark, list[Joint]]]:
    return [(mark, lanes.joints(row)) for row, mark in enumerate(lanes.marks)]


def reached(lanes: Lanes, row: int) -> set[str]:
    """What the lines lead to that go down from a mark."""
    found: set[str] = set()
    for lane, joint in enumerate(lanes.joints(row)):
        if not joint.down or not (lane == lanes.marks[row].lane or (joint.joins and not joint.up)):
            continue
        for below in range(row - 1, -1, -1):
            mark, met = lanes.marks[below], lanes.joints(below)[lane]
            if mark.lane == lane or met.joins:
                found.add(mark.absent or mark.key)
            if mark.lane == lane or not met.down:
                break
    return found


@given(histories())
def test_the_lines_from_every_node_lead_to_its_parents_and_nowhere_else(nodes: list[Node]) -> None:
    lanes = laid(nodes)
    for node in nodes:
        row = lanes.row_of(node.key)
        assert row is not None
        assert reached(lanes, row) == set(node.parents)
        assert all((lanes.row_of(parent) or 0) < row for parent in node.parents if parent in lanes.parents_of(node.key))


@given(histories())
def test_what_stands_right_above_another_mark_in_its_lane_is_joined_to_it(nodes: list[Node]) -> None:
    lanes = laid(nodes)
    for row in range(1, len(lanes.marks)):
        lane = lanes.marks[row].lane
        assert lane != lanes.marks[row - 1].lane or lanes.joints(row)[lane].down


@given(histories(), st.integers(0, 16), st.integers(1, 5))
def test_what_is_laid_piece_by_piece_is_what_is_laid_at_once(nodes: list[Node], kept: int, most: int) -> None:
    lanes = laid([*nodes[:kept], Node("other", ("0", "absent")), Node("more", ("other",))])
    while not lanes.take(nodes, most):
        assert lanes.count < len(nodes)
    assert drawn(lanes) == drawn(laid(nodes))
    assert lanes.used == laid(nodes).used


@given(histories(), histories(4))
def test_what_comes_later_moves_no_mark(nodes: list[Node], later: list[Node]) -> None:
    lanes = laid(nodes)
    before = list(lanes.marks)
    lanes.take([*nodes, *(Node(f"later {node.key}", node.parents, node.leaf) for node in later)])
    assert lanes.marks[: len(before)] == before


@given(histories(24), st.integers(1, 8), st.booleans())
def test_every_row_is_as_wide_as_the_room_and_has_its_mark(nodes: list[Node], most: int, ascii_only: bool) -> None:
    lanes, mark = laid(nodes), Span("*", Ink.STRONG)
    room = room_for(lanes.used, most)
    for row in range(len(lanes.marks)):
        line = edges(lanes, row, room, mark, ascii_only=ascii_only)
        assert width_of(line) == room.cells
        text = "".join(span.text for span in line)
        assert text.count("*") == 1
        assert text.replace("›", "").isascii() or not ascii_only


@given(st.permutations(range(9)), histories(9))
def test_parents_come_before_who_names_them_and_else_the_order_stays(order: list[int], nodes: list[Node]) -> None:
    shuffled = [nodes[place] for place in order if place < len(nodes)]
    sorted_out = parents_first(shuffled)
    place_of = {node.key: place for place, node in enumerate(sorted_out)}
    assert len(sorted_out) == len(place_of) == len(nodes)
    for node in nodes:
        assert all(place_of.get(parent, -1) < place_of[node.key] for parent in node.parents)
    assert parents_first(nodes) == nodes


def test_nodes_that_name_each_other_in_a_circle_are_all_there() -> None:
    nodes = [Node("a", ("c",)), Node("b", ("a",)), Node("c", ("b",)), Node("d", ("d",))]
    order = parents_first(nodes)
    assert sorted(node.key for node in order) == ["a", "b", "c", "d"]
    assert {mark.key for mark in laid(order).marks} == {"a", "b", "c", "d"}


def test_one_more_of_five_thousand_costs_one() -> None:
    pick = random.Random(5)
    nodes = [
        Node(str(place), tuple({str(pick.randrange(max(place - 40, 0), place)) for _ in range(pick.randrange(3))}))
        if place
        else Node("0")
        for place in range(5_000)
    ]
    lanes = laid(nodes)
    assert lanes.laid == 5_000
    lanes.take([*nodes, Node("new", ("4999", "17"))])
    assert lanes.laid == 5_001
    lanes.take([*nodes[:4_990], Node("other"), *nodes[4_990:]])
    assert lanes.laid == 5_001 + 11


def test_lines_beyond_the_last_lane_are_folded_together() -> None:
    roots = [Node(str(place)) for place in range(2 * LANES)]
    many = [Node(f"on {place}", (str(place),)) for place in range(2 * LANES)]
    lanes = laid([*roots, *many])
    assert lanes.used == LANES + 1
    room = room_for(lanes.used, 4)
    middle = "".join(span.text for span in edges(lanes, 2 * LANES, room, Span("*"), ascii_only=True))
    assert middle.endswith("›")
    assert lanes.joints(2 * LANES + 3)[LANES].up == lanes.joints(2 * LANES + 3)[LANES].down
