"""`python -m tests.bench [NAME …]`: every claim about speed, as ratios measured side by side in this run."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("protocol", "rows", "start")


def main() -> None:
    """Run the named benches, or all of them."""
    for name in sys.argv[1:] or NAMES:
        print(f"— {name}")
        import_module(f"tests.bench.{name}").main()


if __name__ == "__main__":
    main()
