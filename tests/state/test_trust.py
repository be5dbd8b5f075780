"""Verdicts: facts about bytes and a key (§3; experience: honesty 8)."""

from __future__ import annotations

import errno
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from corr_tui.client.answers import ListedKey
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import MalformedEvent, read_events_page
from corr_tui.protocol.signing import check_signature, public_key_of
from corr_tui.state.snapshot import KeyStanding, Verdict
from corr_tui.state.trust import Judgement, Place, Trust, fingerprint
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, Participant, World, uuid

PLACE = Place("https://service.example", PROJECT_ID, REPOSITORY_ID)


@pytest.fixture
def world() -> World:
    return World()


def key_of(world: World, name: str, **changes: object) -> ListedKey:
    """A participant's key as a service lists it."""
    person = world.people[name]
    listed = {"kid": person.sender().signing_key_id, "public_key": b64encode(person.public_key).decode(), **changes}
    return ListedKey(**listed)  # type: ignore[arg-type]


def opened(tmp_path: Path, world: World | None = None, place: Place = PLACE) -> Trust:
    """Trust as a new session finds it, with everybody's keys listed when there is a world."""
    trust = Trust(tmp_path / "trust.sqlite3", place)
    for name, person in world.people.items() if world else ():
        trust.list_keys(person.sender().identity_id, [key_of(world or World(), name)])
    return trust


def said(world: World, name: str = "ana") -> Event:
    """An event of somebody."""
    return world.event(name, "observation", summary="hello")


def test_a_listed_key_is_pinned_on_first_use_and_verifies_from_the_next_session(world: World, tmp_path: Path) -> None:
    event = said(world)
    first = opened(tmp_path, world)
    assert [first.judge(event).verdict, first.judge(event).verdict] == [Verdict.LISTED] * 2
    judgement = opened(tmp_path, world).judge(event)
    assert judgement == (Verdict.VERIFIED, f"key {fingerprint(world.people['ana'].public_key)}")


def test_a_pinned_key_verifies_before_and_without_any_list(world: World, tmp_path: Path) -> None:
    event = said(world)
    opened(tmp_path, world).judge(event)
    assert opened(tmp_path).judge(event).verdict is Verdict.VERIFIED


def test_a_key_that_this_installation_makes_while_a_session_runs_verifies_in_it(world: World, tmp_path: Path) -> None:
    running, event = opened(tmp_path, world), said(world)
    sender = event.sender
    opened(tmp_path).pin_mine(sender.identity_id, sender.signing_key_id, world.people["ana"].public_key)
    assert running.judge(event).verdict is Verdict.VERIFIED
    other = said(world, "bo")
    opened(tmp_path, world).judge(other)
    assert running.judge(other).verdict is Verdict.LISTED


def test_my_own_key_verifies_at_once(world: World, tmp_path: Path) -> None:
    trust, sender = opened(tmp_path), world.people["ana"].sender()
    trust.pin_mine(sender.identity_id, sender.signing_key_id, public_key_of(world.people["ana"].seed))
    assert trust.judge(said(world)).verdict is Verdict.VERIFIED


def test_without_a_key_there_is_no_verdict_on_the_bytes(world: World, tmp_path: Path) -> None:
    assert opened(tmp_path).judge(said(world)).verdict is Verdict.NO_KEY
    trust = opened(tmp_path)
    trust.list_keys(world.people["ana"].sender().identity_id, [key_of(world, "ana", public_key="not a key")])
    assert trust.judge(said(world)) == (Verdict.NO_KEY, "what is listed is no key")


def test_a_key_listed_for_another_identity_is_no_key(world: World, tmp_path: Path) -> None:
    trust = opened(tmp_path)
    trust.list_keys(world.people["bo"].sender().identity_id, [key_of(world, "ana")])
    assert trust.judge(said(world)).verdict is Verdict.NO_KEY


