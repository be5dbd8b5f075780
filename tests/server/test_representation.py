"""Exact bytes, entity tags, negotiation, links (§7)."""

from __future__ import annotations

from hashlib import sha256

import http_sf
import pytest

from corr_tui.server.representation import JSON_OFFERS, matches, negotiate
from tests.correspondents import PROJECT_ID, claim, uuid
from tests.server.scene import CLAIMS, EVENTS, VENDOR, VOICE, Scene

COLLECTIONS = (EVENTS, CLAIMS, VOICE)
PLAIN = "application/json"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", VENDOR),
        ("*/*", VENDOR),
        ("application/*", VENDOR),
        (PLAIN, PLAIN),
        (VENDOR, VENDOR),
        (f"{PLAIN};charset=utf-8", PLAIN),
        (f'{PLAIN}; charset="UTF-8"', PLAIN),
        (f"{PLAIN}; charset=latin-1", None),
        (f"{PLAIN}; version=1", None),
        (f"{PLAIN}; q=0.5; version=1", PLAIN),
        (f"{PLAIN}, {VENDOR};q=0.9", PLAIN),
        (f"*/*;q=0.1, {PLAIN};q=0.2", PLAIN),
        (f"*/*, {VENDOR};q=0", PLAIN),
        (f"{PLAIN};q=0", None),
        (f"{PLAIN};q=2", None),
        ("application/atom+xml", None),
        ("text/html, image/*", None),
        ("nonsense", None),
        (f" {PLAIN.upper()} ", PLAIN),
    ],
)
def test_accept_chooses_the_media_type_section_7(accept: str, chosen: str | None) -> None:
    assert negotiate(accept, JSON_OFFERS) == chosen


@pytest.mark.parametrize("path", COLLECTIONS)
async def test_content_type_describes_the_bytes_served_section_7(scene: Scene, path: str) -> None:
    for accept in (VENDOR, PLAIN):
        answer = await scene.get(path, headers={"Accept": accept})
        assert answer.headers["content-type"] == f"{accept}; charset=utf-8"
    refused = await scene.get(path, headers={"Accept": "text/html"})
    assert (refused.status_code, refused.json()["error"]) == (406, "representation_not_acceptable")
    assert refused.headers["vary"] == "Accept, Authorization"


@pytest.mark.parametrize("path", COLLECTIONS)
async def test_a_collection_is_private_and_tagged_over_its_exact_bytes_section_7(scene: Scene, path: str) -> None:
    await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    answer = await scene.get(path)
    assert answer.headers["etag"] == f'"sha256-{sha256(answer.content).hexdigest()}"'
    assert answer.headers["cache-control"].startswith("private")
    assert answer.headers["vary"] == "Accept, Authorization"
    assert answer.headers["x-content-type-options"] == "nosniff"
    again = await scene.get(path)
    assert (again.content, again.headers) == (answer.content, answer.headers)


@pytest.mark.parametrize("path", COLLECTIONS)
async def test_head_equals_get_without_a_body_section_7(scene: Scene, path: str) -> None:
    await scene.say("ana", "intent", summary="hello")
    got = await scene.get(path)
    headed = await scene.client.head(got.request.url)
    assert (headed.status_code, headed.content) == (200, b"")
    assert headed.headers == got.headers


@pytest.mark.parametrize("path", COLLECTIONS)
async def test_a_matching_tag_gives_304_with_the_full_header_set_section_7(scene: Scene, path: str) -> None:
    got = await scene.get(path)
    for method in ("GET", "HEAD"):
        headers = {"If-None-Match": got.headers["etag"]}
        answer = await scene.client.request(method, got.request.url, headers=headers)
        assert (answer.status_code, answer.content) == (304, b"")
        assert {**answer.headers, "content-length": got.headers["content-length"]} == dict(got.headers)
    await scene.say("ana", "intent", summary="news")
    fresh = await scene.get(path, headers={"If-None-Match": got.headers["etag"]})
    assert fresh.status_code == 200
    assert fresh.headers["etag"] != got.headers["etag"]


