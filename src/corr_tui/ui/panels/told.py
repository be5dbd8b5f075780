"""What is told of one event in labelled lines: what was said and signed, and what it names (look: selected).

Three clocks keep their three words: issued is the sender's report, received the service's receipt, now the service's
clock (experience: honesty 2). What is offered is named, never fetched, opened or judged.
"""

from __future__ import annotations

from dataclasses import dataclass

from corr_tui.protocol.bodies import (
    Applied,
    ArtifactOffer,
    Availability,
    ClaimOpen,
    ClaimRelease,
    ClaimRenew,
    Correction,
    GitCommit,
    GitPatch,
    Handoff,
    cited,
)
from corr_tui.protocol.event import Event
from corr_tui.protocol.paths import meeting
from corr_tui.protocol.records import MalformedEvent
from corr_tui.state.projection import facts
from corr_tui.state.snapshot import Heard, Snapshot, Unsent, UnsentState, Verdict, moment
from corr_tui.state.standing import CUT_OFF, Standing, claims_standing, claims_view
from corr_tui.ui import times
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import dim, joined, text
from corr_tui.ui.line import Ink, Layout, Line
from corr_tui.ui.panels.event_row import AMENDED, hidden, verdict_ink
from corr_tui.ui.panels.reading import Reading, paths_words, quote
from corr_tui.ui.panels.what import is_ack
from corr_tui.ui.text import clean
from corr_tui.ui.waiting import UNKNOWN, UNSENT
from corr_tui.ui.wording import WORDING

UNDER = {
    Verdict.VERIFIED: "under a key pinned here",
    Verdict.LISTED: "under a key this service lists",
    Verdict.NO_KEY: "no key is listed for it",
    Verdict.MISMATCH: "the bytes and the signature differ",
    Verdict.MALFORMED: "not an event of this profile",
    Verdict.KEY_CHANGED: "another key than the one pinned here",
    Verdict.KEY_REVOKED: "proved under that key",
}
"""What a verdict says about bytes and a key (experience: honesty 8)."""
SHORTLY = {Verdict.VERIFIED: "pinned key", Verdict.LISTED: "by this service"}
"""The same where there is less room, to be read after the verdict's own word and before the key's fingerprint."""
ONLY_ACKNOWLEDGED = "nothing but acknowledgements"
"""Who cites an event that acknowledgements alone name: they are told by themselves, as declarations."""
WORDS = ("summary", "detail")
"""The members of a body that hold words."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The event looked at: heard, or mine and unsent."""

    heard: Heard | None = None
    unsent: Unsent | None = None

    @property
    def event(self) -> Event | None:
        """The typed event, or None when it is malformed."""
        if self.heard is not None:
            return self.heard.event
        return self.unsent.event if self.unsent else None

    @property
    def event_id(self) -> str:
        """Its id."""
        return self.heard.event_id if self.heard else self.unsent.event.event_id if self.unsent else ""


class Told:
    """One labelled line."""

    __slots__ = ("label", "spans")

    def __init__(self, label: str, *parts: Line, gap: int = 2) -> None:
        self.label = label
        self.spans = joined(parts, gap)


def subject_of(snapshot: Snapshot, event_id: str | None) -> Subject | None:
    """The event under an id, heard or unsent, or None."""
    if event_id is None:
        return None
    if heard := snapshot.by_id.get(event_id):
        return Subject(heard)
    return next((Subject(unsent=each) for each in snapshot.unsent if each.event.event_id == event_id), None)


def words_of(subject: Subject, reading: Reading) -> Line:
    """The words of the event in quotation marks, however long; nothing while they are hidden."""
    event = subject.event
    if event is None or (subject.heard and hidden(subject.heard, reading.view)):
        return ()
    return next((said for name in WORDS if (said := quote(getattr(event.body, name, None)))), ())