def test_a_service_that_lists_another_key_under_a_pinned_id_is_told_loudly(world: World, tmp_path: Path) -> None:
    event = said(world)
    opened(tmp_path, world).judge(event)
    trust = opened(tmp_path)
    other = b64encode(world.people["bo"].public_key).decode()
    trust.list_keys(event.sender.identity_id, [key_of(world, "ana", public_key=other)])
    verdict, detail = trust.judge(event)
    assert verdict is Verdict.KEY_CHANGED
    assert fingerprint(world.people["ana"].public_key) in detail
    assert fingerprint(world.people["bo"].public_key) in detail
    assert opened(tmp_path, world).judge(event).verdict is Verdict.VERIFIED


def test_a_key_pinned_for_one_identity_speaks_for_no_other(world: World, tmp_path: Path) -> None:
    event = said(world)
    trust = opened(tmp_path)
    trust.pin_mine(uuid(2, 99), event.sender.signing_key_id, world.people["ana"].public_key)
    assert trust.judge(event).verdict is Verdict.MISMATCH


@pytest.mark.parametrize("change", [{"active": False}, {"revoked_at": "2026-05-14T13:00:00.000Z"}])
def test_a_key_revoked_since_still_proves_the_bytes(change: dict[str, object], world: World, tmp_path: Path) -> None:
    trust = opened(tmp_path)
    trust.list_keys(world.people["ana"].sender().identity_id, [key_of(world, "ana", **change)])
    assert trust.judge(said(world)).verdict is Verdict.KEY_REVOKED


def test_a_list_replaces_the_one_before(world: World, tmp_path: Path) -> None:
    event, trust = said(world), opened(tmp_path, world)
    assert trust.knows(event)
    trust.list_keys(event.sender.identity_id, [])
    assert not trust.knows(event)


def changed(event: Event, **parts: object) -> Event:
    """The event with another word in its evidence, as a page would bring it."""
    receipt = {"received_seq": "1", "received_at": "2026-05-14T13:00:00.000Z"}
    row = {"event": {**event.evidence, **parts}, "receipt": receipt, "missing_parents": []}
    rows = [{**row, "lineage_status": "not_applicable"}]
    page = read_events_page({"events": rows, "page": {"after": None, "next_after": "1", "has_more": False}})
    found = page.events[0].event
    assert isinstance(found, Event)
    return found


def test_changed_bytes_a_foreign_signature_and_a_wrong_identifier_are_mismatches(world: World, tmp_path: Path) -> None:
    """Identifier and signature are both recomputed (§3)."""
    event, other, trust = said(world), said(world), opened(tmp_path, world)
    assert trust.judge(changed(event, body={"summary": "other"})).verdict is Verdict.MISMATCH
    assert trust.judge(changed(event, signature=other.evidence["signature"])).verdict is Verdict.MISMATCH
    assert trust.judge(changed(event, event_id=other.event_id)).verdict is Verdict.MISMATCH


@pytest.mark.parametrize("place", [("x", uuid(1, 2), REPOSITORY_ID), ("x", PROJECT_ID, "repo:other")])
def test_an_event_signed_for_another_place_is_a_mismatch_here(
    place: tuple[str, str, str], world: World, tmp_path: Path
) -> None:
    assert opened(tmp_path, world, Place(*place)).judge(said(world)).verdict is Verdict.MISMATCH


def test_what_is_no_event_is_malformed(tmp_path: Path) -> None:
    assert opened(tmp_path).judge(MalformedEvent("", {}, ())).verdict is Verdict.MALFORMED


def test_pins_of_one_service_mean_nothing_at_another(world: World, tmp_path: Path) -> None:
    event = said(world)
    opened(tmp_path, world).judge(event)
    elsewhere = Place("https://other.example", PROJECT_ID, REPOSITORY_ID)
    assert opened(tmp_path, None, elsewhere).judge(event).verdict is Verdict.NO_KEY


