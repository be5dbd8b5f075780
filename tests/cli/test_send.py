"""send: every kind, what is filled in, and what is refused; against the service in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from typing import Any
from uuid import UUID

import pytest

from corr_tui.protocol.bodies import KINDS
from corr_tui.protocol.event import read_event
from corr_tui.protocol.signing import public_key_of, verify
from corr_tui.server.accounts import Accounts
from corr_tui.server.database import StorageUnavailable
from corr_tui.server.store import Store
from corr_tui.state.git_facts import GitFacts
from corr_tui.state.outbox import Outbox, OutboxRefused

from .conftest import Cli

REVISION = "a" * 40
DIGEST = "sha256:" + "b" * 64
UNKNOWN = "sha256:" + "0" * 64


def body(record: dict[str, Any]) -> dict[str, Any]:
    """The body of a record's event."""
    found: dict[str, Any] = record["event"]["body"]
    return found


def id_of(record: dict[str, Any]) -> str:
    """The event id of a record."""
    return str(record["event"]["event_id"])


def claim_of(cli: Cli, *paths: str, thread: str = "t") -> dict[str, Any]:
    """A claim opened on some paths."""
    return cli.send("claim.open", "--thread", thread, *(f"--path={path}" for path in paths), "--expires-in", "45m")


def test_what_was_sent_is_in_the_events_with_a_receipt_and_a_true_signature(cli: Cli) -> None:
    """§3, §4"""
    sent = cli.send("observation", "--thread", "task:1", "--path", "docs", "--summary", "hello")
    (record,) = cli.json("events")["events"]
    assert record["event"] == sent["event"]
    assert record["receipt"] == sent["receipt"]
    assert record["receipt"]["received_seq"] == "1"
    event = read_event(record["event"])
    assert (event.thread_id, event.scope.paths, event.evidence["body"]) == ("task:1", ["docs"], {"summary": "hello"})
    (key_file,) = (cli.home / "data" / "local").glob("*.key")
    verify(event, public_key_of(key_file.read_bytes()))


def test_the_receipt_is_told_in_one_line(cli: Cli) -> None:
    said = cli.run("send", "observation", "--thread", "task:1", "--summary", "hello").stdout
    (record,) = cli.json("events")["events"]
    assert said == f"#1 observation {id_of(record)} verified\n"


def test_all_21_kinds_can_be_sent(cli: Cli) -> None:
    """§5"""
    first = id_of(cli.send("intent", "--thread", "t", "--summary", "s"))
    claim_of(cli, "src")
    cli.send("claim.renew", "--expires-in", "1h")
    cli.send("claim.release", "--detail", "done")
    cli.send("progress", "--thread", "t", "--summary", "s")
    cli.send("observation", "--thread", "t", "--summary", "s")
    cli.send("artifact.offer", "--thread", "t", "--artifact-commit", REVISION, "--summary", "s")
    for kind in ("ack.seen", "ack.understood", "ack.accepted", "ack.rejected"):
        cli.send(kind, "--target", "1", "--detail", "d")
    cli.send("ack.applied", "--target", "#1", "--revision", REVISION)
    cli.send("conflict.raise", "--target", "1", "--target", "2", "--summary", "s")
    cli.send("conflict.resolve", "--target", "1", "--summary", "s", "--revision", REVISION)
    pause = id_of(cli.send("pause", "--thread", "t", "--until", "2h"))
    cli.send("resume", "--target", pause[:20])
    cli.send("rest", "--thread", "t")
    cli.send("refusal", "--target", first)
    cli.send("handoff", "--thread", "t", "--summary", "s", "--next-safe-action", "n")
    cli.send("close", "--thread", "t")
    cli.send("repair", "--target", "1", "--summary", "s")
    assert {record["event"]["kind"] for record in cli.json("events")["events"]} == set(KINDS)


def test_an_acknowledgement_takes_thread_and_paths_from_its_target_and_names_it_as_parent(cli: Cli) -> None:
    """§4, §5"""
    target = cli.send("intent", "--thread", "task:9", "--path", "src/api", "--summary", "s")
    ack = cli.send("ack.seen", "--target", "1")["event"]
    assert (ack["thread_id"], ack["scope"]["paths"]) == ("task:9", ["src/api"])
    assert ack["parents"] == [ack["body"]["target_event_id"]] == [id_of(target)]