def signed(subject: Subject, reading: Reading) -> list[Told]:
    """When it was issued and received, what its signature proves, what it follows and what cites it."""
    lines: list[Told] = []
    event = subject.event
    if event is not None:
        whose = f"{reading.name(event.sender.identity_id)}’s own report"
        lines.append(Told("issued", *_when(event.issued_at, whose, reading), gap=3))
    if subject.heard is not None:
        receipt = subject.heard.record.receipt
        lines.append(Told("received", *_when(receipt.received_at, "this service’s receipt", reading), gap=3))
        lines.append(Told("signature", *_signature(subject.heard, reading), gap=1))
    else:
        lines.append(Told("received", dim("not yet: no receipt")))
    for kind, label in AMENDED.items():
        if found := [
            each.event_id for each in facts(reading.snapshot).amended.get(subject.event_id, ()) if each.kind == kind
        ]:
            lines.append(Told(label.split()[0], _named(tuple(reversed(found)), reading)))
    if subject.unsent is not None:
        lines.append(Told("sending", _sending(subject.unsent)))
    if event is not None:
        lines.append(Told("parents", _named(event.parents, reading)))
    lines.append(Told("cited by", _cited_by(subject.event_id, reading)))
    return lines


def named(subject: Subject, reading: Reading) -> list[Told]:
    """What the event names: artifact, targets, expiry, paths, base and branch, and what it does not establish."""
    event = subject.event
    if event is None:
        return _broken(subject)
    if subject.heard and hidden(subject.heard, reading.view):
        return [Told("body", dim("hidden until opened with Enter"))]
    lines = [*_of_body(event, reading), *_scope(event)]
    if not is_ack(event.kind):
        lines += _touches(event, reading)
    briefly = " · ".join(WORDING[event.kind].briefly)
    return [*lines, Told("not", dim(briefly))]


def _when(instant: str, whose: str, reading: Reading) -> tuple[Line, Line]:
    day = times.day(instant, reading.view.zone)
    note = whose if reading.today in (None, day) else f"{times.day_words(day, reading.today)} · {whose}"
    return text(reading.clock(instant)), dim(note)


def _signature(heard: Heard, reading: Reading) -> tuple[Line, ...]:
    word = text(f"{VERDICTS[heard.verdict].symbol} {heard.verdict}", verdict_ink(heard.verdict))
    under, detail = UNDER[heard.verdict], clean(heard.detail)
    if reading.view.layout is not Layout.WIDE and heard.verdict in SHORTLY:
        under, detail = SHORTLY[heard.verdict], detail.removeprefix("key ")
    return word, dim(" · ".join(part for part in (under, detail) if part))


def _sending(unsent: Unsent) -> Line:
    if unsent.state is UnsentState.REFUSED:
        return joined((text("refused", Ink.ATTN), quote(unsent.reason), dim("draft kept")), 2)
    if unsent.state is UnsentState.UNKNOWN:
        return dim(UNKNOWN)
    return dim(f"{Glyph.PENDING.symbol} {UNSENT}")


def _named(event_ids: tuple[str, ...], reading: Reading) -> Line:
    """`#4807 intent by ana`, and how many more; a dash for none."""
    if not event_ids:
        return dim(f"{Glyph.SILENCE.symbol}  none named")
    first = event_ids[0]
    heard = reading.snapshot.by_id.get(first)
    event = heard.event if heard else None
    note = f" {event.kind} by {reading.name(event.sender.identity_id)}" if event else ""
    more = f" +{len(event_ids) - 1}" if len(event_ids) > 1 else ""
    return (*text(reading.number(first)), *(() if heard else _absent(first, reading)), *dim(f"{note}{more}"))


def _absent(event_id: str, reading: Reading) -> Line:
    """What is known of an event that is not at hand: kept further back, not read yet, or missing."""
    snapshot = reading.snapshot
    if event_id in facts(snapshot).noted:
        return (*dim("  earlier   "), *reading.key("open", "in 6 shows it"))
    if not snapshot.history.complete:
        return dim(f" {Glyph.PARTIAL.symbol} not read yet")
    return text(f" {Glyph.ABSENT.symbol} missing here", Ink.ATTN)


def _cited_by(event_id: str, reading: Reading) -> Line:
    known = facts(reading.snapshot)
    found = known.cited_by.get(event_id, ())
    if found:
        return _named(found, reading)
    nothing = ONLY_ACKNOWLEDGED if event_id in known.declared else "nothing seen so far"
    return dim(f"{Glyph.SILENCE.symbol}  {nothing}")


