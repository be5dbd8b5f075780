"""Git revisions as people type them: a full id stands as it is, anything else is what Git here says it names (§2.2).

An event carries only full ids. What a name stood for is said, since it is signed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import click

from corr_tui.cli.failures import Invalid
from corr_tui.cli.streams import working_folder
from corr_tui.state.git_facts import GitFacts
from corr_tui.ui.text import clean

_WHOLE = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def whole_revisions(typed: Mapping[str, tuple[str, str | None]]) -> dict[str, str]:
    """The full id for each option that was given, by the name of its parameter; raises Invalid.

    `typed` maps an option to its parameter and what was typed, None for nothing.
    """
    return {name: _whole(option, text) for option, (name, text) in typed.items() if text is not None}


def _whole(option: str, text: str) -> str:
    if _WHOLE.fullmatch(text):
        return text
    found = GitFacts(working_folder()).commit(text)
    if found is None:
        raise Invalid(
            f"{option}: Git here knows no commit {clean(text)}; give a full id of 40 or 64 hexadecimal digits"
        )
    click.echo(f"corr-tui: {option} {clean(text)} is {found}", err=True)
    return found
