"""A page of events as an Atom 1.0 feed (§7).

The rule: a feed is another view of the same receipts. An entry holds only what can never change, the event and its
receipt, under the event's own id and the instant of its receipt; so the bytes of an old page stay what they are when
a missing parent arrives or lineage settles. Entries stand in the order of their receipts.

XML has no way to write U+FFFE and U+FFFF, which JSON admits: they stand as JSON escapes inside the JSON text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from corr_tui.protocol.event import PROTOCOL
from corr_tui.server.links import LIVE_RELATION, LIVE_TYPE, Links
from corr_tui.server.record import EMPTY_INSTANT, Stored, compact

ATOM_NAMESPACE = "http://www.w3.org/2005/Atom"
CORRESPONDENCE_NAMESPACE = "https://agenttool.dev/ns/correspondence"

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def feed(project_id: str, records: Sequence[Stored], links: Links) -> bytes:
    """The feed of one page, as UTF-8; an empty page was last updated in 1970."""
    # Names are written as they stand: ElementTree would otherwise choose the prefixes, from a table of the process.
    root = Element("feed", {"xmlns": ATOM_NAMESPACE, "xmlns:at": CORRESPONDENCE_NAMESPACE})
    here = links.targets[0].address
    _text(root, "id", f"urn:uuid:{project_id}" if here.startswith("/") else here)
    _text(root, "title", "Signed reports of one project", type="text")
    _text(root, "updated", max((record.received_at for record in records), default=EMPTY_INSTANT))
    _text(SubElement(root, "author"), "name", project_id)
    for target in links.targets:
        SubElement(root, "link", {"rel": target.relation, "type": target.media_type, "href": target.address})
    live = {"rel": LIVE_RELATION, "type": LIVE_TYPE, "template": links.template}
    SubElement(root, "at:link-template", live)
    _text(root, "generator", PROTOCOL)
    for record in records:
        _add_entry(root, record)
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _add_entry(root: Element, record: Stored) -> None:
    event = json.loads(record.evidence)
    entry = SubElement(root, "entry")
    _text(entry, "id", event["event_id"])
    _text(entry, "title", event["kind"], type="text")
    _text(entry, "published", event["issued_at"])
    _text(entry, "updated", record.received_at)
    _text(SubElement(entry, "author"), "name", event["sender"]["identity_id"])
    SubElement(entry, "category", {"term": event["kind"]})
    content = f'{{"event":{record.evidence},"receipt":{compact(record.receipt())}}}'
    _text(entry, "content", _NO_XML.sub(_json_escape, content), type="text")


def _text(parent: Element, name: str, text: str, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = text


def _json_escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
