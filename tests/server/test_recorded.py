"""The public service's recorded history, told to this service: the same requests get the same answers (§4, §6, §7).

Every event of the recordings is posted in its recorded order, with the recorded receipt times as the clock. Then each
recorded read must give the recorded JSON value, and each recorded refusal the recorded status and code.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import httpx
import pytest
import pytest_asyncio

from corr_tui.protocol import strict_json
from corr_tui.server.app import create_app
from corr_tui.server.database import Database, open_database
from corr_tui.server.tables import identities, projects, signing_keys, streams
from corr_tui.state.snapshot import instant
from tests.protocol.examples import shared

BEARER = "at_REDACTED"
KEYS = ("identity-keys.txt", "identity-keys-second.txt")
READS = (
    ("voice-200.txt", 11),
    ("voice-200-plain-json.txt", 11),
    ("voice-thread.txt", 11),
    ("voice-unknown-repo.txt", 11),
    ("claims-200.txt", 11),
    ("claims-path.txt", 11),
    ("claims-path-none.txt", 11),
    ("events-default.txt", 11),
    ("events-page.txt", 11),
    ("events-page-after.txt", 11),
    ("events-page-end.txt", 11),
    ("claims-200-conflicted.txt", 25),
    ("voice-200-conflicts.txt", 25),
    ("voice-304-stale.txt", 25),
)
"""Recorded reads, each with the cursor its service stood at."""
REFUSALS = (
    "post-415.txt",
    "post-415-missing.txt",
    "post-authority-grants.txt",
    "post-bad-signature-and-id.txt",
    "post-bad-signature.txt",
    "post-duplicate-key.txt",
    "post-empty.txt",
    "post-extra-field.txt",
    "post-float.txt",
    "post-key-of-other-identity.txt",
    "post-not-json.txt",
    "post-project-mismatch.txt",
    "post-schema-invalid-body.txt",
    "post-unknown-identity.txt",
    "post-unknown-key.txt",
    "post-with-query.txt",
    "post-wrong-event-id.txt",
    "post-wrong-key.txt",
    "claims-path-invalid.txt",
    "events-406.txt",
    "events-after-bad.txt",
    "events-limit-0.txt",
    "events-limit-201.txt",
    "repeated-query-param.txt",
    "repository-id-missing.txt",
    "repository-id-whitespace.txt",
    "unknown-query-param.txt",
    "voice-406.txt",
)
WRITES = (
    "post-201-vendor-type.txt",
    "post-with-idempotency-key.txt",
    "post-session-fork.txt",
    "post-missing-parent.txt",
    "post-claim-pending.txt",
    "post-claim-open.txt",
    "post-claim-renew.txt",
    "post-claim-renew-branch.txt",
    "post-claim-invalid.txt",
    "post-claim-release.txt",
    "post-claim-expired.txt",
)


@dataclass(frozen=True)
class Exchange:
    """One recorded request and its answer."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    status: int
    answer_headers: dict[str, str]
    text: bytes
    answer: Any
    """The strictly decoded text where it is JSON."""

    @property
    def at(self) -> datetime:
        """When the service answered, to the second."""
        return parsedate_to_datetime(self.answer_headers["Date"])


def exchange(name: str) -> Exchange:
    """A recording by its file name; skips where the recordings are not beside the checkout."""
    raw = Path(shared("wire", name)).read_bytes()
    request, response = raw.split(b"===== REQUEST =====\n")[1].split(b"\n===== RESPONSE =====\n")
    head, _, body = request.partition(b"\n\n")
    start, *fields = head.decode().split("\n")
    answer_head, _, answer = response.partition(b"\n\n")
    answer_start, *answer_fields = answer_head.decode().split("\n")
    method, target, _ = start.split(" ")
    return Exchange(
        method,
        target,
        dict(field.split(": ", 1) for field in fields),
        body,
        int(answer_start.split(" ")[1]),
        dict(field.split(": ", 1) for field in answer_fields if field),
        answer.strip(),
        strict_json.decode(answer.strip(), strict_json.COLLECTION_LIMITS) if answer.startswith(b"{") else None,
    )


def recorded_records() -> dict[int, Any]:
    """Every record in the recordings by its receipt number."""
    records: dict[int, Any] = {}
    for record in (
        *exchange("voice-304-stale.txt").answer["recent_events"],
        *exchange("events-default.txt").answer["events"],
    ):
        records.setdefault(int(record["receipt"]["received_seq"]), record)
    return dict(sorted(records.items()))


@dataclass
class Moment:
    """The database clock of these tests."""

    now: str = "2026-11-30T15:00:00.000Z"


@dataclass
class Retold:
    """This service with the recorded history in it, up to a point."""

    client: httpx.AsyncClient
    clock: Moment

    async def tell(self, upto: int) -> None:
        """Post the recorded events up to a receipt number, each at its recorded time."""
        for number, record in recorded_records().items():
            if number <= upto:
                self.clock.now = record["receipt"]["received_at"]
                answer = await self.client.post("/v1/correspondence/events", json=record["event"])
                assert (answer.status_code, answer.json()["receipt"]) == (201, record["receipt"])

    async def ask(self, recorded: Exchange) -> httpx.Response:
        """Send a recorded request."""
        hop = ("Host", "Connection", "Content-Length")
        headers = {name: value for name, value in recorded.headers.items() if name not in hop}
        return await self.client.request(recorded.method, recorded.target, headers=headers, content=recorded.body)


