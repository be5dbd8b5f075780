"""The program: `corr-tui`, also as `python -m corr_tui`.

A bare `--version` is answered before anything else is imported; everything else is `corr_tui.cli.main`. The garbage
collector rests: loading libraries makes much that lives for good, and a single command ends before a collection pays.
Whoever runs long turns it on again.
"""

from __future__ import annotations

import gc
import sys

from corr_tui import __version__


def main() -> int:
    """Run the program with the arguments of this process; returns the exit code."""
    if sys.argv[1:] == ["--version"]:
        return _version()
    gc.disable()
    from corr_tui.cli.main import run

    try:
        return run(sys.argv[1:])
    finally:
        gc.freeze()  # whatever a board held goes with the process; nobody waits for it to be gone through


def _version() -> int:
    try:
        print(f"corr-tui {__version__}", flush=True)
    except OSError as error:
        from corr_tui.cli.streams import ended

        return ended(0, error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
