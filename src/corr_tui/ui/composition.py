"""What somebody is about to say: a kind, the events it cites, and words; no screen and no clock in it (§5).

A Composition is a frozen value. It knows which fields its kind asks, what is still lacking, which rule a field
breaks, and the Draft it makes. Fields are asked only where the kind has them, and required only where the profile
requires them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from corr_tui.protocol.bodies import Kind, cited
from corr_tui.protocol.compose import Draft, parents_of
from corr_tui.protocol.errors import EventRefused, Issue
from corr_tui.protocol.event import Event
from corr_tui.protocol.paths import WHOLE_REPOSITORY
from corr_tui.state.snapshot import Heard, Snapshot, Verdict

MAX_TARGETS = 16
"""The events one repair may cite (§5)."""
MAX_PATHS = 64
"""The paths one event may have (§2.2)."""


class Asked(NamedTuple):
    """One field of a body that a person may fill."""

    name: str
    """In the body."""
    label: str
    """On the screen."""
    required: str
    """What is needed, with its article, in place of the verb: `a revision`; empty when it may stay empty."""
    hint: str
    """Shown while it is empty."""
    most: int | None = None
    """How many Unicode scalar values it may have, where words are counted."""


_DETAIL = Asked("detail", "detail", "", "no words needed", 1000)
_REVISION = Asked("result_revision", "revision", "a revision", "the full id that holds the result")

ASKED: Mapping[str, tuple[Asked, ...]] = {
    "ack.seen": (_DETAIL,),
    "ack.understood": (_DETAIL,),
    "ack.accepted": (_DETAIL,),
    "ack.applied": (_REVISION, _DETAIL),
    "ack.rejected": (_DETAIL,),
    "repair": (
        Asked("summary", "summary", "a summary", "what is corrected, and what holds instead", 1000),
        _REVISION._replace(required="", hint="none; a full id if Git has the result"),
    ),
}
"""The kinds that are composed here, and the fields each asks, in the order they are shown."""


@dataclass(frozen=True, slots=True)
class Composition:
    """A kind, its targets, and the words so far, by field name."""

    kind: Kind
    targets: tuple[Heard, ...]
    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def each(self) -> tuple[Composition, ...]:
        """The events it makes: an acknowledgement is about one event, so of several each gets its own (§5)."""
        if not self.kind.startswith("ack."):
            return (self,)
        return tuple(replace(self, targets=(target,)) for target in self.targets)

    @property
    def asked(self) -> tuple[Asked, ...]:
        """The fields of this kind."""
        return ASKED[self.kind]

    @property
    def next_asked(self) -> Asked:
        """The field to write in: one that is required and empty or not admitted, else the one for one's own words."""
        faulty = {asked for asked, _ in self.faults()}
        lacking = (asked for asked in self.asked if asked in faulty or (asked.required and not self.word(asked.name)))
        return next(lacking, None) or next(asked for asked in self.asked if asked.most is not None)

    @property
    def place(self) -> tuple[str, ...]:
        """What kept words belong to: this kind on these events."""
        return (self.kind, *(target.event_id for target in self.targets))

    @property
    def thread_id(self) -> str:
        """The thread of the first event cited; empty when none of them can be read."""
        return next((target.event.thread_id for target in self.targets if target.event), "")

    @property
    def thread_ids(self) -> frozenset[str]:
        """The threads of the events it makes."""
        return frozenset(each.thread_id for each in self.each)

    @property
    def paths(self) -> tuple[str, ...]:
        """Where in the repository: the paths of the events cited, or all of it where those are too many (§2.2)."""
        paths = dict.fromkeys(path for target in self.targets if target.event for path in target.event.scope.paths)
        return tuple(paths) if 0 < len(paths) <= MAX_PATHS else (WHOLE_REPOSITORY,)

    def word(self, name: str) -> str:
        """What a field holds."""
        return self.words.get(name, "")

    def with_word(self, name: str, words: str) -> Composition:
        """The same, with other words in one field."""
        return replace(self, words=MappingProxyType({**self.words, name: words}))

    def draft(self) -> Draft:
        """What is handed to the session; fields left empty are absent, not empty (§2)."""
        cited: Any = [target.event_id for target in self.targets]
        body: dict[str, Any] = {"target_event_ids": cited} if self.kind == "repair" else {"target_event_id": cited[0]}
        body |= {asked.name: self.word(asked.name) for asked in self.asked if self.word(asked.name)}
        return Draft(kind=self.kind, thread_id=self.thread_id, body=body, paths=self.paths)

    def lacking(self) -> str:
        """What it needs before it can be posted, to be read after `needs`; empty when it lacks nothing."""
        if not self.targets or any(target.event is None for target in self.targets):
            return "an event that can be read"
        if len(self.each) == 1 and len(self.targets) > MAX_TARGETS:
            return f"at most {MAX_TARGETS} targets, has {len(self.targets)}"
        for asked in self.asked:
            if asked.required and not self.word(asked.name):
                return asked.required
        faulty = self.faults()
        return f"a valid {faulty[0][0].label}" if faulty else ""

    def faults(self) -> tuple[tuple[Asked, str], ...]:
        """The fields whose words the profile does not admit, each with the broken rule (§5)."""
        if not self.targets:
            return ()
        try:
            parents_of(self.draft())
        except EventRefused as refused:
            return tuple(
                (asked, issue.message)
                for asked in self.asked
                for issue in refused.issues
                if issue.path == ("body", asked.name) and self.word(asked.name)
            )
        return ()


def is_composed(kind: str) -> bool:
    """Whether a kind is composed on the board at all."""
    return kind in ASKED


def composed_again(event: Event, snapshot: Snapshot) -> Composition | None:
    """The composition a draft of mine was made from; None when its kind is not composed here, or what it cites is not
    at hand."""
    if not is_composed(event.kind):
        return None
    targets = tuple(snapshot.by_id[each] for each in cited(event.body) if each in snapshot.by_id)
    if not targets or len(targets) != len(cited(event.body)):
        return None
    words = {asked.name: getattr(event.body, asked.name, None) for asked in ASKED[event.kind]}
    said = {name: word for name, word in words.items() if isinstance(word, str)}
    return Composition(event.kind, targets, MappingProxyType(said))


def first_said(target: Heard) -> str:
    """The words of an event, uncleaned; empty when it has none, or when its bytes are not what its sender signed."""
    if target.event is None or target.verdict in (Verdict.MISMATCH, Verdict.KEY_CHANGED):
        return ""
    body = target.event.evidence["body"]
    return str(next((body[name] for name in ("summary", "detail") if name in body), ""))


def label_of(issue: Issue, kind: str) -> str:
    """What an issue is about, as the screen calls it."""
    name = str(issue.path[-1]) if issue.path else "event"
    return next((asked.label for asked in ASKED.get(kind, ()) if asked.name == name), name)


class KeptWords:
    """Words typed and not posted, by kind and events cited; kept while the app runs, and nowhere else."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], Mapping[str, str]] = {}

    def restored(self, composition: Composition) -> Composition:
        """The same composition with the words kept for it, if any."""
        kept = self._kept.get(composition.place)
        return composition if kept is None else replace(composition, words=kept)

    def keep(self, composition: Composition) -> None:
        """Remember the words of a composition; all of them empty is remembered too."""
        self._kept[composition.place] = composition.words

    def forget(self, composition: Composition) -> None:
        """The words were posted."""
        self._kept.pop(composition.place, None)
