"""`corr-tui keys`: every command with its keys as this person has them, and a tester of what the terminal sends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from corr_tui.cli.failures import Invalid
from corr_tui.cli.look import Look, LookFlags, connection_flags, look_flags, look_of
from corr_tui.cli.screen import ascii_wanted, missing_terminal

if TYPE_CHECKING:
    from corr_tui.ui.commands import Command

INSTEAD = "`corr-tui keys` without --test lists every key as text"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--test", "testing", is_flag=True, help="Show what each key you press is called and does.")
@look_flags
def keys(as_json: bool, testing: bool, look: LookFlags) -> None:
    """List every command with its id and keys, or try what your terminal sends.

    The ids are what the table [keys] of config.toml names: `"ack.seen" = "f5"`, or a list of keys; `preset = "vim"`
    there, or --keys vim, starts from other keys. A key that two commands want is refused, with both names.
    """
    if testing and as_json:
        raise Invalid("--test shows keys on the screen, and prints no JSON")
    if testing and (missing := missing_terminal()):
        raise Invalid(f"testing keys needs a terminal{missing}. {INSTEAD}")
    wanted = look_of(look, connection_flags())
    if testing:
        click.get_current_context().exit(_tested(wanted))
    click.echo(_as_json(wanted) if as_json else "\n".join(_lines(wanted)))


def _tested(look: Look) -> int:
    from corr_tui.ui.key_tester import KeyTester

    app = KeyTester(look.keys, theme=look.theme, ascii_only=ascii_wanted(look))
    app.run()
    return app.return_code or 0


def _source(look: Look, command: Command) -> str:
    """Who gave a command its keys: config, preset, or nobody but the table."""
    from corr_tui.ui.commands import find

    if command.id in look.own:
        return "config"
    return "preset" if command.keys != find(command.id).keys else "built in"


def _as_json(look: Look) -> str:
    from corr_tui.ui.commands import find, table

    return json.dumps(
        {
            "preset": look.preset,
            "commands": [
                {
                    "id": command.id,
                    "keys": command.keys,
                    "built_in_keys": find(command.id).keys,
                    "from": _source(look, command),
                    "scope": command.scope,
                    "group": command.group,
                    "verb": command.verb,
                    "description": command.description,
                }
                for command in table(look.keys)
            ],
        },
        indent=2,
    )


def _lines(look: Look) -> list[str]:
    from corr_tui.ui.commands import find, show_key, table

    commands = table(look.keys)
    shown = {command.id: " ".join(map(show_key, command.keys)) for command in commands}
    of_keys, of_ids = max(map(len, shown.values())), max(map(len, shown))
    lines: list[str] = []
    for group in dict.fromkeys(command.group for command in commands):
        lines += [*([""] if lines else []), group]
        for command in commands:
            if command.group == group:
                said = f"  {shown[command.id]:<{of_keys}}  {command.id:<{of_ids}}  {command.description}"
                before = " ".join(map(show_key, find(command.id).keys))
                source = _source(look, command)
                by = {"config": "yours", "preset": look.preset}.get(source, "")
                lines.append(f"{said}  ({by}; built in: {before})" if by else said)
    return lines
