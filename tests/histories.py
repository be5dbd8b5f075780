"""Random histories: what people with several devices may say of each other's events, in an order of arrival.

An act is a tuple of small numbers, so that a failing history shrinks to a short list of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from corr_tui.protocol.bodies import ACK_KINDS
from corr_tui.protocol.event import Event
from tests.correspondents import World, claim

PATHS = (["src"], ["src/api"], ["docs", "src/api/v1"], ["."], ["srcs"], ["docs"])
WHO = ("ana", "bo", "kit")
LIVES = (-5.0, 3.0, 40.0, 40.0, 90.0)
"""Seconds until a claim expires, from when it is signed."""
CLAIMING = ("claim.open", "claim.renew", "claim.release", "strange", "other paths", "other claim", "too far")
SPEAKING = ("intent", "progress", "observation", "artifact.offer", "pause", "rest", "close", "handoff", "refusal")
ANSWERING = (*ACK_KINDS, "resume", "repair", "conflict.raise", "conflict.resolve", "names")
KINDS = (*CLAIMING, "claim.open", "claim.renew", "claim.renew", "claim.renew", "claim.release", *SPEAKING, *ANSWERING)


class Act(NamedTuple):
    """What somebody does, by numbers that are taken modulo what there is."""

    kind: str
    who: int
    about: int
    """Which of the events said so far it is about."""
    device: int
    life: int
    paths: int
    again: bool
    """Whether it stands at the place in its session that the event before it has."""
    elsewhere: bool
    """Whether it is said in another repository of the project."""
    wait: int
    """Seconds that pass before it arrives."""


_CHOICES: dict[str, tuple[Any, ...]] = {
    "kind": KINDS,
    "who": (0, 0, 0, 1, 2),
    "about": tuple(range(13)),
    "device": (1, 2),
    "life": tuple(range(len(LIVES))),
    "paths": (0, 0, 0, 1, 2, 3, 4, 5),
    "again": (False, False, False, False, True),
    "elsewhere": (False,) * 9 + (True,),
    "wait": (0, 1, 1, 2, 30),
}
LOST = (0, 0, 0, 1, 2)
"""How many events never arrive."""
acts = st.builds(Act, **{name: st.sampled_from(choices) for name, choices in _CHOICES.items()})


@dataclass(frozen=True)
class Arrivals:
    """A history: the acts as they were done, and the order in which their events arrive; some never do."""

    acts: tuple[Act, ...]
    order: tuple[int, ...]


@st.composite
def histories(draw: st.DrawFn, most: int = 14) -> Arrivals:
    """Any acts, arriving in any order, some of them lost."""
    done = tuple(draw(st.lists(acts, min_size=1, max_size=most)))
    order = tuple(draw(st.permutations(range(len(done)))))
    return Arrivals(done, order[draw(st.sampled_from(LOST)) :])


def some_history(chance: Random, most: int = 11) -> Arrivals:
    """One of the same, without a search for the smallest: for a great many of them."""
    size = chance.randint(2, most)
    done = tuple(Act(*(chance.choice(choices) for choices in _CHOICES.values())) for _ in range(size))
    order = chance.sample(range(size), size)
    return Arrivals(done, tuple(order[chance.choice(LOST) :]))


def events_of(world: World, done: tuple[Act, ...], *, repository: str, session: int = 1) -> list[Event]:
    """The signed events that acts stand for, in the order they were done."""
    said: list[Event] = []
    for act in done:
        said.append(_event(world, said, act, repository, session))
    return said


def _event(world: World, said: list[Event], act: Act, repository: str, session: int) -> Event:
    claims = [event for event in said if event.kind in ("claim.open", "claim.renew", "claim.release")]
    about = said[act.about % len(said)] if said else None
    before = claims[act.about % len(claims)] if claims else None
    where = f"{repository}/other" if act.elsewhere else repository
    if act.kind in CLAIMING and act.kind != "claim.open" and before is not None:
        kind, words = "claim.renew", _continuing(act, before, about)
    elif act.kind in CLAIMING:
        kind, words = "claim.open", {"claim_id": claim(act.about % 2), "paths": PATHS[act.paths]}
    elif act.kind in ANSWERING and about is not None:
        kind, words = _answering(act, said, about)
    else:
        kind = act.kind if act.kind in SPEAKING else "intent"
        words = _speaking(kind)
    if act.kind == "claim.release" and before is not None:
        kind = "claim.release"
    elif kind.startswith("claim."):
        words["expires_in"] = LIVES[act.life]
    if act.again:
        sender = world.people[WHO[act.who]].sender(act.device, session)
        words["seq"] = max(world.sequences.get(sender.session_id, 0), 1)
    words.setdefault("thread", f"task:{act.about % 3}")
    return world.event(WHO[act.who], kind, repository=where, device=act.device, session=session, **words)


def _continuing(act: Act, before: Event, about: Event | None) -> dict[str, Any]:
    """A renewal or release, rightly or not."""
    words: dict[str, Any] = {"predecessor": before, "thread": before.thread_id}
    match act.kind:
        case "strange" if about is not None and not about.kind.startswith("claim."):
            # an event that is not about a claim is named as predecessor
            named = {"predecessor_event_id": about.event_id, "parents": (about.event_id,)}
            words = {**named, "claim_id": claim(1), "generation": 2}
        case "other paths":
            words["paths"] = PATHS[act.paths]
        case "other claim":
            words["claim_id"] = claim(7)
        case "too far":
            words["generation"] = before.evidence["body"]["generation"] + 2
        case _:
            pass
    return words


def _answering(act: Act, said: list[Event], about: Event) -> tuple[str, dict[str, Any]]:
    if act.kind in ("conflict.raise", "conflict.resolve", "repair"):
        targets = {each.event_id: each for each in (about, said[-1], said[0])}
        if act.kind == "conflict.raise" and len(targets) < 2:
            return "observation", {"summary": "one event is no conflict"}
        words: dict[str, Any] = {"targets": tuple(targets.values()), "summary": "words"}
        return act.kind, words
    if act.kind == "names":
        return "progress", {"summary": "goes on", "parents": (about, *said[-1:]) if about is not said[-1] else (about,)}
    applied = {"result_revision": "a" * 40} if act.kind == "ack.applied" else {}
    return act.kind, {"target": about, **applied}


_WORDS: dict[str, Callable[[], dict[str, Any]]] = {
    "artifact.offer": lambda: {"artifact": {"kind": "git_commit", "revision": "b" * 40}},
    "handoff": lambda: {"summary": "half done", "next_safe_action": "run the tests"},
    "pause": dict,
    "rest": dict,
    "close": dict,
    "refusal": dict,
}


def _speaking(kind: str) -> dict[str, Any]:
    return _WORDS.get(kind, lambda: {"summary": "words"})()
