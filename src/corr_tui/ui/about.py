"""What each panel and each view shows, and what it cannot know: the first page of help (experience: honesty)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class About(NamedTuple):
    """One panel or view in a few sentences."""

    title: str
    shows: tuple[str, ...]
    unknown: tuple[str, ...]
    """What cannot be known from it."""


ABOUT: Mapping[str, About] = MappingProxyType(
    {
        "threads": About(
            "Threads",
            (
                "One line a thread, the newest activity first, closed ones last; it follows from the events alone.",
                "Open, paused, resting, refused, handed off or closed, and who said so; +2 is two more reports. "
                "What is new counts from where you last looked, and is known nowhere else.",
                "Opened, a thread says above its events everything that stands in it, each with its event.",
            ),
            (
                "A pause ends by a resume that cites it, not by its time and not by other words of its sender.",
                "A close keeps nobody from working on, and a handoff is taken by nobody until somebody says so.",
            ),
        ),
        "events": About(
            "Events",
            (
                "What was heard, by receipt: the order in which this service received it. Mine without a receipt stand "
                "at the end.",
                "The sign before the sender is the verdict on its bytes; a verdict that is not proved says its word.",
                "A repaired or resolved event says by which event; both stay as they were signed.",
            ),
            (
                "Receipt order is not the order of causes: parents are. Clocks of senders are their own report.",
                "What was not received here is not shown, and may exist.",
            ),
        ),
        "claims": About(
            "Claims",
            (
                "Claims that stand until their expiry, by path. Branches and overlaps are named, none before another.",
                "There are no active claims only where the projection is complete; else the panel says what may lack.",
            ),
            (
                "A claim is advisory: it does not tell that anybody works there, or that nobody else does.",
                "What is left is told by the service's clock, which may be off by what the header says.",
            ),
        ),
        "conflicts": About(
            "Conflicts",
            (
                "Branches of one claim, overlaps, session forks, missing parents, and what somebody raised.",
                "Sides stand in the order of their ids, which says nothing about time or right.",
            ),
            (
                "Which side is right is for those who wrote them. A resolution reports a choice and merges nothing.",
                "A missing parent may exist elsewhere, or arrive later.",
            ),
        ),
        "presence": About(
            "Presence reports",
            ("The last pause, rest, resume or refusal of each identity, as it was reported.",),
            (
                "Whether anybody is there. No report is no absence, and a time that has passed is no return.",
                "Why: no reason is asked, and none is owed.",
            ),
        ),
        "selected": About(
            "Selected",
            (
                "The event under the cursor of the events: what was said and signed, what it names, and what was "
                "declared about it.",
                "Issued is its sender's report, received this service's receipt.",
            ),
            (
                "A verified signature proves bytes and a key, not a person, truth or consent.",
                "What is offered was not fetched and not looked into. Silence about it is no assent.",
            ),
        ),
        "triage": About(
            "Triage",
            ("What may want your eyes, each with its reason, in no order of worth. Hiding it here tells nobody.",),
            ("Whether anything has to be done. Nothing here is due, and whoever waits has not said so.",),
        ),
        "timeline": About(
            "Timeline",
            ("A bar a claim, from its receipt to its expiry; renewals as ticks, branches one under another.",),
            ("Whether work went on while a claim stood. A bar is a report's length, not an effort.",),
        ),
        "lineage": About(
            "Lineage",
            ("Every event of one claim by generation: tips, released, expired, pending and invalid ones.",),
            ("Which of several tips is meant to stand; a predecessor that was not received is only named.",),
        ),
        "graph": About(
            "Graph",
            ("The events by their parents, as git log --graph draws commits; a missing parent is an open circle.",),
            ("What its sender had read but did not name. Lines are what events cite, and nothing more.",),
        ),
        "ladder": About(
            "Ladder",
            ("Events and participants: in each cell the furthest declaration, and when it was received.",),
            ("What silence means. A dash is nothing said; none of the declarations implies the one before it.",),
        ),
        "paths": About(
            "Paths",
            ("Live claims by path, overlaps marked by the prefix rule of the profile.",),
            ("Which files changed, and by whom: Git alone tells. An overlap is a warning, not a collision.",),
        ),
        "inspector": About(
            "Inspector",
            ("One event in full: its canonical bytes, how its id follows, its verdict, receipt and citations.",),
            ("Whether what it says is so. The bytes are those that were signed.",),
        ),
        "participants": About(
            "Participants",
            ("Identities this service lists, their keys, devices and sessions, and what each last reported.",),
            ("Who holds a key, and whether anybody is there.",),
        ),
        "diagnostics": About(
            "Diagnostics",
            ("The connection as this process met it: attempts, answers, timings, the cursor and the clock.",),
            ("What goes on inside the service, or between others and it.",),
        ),
    }
)
"""By the name of the panel or the view."""
