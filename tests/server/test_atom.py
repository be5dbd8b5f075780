"""GET /v1/correspondence/events as Atom 1.0: an alternate projection of the same receipts (§7)."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, fromstring

import httpx
import pytest

from corr_tui.protocol import strict_json
from corr_tui.server.atom import ATOM_NAMESPACE, CORRESPONDENCE_NAMESPACE
from corr_tui.state.snapshot import instant
from tests.correspondents import PROJECT_ID, claim
from tests.server.scene import EVENTS, VENDOR, Scene

ATOM = "application/atom+xml"
NAMES = {"a": ATOM_NAMESPACE, "at": CORRESPONDENCE_NAMESPACE}


async def fed(scene: Scene, **query: str | int) -> httpx.Response:
    """The Atom answer about the world's repository."""
    answer = await scene.get(EVENTS, {"Accept": ATOM}, **query)
    assert answer.status_code == 200, answer.text
    return answer


def entries(answer: httpx.Response) -> list[Element]:
    """The entries of a feed."""
    return fromstring(answer.content).findall("a:entry", NAMES)


def said(element: Element, path: str) -> str:
    """The text of the one element at a path."""
    (found,) = element.findall(path, NAMES)
    return found.text or ""


def content(entry: Element) -> Any:
    """The strictly decoded JSON of an entry."""
    return strict_json.decode(said(entry, "a:content").encode(), strict_json.COLLECTION_LIMITS)


async def test_an_entry_has_the_event_id_the_receipt_time_and_only_what_never_changes_section_7(scene: Scene) -> None:
    event = await scene.say("ana", "intent", summary="<b>&amp; ]]> \u0001 \u00e9 \U0001f600")
    (entry,) = entries(await fed(scene))
    assert said(entry, "a:id") == event.event_id
    assert said(entry, "a:updated") == instant(scene.world.now)
    assert said(entry, "a:published") == event.issued_at
    assert said(entry, "a:title") == "intent"
    assert said(entry, "a:author/a:name") == event.sender.identity_id
    assert content(entry) == {
        "event": event.evidence,
        "receipt": {"received_seq": "1", "received_at": instant(scene.world.now)},
    }


@pytest.mark.parametrize("events", [0, 2])
async def test_a_feed_has_every_element_atom_requires_section_7(scene: Scene, events: int) -> None:
    """RFC 4287 §4.1.1 and §4.1.2: id, title and updated once, an author, absolute ids, one self link."""
    for number in range(events):
        await scene.say("ana", "intent", summary=str(number))
    root = fromstring((await fed(scene)).content)
    assert root.tag == f"{{{ATOM_NAMESPACE}}}feed"
    for element in (root, *root.findall("a:entry", NAMES)):
        assert said(element, "a:id").partition(":")[0] in ("http", "sha256")
        assert said(element, "a:title")
        assert said(element, "a:updated").endswith("Z")
        assert said(element, "a:author/a:name")
    assert said(root, "a:author/a:name") == PROJECT_ID
    assert said(root, "a:updated") == (instant(scene.world.now) if events else "1970-01-01T00:00:00.000Z")
    (own,) = root.findall("a:link[@rel='self']", NAMES)
    assert own.get("href") == said(root, "a:id")


async def test_feed_order_is_receipt_order_and_pages_as_json_does_section_7(scene: Scene) -> None:
    first = scene.world.event("ana", "intent", summary="signed first")
    second = scene.world.event("bo", "intent", summary="signed second")
    third = scene.world.event("kit", "intent", summary="signed third")
    for event in (second, first, third):
        await scene.post(event)
    assert [said(entry, "a:id") for entry in entries(await fed(scene))] == [
        second.event_id,
        first.event_id,
        third.event_id,
    ]
    assert [said(entry, "a:id") for entry in entries(await fed(scene, after="1", limit=1))] == [first.event_id]
    assert entries(await fed(scene, thread_id="task:other")) == []


