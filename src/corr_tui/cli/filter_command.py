"""A command that takes a filter: its terms as arguments, negated ones too, and errors that point at their place.

The arguments are joined by blanks and read as one text, so that one quoted argument says the same as several.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from corr_tui.cli.failures import Invalid

if TYPE_CHECKING:
    from corr_tui.state.filter_grammar import Filter, FilterRefused

_SHIELD = "\0"
"""Stands before a term that click would take for options; no argument of a process holds it."""


class FilterCommand(click.Command):
    """A command whose last argument is a filter; `-kind:ack.*` is a term of it and no row of short options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(self._shielded(ctx, args)))

    def _shielded(self, ctx: click.Context, args: list[str]) -> Iterator[str]:
        options = {name: each for each in self.get_params(ctx) for name in each.opts if isinstance(each, click.Option)}
        value_follows = ended = False
        for argument in args:
            option = None if value_follows or ended else options.get(argument)
            term = not (value_follows or ended or option) and len(argument) > 2 and argument[0] == "-" != argument[1]
            yield _SHIELD + argument if term else argument
            ended = ended or (argument == "--" and not value_follows)
            value_follows = option is not None and not option.is_flag

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from corr_tui.state.filter_grammar import FIELDS, MEANINGS, Field, Is

        with formatter.section("Filter (every term has to hold; - before one takes away what it finds)"):
            formatter.write_dl([(f"{field}:" if field else "words", says) for field, says in FIELDS.items()])
        with formatter.section("States and possessions"):
            named = [(Field.IS if isinstance(each, Is) else Field.HAS, each, says) for each, says in MEANINGS.items()]
            formatter.write_dl([(f"{field}:{each}", says) for field, each, says in named])


def filter_argument(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The terms as they were typed; a callback for click."""
    return tuple(term.removeprefix(_SHIELD) for term in value)


def filter_of(terms: tuple[str, ...]) -> Filter:
    """The filter that was typed; raises Invalid, with a line that points at what is none."""
    from corr_tui.state.filter_grammar import FilterRefused, parse_filter

    text = " ".join(terms)
    try:
        return parse_filter(text)
    except FilterRefused as refused:
        raise Invalid("\n".join(_pointed(text, refused))) from None


def _pointed(text: str, refused: FilterRefused) -> Iterator[str]:
    """The rule, the text, a line under it that points, and the values that would be known there."""
    from corr_tui.ui.text import cells, clean

    end = refused.position + refused.length
    before, at, after = (clean(part) for part in (text[: refused.position], text[refused.position : end], text[end:]))
    yield f"FILTER: {clean(refused.rule)}"
    yield f"  {before}{at}{after}"
    yield f"  {' ' * cells(before)}{'^' * max(cells(at), 1)}"
    if refused.known:
        yield f"  {', '.join(refused.known)}"
