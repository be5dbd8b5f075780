"""`python -m tests.bench [NAME …]`: every claim about speed, as ratios measured side by side in this run.

Without a name, those that take less than half a minute each:

    protocol    verifying and decoding, against the bare signature check and the plain parser
    rows        one changed row on the live list, against one changed cell of a DataTable
    bounds      the board at the contract's bounds, against an ordinary one: the longest turn of its loop
    start       from the command to the first painted frame, against a blank Textual app
    append      durable appends a second, 16 threads against one, SQLite and PostgreSQL

By name only:

    history     a board that reads back 100,000 events, against decoding them
    scale       the reads of 100,000 events against those of 1,000, SQLite and PostgreSQL
    wake        POST with 500 wake subscribers against none; CORR_TUI_BENCH_SECONDS=600 for memory
    crash       `kill -9` during appends, 20 times on each database: what is lost or stored twice
"""

from __future__ import annotations

import sys
from importlib import import_module

SHORT = ("protocol", "rows", "bounds", "start", "append")
LONG = ("history", "scale", "wake", "crash")


def main() -> None:
    """Run the named benches, or the short ones."""
    names = sys.argv[1:] or SHORT
    unknown = [name for name in names if name not in SHORT + LONG]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(SHORT + LONG)}")
    for name in names:
        print(f"— {name}")
        import_module(f"tests.bench.{name}").main()


if __name__ == "__main__":
    main()
