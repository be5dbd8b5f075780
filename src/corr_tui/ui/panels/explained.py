"""Whatever the header names in a word, said in full: since when, why, and what to do (experience: honesty 1 and 2).

Each is a sentence or two about this corr-tui and the service; none of them is about a participant. A service's own
words stand in quotation marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from corr_tui.state.same import Same
from corr_tui.state.snapshot import Heard, LinkState, ProjectionState, UnsentState, Verdict, instant
from corr_tui.state.standing import CUT_OFF, Standing, claims_standing, standing
from corr_tui.ui import times
from corr_tui.ui.panels.reading import Reading
from corr_tui.ui.text import clean, quoted
from corr_tui.ui.waiting import counted

UNSURE = 2.0
"""Seconds of uncertainty from which the service's clock is called unsure."""
NAMED = 3
"""Changed keys that are named; more are counted."""
WAITS = {
    UnsentState.UNSENT: "unsent: signed and kept, not gone from this machine, and sent once the service takes it.",
    UnsentState.UNKNOWN: "not known yet: the answer was lost, the service may have it; the same bytes go out again.",
    UnsentState.REFUSED: "refused: decided against by the service, not sent again, and kept as a draft.",
}
"""What each state of an event without a receipt means."""


class Explained(NamedTuple):
    """What one thing of the header is about, in a word, and all there is to say of it."""

    about: str
    words: str


def explained(reading: Reading) -> tuple[Explained, ...]:
    """A sentence or two on everything the header names, what matters most first; nothing where all is well."""
    found = (
        *(("keys", each) for each in _keys_changed(reading)),
        ("recording", _recorded(reading)),
        ("link", _link(reading)),
        *(("claims", each) for each in _claims(reading)),
        ("clock", _clock(reading)),
        ("history", _history(reading)),
        ("signatures", _signatures(reading)),
        *(("outbox", each) for each in _unsent(reading)),
    )
    said = ((about, " ".join(part for part in sentences if part)) for about, sentences in found)
    return tuple(Explained(about, words) for about, words in said if words)


def _keys(reading: Reading, command_id: str, does: str) -> str:
    """`R asks now.`; nothing where the command has no key."""
    shown = "".join(span.text for span in reading.key(command_id))
    return f"{shown} {does}." if shown else ""


def _said(reason: str) -> str:
    """A reason as a sentence of its own, in quotation marks: it may be a service's."""
    return f"The reason: {quoted(reason)}." if reason else ""


def _recorded(reading: Reading) -> tuple[str, ...]:
    if not reading.snapshot.recorded:
        return ()
    return ("This is a recording: there is no service behind it, and nothing can be sent.",)


def _link(reading: Reading) -> tuple[str, ...]:
    link = reading.snapshot.link
    why, asks = _said(link.detail), _keys(reading, "refresh", "asks now")
    match link.state:
        case LinkState.LIVE:
            return ()
        case LinkState.CONNECTING:
            return ("Connecting: the service has not answered yet.", why)
        case LinkState.POLLING:
            polls = (
                "Polling: there is no wake stream, so events are asked for every few seconds and come a little later."
            )
            return (polls, why)
        case LinkState.RECONNECTING:
            attempt = f", attempt {link.attempt}" if link.attempt else ""
            return (f"Reconnecting{attempt}: what is shown is what was read before.", why, _next_try(reading), asks)
        case LinkState.OFFLINE:
            said = f"Offline{_since(reading)}: the service is not reached, and what is shown was read before."
            return (said, why, _next_try(reading), asks)
        case LinkState.UNAUTHORIZED:
            said = "Unauthorized: the service does not accept the bearer, and is not asked again by itself."
            todo = "Give a bearer of this project by CORR_TUI_BEARER or in config.toml, and start corr-tui again."
            return (said, why, todo, _keys(reading, "refresh", "asks once more"))
        case LinkState.HELD:
            said = (
                f"Paused by me{_since(reading)}: nothing is asked of the service, and nothing kept is posted by itself."
            )
            return (said, "An event sent by a key is posted all the same.", _keys(reading, "hold", "goes on"))
        case LinkState.ENDED:
            return ("The recording has ended: what is shown is its end.",)


def _since(reading: Reading) -> str:
    """` since 13:57, for 6 min`."""
    lasted = max(reading.view.monotonic - reading.snapshot.link.since, 0)
    now = reading.view.now
    began = "" if now is None else f" since {reading.clock(instant(now - timedelta(seconds=lasted)), seconds=False)},"
    return f"{began} for {times.span(lasted)}"


def _next_try(reading: Reading) -> str:
    retry_at = reading.snapshot.link.retry_at
    wait = 0.0 if retry_at is None else retry_at - reading.view.monotonic
    return f"It is tried again by itself in {times.span(wait)}." if wait >= 1 else ""


