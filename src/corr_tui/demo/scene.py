"""The scene that `corr-tui demo` plays, as a table of steps; nothing here is a program.

Five correspondents work in one repository while whoever sits at the keyboard looks on as maya. The opening has no
waits, so that a board is full at once; then the scene unfolds at a human pace and comes to rest. It holds every kind of
§5, overlapping claims, a claim with two branches (§6), a session fork and a missing parent (§4). Words stand for the
summary of a step, or for its detail where its kind has no summary; where a step has several, the seed chooses.
"""

from __future__ import annotations

from dataclasses import dataclass

REPOSITORY_ID = "acme/widgets"
PROJECT_NAME = "acme"
ONLOOKER = "maya"
"""Whoever sits at the keyboard: says nothing by script."""
CAST = ("ana", "bo", "kit", "lin", "zed")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing somebody says, and how long the scene waits before it (seconds at speed 1)."""

    wait: float
    who: str
    kind: str
    thread: str
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = (".",)
    name: str = ""
    """What later steps call this event."""
    cites: tuple[str, ...] = ()
    """The named events its body depends on: a target, the targets, or a predecessor (§5)."""
    parents: tuple[str, ...] = ()
    """Further named events it depends on (§4)."""
    minutes: int | None = None
    """From now to `expires_at`, or to `until`."""
    device: str = "laptop"
    artifact: str = ""
    """The kind of the offered artifact; its digest comes from the seed."""
    revision: str = ""
    """A word that names the reported result revision; its digits come from the seed."""
    branch: str | None = None
    beside: str = ""
    """The event whose place in the session this one takes a second time: a session fork (§4)."""
    stored: bool = True
    """False when the event is signed but never reaches the service: others can only name it as a parent."""
    action: str = ""
    """The next safe action of a handoff."""


API = ("src/api",)
CLIENT = ("src/api/client",)
DOCS = ("docs",)
CI = ("scripts/ci",)
SDK = ("packages/sdk-ts", "packages/sdk-py", "schemas")
METRICS = ("src/metrics",)

EARLIER: tuple[Step, ...] = (
    Step(
        0, "kit", "intent", "task:40", ("Rename guide/ to docs/guide/ and keep old links alive",), DOCS, name="rename"
    ),
    Step(0, "kit", "claim.open", "task:40", paths=DOCS, name="docs 1", minutes=60, branch="docs/rename"),
    Step(0, "ana", "ack.seen", "task:40", cites=("rename",), paths=DOCS),
    Step(0, "lin", "intent", "task:41", ("SDK types: generate them from the schema",), SDK, name="types"),
    Step(0, "lin", "claim.open", "task:41", paths=SDK, name="sdk 1", minutes=92, branch="sdk/types"),
    Step(0, "bo", "intent", "task:42", ("Retries belong in one place, not in every caller",), API, name="one place"),
    Step(0, "bo", "claim.open", "task:42", paths=API, name="api 1", minutes=20, branch="feat/retries"),
    Step(0, "ana", "ack.seen", "task:42", cites=("one place",), paths=API),
)
"""What was said before the onlooker last looked: whoever spoke here is known, with a pinned key."""

ARRIVAL: tuple[Step, ...] = (
    Step(0, "zed", "intent", "task:39", ("CI: find out why arm64 is flaky",), CI, name="why"),
    Step(0, "zed", "claim.open", "task:39", paths=CI, name="ci 1", minutes=4, branch="ci/arm64"),
    Step(0, "kit", "claim.renew", "task:40", paths=DOCS, name="docs 2", cites=("docs 1",), minutes=58),
    Step(
        0,
        "bo",
        "progress",
        "task:42",
        ("Backoff table sketched, the cap is 20 s", "Backoff table drafted, the cap is 20 s"),
        API,
        name="cap",
    ),
    Step(0, "ana", "observation", "task:42", ("The client swallows 429 on uploads",), CLIENT, name="swallows"),
    Step(0, "bo", "ack.understood", "task:42", cites=("swallows",), paths=API),
    Step(0, "kit", "claim.renew", "task:40", paths=DOCS, name="docs 3", cites=("docs 2",), minutes=58),
    Step(
        0,
        "kit",
        "claim.renew",
        "task:40",
        paths=DOCS,
        name="docs 3 runner",
        cites=("docs 2",),
        minutes=57,
        device="runner",
    ),
    Step(0, "zed", "observation", "task:39", ("Suite passes on arm64",), CI, name="passes", device="runner"),
    Step(
        0,
        "zed",
        "observation",
        "task:39",
        ("Suite fails on arm64, 2 of 412 tests", "Suite fails on arm64, 3 of 412 tests"),
        CI,
        name="fails",
        device="runner",
        beside="passes",
    ),
    Step(
        0,
        "lin",
        "conflict.raise",
        "task:39",
        ("One session reports both, under one number",),
        CI,
        cites=("passes", "fails"),
    ),
    Step(0, "ana", "close", "task:38", ("Auth copy is merged",), ("locales/en",)),
    Step(
        0,
        "lin",
        "handoff",
        "task:39",
        ("CI cache is half migrated; the arm64 image still uses the old key",),
        CI,
        name="cache",
        action="Run the arm64 job once with the cache off and report what it says",
    ),
    Step(0, "bo", "claim.renew", "task:42", paths=API, name="api 2", cites=("api 1",), minutes=41),
    Step(0, "ana", "claim.open", "task:42", paths=CLIENT, name="client 1", minutes=12, branch="feat/retries"),
    Step(0, "ana", "intent", "task:42", ("Move retries into the client",), CLIENT, name="move", parents=("one place",)),
    Step(0, "kit", "pause", "task:40", paths=DOCS, name="pause", minutes=120),
    Step(0, "zed", "observation", "task:39", ("arm64 log kept on the runner",), CI, name="log", stored=False),
    Step(
        0,
        "zed",
        "observation",
        "task:39",
        ("Flaky only when the cache is warm", "Flaky only with a warm cache"),
        CI,
        name="flaky",
        parents=("log",),
    ),
    Step(
        0,
        "ana",
        "artifact.offer",
        "task:42",
        ("Retry with full jitter, cap at 30 s",),
        CLIENT,
        name="jitter",
        artifact="git_commit",
        parents=("move",),
        branch="feat/retries",
    ),
)
"""What was said since; zed is new here."""

OPENING: tuple[Step, ...] = EARLIER + ARRIVAL
"""What the board is full of at once."""

UNFOLDING: tuple[Step, ...] = (
    Step(2.5, "bo", "ack.seen", "task:42", cites=("jitter",), paths=API),
    Step(3.5, "zed", "ack.accepted", "task:39", cites=("cache",), paths=CI),
    Step(4.0, "bo", "intent", "task:44", ("Metrics for retries, counted per route",), METRICS, name="count"),
    Step(4.5, "lin", "rest", "task:41", paths=SDK, name="rest", minutes=12),
    Step(
        4.0,
        "bo",
        "repair",
        "task:42",
        ("The cap is 30 s, not 20 s",),
        API,
        name="thirty",
        cites=("cap",),
    ),
    Step(5.0, "ana", "ack.understood", "task:42", cites=("thirty",), paths=CLIENT),
    Step(
        5.0,
        "zed",
        "progress",
        "task:39",
        ("Reproduced with a warm cache, 3 of 20 runs", "Reproduced with a warm cache, 4 of 20 runs"),
        CI,
        parents=("flaky",),
    ),
    Step(
        6.0,
        "bo",
        "ack.applied",
        "task:42",
        ("On top of the backoff table",),
        API,
        cites=("jitter",),
        revision="applied",
        branch="feat/retries",
    ),
    Step(5.0, "ana", "refusal", "task:44", cites=("count",), paths=METRICS),
    Step(6.0, "kit", "resume", "task:40", cites=("pause",), paths=DOCS),
    Step(
        4.0,
        "kit",
        "artifact.offer",
        "task:40",
        ("Old links answer with the new address",),
        DOCS,
        name="links",
        artifact="git_patch",
    ),
    Step(
        5.0,
        "kit",
        "conflict.resolve",
        "task:40",
        ("The laptop goes on with docs; the runner's branch ends",),
        DOCS,
        cites=("docs 3", "docs 3 runner"),
        revision="resolved",
    ),
    Step(
        2.5,
        "kit",
        "claim.release",
        "task:40",
        paths=DOCS,
        cites=("docs 3 runner",),
        device="runner",
    ),
    Step(5.0, "bo", "ack.rejected", "task:40", ("The redirects live in the proxy",), DOCS, cites=("links",)),
    Step(
        6.0,
        "zed",
        "artifact.offer",
        "task:39",
        ("Trace of a cold run and of a warm one",),
        CI,
        artifact="content_digest",
    ),
    Step(6.0, "ana", "progress", "task:42", ("429 and 503 are retried, an upload goes on where it stopped",), CLIENT),
    Step(5.0, "bo", "progress", "task:42", ("One retry policy, used by 6 of 6 callers",), API, parents=("jitter",)),
)
"""What then comes, one step after the other, until everybody has said what they had to say."""

SCENE: tuple[Step, ...] = OPENING + UNFOLDING
