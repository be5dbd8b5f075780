"""Reading the service's projection: the voice, and the claims by themselves where the voice is bounded (§6, §7).

A projection that is unavailable is said to be so, and the last good one stays; an empty set is never made of it. An
answer that nothing has changed confirms what is shown, and costs no parsing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from corr_tui.client.errors import Refused, Unauthorized, UnexpectedAnswer, Unreachable
from corr_tui.client.http import Client, Fresh
from corr_tui.protocol.records import Claims, Voice
from corr_tui.state.snapshot import Projection, ProjectionState

NOT_CALCULATED = "the service could not calculate the projection"
"""Said of a voice that calls itself unavailable: what it holds is partial, and the last good one stays (§6)."""

_Value = TypeVar("_Value")


class ProjectionReader:
    """Reads the projection of one repository."""

    def __init__(self, client: Client, repository_id: str, monotonic: Callable[[], float]) -> None:
        self._client = client
        self._repository_id = repository_id
        self._monotonic = monotonic
        self._voice: Fresh[Voice] | None = None
        self._claims: Fresh[Claims] | None = None

    def forget(self) -> None:
        """Ask without condition next: another service answers."""
        self._voice = self._claims = None

    async def read(self, before: Projection) -> Projection:
        """The projection of now, or the one before and why there is none. Raises Unauthorized."""
        try:
            answer = await self._client.voice(self._repository_id, etag=_validator(self._voice, before.voice))
            if isinstance(answer, Fresh) and answer.value.projection_status == "unavailable":
                return replace(before, state=ProjectionState.UNAVAILABLE, error=NOT_CALCULATED)
            if isinstance(answer, Fresh):
                self._voice = answer
            voice = answer.value if isinstance(answer, Fresh) else before.voice
            if voice is None:
                raise UnexpectedAnswer("304 answers a request that was not conditional")
            claims = await self._read_claims(before.claims) if voice.projection_status == "truncated" else None
        except Unauthorized:
            raise
        except (Refused, UnexpectedAnswer, Unreachable) as error:
            return replace(before, state=ProjectionState.UNAVAILABLE, error=str(error))
        return Projection(ProjectionState(voice.projection_status), voice, self._monotonic(), claims=claims)

    async def _read_claims(self, before: Claims | None) -> Claims | None:
        answer = await self._client.claims(self._repository_id, etag=_validator(self._claims, before))
        if not isinstance(answer, Fresh):
            return before
        self._claims = answer
        return answer.value


def _validator(read: Fresh[_Value] | None, shown: _Value | None) -> str | None:
    """The validator of what is shown; None when what was read last was not shown, since 304 would then confirm what
    is older than it."""
    return read.etag if read is not None and read.value is shown else None
