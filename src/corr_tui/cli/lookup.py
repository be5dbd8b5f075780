"""What the service knows of what somebody typed: an event by its number or the start of its id, a claim to continue.

Nothing is chosen on anybody's behalf: where several fit, all of them are named, in a neutral order (§6).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable

from corr_tui.cli.failures import Invalid, Unreached
from corr_tui.cli.said import Cited, Said, Tip
from corr_tui.client.http import Client, Fresh
from corr_tui.protocol.event import Event
from corr_tui.protocol.lineage import claim_event
from corr_tui.protocol.records import ActiveClaim, Record
from corr_tui.ui.text import clean

_NUMBER = re.compile(r"#?([1-9][0-9]{0,18})")
_WHOLE = re.compile(r"sha256:[0-9a-f]{64}")
_START = re.compile(r"(?:sha256:)?([0-9a-f]{4,64})")


class Lookup:
    """Questions to one service about one repository; raises ClientError besides what each method names."""

    def __init__(self, client: Client, repository_id: str) -> None:
        self._client = client
        self._repository_id = repository_id

    async def records(self, thread_id: str | None = None) -> AsyncIterator[Record]:
        """Every record of the repository, in receipt order, following every page (§7)."""
        after: str | None = None
        more = True
        while more:
            page = await self._client.events(self._repository_id, thread_id=thread_id, after=after)
            for record in page.events:
                yield record
            more = page.page.has_more and page.page.next_after != after
            after = page.page.next_after

    async def cited(self, typed: str, *, option: str) -> Cited:
        """The event somebody means by its number, its id or the start of its id; raises Invalid.

        A whole id may name an event that is not stored here: parents may be missing (§4).
        """
        if number := _NUMBER.fullmatch(typed):
            return await self._numbered(number[1], option)
        start = _START.fullmatch(typed)
        if not start:
            raise Invalid(f"{option}: give a receipt number, an event id or at least four digits of its start")
        found = [record async for record in self.records() if _id(record).startswith(f"sha256:{start[1]}")]
        if len(found) > 1:
            raise Invalid(f"{option}: several events start so:\n{_listed(found)}")
        if found:
            return _cited(found[0])
        if _WHOLE.fullmatch(typed):
            return Cited(typed, None)
        raise Invalid(f"{option}: no event of this repository starts with {start[1]}")

    async def _numbered(self, number: str, option: str) -> Cited:
        before = str(int(number) - 1) if number != "1" else None
        page = await self._client.events(self._repository_id, after=before, limit=1)
        if not page.events or page.events[0].receipt.received_seq != number:
            raise Invalid(f"{option}: this repository has no event #{number}")
        return _cited(page.events[0])

    async def to_resume(self, said: Said, identity_id: str) -> Cited:
        """The one pause or rest of this identity that it has not resumed from; raises Invalid for none or several."""
        away: dict[str, Record] = {}
        async for record in self.records(said.thread_id):
            if isinstance(record.event, Event) and record.event.sender.identity_id == identity_id:
                if record.event.kind in ("pause", "rest"):
                    away[record.event.event_id] = record
                elif record.event.kind == "resume":
                    away.pop(record.event.cited[0], None)
        if not away:
            raise Invalid("--target: nothing of this identity is paused or resting; name the event to resume from")
        if len(away) > 1:
            raise Invalid(f"--target: choose what to resume from:\n{_listed(away.values())}")
        return _cited(next(iter(away.values())))

    async def tip_to_continue(self, said: Said, identity_id: str) -> Tip:
        """The claim event a renewal or release continues: the predecessor given, else the one live tip that fits.

        Raises Invalid when none or several fit, and Unreached when the projection leaves room for more (§6).
        """
        if said.predecessor is not None:
            return _tip_of(await self.cited(said.predecessor, option="--predecessor"), said)
        answer = await self._client.claims(self._repository_id)
        assert isinstance(answer, Fresh)  # no validator was sent
        claims = answer.value
        if claims.projection_status != "complete":
            raise Unreached(f"the claims are {claims.projection_status}: name the claim event with --predecessor")
        mine = [claim for claim in claims.claims if claim.owner_identity_id == identity_id]
        fitting = [claim for claim in mine if _fits(claim, said)]
        if len(fitting) > 1:
            listed = await self._candidates(fitting)
            raise Invalid(f"several live claims fit; choose one with --predecessor:\n{listed}")
        if not fitting and not mine:
            raise Invalid("this identity has no live claim; name the claim event with --predecessor")
        if not fitting:
            wanted = _wanted(said)
            raise Invalid(f"no live claim of this identity {wanted}; they are:\n{await self._candidates(mine)}")
        claim = fitting[0]
        return Tip(claim.event_id, claim.claim_id, claim.generation, claim.thread_id, tuple(claim.scope.paths))

    async def _candidates(self, claims: list[ActiveClaim]) -> str:
        """Each claim on a line, ordered by event id: none is preferred."""
        wanted = {claim.event_id for claim in claims}
        numbers = {_id(each): each.receipt.received_seq async for each in self.records() if _id(each) in wanted}
        lines = [
            f"  #{numbers.get(claim.event_id, '?')} {claim_words(tuple(claim.scope.paths), claim.claim_id)} "
            f"generation {claim.generation}"
            for claim in sorted(claims, key=lambda claim: claim.event_id)
        ]
        return "\n".join(lines)


def claim_words(paths: tuple[str, ...], claim_id: str) -> str:
    """A claim by its paths and the start of its id, which --claim takes."""
    return f"{clean(', '.join(paths))} (claim {clean(claim_id[:8])}…)"


def _fits(claim: ActiveClaim, said: Said) -> bool:
    """Whether a live tip is what the claim id, thread and paths of the command line mean.

    The set of paths must be the claim's own: a claim that merely overlaps is another claim (§6).
    """
    return (
        claim.claim_id.startswith(str(said.body.get("claim_id", "")))
        and said.thread_id in (None, claim.thread_id)
        and (not said.paths or set(said.paths) == set(claim.scope.paths))
    )


def _wanted(said: Said) -> str:
    """What was asked of a claim, in words."""
    claim_id = said.body.get("claim_id")
    parts = [
        f"is on exactly {clean(', '.join(said.paths))}" if said.paths else "",
        f"has an id that starts with {clean(str(claim_id))}" if claim_id else "",
        f"is in thread {clean(said.thread_id)}" if said.thread_id else "",
    ]
    return " and ".join(part for part in parts if part)


def _tip_of(cited: Cited, said: Said) -> Tip:
    """The claim an event is about; of an event not stored here only the id is known.

    Raises Invalid when it is about none, or about another claim or other paths than the command line says.
    """
    if cited.event is None:
        return Tip(cited.event_id)
    claim = claim_event(cited.event)
    if claim is None:
        raise Invalid("--predecessor: that event is not about a claim")
    paths = tuple(claim.scope.paths)
    words = claim_words(paths, claim.claim_id)
    if said.paths and set(said.paths) != set(paths):
        raise Invalid(f"--path: the predecessor's claim is on other paths: {words}")
    if not claim.claim_id.startswith(str(said.body.get("claim_id", ""))):
        raise Invalid(f"--claim: the predecessor is of another claim: {words}")
    return Tip(claim.event_id, claim.claim_id, claim.generation, claim.thread_id, paths)


def _id(record: Record) -> str:
    return record.event.event_id


def _listed(records: Iterable[Record]) -> str:
    """Each event on a line, by its number and id."""
    return "\n".join(f"  #{record.receipt.received_seq} {clean(_id(record))}" for record in records)


def _cited(record: Record) -> Cited:
    return Cited(_id(record), record.event if isinstance(record.event, Event) else None)
