"""`corr-tui send`: sign one event and post it (§5).

Nothing is posted before the whole event is known to hold. The event is signed and kept before it is posted, so a lost
answer loses nothing: the same bytes go out again.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import click

from corr_tui.cli.failures import Invalid
from corr_tui.cli.flags import Flags, settings_flags
from corr_tui.cli.instants import is_time_of_day, read_instant
from corr_tui.cli.said import Said
from corr_tui.protocol.bodies import KINDS

_PLAIN_FIELDS = ("summary", "detail", "claim_id", "generation", "next_safe_action", "handoff_id")

_PATH_HELP = (
    "A path prefix it is about; may be repeated. By default the paths of the first target, or the whole repository; "
    "claim.renew and claim.release take those of the claim, and claim.open needs one (. is the whole repository)."
)


@click.command(epilog=f"Kinds: {', '.join(KINDS)}.")
@click.argument("kind", type=click.Choice(KINDS), metavar="KIND")
@click.option("--thread", "thread_id", metavar="ID", help="The thread; by default that of the first target.")
@click.option("--path", "paths", multiple=True, metavar="PREFIX", help=_PATH_HELP)
@click.option("--summary", help="What it says, for kinds that have a summary.")
@click.option("--detail", help="Words beside it, for kinds that have a detail.")
@click.option("--target", "targets", multiple=True, metavar="EVENT", help="An event id, its start, or its number.")
@click.option("--claim", "--claim-id", "claim_id", metavar="ID", help="The claim; claim.open makes a new id.")
@click.option("--generation", type=int, help="By default one after the claim's live tip.")
@click.option("--predecessor", metavar="EVENT", help="By default the live tip of the claim.")
@click.option("--expires-in", metavar="TIME", help="From now, as 45m or 1h30m.")
@click.option("--expires-at", metavar="INSTANT", help="As 17:00 here, or 2026-05-14T16:00Z.")
@click.option(
    "--revision", "result_revision", metavar="REVISION", help="The resulting Git revision: in full, or as HEAD here."
)
@click.option("--artifact-commit", metavar="REVISION", help="Offers a Git commit: in full, or as HEAD here.")
@click.option("--artifact-patch", metavar="DIGEST", help="Offers a Git patch, sha256:…")
@click.option("--artifact-digest", metavar="DIGEST", help="Offers any content, sha256:…")
@click.option("--locator", metavar="URI", help="Where the patch or content may be inspected.")
@click.option("--until", metavar="TIME", help="For pause and rest: as 2h, 17:00, or an instant.")
@click.option("--next-safe-action", metavar="TEXT", help="For handoff.")
@click.option("--handoff-id", metavar="ID", help="For handoff: the id of a stored snapshot.")
@click.option("--parent", "parents", multiple=True, metavar="EVENT", help="A further event it depends on.")
@click.option("--base-revision", metavar="REVISION", help="By default HEAD of this Git repository.")
@click.option("--branch", metavar="NAME", help="By default the branch of this Git repository.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the service's record; for an event that is kept, its state."
)
@settings_flags
def send(flags: Flags, kind: str, as_json: bool, **options: Any) -> None:
    """Sign and post one event of KIND, any of the 21.

    \b
    corr-tui send observation --thread task:1 --path docs --summary hello
    corr-tui send ack.seen --target 12
    corr-tui send claim.open --thread task:1 --path src/api --expires-in 45m
    corr-tui send claim.renew --path src/api --expires-in 45m
    corr-tui send intent --as builder-1 --thread task:1 --summary 'Move retries into the client'
    """
    from corr_tui.cli.posting import post
    from corr_tui.cli.revisions import whole_revisions

    if kind == "claim.open" and not options["paths"]:
        raise Invalid("--path: say what the claim is for; `--path .` claims the whole repository")
    options |= whole_revisions(
        {
            "--revision": ("result_revision", options["result_revision"]),
            "--artifact-commit": ("artifact_commit", options["artifact_commit"]),
            "--base-revision": ("base_revision", options["base_revision"]),
        }
    )
    now = datetime.now(UTC)
    said = Said(
        kind=kind,
        thread_id=options["thread_id"],
        paths=options["paths"],
        body=_body(options, now),
        targets=options["targets"],
        parents=options["parents"],
        predecessor=options["predecessor"],
        base_revision=options["base_revision"],
        branch=options["branch"],
    )
    asyncio.run(post(said, flags, as_json=as_json))


def _body(options: dict[str, Any], now: datetime) -> dict[str, Any]:
    """The fields given, under their names in the body; raises Invalid for options that exclude each other."""
    body = {name: options[name] for name in (*_PLAIN_FIELDS, "result_revision")}
    body["until"] = _instant(options["until"], now, "--until")
    if options["expires_in"] and options["expires_at"]:
        raise Invalid("--expires-in, --expires-at: give one of them")
    body["expires_at"] = _instant(options["expires_in"], now, "--expires-in") or _instant(
        options["expires_at"], now, "--expires-at"
    )
    body["artifact"] = _artifact(options)
    return {name: value for name, value in body.items() if value is not None}


def _instant(typed: str | None, now: datetime, option: str) -> str | None:
    if typed is None:
        return None
    found = read_instant(typed, now, option=option)
    if is_time_of_day(typed):
        click.echo(f"corr-tui: {option} {typed.strip()} is {found}", err=True)
    return found


def _artifact(options: dict[str, Any]) -> dict[str, str] | None:
    """The artifact offered, or None; raises Invalid when two are, or a locator stands alone."""
    offered = {
        "git_commit": ("revision", options["artifact_commit"]),
        "git_patch": ("digest", options["artifact_patch"]),
        "content_digest": ("digest", options["artifact_digest"]),
    }
    given = [(kind, name, value) for kind, (name, value) in offered.items() if value is not None]
    if len(given) > 1:
        raise Invalid("--artifact-commit, --artifact-patch, --artifact-digest: give one of them")
    locator = {} if options["locator"] is None else {"locator": options["locator"]}
    if not given:
        if locator:
            raise Invalid("--locator: belongs to --artifact-patch or --artifact-digest")
        return None
    kind, name, value = given[0]
    return {"kind": kind, name: value, **locator}