def _claims(reading: Reading) -> Iterator[tuple[str, ...]]:
    snapshot = reading.snapshot
    projection, worth = snapshot.projection, claims_standing(snapshot)
    if projection.state is ProjectionState.UNAVAILABLE and projection.error != snapshot.link.detail:
        yield ("The service does not give its claims and conflicts.", _said(projection.error))
    match worth:
        case Standing.COMPUTED:
            made = snapshot.computed
            through = f" through #{clean(made.through)}" if made and made.through else ""
            later = "More may exist since." if snapshot.link.state in CUT_OFF else ""
            said = "Claims and conflicts are computed here by the service’s own rules, from every event"
            yield (f"{said}{through}, since the service’s view cannot be had.", later)
        case Standing.LAST_GOOD:
            yield (f"Claims and conflicts are the last the service gave{_of(reading)}; they may have changed since.",)
        case Standing.UNAVAILABLE:
            part = _part_read(reading)
            yield ("Claims and conflicts are unavailable, which is not the same as there being none.", part)
        case Standing.TRUNCATED:
            yield ("The service cut its list of claims short: more may be live than are shown. One thread may fit.",)
        case _:
            pass
    if worth is Standing.COMPUTED and standing(snapshot) is Standing.LAST_GOOD:
        yield (f"The last view the service gave is{_of(reading)}.",)


def _of(reading: Reading) -> str:
    """`, of 13:57:02, 6 min old`."""
    projection = reading.snapshot.projection
    at = f" of {reading.clock(projection.voice.evaluated_at)}" if projection.voice else ""
    if projection.read_at is None:
        return at
    return f"{at}, {times.span(max(reading.view.monotonic - projection.read_at, 0))} old"


def _part_read(reading: Reading) -> str:
    history = reading.snapshot.history
    if history.complete or not history.through:
        return ""
    if history.folding:
        return f"What follows from the history to #{clean(history.through)} is being computed."
    return f"History is read to #{clean(history.through)} only, which is too little to compute them here."


def _clock(reading: Reading) -> tuple[str, ...]:
    if reading.snapshot.recorded:
        return ()
    if reading.view.now is None:
        return ("The service’s time is not known yet: nothing is counted down, and nothing is called passed.",)
    uncertainty = reading.snapshot.clock.uncertainty
    if uncertainty < UNSURE:
        return ()
    off = times.plus_minus(uncertainty)
    return (f"The service’s clock is known to {off} only: what is left of a claim is right to that much.",)


def _history(reading: Reading) -> tuple[str, ...]:
    history = reading.snapshot.history
    at = f" at #{clean(history.through)}" if history.through else ""
    if history.stopped:
        said = f"Reading the history was stopped{at}: what follows is not read, and nothing is said of it."
        return (said, _keys(reading, "history.stop", "goes on"))
    if history.target is None or history.complete:
        return ()
    said = f"The history is being read{at} of #{clean(history.target)}: until then nothing is computed here."
    return (said, _keys(reading, "history.stop", "stops reading"))


def _signatures(reading: Reading) -> tuple[str, ...]:
    """Signatures that do not hold and are not loud; what each verdict means is in the help."""
    verdicts = _verdicts(Same(reading.snapshot.events))
    missing = [f"{verdicts[each]} {each}" for each in Verdict if verdicts[each] and not each.holds]
    if not missing:
        return ()
    return (f"Of {verdicts.total():,} events shown not every signature is proved: {', '.join(missing)}.",)


def _unsent(reading: Reading) -> Iterator[tuple[str, ...]]:
    snapshot = reading.snapshot
    waiting = counted(each for each in snapshot.unsent if each.event.event_id not in snapshot.by_id)
    for state, count in waiting:
        events = "event of mine is" if count == 1 else "events of mine are"
        yield (f"{count} {events} {WAITS[state]}", _keys(reading, "outbox", "opens the outbox"))


def _keys_changed(reading: Reading) -> Iterator[tuple[str, ...]]:
    """Loud: who signs now may be another than who signed before."""
    changed = _changed(Same(reading.snapshot.events))
    for identity_id, key_id, detail in changed[:NAMED]:
        said = f"Key changed: an event in the name of {reading.name(identity_id)} is under another key than the one"
        why = f"pinned here as {clean(key_id[:8])}…."
        todo = "Ask them another way which key is theirs before you believe it."
        yield (f"{said} {why}", _said(detail), todo)
    if len(changed) > NAMED:
        yield (f"{len(changed) - NAMED} more keys changed.",)


@lru_cache(maxsize=2)
def _verdicts(events: Same[tuple[Heard, ...]]) -> Counter[Verdict]:
    return Counter(each.verdict for each in events.value)


@lru_cache(maxsize=2)
def _changed(events: Same[tuple[Heard, ...]]) -> tuple[tuple[str, str, str], ...]:
    """Identity, key id and detail of every changed key, once each."""
    found: dict[str, tuple[str, str, str]] = {}
    for each in events.value:
        if each.verdict is Verdict.KEY_CHANGED and each.event is not None:
            sender = each.event.sender
            found.setdefault(sender.signing_key_id, (sender.identity_id, sender.signing_key_id, each.detail))
    return tuple(found.values())