def _of_body(event: Event, reading: Reading) -> list[Told]:
    """What is particular to the kind."""
    body = event.body
    lines: list[Told] = []
    targets = () if isinstance(body, (ClaimRenew, ClaimRelease)) else cited(body)
    if targets:
        lines.append(Told("about", _named(targets, reading)))
    match body:
        case ArtifactOffer():
            lines += _offer(body)
        case ClaimOpen() | ClaimRenew() | ClaimRelease():
            lines += _claim(body, reading)
        case Applied(result_revision=result):
            lines.append(Told("revision", text(f"{result[:12]}…"), dim("reported")))
        case Correction(result_revision=str(result)):
            lines.append(Told("revision", text(f"{result[:12]}…"), dim("reported")))
        case Availability(until=str(until)):
            passed = reading.now is not None and until <= reading.now
            lines.append(Told("until", text(reading.in_full(until)), dim("passed; not a resume" if passed else "")))
        case Handoff(next_safe_action=step, handoff_id=handoff_id):
            lines.append(Told("next step", quote(step)))
            if isinstance(handoff_id, str):
                lines.append(Told("snapshot", text(f"{handoff_id[:8]}…"), dim("a locator, not looked up")))
        case _:
            pass
    return lines


def _offer(body: ArtifactOffer) -> list[Told]:
    match body.artifact:
        case GitCommit(revision=revision):
            return [Told("offers", (*dim("git commit "), *text(f"{revision[:7]}…")))]
        case GitPatch() as held:
            kind = "git patch"
        case held:
            kind = "content"
    lines = [Told("offers", (*dim(f"{kind} "), *text(f"{held.digest.removeprefix('sha256:')[:7]}…")))]
    if isinstance(held.locator, str):
        lines.append(Told("at", text(clean(held.locator)), dim("not fetched")))
    return lines


def _claim(body: ClaimOpen | ClaimRenew | ClaimRelease, reading: Reading) -> list[Told]:
    claim = Told("claim", text(f"{body.claim_id[:4]}…"), dim(f"gen {body.generation} · advisory"))
    lines = [claim]
    if isinstance(body, (ClaimRenew, ClaimRelease)):
        lines.append(Told("continues", _named((body.predecessor_event_id,), reading)))
    if isinstance(body, (ClaimOpen, ClaimRenew)):
        left = None if reading.view.now is None else (moment(body.expires_at) - reading.view.now).total_seconds()
        off = reading.snapshot.clock.uncertainty
        passed = left is not None and left <= (-off if off > times.MINUTE / 2 else 0)
        note = "" if left is None else "passed" if passed else f"{times.about_left(left, off)} left"
        lines.append(Told("expires", text(reading.in_full(body.expires_at)), dim(note)))
    return lines


def _scope(event: Event) -> list[Told]:
    scope = event.scope
    lines = [Told("paths", text(paths_words(scope.paths)))]
    if scope.branch is not None:
        lines.append(Told("branch", text(clean(scope.branch)), dim("reported")))
    if scope.base_revision is not None:
        lines.append(Told("base", text(f"{scope.base_revision[:7]}…"), dim("reported")))
    return lines


def _touches(event: Event, reading: Reading) -> list[Told]:
    """The live claims of others whose prefixes overlap the scope; nothing is said where absence means nothing."""
    claims, touches = claims_view(reading.snapshot), meeting(event.scope.paths)
    found = [
        claim
        for claim in (claims.claims if claims else ())
        if claim.owner_identity_id != event.sender.identity_id and touches(claim.scope.paths)
    ]
    if not found:
        known = claims_standing(reading.snapshot) is Standing.COMPLETE or _computed(reading)
        return [Told("touches", dim(f"{Glyph.SILENCE.symbol}  no live claim of others"))] if known else []
    first = min(found, key=lambda claim: (min(claim.scope.paths), claim.event_id))
    whose = f"{reading.name(first.owner_identity_id)}’s claim"
    more = f" +{len(found) - 1}" if len(found) > 1 else ""
    return [Told("touches", text(paths_words(sorted(first.scope.paths))), dim(f"{whose}{more}"))]


def _computed(reading: Reading) -> bool:
    """Whether the claims are computed here with the service still heard, so that none came since."""
    worth, link = claims_standing(reading.snapshot), reading.snapshot.link.state
    return worth is Standing.COMPUTED and link not in CUT_OFF


def _broken(subject: Subject) -> list[Told]:
    """What is wrong with a malformed event, the first rules first."""
    event = subject.heard.record.event if subject.heard else None
    issues = event.issues if isinstance(event, MalformedEvent) else ()
    return [
        Told("breaks", text(clean("/".join(map(str, issue.path)) or "event")), dim(clean(issue.message)))
        for issue in issues[:5]
    ]
