"""The players of a scene: participants with their own keys who compose, sign and post like anybody else (§2.1, §3, §4).

Names, words, seeds, devices, sessions, claims, digests and revisions come from the number of the scene, so the same
number tells the same story; identities and receipts are the service's, and the time is the real one. A player posts
through whatever it is given, and knows nothing of the board that looks on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from corr_tui.demo.scene import REPOSITORY_ID, Step
from corr_tui.protocol.bodies import BODIES
from corr_tui.protocol.compose import Draft, compose
from corr_tui.protocol.event import Event, Sender
from corr_tui.protocol.signing import event_jcs, sign
from corr_tui.state.snapshot import instant

Post = Callable[[bytes], Awaitable[object]]
"""Hands the exact bytes of one signed event to a service."""
Sleep = Callable[[float], Awaitable[object]]
Now = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Number:
    """The number of a scene: everything it invents, by name."""

    seed: int

    def digest(self, *words: str) -> bytes:
        """32 bytes that belong to these words."""
        return sha256("\n".join((str(self.seed), *words)).encode()).digest()

    def uuid(self, *words: str) -> str:
        """A UUID that belongs to these words."""
        return str(UUID(bytes=self.digest("uuid", *words)[:16], version=4))

    def revision(self, *words: str) -> str:
        """A 40-digit revision that belongs to these words; no repository need hold it."""
        return self.digest("revision", *words).hex()[:40]

    def choose(self, words: tuple[str, ...], *name: str) -> str:
        """One of several words."""
        return words[int.from_bytes(self.digest("choose", *name, *words)[:4]) % len(words)]


@dataclass(frozen=True, slots=True)
class Player:
    """One participant as the service knows it, with the seed of its signing key (32 bytes)."""

    name: str
    identity_id: str
    signing_key_id: str
    seed: bytes


@dataclass
class Stage:
    """What was said so far, and by whom: names of steps to events, sessions to their last sequence number."""

    project_id: str
    number: Number
    players: Mapping[str, Player]
    repository_id: str = REPOSITORY_ID
    said: dict[str, Event] = field(default_factory=dict)
    sequences: dict[str, int] = field(default_factory=dict)

    def say(self, step: Step, now: datetime) -> Event:
        """The signed event of one step at `now`; what it cites has been said before."""
        player = self.players[step.who]
        sender = self._sender(player, step.device)
        core = compose(
            self._draft(step, now),
            project_id=self.project_id,
            repository_id=self.repository_id,
            sender=sender,
            session_seq=self._sequence(step, sender.session_id),
            issued_at=instant(now),
        )
        event = sign(core.evidence, player.seed)
        if step.name:
            self.said[step.name] = event
        return event

    def _sender(self, player: Player, device: str) -> Sender:
        return Sender(
            identity_id=player.identity_id,
            signing_key_id=player.signing_key_id,
            device_id=self.number.uuid("device", player.name, device),
            session_id=self.number.uuid("session", player.name, device),
        )

    def _sequence(self, step: Step, session_id: str) -> int:
        """The next number of a session, or one that is taken already when the step forks it (§4)."""
        if step.beside:
            return self.said[step.beside].session_seq
        self.sequences[session_id] = self.sequences.get(session_id, 0) + 1
        return self.sequences[session_id]

    def _draft(self, step: Step, now: datetime) -> Draft:
        return Draft(
            kind=step.kind,
            thread_id=step.thread,
            body=self._body(step, now),
            paths=step.paths,
            base_revision=self.number.revision("base", step.thread),
            branch=step.branch or "main",
            parents=tuple(self.said[name].event_id for name in step.parents),
        )

    def _body(self, step: Step, now: datetime) -> dict[str, Any]:
        """The closed body of a step: whatever its kind has a field for (§5)."""
        later = None if step.minutes is None else instant(now + timedelta(minutes=step.minutes))
        words = self.number.choose(step.words, step.kind) if step.words else None
        cited = [self.said[name] for name in step.cites]
        fields = {
            "summary": words,
            "detail": words,
            "expires_at": later,
            "until": later,
            "target_event_id": cited[0].event_id if cited else None,
            "target_event_ids": [event.event_id for event in cited] or None,
            "result_revision": self.number.revision(step.revision) if step.revision else None,
            "artifact": self._artifact(step) if step.artifact else None,
            "next_safe_action": step.action or None,
            **self._claim(step, cited),
        }
        known = BODIES[step.kind].__struct_fields__
        return {name: part for name, part in fields.items() if part is not None and name in known}

    def _claim(self, step: Step, cited: list[Event]) -> dict[str, Any]:
        """The lineage of a claim step: a root of its own, or the next generation of what it cites (§6)."""
        if step.kind == "claim.open":
            return {"claim_id": self.number.uuid("claim", step.name), "generation": 1}
        if not step.kind.startswith("claim."):
            return {}
        before = cited[0].evidence
        return {
            "claim_id": before["body"]["claim_id"],
            "generation": before["body"]["generation"] + 1,
            "predecessor_event_id": before["event_id"],
        }

    def _artifact(self, step: Step) -> dict[str, str]:
        if step.artifact == "git_commit":
            return {"kind": "git_commit", "revision": self.number.revision(step.name)}
        digest = f"sha256:{self.number.digest('artifact', step.name, *step.words).hex()}"
        return {"kind": step.artifact, "digest": digest}


async def play(
    steps: Iterable[Step],
    stage: Stage,
    post: Post,
    *,
    speed: float = 1.0,
    sleep: Sleep = asyncio.sleep,
    now: Now = lambda: datetime.now(UTC),
) -> None:
    """Play the steps in order, each after its wait at `speed` times the pace; an infinite speed waits for nothing.

    Raises whatever `post` raises: a scene does not go on without its service.
    """
    for step in steps:
        if pause := step.wait / speed:
            await sleep(pause)
        event = stage.say(step, now())
        if step.stored:
            await post(event_jcs(event.evidence))