def settle_recorded_accounts(database: Database, project_id: str) -> None:
    """Put the recorded project, identities and keys into a database."""
    at = {"project_id": project_id, "created_at": "2026-11-30T15:00:00.000Z"}
    with database.writing() as connection:
        connection.execute(projects.insert().values(name="recorded", **at))
        connection.execute(streams.insert().values(project_id=project_id, received_seq=0, incomplete=False))
        for name in KEYS:
            recorded = exchange(name)
            found = re.search("/identities/([^/]+)/keys", recorded.target)
            assert found
            connection.execute(identities.insert().values(identity_id=found[1], name=name, **at))
            for key in recorded.answer["keys"]:
                public_key = b64decode(key["public_key"])
                values = {"signing_key_id": key["kid"], "public_key": public_key, "label": key["label"]}
                connection.execute(signing_keys.insert().values(identity_id=found[1], **values, **at))


@pytest_asyncio.fixture
async def retold(bare_url: str) -> AsyncIterator[Retold]:
    """This service with the recorded accounts and no event yet."""
    project_id = recorded_records()[1]["event"]["project_id"]
    clock = Moment()
    database = open_database(bare_url, clock=lambda: clock.now)
    settle_recorded_accounts(database, project_id)
    headers = {"Authorization": f"Bearer {BEARER}"}
    transport = httpx.ASGITransport(create_app(database, bearers={BEARER: project_id}))
    async with httpx.AsyncClient(transport=transport, base_url="http://service.example", headers=headers) as client:
        yield Retold(client, clock)
    database.close()


@pytest.mark.parametrize(("name", "cursor"), READS)
async def test_a_recorded_read_gives_the_recorded_value_sections_6_7(retold: Retold, name: str, cursor: int) -> None:
    recorded = exchange(name)
    await retold.tell(cursor)
    retold.clock.now = instant(recorded.at)
    if cursor == 25:  # the clock of these answers runs a moment behind their receipts
        retold.clock.now = recorded_records()[25]["receipt"]["received_at"]
    answer = await retold.ask(recorded)
    assert answer.status_code == recorded.status == 200
    assert answer.headers["content-type"] == recorded.answer_headers["Content-Type"]
    assert strict_json.decode(answer.content, strict_json.COLLECTION_LIMITS) == recorded.answer


@pytest.mark.parametrize(("name", "cursor"), [READS[0], READS[1], READS[4], READS[5], READS[7]])
async def test_a_recorded_read_has_the_recorded_headers_section_7(retold: Retold, name: str, cursor: int) -> None:
    recorded = exchange(name)
    answer = await retold.ask(recorded)
    for field in ("Cache-Control", "Vary", "X-Content-Type-Options", "Link"):
        assert answer.headers[field] == recorded.answer_headers[field]
    template = answer.headers["Link-Template"]
    assert template == recorded.answer_headers["Link-Template"].replace("; ", ";")


@pytest.mark.parametrize("name", REFUSALS)
async def test_a_recorded_refusal_gives_the_recorded_status_and_code_section_7(retold: Retold, name: str) -> None:
    recorded = exchange(name)
    answer = await retold.ask(recorded)
    assert (answer.status_code, answer.json()["error"]) == (recorded.status, recorded.answer["error"])
    assert set(answer.json()) <= {*recorded.answer, "hint", "issues"}


@pytest.mark.parametrize("name", WRITES)
async def test_a_recorded_write_gives_the_recorded_record_sections_4_6_7(retold: Retold, name: str) -> None:
    recorded = exchange(name)
    receipt = recorded.answer["receipt"]
    await retold.tell(int(receipt["received_seq"]) - 1)
    retold.clock.now = receipt["received_at"]
    answer = await retold.ask(recorded)
    assert answer.status_code == recorded.status == 201
    assert plain(answer.json()) == plain(recorded.answer)


async def test_the_recorded_retries_get_their_first_receipts_section_4(retold: Retold) -> None:
    await retold.tell(25)
    for name in ("post-200-replay.txt", "post-200-replay-reordered.txt"):
        recorded = exchange(name)
        answer = await retold.ask(recorded)
        assert answer.status_code == recorded.status == 200
        assert answer.json() == recorded.answer


async def test_the_recorded_feed_is_told_again_by_value_section_7(retold: Retold) -> None:
    """The same elements with the same values, but for the title's wording, the generator and the feed's own author."""
    await retold.tell(11)
    recorded = exchange("events-atom.txt")
    answer = await retold.ask(recorded)
    for field in ("Content-Type", "Cache-Control", "Vary", "Link"):
        assert answer.headers[field] == recorded.answer_headers[field]
    ours, theirs = ({*map(told, fromstring(feed))} for feed in (answer.content, recorded.text))
    assert {element[0].rpartition("}")[2] for element in ours ^ theirs} == {"title", "generator", "author"}
    assert [entry[-1] for entry in map(told, fromstring(answer.content)) if entry[0].endswith("}entry")] == [
        entry[-1] for entry in map(told, fromstring(recorded.text)) if entry[0].endswith("}entry")
    ]


def told(element: Element) -> tuple[Any, ...]:
    """What an element says: its name, attributes, text and parts. JSON text counts by its value."""
    text = (element.text or "").strip()
    if text.startswith("{"):
        text = json.dumps(json.loads(text), sort_keys=True)
    return element.tag, tuple(sorted(element.attrib.items())), text, tuple(map(told, element))


async def test_the_recorded_empty_project_section_6(retold: Retold) -> None:
    recorded = exchange("voice-empty-project.txt")
    assert (await retold.ask(recorded)).json() == recorded.answer


def plain(record: Any) -> Any:
    """A record without the wording of its warnings."""
    return {**record, "warnings": [{**warning, "detail": ""} for warning in record["warnings"]]}
