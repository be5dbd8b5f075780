"""Everything there is to know of one event, section by section: what it says, what was proved, what it rests on.

A signature is a fact about bytes and a key; diagnostics and receipt are the service's word, and signed by nobody (§3,
§4, §9; experience: honesty 4, 8). Lines that name other events are known by their ids, so that they can be followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from corr_tui.protocol.bodies import cited
from corr_tui.protocol.errors import show_path
from corr_tui.protocol.event import Event
from corr_tui.protocol.records import MalformedEvent
from corr_tui.state.facts import Declaration
from corr_tui.state.projection import facts
from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, KeyStanding, Unsent, UnsentState
from corr_tui.ui import exact, times
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import dim, fit, joined, text
from corr_tui.ui.line import Ink, Line
from corr_tui.ui.panels.event_row import verdict_ink
from corr_tui.ui.panels.reading import Reading, quote
from corr_tui.ui.panels.told import ONLY_ACKNOWLEDGED, UNDER, WORDS, Subject, named
from corr_tui.ui.panels.what import what
from corr_tui.ui.text import clean, quoted
from corr_tui.ui.views.event_bytes import NO_BYTES, core_section, follows_section, json_section
from corr_tui.ui.views.participant_details import UNASKED, UNLISTED
from corr_tui.ui.views.sections import Entry, Section, room, sentence, told
from corr_tui.ui.wording import WORDING, does_not_establish, says

FOLLOWED = ("parents", "cites", "cited", "declared")
"""Sections whose lines name events; the key of such a line ends with the id."""
WHO, KIND = 8, 16
"""Cells of a sender and of a kind beside an event named."""
TOLD_APART = frozenset({"about", "paths", "branch", "base", "not", "breaks"})
"""Labels of `told.named` that stand elsewhere here."""
PROVES = "A fact about bytes and a key; not about a person, truth or consent."
UNSIGNED = "the service’s own word; signed by nobody"


def sections(subject: Subject, reading: Reading, width: int, *, aside: bool) -> tuple[Section, ...]:
    """The sections about an event; `aside` leaves out what its kind does not establish, which stands beside them."""
    event, heard = subject.event, subject.heard
    said = _breaks(heard, width) if event is None else _said(event, subject, reading, width)
    return (
        Section("said", "", "", tuple(said)),
        *(() if aside or event is None else (establishes(event, reading, width),)),
        Section("signature", "Signature", "", tuple(_signature(subject, reading, width))),
        Section("receipt", "Receipt", UNSIGNED if heard else "not yet", tuple(_receipt(subject, reading, width))),
        *_related(subject, reading),
        *_exactly(subject, width),
    )


def follows(key: str) -> str | None:
    """The id of the event that a line names, if it names one."""
    section, _, rest = key.partition(" ")
    return rest if section in FOLLOWED else None


# What it says.


def _said(event: Event, subject: Subject, reading: Reading, width: int) -> Iterator[Entry]:
    sender, scope = event.sender, event.scope
    yield from told("kind", joined((text(event.kind, Ink.STRONG), dim(f"in {clean(event.thread_id)}")), 2))
    for name in WORDS:
        if isinstance(words := getattr(event.body, name, None), str):
            yield from sentence(name, quoted(words), width)
    for each in named(subject, reading):
        if each.label not in TOLD_APART:
            yield from told(each.label, each.spans)
    who = text(reading.name(sender.identity_id), Ink.STRONG)
    yield from told("from", joined((who, dim(f"identity {sender.identity_id}")), 2))
    yield from told("device", joined((text(reading.device(sender.device_id)), dim(sender.device_id)), 2))
    yield from told("session", text(sender.session_id))
    yield from told("sequence", joined((text(str(event.session_seq)), dim("of that session, by its own count")), 2))
    yield from told("issued", joined((text(in_full(event.issued_at, reading)), dim("the sender’s own report")), 2))
    yield from told("paths", *(line for path in scope.paths for line in _exactly_words(path, width)))
    if scope.branch is not None:
        yield from told("branch", *_reported(_exactly_words(scope.branch, width)))
    if scope.base_revision is not None:
        yield from told("base", *_reported([text(scope.base_revision)]))


def _reported(lines: list[Line]) -> list[Line]:
    """What a sender reports of Git, said to be a report."""
    return [*lines[:-1], joined((lines[-1], dim("as reported")), 2)]


@lru_cache(maxsize=256)
def _exactly_words(words: str, width: int) -> list[Line]:
    return [line for _, line in exact.folded(((words, Ink.TEXT),), room(width))]


def _breaks(heard: Heard | None, width: int) -> Iterator[Entry]:
    """The rules of the profile that a malformed event breaks, each at its place."""
    event = heard.record.event if heard else None
    called = event.event_id if event else ""
    yield from told("kind", joined((text("malformed", Ink.ATTN), dim("not an event of this profile")), 2))
    yield from sentence("called", called or "nothing: the service gives it no id", width)
    for place, issue in enumerate(event.issues if isinstance(event, MalformedEvent) else ()):
        yield from told(
            "" if place else "breaks", text(clean(show_path(issue.path)), Ink.STRONG), key=f"breaks {place}"
        )
        yield from sentence("", f"{clean(issue.message)} ({clean(issue.code)})", width, Ink.DIM, key=f"why {place}")


def establishes(event: Event, reading: Reading, width: int) -> Section:
    """What the kind says, and what it does not establish (experience: honesty 4)."""
    targets = [reading.number(each) for each in cited(event.body)]
    who = reading.name(event.sender.identity_id)
    said = " ".join((says(event.kind, who, targets), WORDING[event.kind].rest)).strip()
    entries = [*sentence("says", said, width)]
    for place, each in enumerate(does_not_establish(event.kind, who)):
        entries += sentence("" if place else "not", each, width, Ink.DIM, key=f"not {place}")
    return Section("establishes", f"What {event.kind} says", "and does not establish", tuple(entries))


# What was proved, and when it came.


def _signature(subject: Subject, reading: Reading, width: int) -> Iterator[Entry]:
    heard, event = subject.heard, subject.event
    if heard is None:
        yield from told("verdict", joined((text("signed here"), dim("under a key of this installation")), 2))
    else:
        word = text(f"{VERDICTS[heard.verdict].symbol} {heard.verdict}", verdict_ink(heard.verdict))
        yield from told("verdict", joined((word, dim(UNDER[heard.verdict])), 2))
        if heard.detail:
            yield from sentence("rests on", clean(heard.detail), width, Ink.DIM)
    if event is not None:
        yield from _key(event, reading, width)
        yield from sentence("means", PROVES, width, Ink.DIM)


def _key(event: Event, reading: Reading, width: int) -> Iterator[Entry]:
    """The key that the event names, and what is known of it here."""
    sender = event.sender
    yield from told("key id", text(sender.signing_key_id))
    keys = reading.snapshot.keys.get(sender.identity_id, ())
    known = next((key for key in keys if key.signing_key_id == sender.signing_key_id), None)
    if known is None:
        yield from told("key", dim("neither pinned here nor listed, as far as is known"))
        return
    changed = known.standing is KeyStanding.CHANGED
    word = f"{Glyph.KEY_CHANGED.symbol} {known.standing}" if changed else str(known.standing)
    listed = "listed by the service" if known.listed else UNLISTED if known.asked else UNASKED
    yield from told("key", joined((text(word, Ink.ALARM if changed else Ink.TEXT), dim(listed)), 2))
    if known.fingerprint:
        yield from _digest("sha256", known.fingerprint, width)
    if known.other:
        yield from _digest("listed", known.other, width)


def _digest(label: str, value: str, width: int) -> Iterator[Entry]:
    parts = (value,) if len(value) <= room(width) else (value[:32], value[32:])
    return told(label, *map(text, parts))


def _receipt(subject: Subject, reading: Reading, width: int) -> Iterator[Entry]:
    if subject.heard is None:
        yield from _unsent(subject.unsent, reading, width)
        return
    record = subject.heard.record
    yield from told("number", text(f"#{record.receipt.received_seq}", Ink.STRONG))
    received = in_full(record.receipt.received_at, reading)
    yield from told("received", joined((text(received), dim("by the service’s clock")), 2))
    yield from told("lineage", dim(record.lineage_status.replace("_", " ")))
    missing = facts(reading.snapshot).missing.get(subject.event_id, record.missing_parents)
    yield from told("missing", *(text(f"{Glyph.ABSENT.symbol} {clean(each)}", Ink.ATTN) for each in missing))
    for place, each in enumerate(record.warnings):
        yield from sentence("warns", f"{clean(each.code)}: {clean(each.detail)}", width, key=f"warns {place}")


def _unsent(unsent: Unsent | None, reading: Reading, width: int) -> Iterator[Entry]:
    """What is known of an event of mine that has no receipt."""
    if unsent is None:
        return
    ink = Ink.ATTN if unsent.state is UnsentState.REFUSED else Ink.TEXT
    yield from told("state", text(unsent.state, ink))
    if unsent.reason:
        yield from sentence("because", quoted(unsent.reason), width)
    if unsent.stored_at:
        kept = joined((text(in_full(unsent.stored_at, reading)), dim("by the clock of this machine")), 2)
        yield from told("stored", kept)
    yield from sentence(
        "number", "none before the service gives one; the very same bytes are sent again", width, Ink.DIM
    )


def in_full(instant: str, reading: Reading) -> str:
    """An instant with its day, and with the milliseconds it was written with."""
    when = times.local(instant, reading.view.zone)
    return f"{times.day_words(when.date())} {when.year} {when:%H:%M:%S}.{instant[20:23]}"


# What it names, and what names it.


def _related(subject: Subject, reading: Reading) -> Iterator[Section]:
    event, known = subject.event, facts(reading.snapshot)
    named_by_body = cited(event.body) if event else ()
    for name, title, about, ids in (
        ("cites", "It is about", "cited by its body", named_by_body),
        ("parents", "Parents", "other events it names as causes", _others(event, named_by_body)),
        ("amended", "Repaired or resolved by", "it stays as it is", _amended(subject, reading)),
        ("cited", "Cited by", "events that name it as parent", known.cited_by.get(subject.event_id, ())),
    ):
        yield Section(name, title, about, tuple(_event(each, reading) for each in ids))
    declared = known.declared.get(subject.event_id, ())
    if declared and subject.event_id not in known.cited_by:  # by another name, for there is nothing to follow
        yield Section("uncited", "Cited by", "events that name it as parent", tuple(told("—", dim(ONLY_ACKNOWLEDGED))))
    yield Section("declared", "Declared about it", "silence is not assent", tuple(_declared(declared, reading)))


def _amended(subject: Subject, reading: Reading) -> list[str]:
    return [each.event_id for each in facts(reading.snapshot).amended.get(subject.event_id, ())]


def _others(event: Event | None, named_by_body: tuple[str, ...]) -> list[str]:
    return [each for each in event.parents if each not in named_by_body] if event else []


def _event(event_id: str, reading: Reading) -> Entry:
    """One event named: by number and what it says where it is at hand, else by id and what is known of it."""
    heard = reading.snapshot.by_id.get(event_id)
    if heard is None:
        noted = event_id in facts(reading.snapshot).noted
        return Entry(event_id, reading.number(event_id), dim("kept further back") if noted else _absent(reading))
    event, verdict = heard.event, heard.verdict
    who = reading.name(event.sender.identity_id if event else None)
    says = (
        dim(reading.clock(heard.record.receipt.received_at)),
        text(VERDICTS[verdict].symbol, verdict_ink(verdict)),
        fit(text(who, Ink.STRONG), WHO),
        fit(text(event.kind if event else "malformed"), KIND),
        what(event, reading) if event and verdict.holds else dim(str(verdict)),
    )
    return Entry(event_id, reading.number(event_id), joined(says, 2))


def _absent(reading: Reading) -> Line:
    if not reading.snapshot.history.complete:
        return dim(f"{Glyph.PARTIAL.symbol} not read yet")
    return text(f"{Glyph.ABSENT.symbol} missing here", Ink.ATTN)


def _declared(declared: tuple[Declaration, ...], reading: Reading) -> Iterator[Entry]:
    for each in declared:
        who = fit(text(reading.name(each.identity_id), Ink.STRONG), WHO)
        heard = reading.snapshot.by_id.get(each.event_id)
        detail = quote(getattr(heard.event.body, "detail", None), Ink.DIM) if heard and heard.event else ()
        says = (dim(reading.clock(each.received_at)), who, fit(text(each.kind.removeprefix("ack.")), KIND), detail)
        yield Entry(each.event_id, reading.number(each.event_id), joined(says, 2))


# Its bytes.


def _exactly(subject: Subject, width: int) -> Iterator[Section]:
    event = subject.event
    if event is not None:
        yield core_section(Same(event), width)
        yield follows_section(Same(event), width, subject.heard is None or subject.heard.genuine)
        yield json_section(Same(event), width)
    elif subject.heard is not None:
        yield Section("bytes", "Signed bytes", "", tuple(sentence("", NO_BYTES, width, Ink.DIM, key="none")))
        yield json_section(Same(subject.heard.record.event), width)