@pytest.mark.parametrize(
    ("field", "matched"),
    [
        ("*", True),
        ('"a"', True),
        ('W/"a"', True),
        ('"b", W/"a" , "c"', True),
        ('"b"', False),
        ("a", False),
        ("", False),
        ('"A"', False),
    ],
)
def test_if_none_match_takes_stars_lists_and_weak_forms_section_7(field: str, matched: bool) -> None:
    assert matches(field, '"a"') is matched


async def test_links_lead_to_self_voice_and_claims_and_never_to_the_template_section_7(scene: Scene) -> None:
    answer = await scene.get(EVENTS, thread_id="task:1/\u00e9", limit=3)
    base = "http://service.example/v1/correspondence"
    focus = "repository_id=acme%2Fwidgets&thread_id=task%3A1%2F%C3%A9"
    assert f'<{base}/events?{focus}&limit=3>; rel="self"' in answer.headers["link"]
    assert f'<{base}/voice?{focus}>; rel="https://agenttool.dev/rels/correspondence-voice"' in answer.headers["link"]
    assert f'<{base}/claims?{focus}>; rel="https://agenttool.dev/rels/active-claims"' in answer.headers["link"]
    assert "{" not in answer.headers["link"]


@pytest.mark.parametrize("path", COLLECTIONS)
async def test_the_live_template_is_a_structured_link_template_section_7(scene: Scene, path: str) -> None:
    answer = await scene.get(path)
    assert http_sf.parse(answer.headers["link-template"].encode(), tltype="list") == [
        (
            "http://service.example/v1/wake/voice?identity_id={identity_id}&keys=correspondence",
            {"rel": "https://agenttool.dev/rels/correspondence-live", "type": "text/event-stream"},
        )
    ]


async def test_a_hostile_host_never_reaches_a_link_section_7(scene: Scene) -> None:
    answer = await scene.get(VOICE, headers={"Host": 'evil.example>; rel="x"'})
    assert "evil" not in answer.headers["link"] + answer.headers["link-template"]
    assert answer.headers["link"].startswith("</v1/correspondence/voice?")


async def test_the_wake_document_names_the_project_and_five_correspondence_links_section_8(scene: Scene) -> None:
    answer = await scene.client.get("/v1/wake")
    body = answer.json()
    assert body["project"] == {"id": PROJECT_ID, "name": "acme"}
    (item,) = [item for item in body["you_can_now"]["items"] if item["kind"] == "correspondence_open"]
    assert [(action["method"], action["path"].split("?")[0]) for action in item["next_actions"]] == [
        ("GET", VOICE),
        ("GET", CLAIMS),
        ("GET", EVENTS),
        ("GET", "/v1/wake/voice"),
        ("POST", EVENTS),
    ]


async def test_a_route_spelled_with_escapes_gives_the_same_bytes_section_7(scene: Scene) -> None:
    await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    for path in COLLECTIONS:
        plain = await scene.get(path)
        spelled = await scene.client.get(str(plain.request.url).replace("correspondence", "c%6Frrespondence"))
        assert (spelled.content, spelled.headers) == (plain.content, plain.headers)


@pytest.mark.parametrize("path", ["/v1/wake", "/v1/identities", f"/v1/identities/{uuid(2, 1)}/keys", "/v1/nothing"])
async def test_head_equals_get_everywhere_else_too_section_7(scene: Scene, path: str) -> None:
    got, headed = await scene.client.get(path), await scene.client.head(path)
    assert (headed.status_code, headed.headers, headed.content) == (got.status_code, got.headers, b"")


@pytest.mark.parametrize("path", COLLECTIONS)
async def test_each_representation_has_the_tag_of_its_own_bytes_section_7(scene: Scene, path: str) -> None:
    """The two JSON media types name the same bytes, and so the same tag; a focus has bytes of its own."""
    await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    tags = {}
    for accept in (VENDOR, PLAIN):
        answer = await scene.get(path, headers={"Accept": accept})
        tags[accept] = answer.headers["etag"], answer.content
    assert tags[VENDOR] == tags[PLAIN]
    assert (await scene.get(path, thread_id="task:none")).headers["etag"] != tags[VENDOR][0]
