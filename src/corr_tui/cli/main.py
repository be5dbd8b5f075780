"""The command line: the board when no verb is given, else one verb.

A verb is imported when it is called, so that none waits for the libraries of another; a verb's module in turn imports
the client, the service and the interface only while it runs. Exit codes are those of `failures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import click

from corr_tui import __version__
from corr_tui.cli import streams
from corr_tui.cli.flags import Flags, settings_flags
from corr_tui.cli.look import LookFlags, look_flags

VERBS = {
    "demo": ("demo", "demo", "Watch scripted correspondents at work, in a temporary home."),
    "serve": ("serve", "serve", "Serve correspondence to other machines of yours."),
    "send": ("send", "send", "Sign and post one event."),
    "voice": ("read", "voice", "Print the finite coordination snapshot."),
    "claims": ("read", "claims", "Print the active claims."),
    "events": ("read", "events", "Print the events, in receipt order."),
    "search": ("search", "search", "Print the events that hold some words."),
    "triage": ("triage", "triage", "Print what may want your eyes, each with its reason."),
    "outbox": ("outbox", "outbox", "List, export or discard events that have no receipt."),
    "record": ("record", "record", "Open the board, and write what passes into a file."),
    "replay": ("replay", "replay", "Show such a file on the board, without a service."),
    "admin": ("admin", "admin", "Make projects, bearers, identities and keys."),
    "key": ("key", "key", "Make a signing key."),
    "keys": ("keys", "keys", "List the keys of the board, or try what your terminal sends."),
}
"""Verb → module of this package, command in it, and what help says of it."""


class Verbs(click.Group):
    """A group that imports a verb when it is called, and lists all of them without importing any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, command, _ = VERBS[cmd_name]
        found = getattr(import_module(f"corr_tui.cli.{module}"), command)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, says) for verb, (_, _, says) in VERBS.items()])


@click.group(cls=Verbs, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="corr-tui %(version)s")
@settings_flags
@look_flags
@click.pass_context
def main(ctx: click.Context, flags: Flags, look: LookFlags) -> None:
    """A terminal dashboard for agent-correspondence/v0.1, with the service in it.

    Without a command it opens the board: on the configured service, else on the local project of this Git repository
    or folder, which is made on first use.
    """
    ctx.obj = flags
    if ctx.invoked_subcommand is None:
        from corr_tui.cli.board import board

        ctx.exit(board(flags, look))


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code, and leaves no traceback for what a person can put right."""
    try:
        main.main(args=list(arguments), prog_name="corr-tui")
    except SystemExit as end:
        return streams.ended(end.code if isinstance(end.code, int) else 1)
    except OSError as error:
        if not streams.is_of_output(error):
            raise
        return streams.ended(0, error)
    return streams.ended(0)