def test_a_claim_is_opened_under_a_new_id_renewed_and_released_from_its_live_tip(cli: Cli) -> None:
    """§6"""
    opened = claim_of(cli, "src/api", "docs")
    assert str(UUID(body(opened)["claim_id"])) == body(opened)["claim_id"]
    renewed = cli.send("claim.renew", "--expires-in", "1h")
    assert body(renewed) | {"expires_at": ""} == {
        "claim_id": body(opened)["claim_id"],
        "generation": 2,
        "predecessor_event_id": id_of(opened),
        "expires_at": "",
    }
    assert (renewed["lineage_status"], renewed["event"]["scope"]["paths"]) == ("valid", ["src/api", "docs"])
    released = cli.send("claim.release", "--claim", body(opened)["claim_id"][:8])
    assert (body(released)["generation"], body(released)["predecessor_event_id"]) == (3, id_of(renewed))
    assert cli.run("claims").stdout == "No active claims.\n"


def test_of_several_claims_the_path_or_the_claim_chooses_and_nothing_else_does(cli: Cli) -> None:
    """§6"""
    api, docs = claim_of(cli, "src/api"), claim_of(cli, "docs")
    refused = cli.run("send", "claim.renew", "--expires-in", "1h", code=2).stderr
    assert f"#1 src/api (claim {body(api)['claim_id'][:8]}…)" in refused
    assert f"#2 docs (claim {body(docs)['claim_id'][:8]}…)" in refused
    renewed = cli.send("claim.renew", "--path", "docs", "--expires-in", "1h")
    assert body(renewed)["predecessor_event_id"] == id_of(docs)
    renewed = cli.send("claim.renew", "--claim", body(api)["claim_id"], "--expires-in", "1h")
    assert body(renewed)["predecessor_event_id"] == id_of(api)


@pytest.mark.parametrize("kind", ["claim.renew", "claim.release"])
@pytest.mark.parametrize(
    "typed", [("src/api",), ("src/api", "src"), ("src/api/client/x",), (".",), ("doc",), ("docs",)]
)
def test_paths_that_are_not_exactly_those_of_a_claim_choose_none_and_list_what_there_is(
    cli: Cli, kind: str, typed: tuple[str, ...]
) -> None:
    """§6: a claim that merely overlaps is another claim"""
    held = [("src",), ("src/api/client",), ("docs", "lib")]
    claims = [claim_of(cli, *paths) for paths in held]
    expires = ("--expires-in", "1h") if kind == "claim.renew" else ()
    refused = cli.run("send", kind, *(f"--path={path}" for path in typed), *expires, code=2).stderr
    for number, (paths, record) in enumerate(zip(held, claims, strict=True), 1):
        assert f"#{number} {', '.join(paths)} (claim {body(record)['claim_id'][:8]}…)" in refused
    assert len(cli.json("claims")["claims"]) == len(held)
    assert len(cli.json("events")["events"]) == len(held)


def test_an_exact_path_chooses_its_claim_though_others_of_mine_overlap_it(cli: Cli) -> None:
    """§6"""
    claim_of(cli, "src")
    inner = claim_of(cli, "src/api", "docs")
    claim_of(cli, ".")
    released = cli.send("claim.release", "--path", "docs", "--path", "src/api")
    assert body(released)["predecessor_event_id"] == id_of(inner)
    assert {tuple(claim["scope"]["paths"]) for claim in cli.json("claims")["claims"]} == {("src",), (".",)}


def test_two_claims_on_the_same_paths_are_both_listed(cli: Cli) -> None:
    """§6"""
    claims = [claim_of(cli, "src"), claim_of(cli, "src")]
    refused = cli.run("send", "claim.release", "--path", "src", code=2).stderr
    assert "several live claims fit" in refused
    assert all(body(record)["claim_id"][:8] in refused for record in claims)