def test_a_signature_is_proved_once(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proved: list[str] = []

    def count(event: Event, core_jcs: bytes, key: bytes) -> None:
        proved.append(event.event_id)
        check_signature(event, core_jcs, key)

    monkeypatch.setattr("corr_tui.state.trust.check_signature", count)
    event, trust = said(world), opened(tmp_path, world)
    for _ in range(3):
        trust.judge(event)
    assert proved == [event.event_id]


def test_who_only_looks_reads_the_pins_and_keeps_none(world: World, tmp_path: Path) -> None:
    event, path = said(world), tmp_path / "pins" / "trust.sqlite3"

    def looking() -> Trust:
        trust = Trust(path, PLACE, keep=False)
        trust.list_keys(event.sender.identity_id, [key_of(world, "ana")])
        return trust

    assert [looking().judge(event).verdict, looking().judge(event).verdict] == [Verdict.LISTED] * 2
    assert not path.parent.exists()
    opened(path.parent, world).judge(event)
    assert looking().judge(event).verdict is Verdict.VERIFIED


def test_of_two_processes_that_pin_at_once_the_first_key_stays(world: World, tmp_path: Path) -> None:
    event = said(world)
    one, other = opened(tmp_path, world), opened(tmp_path)
    wrong = b64encode(world.people["bo"].public_key).decode()
    other.list_keys(event.sender.identity_id, [key_of(world, "ana", public_key=wrong)])
    assert one.judge(event).verdict is Verdict.LISTED
    other.pin_mine(event.sender.identity_id, event.sender.signing_key_id, world.people["bo"].public_key)
    assert other.judge(event).verdict is Verdict.KEY_CHANGED


def test_a_file_that_cannot_be_used_is_said_and_verdicts_are_given_all_the_same(world: World, tmp_path: Path) -> None:
    (tmp_path / "trust.sqlite3").write_bytes(b"this is no database, but it is long enough to be looked at")
    trust = opened(tmp_path, world)
    assert "cannot be read" in trust.trouble
    assert trust.judge(said(world)).verdict is Verdict.LISTED
    assert "cannot be pinned" in trust.trouble


class Forger(Participant):
    """Somebody who signs with another key under ana's ids."""

    @property
    def seed(self) -> bytes:
        return b"f" * 32


def test_a_key_that_another_process_has_pinned_meanwhile_is_not_replaced(world: World, tmp_path: Path) -> None:
    other = opened(tmp_path)
    opened(tmp_path, world).judge(said(world))
    world.people["ana"] = Forger("ana", 1)
    forged = said(world)
    other.list_keys(forged.sender.identity_id, [key_of(world, "ana")])
    assert other.judge(forged).verdict is Verdict.KEY_CHANGED
    assert other.judge(forged).verdict is Verdict.KEY_CHANGED


def test_pins_on_a_disk_that_is_read_only_still_tell_of_a_changed_key(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = said(world)
    opened(tmp_path, world).judge(event)

    def read_only(*_: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("corr_tui.state.local_database.os.open", read_only)
    trust = opened(tmp_path)
    assert trust.judge(event).verdict is Verdict.VERIFIED
    trust.list_keys(event.sender.identity_id, [key_of(world, "ana", public_key="A" * 43 + "=")])
    assert trust.judge(event).verdict is Verdict.KEY_CHANGED
    assert (trust.trouble, opened(tmp_path / "none").trouble != "") == ("", True)


# Verdicts of an earlier session


def test_a_verdict_stands_while_its_key_is_pinned_as_it_was(world: World, tmp_path: Path) -> None:
    event, key = said(world), world.people["ana"].public_key
    opened(tmp_path, world).judge(event)
    later = opened(tmp_path)
    for before, now in (
        (Verdict.LISTED, Verdict.VERIFIED),
        (Verdict.VERIFIED, Verdict.VERIFIED),
        (Verdict.KEY_REVOKED, Verdict.KEY_REVOKED),
        (Verdict.KEY_CHANGED, Verdict.KEY_CHANGED),
        (Verdict.NO_KEY, Verdict.NO_KEY),
    ):
        assert later.still(event, Judgement(before, "as then"), key) == (now, "as then")


def test_a_verdict_without_its_pin_is_given_anew(world: World, tmp_path: Path) -> None:
    event, key, verified = said(world), world.people["ana"].public_key, Judgement(Verdict.VERIFIED, "as then")
    assert opened(tmp_path).still(event, verified, key).verdict is Verdict.NO_KEY
    opened(tmp_path, world).judge(event)
    assert opened(tmp_path).still(event, verified, world.people["bo"].public_key) != verified
    assert opened(tmp_path).still(event, verified, None) != verified


def test_a_list_of_keys_is_another_when_anything_in_it_is(world: World, tmp_path: Path) -> None:
    trust, ana = opened(tmp_path), world.people["ana"].sender().identity_id
    assert trust.listing(ana) is None
    seen = []
    for keys in (
        [],
        [key_of(world, "ana")],
        [key_of(world, "ana", active=False)],
        [key_of(world, "ana", public_key=key_of(world, "bo").public_key)],
        [key_of(world, "ana"), key_of(world, "bo")],
    ):
        trust.list_keys(ana, keys)
        seen.append(trust.listing(ana))
    assert len(set(seen)) == 5
    trust.list_keys(ana, [key_of(world, "bo"), key_of(world, "ana")])
    assert trust.listing(ana) == seen[-1]


def test_no_more_is_remembered_than_a_bound(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corr_tui.state.trust.REMEMBERED", 2)
    trust, events = opened(tmp_path, world), [said(world) for _ in range(4)]
    verdicts = [trust.judge(event).verdict for event in events for _ in range(2)]
    assert verdicts == [Verdict.LISTED] * 8
    assert [trust.proved_under(event) is not None for event in events] == [False, False, True, True]
    trust.vouch(events[0], world.people["ana"].public_key)
    assert trust.proved_under(events[0]) == world.people["ana"].public_key


def standings(trust: Trust, world: World, name: str = "ana") -> list[KeyStanding]:
    """What is known of the keys of somebody."""
    return [key.standing for key in trust.keys().get(world.people[name].sender().identity_id, ())]


def test_the_keys_known_say_how_each_came_to_be_known(world: World, tmp_path: Path) -> None:
    trust = opened(tmp_path, world)
    assert standings(trust, world) == [KeyStanding.LISTED]
    trust.judge(said(world))
    assert standings(trust, world) == [KeyStanding.FIRST_USE]
    again = opened(tmp_path)
    assert standings(again, world) == [KeyStanding.PINNED]
    (key,) = again.keys()[world.people["ana"].sender().identity_id]
    assert not key.listed
    assert key.fingerprint == sha256(world.people["ana"].public_key).hexdigest()
    again.list_keys(world.people["ana"].sender().identity_id, [key_of(world, "ana", active=False)])
    assert standings(again, world) == [KeyStanding.REVOKED]


def test_another_key_listed_under_a_pinned_id_is_told_beside_the_pinned_one(world: World, tmp_path: Path) -> None:
    opened(tmp_path, world).judge(said(world))
    trust, other = opened(tmp_path), world.people["bo"].public_key
    identity_id = world.people["ana"].sender().identity_id
    trust.list_keys(identity_id, [key_of(world, "ana", public_key=b64encode(other).decode())])
    (key,) = trust.keys()[identity_id]
    pinned = sha256(world.people["ana"].public_key).hexdigest()
    assert (key.standing, key.fingerprint, key.other) == (KeyStanding.CHANGED, pinned, sha256(other).hexdigest())


def test_what_is_listed_and_is_no_key_is_told_as_none_and_nothing_changed_is_the_same_object(
    world: World, tmp_path: Path
) -> None:
    trust = opened(tmp_path)
    trust.list_keys(world.people["ana"].sender().identity_id, [key_of(world, "ana", public_key="none")])
    assert standings(trust, world) == [KeyStanding.UNUSABLE]
    assert trust.keys() is trust.keys()
