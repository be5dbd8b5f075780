"""What POST and the queries refuse, in which order, with which code (§2, §3, §7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from corr_tui.protocol.event import Event
from corr_tui.protocol.signing import event_id_of, event_jcs, sign
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import Database
from tests.correspondents import uuid
from tests.server.scene import CLAIMS, EVENTS, VOICE, Scene

MISSING = f"sha256:{'ab' * 32}"


def raw(event: Event, **changes: Any) -> bytes:
    """The bytes of an event with members replaced."""
    return json.dumps({**event.evidence, **changes}).encode()


def resigned(event: Event, **changes: Any) -> bytes:
    """The bytes of an event with core members replaced, signed by number 1 again."""
    core = {name: part for name, part in event.evidence.items() if name not in ("event_id", "signature")}
    return json.dumps(sign({**core, **changes}, bytes([1]) * 32).evidence).encode()


def other_signature(event: Event) -> bytes:
    """The bytes of an event with a well-formed signature of something else, its identifier recomputed."""
    signature = {"algorithm": "Ed25519", "value_b64url": "A" * 86}
    signed = {**event.evidence, "signature": signature}
    del signed["event_id"]
    return json.dumps({**signed, "event_id": event_id_of(event_jcs(signed))}).encode()


BODIES: list[tuple[str, Callable[[Event], bytes], int, str]] = [
    ("nothing", lambda _: b"", 400, "body_required"),
    ("a broken character", lambda _: b'{"a":"\xff"}', 400, "invalid_utf8"),
    ("no JSON", lambda _: b"{not json", 400, "invalid_json"),
    ("a byte order mark", lambda event: b"\xef\xbb\xbf" + raw(event), 400, "invalid_json"),
    ("a name twice", lambda event: raw(event)[:-1] + b',"kind":"intent"}', 400, "duplicate_object_key"),
    ("a fraction", lambda event: raw(event, session_seq=1.5), 400, "non_canonical_json_value"),
    ("an exponent", lambda event: raw(event).replace(b'_seq": 1', b'_seq": 1e0'), 400, "non_canonical_json_value"),
    ("negative zero", lambda event: raw(event).replace(b'_seq": 1', b'_seq": -0'), 400, "non_canonical_json_value"),
    ("an unsafe integer", lambda event: raw(event, session_seq=2**53), 400, "non_canonical_json_value"),
    ("a zero character", lambda event: raw(event, thread_id="a\0"), 400, "non_canonical_json_value"),
    ("half a character", lambda event: raw(event, thread_id="\ud800"), 400, "non_canonical_json_value"),
    ("a deep value", lambda _: b"[" * 500 + b"]" * 500, 400, "invalid_json"),
    ("a list", lambda _: b"[]", 400, "event_invalid"),
    ("an unknown member", lambda event: raw(event, extra=1), 400, "event_invalid"),
    ("an empty summary", lambda event: raw(event, body={"summary": ""}), 400, "event_invalid"),
    (
        "an authority",
        lambda event: raw(event, authority={"automatic_action": "never", "grants": ["x"]}),
        400,
        "event_invalid",
    ),
    ("another project", lambda event: resigned(event, project_id=uuid(1, 9)), 403, "project_mismatch"),
    ("another project and id", lambda event: raw(event, project_id=uuid(1, 9)), 403, "project_mismatch"),
    ("a wrong identifier", lambda event: raw(event, event_id=MISSING), 400, "event_id_mismatch"),
    (
        "a changed core",
        lambda event: raw(event, thread_id="task:other"),
        400,
        "event_id_mismatch",
    ),
    ("another signature", other_signature, 403, "signature_invalid"),
    (
        "an unknown identity",
        lambda event: resigned(event, sender={**event.evidence["sender"], "identity_id": uuid(2, 99)}),
        403,
        "sender_or_signing_key_not_active",
    ),
    (
        "an unknown key",
        lambda event: resigned(event, sender={**event.evidence["sender"], "signing_key_id": uuid(3, 99)}),
        403,
        "sender_or_signing_key_not_active",
    ),
    (
        "a key of somebody else",
        lambda event: resigned(event, sender={**event.evidence["sender"], "signing_key_id": uuid(3, 2)}),
        403,
        "sender_or_signing_key_not_active",
    ),
    (
        "somebody else's name under one's own signature",
        lambda event: resigned(
            event, sender={**event.evidence["sender"], "identity_id": uuid(2, 2), "signing_key_id": uuid(3, 2)}
        ),
        403,
        "signature_invalid",
    ),
]


@pytest.mark.parametrize(("body", "status", "error"), [case[1:] for case in BODIES], ids=[case[0] for case in BODIES])
async def test_post_refuses_and_stores_nothing_sections_2_3_7(
    scene: Scene, body: Callable[[Event], bytes], status: int, error: str
) -> None:
    answer = await scene.post(body(scene.world.event("ana", "intent", summary="hello")))
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert set(answer.json()) <= {"error", "message", "hint", "issues", "docs"}
    assert (await scene.read(EVENTS))["events"] == []


async def test_issues_name_the_place_the_code_and_the_rule_section_2_1(scene: Scene) -> None:
    event = scene.world.event("ana", "intent", summary="hello")
    answer = await scene.post(raw(event, body={"summary": ""}, kind="intent", session_seq=0))
    issues = answer.json()["issues"]
    assert [issue["path"] for issue in issues] == [["session_seq"], ["body", "summary"]]
    assert all(set(issue) == {"path", "code", "message"} for issue in issues)


async def test_refusals_never_echo_what_was_sent_section_7(scene: Scene) -> None:
    event = scene.world.event("ana", "intent", summary="hello")
    for make in (case[1] for case in BODIES):
        answer = await scene.post(make(event).replace(b"hello", b"c0nfidential"))
        assert "c0nfidential" not in answer.text


@pytest.mark.parametrize(
    ("content_type", "admitted"),
    [
        ("application/json", True),
        ("application/json; charset=utf-8", True),
        ('Application/JSON; Charset="UTF-8"', True),
        ("application/vnd.agenttool.correspondence+json", True),
        ("application/json; charset=utf-16", False),
        ("text/plain", False),
        ("", False),
    ],
)
async def test_post_takes_the_two_json_media_types_section_7(scene: Scene, content_type: str, admitted: bool) -> None:
    answer = await scene.post(b"", {"Content-Type": content_type})
    assert answer.json()["error"] == ("body_required" if admitted else "content_type_unsupported")
    assert answer.status_code == (400 if admitted else 415)


async def test_the_order_is_bearer_query_media_type_size_section_7(scene: Scene) -> None:
    large = b" " * 70_000
    wrong = {"Content-Type": "text/plain"}
    unknown = {**wrong, "Authorization": "Bearer at_unknown"}
    codes = []
    for url, headers in [(f"{EVENTS}?x=1", unknown), (f"{EVENTS}?x=1", wrong), (EVENTS, wrong), (EVENTS, {})]:
        about = {"Content-Type": "application/json", **headers}
        codes.append((await scene.client.post(url, content=large, headers=about)).json()["error"])
    assert codes == ["unauthorized", "query_invalid", "content_type_unsupported", "body_too_large"]


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer nope", "Bearer at_nope"])
@pytest.mark.parametrize("path", [EVENTS, CLAIMS, VOICE, "/v1/wake", "/v1/wake/voice", "/v1/identities"])
async def test_every_route_wants_a_known_bearer_section_7(scene: Scene, path: str, authorization: str) -> None:
    answer = await scene.get(path, headers={"Authorization": authorization})
    assert (answer.status_code, answer.json()["error"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "no-store" in answer.headers["cache-control"]


QUERIES = [
    (EVENTS, "", "repository_id_invalid"),
    (EVENTS, "repository_id=", "repository_id_invalid"),
    (EVENTS, "repository_id=a+b", "repository_id_invalid"),
    (EVENTS, "repository_id=a%00", "repository_id_invalid"),
    (EVENTS, f"repository_id={'a' * 257}", "repository_id_invalid"),
    (EVENTS, "repository_id=a&repository_id=a", "query_invalid"),
    (EVENTS, "repository_id=a&foo=1", "query_invalid"),
    (EVENTS, "repository_id=a&path=docs", "query_invalid"),
    (EVENTS, "repository_id=a&&limit=1", "query_invalid"),
    (EVENTS, "repository_id", "query_invalid"),
    (EVENTS, "repository_id=%zz", "query_invalid"),
    (EVENTS, "repository_id=%ff", "query_invalid"),
    (EVENTS, "repository_id=a&thread_id=", "thread_id_invalid"),
    (EVENTS, "repository_id=a&thread_id=a%20b", "thread_id_invalid"),
    (EVENTS, "repository_id=a&after=01", "after_invalid"),
    (EVENTS, "repository_id=a&after=-1", "after_invalid"),
    (EVENTS, "repository_id=a&after=", "after_invalid"),
    (EVENTS, "repository_id=a&after=9223372036854775808", "after_invalid"),
    (EVENTS, "repository_id=a&after=%D9%A1", "after_invalid"),
    (EVENTS, "repository_id=a&limit=0", "limit_invalid"),
    (EVENTS, "repository_id=a&limit=201", "limit_invalid"),
    (EVENTS, "repository_id=a&limit=1.0", "limit_invalid"),
    (EVENTS, "repository_id=a&limit=", "limit_invalid"),
    (CLAIMS, "repository_id=a&path=/abs", "path_invalid"),
    (CLAIMS, "repository_id=a&path=a/../b", "path_invalid"),
    (CLAIMS, "repository_id=a&path=*.py", "path_invalid"),
    (CLAIMS, "repository_id=a&path=", "path_invalid"),
    (CLAIMS, "repository_id=a&after=1", "query_invalid"),
    (VOICE, "repository_id=a&limit=1", "query_invalid"),
]


@pytest.mark.parametrize(("path", "query", "error"), QUERIES)
async def test_queries_are_strict_section_7(scene: Scene, path: str, query: str, error: str) -> None:
    answer = await scene.client.get(f"{path}?{query}")
    assert (answer.status_code, answer.json()["error"]) == (400, error)


async def test_unknown_routes_and_methods_are_json_too_section_7(scene: Scene) -> None:
    unknown = await scene.client.get("/v2/anything")
    assert (unknown.status_code, unknown.json()["error"]) == (404, "not_found")
    deleted = await scene.client.delete(EVENTS)
    assert (deleted.status_code, deleted.json()["error"]) == (405, "method_not_allowed")
    assert {part.strip() for part in deleted.headers["allow"].split(",")} == {"GET", "HEAD", "POST"}


async def test_a_revoked_key_is_named_before_a_broken_signature_section_7(scene: Scene, database: Database) -> None:
    await scene.say("ana", "intent", summary="known")
    broken = other_signature(scene.world.event("ana", "intent", summary="hello"))
    assert (await scene.post(broken)).json()["error"] == "signature_invalid"
    Accounts(database).revoke_key(uuid(3, 1))
    assert (await scene.post(broken)).json()["error"] == "sender_or_signing_key_not_active"