def test_a_predecessor_of_another_claim_or_on_other_paths_than_were_said_is_refused(cli: Cli) -> None:
    """§6"""
    src, docs = claim_of(cli, "src"), claim_of(cli, "docs")
    for wrong, option in ((("--path", "docs"), "--path"), (("--claim", body(docs)["claim_id"]), "--claim")):
        refused = cli.run("send", "claim.release", "--predecessor", id_of(src), *wrong, code=2).stderr
        assert f"{option}: the predecessor" in refused
    assert len(cli.json("claims")["claims"]) == 2


def test_the_line_of_a_claim_names_its_paths_and_generation(cli: Cli) -> None:
    said = cli.run(
        "send", "claim.open", "--thread", "t", "--path", "src", "--path", "docs", "--expires-in", "1h"
    ).stdout
    claim_id = cli.json("claims")["claims"][0]["claim_id"]
    assert said.startswith(f"#1 claim.open src, docs (claim {claim_id[:8]}…) generation 1 sha256:")
    assert " generation 2 " in cli.run("send", "claim.renew", "--expires-in", "1h").stdout
    assert " src, docs " in cli.run("send", "claim.release").stdout


def test_a_claim_is_opened_on_the_whole_repository_only_on_purpose(cli: Cli) -> None:
    refused = cli.run("send", "claim.open", "--thread", "t", "--expires-in", "1h", code=2).stderr
    assert "--path ." in refused
    assert not cli.home.exists()
    assert claim_of(cli, ".")["event"]["scope"]["paths"] == ["."]


def test_branches_of_one_claim_are_named_and_a_predecessor_chooses(cli: Cli) -> None:
    """§6"""
    opened = claim_of(cli, "src")
    tips = [
        cli.send("claim.renew", "--predecessor", "1", "--expires-in", f"{hours}h")["event"]["event_id"]
        for hours in (1, 2)
    ]
    refused = cli.run("send", "claim.release", code=2).stderr
    assert all(f"#{number} src (claim {body(opened)['claim_id'][:8]}…) generation 2" in refused for number in (2, 3))
    released = cli.send("claim.release", "--predecessor", tips[0])
    assert body(released) == {
        "claim_id": body(opened)["claim_id"],
        "generation": 3,
        "predecessor_event_id": tips[0],
    }
    listed = cli.run("claims").stdout
    assert "competes with" in listed


def test_a_predecessor_that_is_not_stored_makes_a_pending_lineage_and_a_warning(cli: Cli) -> None:
    """§6"""
    said = ("--claim", "66666666-6666-4666-8666-666666666666", "--generation", "2", "--predecessor", UNKNOWN)
    record = cli.send("claim.release", "--thread", "t", "--path", "src", *said)
    assert record["lineage_status"] == "pending"
    assert record["missing_parents"] == [UNKNOWN]
    assert [warning["code"] for warning in record["warnings"]] == ["claim_lineage_pending"]


def test_a_parent_that_is_not_stored_is_accepted_when_its_whole_id_is_given(cli: Cli) -> None:
    """§4"""
    record = cli.send("observation", "--thread", "t", "--summary", "s", "--parent", UNKNOWN)
    assert record["missing_parents"] == [UNKNOWN]
    assert "missing 1" in cli.run("events").stdout


def test_base_revision_and_branch_are_those_of_git_here_unless_given(cli: Cli, git: Callable[..., None]) -> None:
    """§2.2"""
    git("init", "-q", "-b", "feat/x")
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "start")
    scope = cli.send("observation", "--thread", "t", "--summary", "s")["event"]["scope"]
    assert (scope["branch"], len(scope["base_revision"])) == ("feat/x", 40)
    given = ("--branch", "main", "--base-revision", REVISION)
    scope = cli.send("observation", "--thread", "t", "--summary", "s", *given)["event"]["scope"]
    assert (scope["branch"], scope["base_revision"]) == ("main", REVISION)


REVISION_OPTIONS = {
    "--base-revision": (("observation", "--thread", "t", "--summary", "s"), ("scope", "base_revision")),
    "--artifact-commit": (("artifact.offer", "--thread", "t"), ("body", "artifact", "revision")),
    "--revision": (("ack.applied", "--thread", "t", "--target", UNKNOWN), ("body", "result_revision")),
}


