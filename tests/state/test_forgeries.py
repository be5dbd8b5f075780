"""Whatever copies of an event a service hands out, in whatever order: shown is the copy whose bytes have its
identifier, with the verdict on those bytes (§3; experience: honesty 8)."""

from __future__ import annotations

import copy
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.client.answers import ListedKey
from corr_tui.protocol.records import Record, read_record
from corr_tui.state.snapshot import Heard, History, Snapshot, Verdict
from corr_tui.state.trust import Place, Trust
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World
from tests.state.fake_service import FakeService

VOICE = "/v1/correspondence/voice"
EVENTS = "/v1/correspondence/events"


def _summary(event: dict[str, Any]) -> None:
    event["body"]["summary"] = "forged"


def _kind(event: dict[str, Any]) -> None:
    event["kind"] = "progress"


def _sender(event: dict[str, Any]) -> None:
    event["sender"]["session_id"] = "99999999-9999-4999-8999-999999999999"


def _signature(event: dict[str, Any]) -> None:
    event["signature"]["value_b64url"] = "A" * 86


def _project(event: dict[str, Any]) -> None:
    event["project_id"] = "99999999-9999-4999-8999-999999999999"


def _malformed(event: dict[str, Any]) -> None:
    event["kind"] = "unheard.of"


def _none(event: dict[str, Any]) -> None:
    """The honest copy."""


FORGERIES: dict[str, Callable[[dict[str, Any]], None]] = {
    "summary": _summary,
    "kind": _kind,
    "sender": _sender,
    "signature": _signature,
    "project": _project,
    "malformed": _malformed,
}


@cache
def world() -> World:
    """One honest event of ana."""
    made = World()
    made.say("ana", "observation", summary="honest")
    return made


def told(change: Callable[[dict[str, Any]], None], seq: int) -> Record:
    """A copy of the event as a service could hand it out, changed."""
    row = copy.deepcopy(world().record_json(world().records[0]))
    change(row["event"])
    row["receipt"]["received_seq"] = str(seq)
    return read_record(row)


def keys() -> list[ListedKey]:
    """Ana's key as a service lists it."""
    ana = world().people["ana"]
    return [ListedKey(ana.sender().signing_key_id, b64encode(ana.public_key).decode())]


copies = st.one_of(
    st.tuples(st.sampled_from([_none, *FORGERIES.values()]), st.integers(1, 5)), st.sampled_from(["list", "unlist"])
)


@given(st.lists(copies, max_size=12), st.booleans())
def test_of_honest_and_forged_copies_in_any_order_the_honest_bytes_and_their_verdict_are_shown(
    history: list[Any], batched: bool
) -> None:
    ana = world().people["ana"].sender()
    honest = world().records[0].event
    with TemporaryDirectory() as folder:
        trust = Trust(Path(folder) / "trust.sqlite3", Place("x", PROJECT_ID, REPOSITORY_ID))
        snapshot, waiting = Snapshot(REPOSITORY_ID), list[Heard]()
        for each in history:
            if isinstance(each, str):
                trust.list_keys(ana.identity_id, keys() if each == "list" else [])
                continue
            record = told(*each)
            waiting.append(Heard(record, *trust.judge(record.event), trust.genuine(record.event)))
            if not batched:
                snapshot, waiting = snapshot.heard(tuple(waiting), History()), []
        trust.list_keys(ana.identity_id, keys())
        snapshot = snapshot.heard(tuple(waiting), History())
        again = [Heard(each.record, *trust.judge(each.event or each.record.event)) for each in snapshot.events]
    heard_honest = any(not isinstance(each, str) and each[0] is _none for each in history)
    assert len(snapshot.events) <= 1
    for shown, judged in zip(snapshot.events, again, strict=True):
        assert shown.genuine == (shown.record.event == honest) == heard_honest
        assert judged.verdict.holds == heard_honest
        assert heard_honest or shown.verdict in (Verdict.MISMATCH, Verdict.MALFORMED)


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_was_proved_of_one_copy_says_nothing_of_another(forgery: str, tmp_path: Path) -> None:
    trust = Trust(tmp_path / "trust.sqlite3", Place("x", PROJECT_ID, REPOSITORY_ID))
    trust.list_keys(world().people["ana"].sender().identity_id, keys())
    forged, honest = told(FORGERIES[forgery], 1).event, told(_none, 1).event
    assert [trust.judge(each).verdict.holds for each in (forged, honest, forged, honest)] == [False, True, False, True]


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_a_forged_copy_in_the_voice_replaces_nothing_and_its_diagnostics_count(
    forgery: str, tmp_path: Path
) -> None:
    service = FakeService()
    said = service.world.say("ana", "observation", summary="honest")
    row = copy.deepcopy(service.world.record_json(said))
    FORGERIES[forgery](row["event"])
    row["missing_parents"] = ["sha256:" + "0" * 64]
    async with service.open(tmp_path) as session:
        await session.refresh()
        service.fault_json(VOICE, {**service.world.voice(), "recent_events": [row]})
        await session.refresh()
        (shown,) = session.snapshot.events
    assert (shown.event, shown.verdict) == (said.event, Verdict.LISTED)
    assert shown.record.missing_parents == ("sha256:" + "0" * 64,)


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_an_honest_copy_that_comes_after_a_forged_one_replaces_it(forgery: str, tmp_path: Path) -> None:
    service = FakeService()
    said = service.world.say("ana", "observation", summary="honest")
    page = copy.deepcopy(service.world.page())
    FORGERIES[forgery](page["events"][0]["event"])
    service.fault_json(EVENTS, page)
    async with service.open(tmp_path) as session:
        service.fault_json(VOICE, {**service.world.voice(), "recent_events": []})
        await session.refresh()
        assert not session.snapshot.events[0].verdict.holds
        service.faults.clear()
        await session.refresh()
        (shown,) = session.snapshot.events
    assert (shown.event, shown.verdict) == (said.event, Verdict.LISTED)
