"""One changed row on the live list, against one changed cell of a DataTable of the same size (target 4)."""

from __future__ import annotations

import asyncio
from statistics import median
from time import process_time

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import DataTable

from corr_tui.ui.line import Ink, Row, Span
from corr_tui.ui.widgets.line_list import LineList

ROWS = 128
COLUMNS = 8


def row(number: int, change: int = 0) -> Row:
    """A row of eight columns."""
    text = "  ".join(f"{number:04d}-{column + change:04d}" for column in range(COLUMNS))
    return Row(f"row-{number}", ((Span("  "), Span(text.ljust(110), Ink.TEXT)),))


class Lists(App[None]):
    """The live list alone."""

    def compose(self) -> ComposeResult:
        yield LineList()


class Tables(App[None]):
    """A DataTable alone."""

    def compose(self) -> ComposeResult:
        yield DataTable()


async def idle(pilot: Pilot[None]) -> float:
    """Seconds of processor time a pilot's pause takes by itself, when nothing has changed."""
    spent = []
    for _ in range(20):
        started = process_time()
        await pilot.pause()
        spent.append(process_time() - started)
    return median(spent)


async def changed_row() -> tuple[float, float]:
    """Processor seconds for one changed row, and for all of them, until the screen is painted."""
    app = Lists()
    async with app.run_test(size=(120, 40)) as pilot:
        lines = app.query_one(LineList)
        lines.patch(tuple(row(number) for number in range(ROWS)))
        await pilot.pause()
        one, every = [], []
        for change in range(1, 20):
            started = process_time()
            lines.patch(tuple(row(number, change if number == 5 else 0) for number in range(ROWS)))
            await pilot.pause()
            one.append(process_time() - started)
            started = process_time()
            lines.patch(tuple(row(number, change) for number in range(ROWS)))
            await pilot.pause()
            every.append(process_time() - started)
        pause = await idle(pilot)
        return median(one) - pause, median(every) - pause


async def changed_cell() -> tuple[float, float]:
    """The same for one cell of a DataTable, and for a refill."""
    app = Tables()
    async with app.run_test(size=(120, 40)) as pilot:
        table: DataTable[str] = app.query_one(DataTable)
        table.add_columns(*(f"column {number}" for number in range(COLUMNS)))
        cells = [[f"{number:04d}-{column:04d}" for column in range(COLUMNS)] for number in range(ROWS)]
        keys = [table.add_row(*values) for values in cells]
        columns = list(table.columns)
        await pilot.pause()
        one, every = [], []
        for change in range(1, 20):
            started = process_time()
            table.update_cell(keys[5], columns[3], f"{change:04d}-0003")
            await pilot.pause()
            one.append(process_time() - started)
            started = process_time()
            table.clear()
            keys = [table.add_row(*values) for values in cells]
            await pilot.pause()
            every.append(process_time() - started)
        pause = await idle(pilot)
        return median(one) - pause, median(every) - pause


def main() -> None:
    """Print the ratios of target 4, in processor time, the pilot's own pause taken off both sides."""
    ours, theirs = asyncio.run(changed_row()), asyncio.run(changed_cell())
    for title, mine, other, target in (
        ("one changed row ÷ DataTable.update_cell", ours[0], theirs[0], "≤ 0.15"),
        ("every row ÷ DataTable refill", ours[1], theirs[1], "≤ 0.25"),
    ):
        print(f"{title:<58} {mine / other:6.2f}   {mine * 1e3:8.2f} ms / {other * 1e3:8.2f} ms   target {target}")