@pytest.mark.parametrize("option", REVISION_OPTIONS)
def test_a_revision_may_be_typed_as_git_names_it_and_is_sent_and_told_in_full(
    cli: Cli, git: Callable[..., None], option: str
) -> None:
    git("init", "-q", "-b", "main")
    for number in range(2):
        git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", str(number))
    facts = GitFacts(cli.folder)
    arguments, place = REVISION_OPTIONS[option]
    for typed, meant in (("HEAD", facts.commit("HEAD")), ("main~1", facts.commit("main~1")), (REVISION, REVISION)):
        result = cli.run("send", *arguments, option, typed, "--json")
        found = json.loads(result.stdout)["event"]
        for name in place:
            found = found[name]
        assert found == meant
        assert (f"{option} {typed} is {meant}" in result.stderr) == (typed != REVISION)


@pytest.mark.parametrize("option", REVISION_OPTIONS)
def test_a_revision_that_git_here_does_not_know_must_be_a_full_id(
    cli: Cli, git: Callable[..., None], option: str
) -> None:
    arguments, _ = REVISION_OPTIONS[option]
    for _ in range(2):
        for typed in ("HEAD", "main~2", "abc123", REVISION[:-1], "A" * 40, "\u202eHEAD"):
            refused = cli.run("send", *arguments, option, typed, code=2).stderr
            assert f"{option}: Git here knows no commit" in refused
            assert "\u202e" not in refused
        git("init", "-q")


def test_a_time_of_day_is_told_as_the_instant_that_is_signed(cli: Cli) -> None:
    result = cli.run("send", "pause", "--thread", "t", "--until", "17:00", "--json")
    until = json.loads(result.stdout)["event"]["body"]["until"]
    assert f"--until 17:00 is {until}" in result.stderr
    result = cli.run("send", "claim.open", "--thread", "t", "--path", "src", "--expires-at", "17:00", "--json")
    assert json.loads(result.stdout)["event"]["body"]["expires_at"] == until


def test_patches_and_contents_are_offered_with_a_locator(cli: Cli) -> None:
    """§5"""
    for option, kind in (("--artifact-patch", "git_patch"), ("--artifact-digest", "content_digest")):
        record = cli.send("artifact.offer", "--thread", "t", option, DIGEST, "--locator", "https://example.org/p")
        assert body(record)["artifact"] == {"kind": kind, "digest": DIGEST, "locator": "https://example.org/p"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("nonsense", "--thread", "t"), "KIND"),
        (("observation", "--summary", "s"), "--thread"),
        (("observation", "--thread", "t"), "body.summary"),
        (("observation", "--thread", "t", "--summary", ""), "text_length"),
        (("observation", "--thread", "t", "--summary", "x" * 1001), "body.summary"),
        (("observation", "--thread", "two words", "--summary", "s"), "thread_id"),
        (("observation", "--thread", "t", "--summary", "s", "--path", "/etc"), "path_edge_slash"),
        (("observation", "--thread", "t", "--summary", "s", "--detail", "d"), "body.detail"),
        (("pause", "--thread", "t", "--summary", "s"), "unknown_body_field"),
        (("pause", "--thread", "t", "--until", "soon"), "--until"),
        (("claim.open", "--thread", "t", "--path", "."), "--expires-in"),
        (("claim.open", "--thread", "t", "--expires-in", "1h"), "--path ."),
        (
            ("claim.open", "--thread", "t", "--path", ".", "--expires-in", "1h", "--expires-at", "2030-01-01T00:00Z"),
            "one of them",
        ),
        (("claim.renew", "--expires-in", "1h"), "--predecessor"),
        (("ack.seen", "--thread", "t"), "--target"),
        (("repair", "--summary", "x"), "--target"),
        (("ack.seen", "--target", "7"), "#7"),
        (("ack.seen", "--target", "beef"), "beef"),
        (("ack.seen", "--target", "xyz"), "--target"),
        (("ack.seen", "--target", UNKNOWN), "--thread"),
        (("ack.seen", "--thread", "t", "--target", UNKNOWN, "--target", DIGEST), "one target"),
        (("ack.applied", "--thread", "t", "--target", UNKNOWN, "--revision", "abc"), "--revision"),
        (("artifact.offer", "--thread", "t", "--artifact-commit", REVISION, "--artifact-digest", DIGEST), "one of"),
        (("artifact.offer", "--thread", "t", "--locator", "https://example.org/p"), "--locator"),
    ],
)
def test_an_event_that_breaks_a_rule_is_refused_with_the_field_or_option_and_nothing_is_posted(
    cli: Cli, arguments: tuple[str, ...], named: str
) -> None:
    cli.make()
    assert named in cli.run("send", *arguments, code=2).stderr
    assert cli.json("events")["events"] == []


