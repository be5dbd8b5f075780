"""Who takes part and with which keys, as the service lists them.

The lists are read when the session starts, when an event names somebody or a key not seen yet, and now and then, to
learn of revocations. A service that cannot say is asked again later; until then its events have no key, and the names
are those it listed before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import get_args

from corr_tui.client.answers import ListedIdentity
from corr_tui.client.errors import Refused, Unauthorized, UnexpectedAnswer, Unreachable
from corr_tui.client.http import Client
from corr_tui.protocol.event import Event
from corr_tui.protocol.scalars import Check, Refusal, Uuid
from corr_tui.state.listed_names import ListedNames
from corr_tui.state.snapshot import Identity
from corr_tui.state.timing import Timing
from corr_tui.state.trust import Trust

AGAIN = 30.0
"""Seconds before an identity or key that was missing from a list makes the same list be read again."""
AFRESH = 300.0
"""Seconds after which a list is read again in any case."""
MAX_LISTS = 64
"""How many identities' keys are read for one refresh; the others follow with the next."""
SECONDS_OF_LISTS = 2.0
"""Seconds after which no further list of keys is asked for in one refresh; where the service is slow, the others follow
with the next too."""

_check_uuid: Check = get_args(Uuid)[1]


class Directory:
    """The identities of one project; their keys go to `trust`. Raises Unauthorized, and keeps what else goes
    wrong in `trouble`."""

    def __init__(self, client: Client, timing: Timing, names: ListedNames | None = None) -> None:
        """What `names` remembers stands until the service has listed who takes part, and is renewed then."""
        self._client = client
        self._timing = timing
        self._names = names
        self._listed_at = float("-inf")
        self._missed: frozenset[str] = frozenset()
        self._keys_at: dict[str, float] = {}
        self.identities: Mapping[str, Identity] = names.recall() if names else MappingProxyType({})
        self.trouble = ""
        """Why a list could not be read when last it was tried, or empty."""

    def forget_times(self) -> None:
        """Read everything afresh when it is next needed: the service was away."""
        self._listed_at = float("-inf")
        self._keys_at = dict.fromkeys(self._keys_at, float("-inf"))

    async def learn(self, events: Iterable[Event], trust: Trust) -> frozenset[str]:
        """Read what these events need and what has grown old; returns whose list of keys was asked for."""
        wanted: dict[str, bool] = {}
        for event in events:
            identity_id = event.sender.identity_id
            wanted[identity_id] = wanted.get(identity_id, False) or not trust.knows(event)
        asked: set[str] = set()
        try:
            await self._learn_identities(frozenset(wanted.keys() - self.identities.keys()))
            for identity_id in self._keys_at:
                wanted.setdefault(identity_id, False)
            due = [identity_id for identity_id, lacking in wanted.items() if self._is_due(identity_id, lacking)]
            until = self._timing.monotonic() + SECONDS_OF_LISTS
            for identity_id in due[:MAX_LISTS]:
                if asked and self._timing.monotonic() >= until:
                    break
                asked.add(identity_id)
                await self._learn_keys(identity_id, trust)
        except Unreachable as lost:  # the events are there all the same, and the next read tells of an outage
            self.trouble = f"the lists cannot be read: {lost}"
        return frozenset(asked)

    def _is_due(self, identity_id: str, lacking: bool) -> bool:
        read_at = self._keys_at.get(identity_id, float("-inf"))
        return self._timing.monotonic() - read_at >= (AGAIN if lacking else AFRESH)

    async def _learn_identities(self, unknown: frozenset[str]) -> None:
        """Read who takes part, at once for somebody new: only who was missing from the last list can wait."""
        pause = AFRESH if not unknown else AGAIN if unknown <= self._missed else 0.0
        if self._timing.monotonic() - self._listed_at < pause:
            return
        self._listed_at = self._timing.monotonic()
        self._missed |= unknown
        try:
            listed = await self._client.identities()
        except Unauthorized:
            raise
        except (Refused, UnexpectedAnswer) as error:
            self.trouble = f"the identities cannot be read: {error}"
            return
        known = {each.id: Identity(each.id, each.display_name or "", each.active) for each in listed if _named(each)}
        before, self.identities = self.identities, MappingProxyType(known)
        if self._names is not None and before != known:
            await asyncio.to_thread(self._names.remember, known)

    async def _learn_keys(self, identity_id: str, trust: Trust) -> None:
        self._keys_at[identity_id] = self._timing.monotonic()
        try:
            trust.list_keys(identity_id, await self._client.keys(identity_id))
        except Unauthorized:
            raise
        except (Refused, UnexpectedAnswer) as error:
            self.trouble = f"the keys of an identity cannot be read: {error}"


def _named(listed: ListedIdentity) -> bool:
    """Whether an identity has an id that can be an identity's."""
    try:
        _check_uuid(listed.id)
    except Refusal:
        return False
    return True
