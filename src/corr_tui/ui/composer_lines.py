"""What the composer shows, as lines: pure functions of a composition, a snapshot and a width.

Labels stand in one column and values in the next. Everything that others wrote goes through the text door here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corr_tui.protocol.event import PROTOCOL
from corr_tui.state.border import Prepared
from corr_tui.state.git_facts import Fact
from corr_tui.state.snapshot import Heard, LinkState, Me, Snapshot
from corr_tui.ui import exact
from corr_tui.ui.composition import Asked, Composition, first_said
from corr_tui.ui.glyphs import VERDICTS, Glyph
from corr_tui.ui.layout import START, blank, dim, ends, text, trim, width_of
from corr_tui.ui.line import Ink, Line, Span
from corr_tui.ui.panels.reading import my_name
from corr_tui.ui.text import cells, clean, clean_lines, first_words, quoted
from corr_tui.ui.wording import WORDING, does_not_establish, listed, says

HEAVY = "━"
RULE = "─"
WIDE = 140
"""Columns from which what is not established has a column of its own."""
ASIDE = 40
"""Columns of that column."""
SHOWN_TARGETS = 3
"""Targets that have a line each; more are counted."""
AUTHORITY = '"authority":{"automatic_action":"never","grants":[]}'
"""The authority object as it stands in canonical bytes (§1, §3)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A composition together with what it is shown against."""

    composition: Composition
    snapshot: Snapshot
    opened: Snapshot
    """As it was when the composer was opened."""
    prepared: Prepared | None = None

    @property
    def numbers(self) -> list[str]:
        """The targets as they are called here."""
        return [self.snapshot.number_of(target.event_id) for target in self.composition.targets]

    @property
    def who(self) -> str:
        """My name, clean."""
        return my_name(self.snapshot.me) if self.snapshot.me else "you"

    def moved(self) -> int:
        """How many events of others came into the thread since the composer was opened."""
        mine, threads = self.snapshot.me.session_id if self.snapshot.me else "", self.composition.thread_ids
        return sum(
            heard.event is not None
            and heard.event.thread_id in threads
            and heard.event.sender.session_id != mine
            and heard.event_id not in self.opened.by_id
            for heard in self.snapshot.events
        )


def label_width(width: int) -> int:
    """The column of the labels, its gap included: roomy from 100 columns."""
    return 12 if width >= 100 else 10


def labelled(label: str, values: tuple[Line, ...], width: int) -> tuple[Line, ...]:
    """A label beside one or more lines of value."""
    first = (*blank(START), Span(label.ljust(label_width(width)), Ink.DIM))
    under = blank(START + label_width(width))
    room = width - START - label_width(width) - 1
    return tuple((*(under if index else first), *trim(value, room)) for index, value in enumerate(values))


def heading(seen: Seen, width: int) -> Line:
    """The heavy rule: the kind and its targets on the left, what it is pinned to on the right."""
    names = trim(text(listed(seen.numbers)), max(width // 3, 8))
    left = (Span(f"{HEAVY} ", Ink.ACCENT), Span(seen.composition.kind, Ink.STRONG), Span("  → ", Ink.DIM), *names)
    right = trim(dim(f" pinned to {listed(seen.numbers)}"), max(width - width_of(left) - 4, 0))
    fill = width - width_of(left) - width_of(right) - 2
    return (*left, Span(f" {HEAVY * max(fill, 0)}", Ink.ACCENT), *right)


def facts(seen: Seen, width: int) -> tuple[Line, ...]:
    """What it is about and who says it: targets, thread, as."""
    room = width - START - label_width(width) - 1
    composition = seen.composition
    shown = [target_line(seen, target, room) for target in composition.targets[:SHOWN_TARGETS]]
    if (more := len(composition.targets) - len(shown)) > 0:
        shown.append(dim(f"and {more} more"))
    threads = len(composition.thread_ids)
    thread = text(clean(composition.thread_id, room) if threads == 1 else f"{threads} threads") or dim("none")
    if count := seen.moved():
        moved = f"{Glyph.NEW.symbol} {count} new event{'s' if count > 1 else ''} since you opened this"
        thread = (*trim(thread, max(room - cells(moved) - 3, 4)), *blank(3), Span(moved, Ink.ATTN))
    label = "target" if len(composition.targets) == 1 else "targets"
    return (
        *labelled(label, tuple(shown), width),
        *labelled("thread", (thread,), width),
        *labelled("as", (as_line(seen, room),), width),
    )


def target_line(seen: Seen, target: Heard, room: int) -> Line:
    """Number, kind, sender and first words of one target; a verdict that does not hold is said first."""
    event = target.event
    head: list[Span] = [Span(seen.snapshot.number_of(target.event_id), Ink.STRONG)]
    if not target.verdict.holds:
        sign = VERDICTS[target.verdict]
        head.append(Span(f"  {sign.symbol} {target.verdict.value}", Ink.ATTN))
    if event is None:
        return (*head, Span("  not an event of this profile", Ink.DIM))
    head += (
        Span(f"  {event.kind} by ", Ink.DIM),
        Span(clean(seen.snapshot.name_of(event.sender.identity_id)), Ink.STRONG),
    )
    said = first_said(target)
    left = room - width_of(head) - 2
    return (*head, Span(f"  “{first_words(said, left - 2)}”")) if said and left > 6 else tuple(head)


def as_line(seen: Seen, room: int) -> Line:
    """Me, my device, session, sequence and key: four separate facts; the last go first when room is short."""
    me = seen.snapshot.me
    if me is None:
        return dim("nobody: reading only")
    parts = [f"session {me.session_id[:4]}…", _sequence(seen, me), f"key {me.signing_key_id[:4]}…"]
    line: Line = (Span(my_name(me), Ink.TEXT), Span(f" on {clean(me.device_name)}", Ink.DIM))
    for part in parts:
        if part and width_of(line) + cells(part) + 3 <= room:
            line = (*line, Span(f" · {part}", Ink.DIM))
    return line


def _sequence(seen: Seen, me: Me) -> str:
    if not me.can_sign:
        return "cannot sign here"
    return f"sequence {seen.prepared.core.session_seq}" if seen.prepared else ""


def value(asked: Asked, words: str, fault: str, width: int) -> tuple[Line, ...]:
    """The value of one field while nobody writes in it; a broken rule stands under it, named by its field."""
    room = width - START - label_width(width) - 3
    lines: tuple[Line, ...]
    if not words:
        lines = ((Span("▏", Ink.ACCENT), Span(f" {asked.hint}", Ink.DIM)),)
    else:
        lines = tuple((Span("▏ ", Ink.ACCENT), Span(line)) for line in clean_lines(words, room))
    if fault:
        lines = (*lines, (Span(f"{asked.label} {fault}", Ink.ATTN),))
    return labelled(asked.label, lines, width)


def meaning(seen: Seen, width: int) -> tuple[Line, ...]:
    """What it says, and below that, where there is no column for it, what it does not establish."""
    composition = seen.composition
    room = width - START - label_width(width) - 1
    kind = composition.kind
    said = says(kind, seen.who, seen.numbers)
    lines = tuple(text(line) for line in clean_lines(said, room))
    rest = WORDING[kind].rest
    if rest and width_of(lines[-1]) + cells(rest) + 2 <= room:
        lines = (*lines[:-1], (*lines[-1], Span(f"  {rest}", Ink.DIM)))
    elif rest:
        lines = (*lines, dim(rest))
    return labelled("says", lines, width)


HERE: Mapping[Fact, tuple[str, str]] = {
    Fact.YES: ("yes", "present as a commit"),
    Fact.NO: ("no", "not present as a commit"),
    Fact.CANNOT_TELL: ("can't tell here", ""),
}


def here_lines(fact: Fact | None, width: int) -> tuple[Line, ...]:
    """What Git here says of the revision written; nothing while it was not asked."""
    if fact is None:
        return ()
    word, rest = HERE[fact]
    return labelled("git here", ((Span(word), *dim(f"  {rest}" if rest else "")),), width)


def denials(seen: Seen, width: int) -> tuple[Line, ...]:
    """In single words what it does not establish."""
    room = width - START - label_width(width) - 1
    lines: list[str] = []
    for word in WORDING[seen.composition.kind].briefly:
        if lines and cells(lines[-1]) + cells(word) + 3 <= room:
            lines[-1] += f" · {word}"
        else:
            lines.append(word)
    return labelled("not", tuple(dim(line) for line in lines), width)


def aside(seen: Seen, width: int) -> tuple[Line, ...]:
    """What it does not establish, one a line, in a column of its own."""
    kind = seen.composition.kind
    lines: list[Line] = [(Span(f"{kind} does not establish", Ink.STRONG),)]
    for each in does_not_establish(kind, seen.who):
        first, *more = clean_lines(each, width - 3)
        lines.append((Span("– ", Ink.DIM), Span(first)))
        lines += (text(f"  {line}") for line in more)
    return tuple(lines)


def bytes_heading(prepared: Prepared, width: int) -> Line:
    """The rule above the signed bytes, with their number."""
    left: Line = (
        Span(f"{RULE} ", Ink.RULE),
        Span("Signed bytes", Ink.STRONG),
        Span(f"  exactly these {len(prepared.core_jcs)}, one line, folded here ", Ink.DIM),
    )
    left = trim(left, width)
    return (*left, Span(RULE * max(width - width_of(left), 0), Ink.RULE))


def bytes_lines(prepared: Prepared, width: int) -> tuple[Line, ...]:
    """The canonical bytes with their offsets, the authority object bold, then authority, digest and what is signed."""
    room = width - START - label_width(width) - 1
    return (
        (),
        bytes_heading(prepared, width),
        (),
        *(
            (*blank(START), Span(f"{offset:05}".ljust(label_width(width)), Ink.DIM), *line)
            for offset, line in folded(prepared.core_jcs, max(room // 16 * 16, 16))
        ),
        (),
        *labelled(
            "authority",
            (
                (
                    Span("automatic_action ", Ink.DIM),
                    Span("never", Ink.STRONG),
                    *dim("   grants "),
                    Span("none", Ink.STRONG),
                ),
            ),
            width,
        ),
        *labelled("digest", tuple(text(line) for line in _digest(prepared.digest.hex(), room)), width),
        *labelled("signs", (dim(f"SHA-256( {PROTOCOL} · 00 · these bytes ), Ed25519"),), width),
    )


def others_lines(seen: Seen, width: int) -> tuple[Line, ...]:
    """Of several events at once: whose bytes are shown, and when the others are prepared."""
    if len(seen.composition.each) == 1:
        return ()
    words = f"these are the bytes for {seen.numbers[0]}; each other event has its own, prepared in its turn"
    return noted_lines("others", words, width)


def _digest(digest: str, room: int) -> list[str]:
    shown = f"sha256 {digest}"
    return [shown] if len(shown) <= room else ["sha256", *(digest[at : at + 32] for at in (0, 32))]


def folded(core_jcs: bytes, width: int) -> list[tuple[int, Line]]:
    """The canonical bytes of a core folded to a width, each line with the offset of its first byte.

    The authority object is bold; a character that would not show as it is appears as its bytes: ⟨e2 80 ae⟩.
    """
    whole, piece = core_jcs.decode("utf-8"), f"{{{AUTHORITY}"
    # `authority` sorts before every other name, so it is the first
    bold = len(piece) if whole.startswith(piece) else 1
    return exact.folded(((whole[:1], Ink.TEXT), (whole[1:bold], Ink.STRONG), (whole[bold:], Ink.TEXT)), width)


def bytes_aside(width: int, key: str = "Enter") -> tuple[Line, ...]:
    """What signing does, beside the bytes; `key` is the one that posts."""
    points = (
        "binds words, target and authority",
        "keeps issued_at as your report",
        "receipt and number come afterwards",
    )
    close = f"{key} posts these very bytes. If they must change, you see them again first."
    return (
        (),
        (Span("What signing these bytes does", Ink.STRONG),),
        *((Span("– ", Ink.DIM), Span(point)) for point in points),
        (),
        *(dim(line) for line in clean_lines(close, width - 1)),
    )


def armed_line(seen: Seen, reason: str, note: str, more: bool, width: int, key: str = "Enter") -> Line:
    """The last line of the screen: what the key that posts does, or why nothing; whether there is more than fits."""
    if note:
        said = note
    elif reason:
        said = f"not armed: {reason}"
    else:
        said = f"armed: {key} posts for {listed(seen.numbers)} only, wherever the list moves"
        if seen.snapshot.link.state is LinkState.HELD:
            said = f"paused by me, and {key} still posts, for {listed(seen.numbers)} only"
    keys = (Span("Up Down", Ink.KEY), Span(" scroll", Ink.DIM)) if more else ()
    return ends(width, dim(clean(said)), keys)


def refused_lines(reason: str, width: int) -> tuple[Line, ...]:
    """Why it was not posted, in the service's words, beside the kept draft."""
    room = width - START - label_width(width) - 1
    words = clean_lines(f"{quoted(reason)}  your words are kept", room)
    return labelled("refused", tuple((Span(line, Ink.ATTN),) for line in words), width)


def noted_lines(label: str, words: str, width: int) -> tuple[Line, ...]:
    """A short note under a label of its own."""
    room = width - START - label_width(width) - 1
    return labelled(label, tuple((Span(line, Ink.ATTN),) for line in clean_lines(words, room)), width)
