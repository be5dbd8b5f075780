"""`corr-tui outbox`: the events of this home that have no receipt yet, without asking any service.

An event is named by its id, by a start of it that only one has, or by SESSION:NUMBER, where a start of the session
is enough too. What is kept for other services, repositories and identities is listed as well: a home has one outbox.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corr_tui.cli.failures import Invalid
from corr_tui.cli.flags import Flags, home_of
from corr_tui.cli.names_here import known_names
from corr_tui.cli.unsent import next_of

if TYPE_CHECKING:
    from corr_tui.state.home import Home
    from corr_tui.state.outbox import Kept, Outbox

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_HOME = click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="The home whose outbox it is, as for every command.",
)
_NAMED = "EVENT is an id, a start of one, or SESSION:NUMBER as the list shows it."

SHOWN = 12
"""Digits of an event id in the list, enough to name the event by."""
NOTHING_KEPT = "Nothing is kept: every event that was signed here has its receipt, or was discarded."
_NEXT = next_of("the identity above them")
MEANINGS = {
    "unsent": f"unsent: the bytes have not left this machine; they go out {_NEXT}.",
    "not known yet": f"not known yet: the answer was lost, so the service may have it; the same bytes go out {_NEXT}.",
    "refused": "refused: the service decided against it, and it is not sent again.",
    "damaged": "damaged: the bytes are not those that were signed, so they are never sent.",
}
"""What each state means for whoever reads the list."""


@click.group(invoke_without_command=True)
@_JSON
@_HOME
@click.pass_context
def outbox(ctx: click.Context, as_json: bool, home: Path | None) -> None:
    """List the events of this home that have no receipt yet; export or discard them.

    Asks no service. What waits goes out by itself with the next `corr-tui` or `corr-tui send` on the same service and
    repository, as the same identity. Events of a session that still runs are left to it; on a file system where no
    process can hold a file, another one may post them too: the same bytes, and so one event.
    """
    flags = Flags(home=home).over(ctx.obj if isinstance(ctx.obj, Flags) else Flags())
    ctx.obj = flags
    if ctx.invoked_subcommand is not None:
        return
    kept, running = _everything(flags)
    if as_json:
        click.echo(json.dumps([row_json(row, running) for row in kept], indent=2))
        return
    for line in list_lines(kept, running, known_names(home_of(flags), kept)) or [NOTHING_KEPT]:
        click.echo(line)


@outbox.command("export", epilog=_NAMED)
@click.argument("event")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-")
@_JSON
@_HOME
@click.pass_obj
def outbox_export(flags: Flags, event: str, file: Path, as_json: bool, home: Path | None) -> None:
    """Write the exact bytes of EVENT to FILE, which must not exist, or to standard output.

    They are what would be posted, ready for `curl --data-binary @FILE`. The event stays where it is.
    """
    from corr_tui.state import private_file
    from corr_tui.ui.text import clean

    kept, _ = _everything(Flags(home=home).over(flags))
    row = named(kept, event)
    if row.stored() is None:
        raise Invalid(f"{row.event_id} is damaged: its bytes are not those that were signed")
    if str(file) == "-":
        if as_json:
            raise Invalid("--json: the event is JSON as it is; with FILE, --json tells what was written")
        _print_bytes(row.raw)
        return
    try:
        private_file.create(file, row.raw, folders=False)
    except OSError as error:
        raise Invalid(f"{clean(str(file))} cannot be made: {error.strerror or error}") from None
    if as_json:
        click.echo(json.dumps({"event_id": row.event_id, "file": str(file), "bytes": len(row.raw)}))
    else:
        click.echo(f"Wrote the exact bytes of {row.event_id} to {clean(str(file))}; it stays in the outbox.", err=True)


@outbox.command("discard", epilog=_NAMED)
@click.argument("events", metavar="EVENT...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@_JSON
@_HOME
@click.pass_obj
def outbox_discard(flags: Flags, events: tuple[str, ...], yes: bool, as_json: bool, home: Path | None) -> None:
    """Give up events: their bytes are deleted here and sent no more, and their numbers stay used.

    What is not known yet may have been received all the same, and then stays in the history.
    """
    flags = Flags(home=home).over(flags)
    kept, running = _everything(flags)
    rows = list({row.event_id: row for row in (named(kept, event) for event in events)}.values())
    if not yes:
        _ask(rows, running)
    there = _outbox(home_of(flags))
    results = [_discarded(there, row) for row in rows]
    click.echo(json.dumps(results, indent=2) if as_json else "\n".join(map(_discard_words, results)))
    if any(result["state"] and not result["discarded"] for result in results):
        raise Invalid("not everything was discarded")


def _everything(flags: Flags) -> tuple[tuple[Kept, ...], frozenset[str]]:
    """Every row of a home, and the sessions of it that run; raises Invalid."""
    from corr_tui.state.outbox import OutboxRefused
    from corr_tui.state.runs import Runs

    home = home_of(flags)
    try:
        kept = _outbox(home).everything()
    except OutboxRefused as refused:
        raise Invalid(str(refused)) from None
    runs = Runs(home.state)
    return kept, frozenset(filter(runs.running, {row.session_id for row in kept}))


def _outbox(home: Home) -> Outbox:
    from corr_tui.state.outbox import Outbox

    return Outbox(home.state / "outbox.sqlite3", "")


def named(kept: tuple[Kept, ...], typed: str) -> Kept:
    """The one row that is meant; raises Invalid when none is, or several are."""
    from corr_tui.ui.text import clean

    session, colon, number = typed.rpartition(":")
    start = typed.removeprefix("sha256:")
    exact = [row for row in kept if typed == row.event_id]
    found = exact or [row for row in kept if start and row.event_id.removeprefix("sha256:").startswith(start)]
    if colon and session != "sha256" and number.isascii() and number.isdigit():
        found = [row for row in kept if row.session_id.startswith(session) and str(row.session_seq) == number]
    if not found:
        raise Invalid(f"{clean(typed)} names no event that is kept here; `corr-tui outbox` lists them")
    if len(found) > 1:
        candidates = "\n".join(f"  {line}" for line in _table(found, frozenset()))
        raise Invalid(f"{clean(typed)} names {len(found)} events; say more of the one you mean:\n{candidates}")
    return found[0]


def row_json(row: Kept, running: frozenset[str]) -> dict[str, Any]:
    """One row for a program; `event` is null where the bytes are damaged."""
    stored = row.stored()
    return {
        "event_id": row.event_id,
        "state": row.state.value,
        "reason": row.reason,
        "stored_at": row.stored_at,
        "session_id": row.session_id,
        "session_seq": row.session_seq,
        "session_running": row.session_id in running,
        "service": row.place,
        "project_id": row.project_id,
        "repository_id": row.repository_id,
        "event": stored.event.evidence if stored else None,
    }


def list_lines(kept: tuple[Kept, ...], running: frozenset[str], names: Mapping[str, str]) -> list[str]:
    """The whole list: a heading for each service, repository and identity, its rows, and what their states mean.

    `names` is what identities are called, by their ids, where that is known here.
    """
    groups: dict[str, list[Kept]] = {}
    for row in kept:
        groups.setdefault(_heading(row, names), []).append(row)
    lines: list[str] = []
    for heading, rows in groups.items():
        lines += [heading, *(f"  {line}" for line in _table(rows, running)), ""]
    states = {_state(row) for row in kept}
    return lines + [meaning for state, meaning in MEANINGS.items() if state in states]


def _heading(row: Kept, names: Mapping[str, str]) -> str:
    from corr_tui.ui.text import clean

    stored = row.stored()
    whose = stored.event.sender.identity_id if stored else ""
    author = " ".join(part for part in ("as", clean(names.get(whose, "")), whose) if part) if stored else ""
    return "  ".join(part for part in (clean(row.place), clean(row.repository_id), author) if part)


def _state(row: Kept) -> str:
    return row.state.value if row.stored() else "damaged"


def _table(rows: list[Kept], running: frozenset[str]) -> list[str]:
    """Rows as columns of equal width: id, kind, thread, session and number, when stored, state, reason."""
    from corr_tui.ui.text import cells, clean, quoted

    table = []
    for row in rows:
        stored = row.stored()
        state = f"{_state(row)}, its session runs" if row.session_id in running else _state(row)
        cells_of = (
            row.event_id.removeprefix("sha256:")[:SHOWN],
            stored.event.kind if stored else "?",
            stored.event.thread_id if stored else "?",
            f"{row.session_id[:8]}:{row.session_seq}",
            f"{row.stored_at[:10]} {row.stored_at[11:19]}Z",
        )
        table.append((*map(clean, cells_of), state, quoted(row.reason) if row.reason else ""))
    widths = [max(map(cells, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(part + " " * (width - cells(part)) for part, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]


def _print_bytes(raw: bytes) -> None:
    """The bytes, and nothing else. A terminal gets only what it can show as it is."""
    if sys.stdout.isatty():
        if not raw.decode("utf-8").isprintable():
            raise Invalid("the event holds characters that a terminal would act on; name a FILE, or pipe it")
        raw += b"\n"
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()


def asked_here() -> bool:
    """Whether somebody sits at standard input who can be asked."""
    return sys.stdin.isatty()


def _ask(rows: list[Kept], running: frozenset[str]) -> None:
    """Show what would be discarded and ask; raises Invalid where nobody can be asked, and click.Abort on no."""
    if not asked_here():
        raise Invalid("nobody can be asked here; --yes discards without asking. Nothing was discarded")
    for line in _table(rows, running):
        click.echo(f"  {line}", err=True)
    if any(_may_be_received(row) for row in rows):
        click.echo("What is not known yet may have been received; then it stays in the history.", err=True)
    click.confirm(f"Discard {'this event' if len(rows) == 1 else f'these {len(rows)} events'}?", abort=True, err=True)


def _may_be_received(row: Kept) -> bool:
    from corr_tui.state.snapshot import UnsentState

    return row.state is UnsentState.UNKNOWN


def _discarded(kept: Outbox, row: Kept) -> dict[str, Any]:
    """Discard one row; what became of it, for a program: `state` is how it stood, or null when it was not kept."""
    from corr_tui.state.outbox import OutboxRefused
    from corr_tui.state.snapshot import UnsentState

    told = {"event_id": row.event_id, "session_id": row.session_id, "session_seq": row.session_seq}
    try:
        before = kept.discard(row.event_id)
    except OutboxRefused as refused:
        return told | {"discarded": False, "state": row.state.value, "reason": str(refused)}
    may = before is UnsentState.UNKNOWN
    state = before.value if before is not None else None
    return told | {"discarded": state is not None, "state": state, "may_have_been_received": may}


def _discard_words(result: dict[str, Any]) -> str:
    """What became of one event, in a line or two."""
    if result["discarded"]:
        place = f"{result['session_id'][:8]}:{result['session_seq']}"
        line = f"Discarded {result['event_id']}; its number, {place}, stays used."
        later = "\n  It may have been received before; then it stays in the history."
        return line + later if result["may_have_been_received"] else line
    if result["state"] is None:
        return f"{result['event_id']} was not kept any more: it has its receipt, or was discarded before."
    return f"{result['event_id']} is still kept: {result['reason']}"