def test_the_start_of_an_id_that_several_events_share_names_them_all(cli: Cli) -> None:
    ids = [id_of(cli.send("observation", "--thread", "t", "--summary", str(number))) for number in range(2)]
    refused = cli.run("send", "ack.seen", "--target", "sha256:", code=2)
    assert "--target" in refused.stderr
    assert len({event_id[:11] for event_id in ids}) == 2
    cli.send("ack.seen", "--target", ids[1].removeprefix("sha256:")[:12])


def test_hostile_words_reach_the_terminal_as_pictures_only(cli: Cli) -> None:
    cli.send("observation", "--thread", "t\u200bx", "--summary", "\x1b[31m red \u202e\n#9 forged line")
    for output in (cli.run("events").stdout, cli.run("voice").stdout, cli.run("events", "--json").stdout):
        assert "\x1b" not in output
        assert "\u202e" not in output
        assert "\u200b" not in output
    assert len(cli.run("events").stdout.splitlines()) == 1


def test_an_event_the_service_refuses_is_exit_code_3_with_its_words(cli: Cli) -> None:
    project = cli.make()
    with closing(project.open()) as database:
        Accounts(database).revoke_key(project.signing_key_id)
    refused = cli.run("send", "observation", "--thread", "t", "--summary", "s", code=3)
    assert "refused" in refused.stderr
    assert "will not be sent again. It is kept here as refused" in refused.stderr
    named = cli.json("outbox")[0]["event_id"].removeprefix("sha256:")[:12]
    assert f"`corr-tui outbox discard {named}` gives it up" in refused.stderr
    heading = cli.run("outbox").stdout.splitlines()[0]
    assert heading.endswith(f"as {project.identity_name} {project.identity_id}")
    assert cli.json("events")["events"] == []


def test_a_resume_finds_the_one_pause_or_rest_that_is_not_over(cli: Cli) -> None:
    """§5"""
    assert "--target" in cli.run("send", "resume", code=2).stderr
    cli.send("pause", "--thread", "a")
    rest = cli.send("rest", "--thread", "b")
    assert id_of(rest) in cli.run("send", "resume", code=2).stderr
    assert body(cli.send("resume", "--thread", "b")) == {"target_event_id": id_of(rest)}
    assert cli.send("resume")["event"]["thread_id"] == "a"


def test_an_event_whose_outcome_is_not_known_is_exit_code_4_and_goes_out_again_with_the_next(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """§7: the same exact event is posted again"""

    def unavailable(store: Store, submission: object) -> None:
        raise StorageUnavailable("OperationalError")

    cli.make()
    with monkeypatch.context() as patched:
        patched.setattr(Store, "append", unavailable)
        lost = cli.run("send", "observation", "--thread", "t", "--summary", "lost", code=4).stderr
    assert "Not known yet" in lost
    assert "with the next `corr-tui` or `corr-tui send`" in lost
    cli.send("observation", "--thread", "t", "--summary", "next")
    said = {record["event"]["body"]["summary"]: id_of(record) for record in cli.json("events")["events"]}
    assert said.keys() == {"lost", "next"}
    assert said["lost"] in lost


def test_the_state_of_an_installation_that_cannot_be_kept_is_named(cli: Cli) -> None:
    cli.make()
    (cli.home / "state").write_text("a file stands here")
    assert "device.json" in cli.run("send", "observation", "--thread", "t", "--summary", "s", code=2).stderr


def test_an_event_that_cannot_be_stored_here_was_not_refused_by_anybody(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OutboxRefused("this installation cannot store it: database or disk is full")

    monkeypatch.setattr(Outbox, "store", full)
    said = cli.run("send", "observation", "--thread", "t", "--summary", "s", code=2).stderr
    assert "not posted: this installation cannot store it: database or disk is full. Nothing was posted or kept" in said
    assert "refused" not in said