async def test_the_wake_template_is_a_foreign_element_and_no_link_section_7(scene: Scene) -> None:
    root = fromstring((await fed(scene)).content)
    (template,) = root.findall("at:link-template", NAMES)
    assert template.attrib == {
        "rel": "https://agenttool.dev/rels/correspondence-live",
        "type": "text/event-stream",
        "template": "http://service.example/v1/wake/voice?identity_id={identity_id}&keys=correspondence",
    }
    links = {link.get("rel"): link for link in root.findall("a:link", NAMES)}
    assert not any("{" in str(link.get("href")) for link in links.values())
    assert {"self", "alternate", "https://agenttool.dev/rels/active-claims"} <= set(links)
    assert (links["self"].get("type"), links["alternate"].get("type")) == (ATOM, VENDOR)


async def test_json_and_atom_are_alternates_of_each_other_in_link_section_7(scene: Scene) -> None:
    here = "http://service.example/v1/correspondence/events?repository_id=acme%2Fwidgets&limit=3"
    for accept, other in ((VENDOR, ATOM), ("application/json", ATOM), (ATOM, VENDOR)):
        link = (await scene.get(EVENTS, {"Accept": accept}, limit=3)).headers["link"]
        assert f'<{here}>; rel="self"; type="{accept}", <{here}>; rel="alternate"; type="{other}"' in link


async def test_a_parent_that_arrives_and_lineage_that_settles_change_no_old_atom_bytes_section_7(scene: Scene) -> None:
    opened = scene.world.event("ana", "claim.open", claim_id=claim(1), expires_in=60)
    await scene.say("ana", "claim.renew", predecessor=opened, parents=(opened,), expires_in=90)
    old, old_json = await fed(scene, limit=1), await scene.get(EVENTS, limit=1)
    await scene.post(opened)
    new, new_json = await fed(scene, limit=1), await scene.get(EVENTS, limit=1)
    assert (new.content, new.headers["etag"]) == (old.content, old.headers["etag"])
    assert new_json.headers["etag"] != old_json.headers["etag"] != old.headers["etag"]
    again = await scene.get(EVENTS, {"Accept": ATOM, "If-None-Match": old.headers["etag"]}, limit=1)
    assert again.status_code == 304


async def test_an_expiry_changes_no_atom_bytes_section_7(scene: Scene) -> None:
    await scene.say("ana", "claim.open", claim_id=claim(1), expires_in=60)
    old = await fed(scene)
    scene.world.now = scene.world.now.replace(year=scene.world.now.year + 1)
    assert (await fed(scene)).content == old.content


@pytest.mark.parametrize("character", ["\ufffe", "\uffff", "\u0001", "\u007f", "\u0085", "\ud7ff", "\U0010ffff"])
async def test_every_character_of_an_event_survives_xml_section_7(scene: Scene, character: str) -> None:
    event = await scene.say("ana", "intent", summary=f"a{character}\\b")
    (entry,) = entries(await fed(scene))
    assert content(entry)["event"] == event.evidence


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (ATOM, ATOM),
        (f"{ATOM}; charset=utf-8", ATOM),
        (f"{ATOM};type=feed, application/json;q=0.1", "application/json"),
        (f"application/*;q=0.5, {ATOM}", ATOM),
        (f"{ATOM};q=0.5, application/json;q=0.4", ATOM),
        (f"{ATOM};q=0.4;type=feed, application/json;q=0.3", ATOM),
        ("application/*", VENDOR),
        (f"*/*, {VENDOR};q=0, application/json;q=0", ATOM),
    ],
)
async def test_events_are_offered_in_three_representations_section_7(
    scene: Scene, accept: str, media_type: str
) -> None:
    answer = await scene.get(EVENTS, {"Accept": accept})
    assert (answer.status_code, answer.headers["content-type"]) == (200, f"{media_type}; charset=utf-8")


async def test_head_of_a_feed_equals_its_get_section_7(scene: Scene) -> None:
    await scene.say("ana", "intent", summary="hello")
    got = await fed(scene)
    headed = await scene.client.head(got.request.url, headers={"Accept": ATOM})
    assert (headed.status_code, headed.content, headed.headers) == (200, b"", got.headers)


async def test_a_feed_without_a_plain_host_still_has_an_absolute_id_section_7(scene: Scene) -> None:
    answer = await scene.get(EVENTS, {"Accept": ATOM, "Host": 'evil.example"><x'})
    root = fromstring(answer.content)
    assert said(root, "a:id").startswith("urn:uuid:")
    assert b"evil" not in answer.content
