"""Two ways of doing the same, timed in turn: only the ratio of their medians counts, since machines drift."""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import median
from time import perf_counter

Work = Callable[[], object]


def seconds(work: Work, repeat: int) -> float:
    """The time of one call, averaged over `repeat` calls in a row."""
    started = perf_counter()
    for _ in range(repeat):
        work()
    return (perf_counter() - started) / repeat


def side_by_side(title: str, ours: Work, theirs: Work, target: str, rounds: int = 15) -> float:
    """Time both in alternating rounds of about 20 ms, print the ratio with both medians, and return it."""
    repeats = [max(1, int(0.02 / max(seconds(work, 1), 1e-7))) for work in (ours, theirs)]
    gc.disable()
    try:
        pairs = [(seconds(ours, repeats[0]), seconds(theirs, repeats[1])) for _ in range(rounds)]
    finally:
        gc.enable()
    mine = median(pair[0] for pair in pairs)
    other = median(pair[1] for pair in pairs)
    ratio = mine / other
    print(f"{title:<58} {ratio:6.2f}   {mine * 1e6:10.1f} µs / {other * 1e6:10.1f} µs   target {target}")
    return ratio
