"""Names of keys, presets and a person's own keys: one name a key, no clash, every command rebindable."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App
from textual.binding import Binding, BindingsMap

from corr_tui.ui.command import WRITING
from corr_tui.ui.commands import (
    COMMANDS,
    CONTEXTS,
    CommandUnknown,
    KeyClash,
    KeyTyped,
    Scope,
    bindings,
    find,
    keymap,
    table,
)
from corr_tui.ui.key_names import UNUSABLE, KeyUnusable, character_of, read_key, show_key
from corr_tui.ui.presets import DEFAULT_PRESET, PRESETS, KeySettingRefused, PresetUnknown, keys_over

ASCII = [chr(number) for number in range(0x21, 0x7F)]
FREE = "f7"
"""A key that no command has."""


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("?", "question_mark"),
        ("question_mark", "question_mark"),
        ("A", "A"),
        ("shift+a", "A"),
        ("Esc", "escape"),
        ("return", "enter"),
        ("PgDn", "pagedown"),
        (" ", "space"),
        ("^R", "ctrl+r"),
        ("Ctrl+A", "ctrl+a"),
        ("Shift+Tab", "shift+tab"),
        ("shift+ctrl+up", "ctrl+shift+up"),
        ("ctrl++", "ctrl+plus"),
        ("+", "plus"),
        (",", "comma"),
        ("é", "é"),
    ],
)
def test_a_key_has_one_name_however_it_is_written(written: str, key: str) -> None:
    assert read_key(written) == key


@pytest.mark.parametrize("character", ASCII)
def test_a_character_is_named_as_textual_names_it_and_shown_as_itself(character: str) -> None:
    (named,) = App._normalize_keymap({"x": character}).values() if character != "," else ("comma",)
    assert read_key(character) == named
    assert show_key(named) == character_of(named) == character


@given(st.sampled_from([key for command in COMMANDS for key in command.keys]))
def test_what_is_shown_of_a_key_may_be_written_for_it(key: str) -> None:
    assert read_key(key) == read_key(show_key(key)) == key


@pytest.mark.parametrize("text", ["", "j,down", "foo", "foo+a", "ctrl+ctrl+a", "\x1b", "\u202e", "<any>", "++", "a b"])
def test_what_names_no_key_is_refused(text: str) -> None:
    with pytest.raises(KeyUnusable, match="is no key") as refused:
        read_key(text)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("key", UNUSABLE)
def test_a_key_that_could_not_be_heard_is_refused_with_the_reason(key: str) -> None:
    with pytest.raises(KeyUnusable, match="cannot be a command's"):
        read_key(key)


@given(st.text(max_size=12))
def test_any_text_is_one_key_or_is_refused(text: str) -> None:
    try:
        said = read_key(text)
        assert "," not in said
    except KeyUnusable as refused:
        said = str(refused)
    assert said
    assert said.isprintable()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_makes_a_table_without_a_clash(preset: str) -> None:
    assert len(table(keys_over(preset, {}))) == len(COMMANDS)
    assert all(read_key(key) == key for keys in PRESETS[preset].values() for key in keys)


def test_the_default_preset_is_the_table_as_it_stands() -> None:
    assert table(keys_over(DEFAULT_PRESET, {})) == COMMANDS


def test_vim_hands_find_their_keys() -> None:
    vim = table(keys_over("vim", {}))
    heard = {
        key: command.id
        for command in vim
        if command.scope in (Scope.READING, Scope.BOARD, Scope.LIST)
        for key in command.keys
    }
    wanted = {"h": "panel.previous", "l": "panel.next", "j": "move.down", "k": "move.up", "g": "move.first"}
    wanted |= {"ctrl+g": "view.graph", "ctrl+l": "view.ladder"}
    wanted |= {"G": "move.last", "ctrl+f": "move.page_down", "ctrl+b": "move.page_up", "f": "search"}
    assert wanted.items() <= heard.items()
    assert find("palette", vim).shown == ":"


def test_own_keys_stand_over_a_preset_s() -> None:
    keys = keys_over("vim", {"move.first": ["Home"], "refresh": ["g"]})
    own = table(keys)
    assert (find("move.first", own).keys, find("refresh", own).keys) == (("home",), ("g",))
    with pytest.raises(KeyClash, match=r"g is wanted by both move\.first .* and refresh"):
        table(keys_over("vim", {"refresh": ["g"]}))


def test_an_unknown_preset_is_refused_with_the_names() -> None:
    with pytest.raises(PresetUnknown, match="'emacs'; there are default and vim"):
        keys_over("emacs", {})


def test_a_key_that_is_none_is_refused_with_the_command() -> None:
    with pytest.raises(KeySettingRefused, match="is no key") as refused:
        keys_over(DEFAULT_PRESET, {"refresh": ["f5", "nonsense"]})
    assert refused.value.command_id == "refresh"


def test_two_names_of_one_key_clash() -> None:
    with pytest.raises(KeyClash, match=r"\? is wanted by both"):
        table(keys_over(DEFAULT_PRESET, {"refresh": ["?"]}))


def test_an_unknown_command_is_refused_with_those_called_alike() -> None:
    with pytest.raises(CommandUnknown, match=r"'ack\.sean'; did you mean ack\.seen"):
        table({"ack.sean": ("s",)})
    with pytest.raises(CommandUnknown, match=r"'qqqqq'$"):
        table({"qqqqq": ("s",)})


@pytest.mark.parametrize("command_id", [each.id for each in COMMANDS if each.scope in WRITING])
def test_a_key_that_types_is_refused_where_somebody_writes(command_id: str) -> None:
    with pytest.raises(KeyTyped, match="is typed there"):
        table({command_id: ("z",)})


@pytest.mark.parametrize("command_id", [command.id for command in COMMANDS])
def test_every_command_can_have_another_key_and_then_has_no_other(command_id: str) -> None:
    rebound = {command_id: (FREE, "f8")}
    command = find(command_id, table(rebound))
    assert command.keys == (FREE, "f8")
    heard = BindingsMap(bindings(command.scope))
    heard.apply_keymap(keymap(rebound))
    mine = [key for key, binding in heard if binding.id == command_id]
    assert set(mine) == {FREE, "f8"}
    others = {each.id for each in COMMANDS if each.scope == command.scope and each.keys}
    assert {binding.id for _, binding in heard} == others


@pytest.mark.parametrize("scope", list(Scope))
def test_any_two_commands_of_a_scope_can_change_their_keys(scope: Scope) -> None:
    for one, other in combinations([each for each in COMMANDS if each.scope == scope], 2):
        rebound = {one.id: other.keys, other.id: one.keys}
        heard = BindingsMap(bindings(scope))
        heard.apply_keymap(keymap(rebound))
        for command_id, keys in rebound.items():
            assert {key for key, binding in heard if binding.id == command_id} == set(keys)


@given(st.data())
def test_a_key_of_another_command_heard_with_it_is_refused_and_of_any_other_is_not(data: st.DataObject) -> None:
    one, other = data.draw(st.sampled_from(list(combinations(COMMANDS, 2))))
    key = data.draw(st.sampled_from(other.keys))
    if one.scope in WRITING and character_of(key) is not None:
        return
    together = [context for context in CONTEXTS if one.scope in context]
    clash = any(
        key in each.keys for context in together for each in COMMANDS if each.scope in context and each is not one
    )
    if clash:
        with pytest.raises(KeyClash) as refused:
            table({one.id: (key,)})
        assert one.id in refused.value.commands
        assert refused.value.key == key
    else:
        assert find(one.id, table({one.id: (key,)})).keys == (key,)


def test_bindings_carry_the_keys_of_the_table_given() -> None:
    own = table({"refresh": (FREE,)})
    assert FREE in {each.key for each in bindings(Scope.READING, own) if isinstance(each, Binding)}
