"""The command table: one key, one meaning; ids for every binding; a person's own keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.binding import Binding

from corr_tui.ui.commands import (
    COMMANDS,
    CONTEXTS,
    CommandUnknown,
    KeyClash,
    Scope,
    bindings,
    check,
    find,
    footer,
    keymap,
    show_key,
    table,
)


def test_every_command_has_an_id_of_its_own_and_a_sentence() -> None:
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)
    assert all(command.description[0].isupper() and command.verb and command.keys for command in COMMANDS)


@pytest.mark.parametrize("scope", list(Scope))
def test_every_binding_carries_its_id_and_its_sentence(scope: Scope) -> None:
    bound = bindings(scope)
    assert bound
    for binding in bound:
        assert isinstance(binding, Binding)
        assert binding.id
        assert binding.tooltip == find(binding.id).description


def test_every_scope_is_heard_in_some_context() -> None:
    assert set().union(*CONTEXTS) == set(Scope)


def test_a_clash_is_refused_with_both_names() -> None:
    with pytest.raises(KeyClash, match=r"u is wanted by both ack\.seen .* and ack\.understood") as refused:
        table({"ack.seen": ["u"]})
    assert refused.value.commands == ("ack.seen", "ack.understood")


def test_a_clash_across_scopes_heard_together_is_refused() -> None:
    with pytest.raises(KeyClash, match="j is wanted by both"):
        check([*COMMANDS, replace(find("refresh"), id="other", keys=("j",))])


def test_the_same_key_may_mean_another_thing_where_the_two_are_never_heard_together() -> None:
    assert find("open").keys == find("compose.post").keys


def test_a_key_setting_for_no_command_is_refused() -> None:
    with pytest.raises(CommandUnknown, match="'ack\\.sean'"):
        keymap({"ack.sean": ["s"]})


def test_own_keys_reach_bindings_footer_and_textual() -> None:
    own = table({"refresh": ["f5"]})
    assert find("refresh", own).shown == "f5"
    assert [
        each.key for each in bindings(Scope.READING, own) if isinstance(each, Binding) and each.id == "refresh"
    ] == ["f5"]
    assert "f5" in [command.shown for command in footer("events", own)]
    assert keymap({"refresh": ["f5", "ctrl+r"]}) == {"refresh": "f5,ctrl+r"}


def test_the_footer_offers_acknowledgements_only_where_there_is_an_event() -> None:
    assert {"ack.seen", "repair", "help"} <= {command.id for command in footer("events")}
    assert "ack.seen" not in {command.id for command in footer("threads")}


@pytest.mark.parametrize("panel", ["events", "selected", "conflicts", "threads"])
def test_a_reader_without_a_key_is_offered_nothing_to_say(panel: str) -> None:
    silent = footer(panel, speaking=False)
    assert not {"s", "u", "a", "A", "x", "r"} & {each.shown for each in silent}
    assert [each for each in footer(panel) if not each.speaks] == list(silent)


def test_two_strokes_need_no_modifier_that_terminals_lose() -> None:
    for command in COMMANDS:
        assert not {"ctrl+enter", "shift+enter", "ctrl+b", "ctrl+a"} & set(command.keys)


@pytest.mark.parametrize(("key", "shown"), [("escape", "Esc"), ("question_mark", "?"), ("ctrl+p", "^p"), ("A", "A")])
def test_keys_are_shown_as_people_write_them(key: str, shown: str) -> None:
    assert show_key(key) == shown
