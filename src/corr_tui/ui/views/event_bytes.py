"""The bytes of one event exactly, and how its digest and its id follow from them (§3).

A character that a terminal would obey, hide or join is written out. What is wide enough to be long is folded once for
one event at one width.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from corr_tui.protocol.event import PROTOCOL, Event
from corr_tui.protocol.records import MalformedEvent
from corr_tui.protocol.signing import core_bytes, event_jcs, signing_digest
from corr_tui.state.same import Same
from corr_tui.ui import exact
from corr_tui.ui.composer_lines import folded
from corr_tui.ui.layout import dim, joined, text
from corr_tui.ui.line import Ink
from corr_tui.ui.views.sections import Entry, Section, room, told

STEP = 16
"""A line holds a multiple of so many bytes."""
NO_BYTES = "None: what breaks the profile has no canonical bytes that a signature could cover."


@lru_cache(maxsize=8)
def core_section(event: Same[Event], width: int) -> Section:
    """The canonical bytes that the signature covers, each line with the offset of its first byte."""
    core = core_bytes(event.value.evidence)
    lines = folded(core, max(room(width) // STEP * STEP, STEP))
    entries = tuple(Entry(str(offset), f"{offset:05}", line) for offset, line in lines)
    return Section("bytes", "Signed bytes", f"exactly these {len(core)}, one line, folded here", entries)


@lru_cache(maxsize=8)
def follows_section(event: Same[Event], width: int, genuine: bool) -> Section:
    """How digest, signature and id follow from the bytes; `genuine` is whether the id is that of these bytes."""
    return Section("follows", "How its digest and its id follow", "", tuple(_follows(event.value, width, genuine)))


def _follows(event: Event, width: int, genuine: bool) -> Iterator[Entry]:
    core = core_bytes(event.evidence)
    signed = {name: part for name, part in event.evidence.items() if name != "event_id"}
    never, none = text("never", Ink.STRONG), text("none", Ink.STRONG)  # the profile admits nothing else (§1)
    yield from told("authority", joined(((*dim("automatic_action "), *never), (*dim("grants "), *none)), 3))
    yield from _hex("digest", "sha256", signing_digest(core).hex(), width)
    yield Entry("digest how", "", dim(f"SHA-256( {PROTOCOL} · 00 · the {len(core)} bytes above )"))
    yield from _hex("signature", "Ed25519", event.signature.value_b64url, width)
    yield Entry("signature how", "", dim("over that digest, under the signing key"))
    yield from _hex("event id", "sha256", event.event_id.removeprefix("sha256:"), width)
    rest = f"SHA-256( the same with the signature, {len(event_jcs(signed))} bytes )"
    yield Entry("id how", "", dim(rest))
    if genuine:
        yield Entry("id here", "", text("recomputed here, and the same"))
    else:
        yield Entry("id here", "", text("recomputed here, and another: the id is not of these bytes", Ink.ATTN))


def _hex(label: str, name: str, value: str, width: int) -> Iterator[Entry]:
    """A long value after its name, beside it where it fits."""
    if len(name) + 1 + len(value) <= room(width):
        return told(label, (*dim(f"{name} "), *text(value)))
    half = -(-len(value) // 2)
    return told(label, dim(name), text(value[:half]), text(value[half:]))


@lru_cache(maxsize=8)
def json_section(event: Same[Event | MalformedEvent], width: int) -> Section:
    """The event as JSON, as it was received, indented here; what a terminal would obey is an escape."""
    whole = json.dumps(event.value.evidence, ensure_ascii=False, indent=2)
    entries: list[Entry] = []
    for number, line in enumerate(whole.split("\n"), 1):
        for place, (_, part) in enumerate(exact.folded(((line, Ink.TEXT),), room(width), exact.as_escape)):
            entries.append(Entry(f"{number} {place}", "" if place else f"{number:>5}", part))
    return Section("json", "Raw JSON", "as received; indented here, escapes where text would not show", tuple(entries))
