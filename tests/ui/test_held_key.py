"""A held key told from a pressed one, on timers that run when the test says so."""

from __future__ import annotations

from collections.abc import Callable

from corr_tui.ui.held_key import ALONE, QUIET, HeldKey


class Timers:
    """Timers that are run by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.set: list[Ring] = []

    def set_timer(self, delay: float, run: Callable[[], None]) -> Ring:
        self.set.append(Ring(self.now + delay, run))
        return self.set[-1]

    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while due := sorted((ring for ring in self.set if ring.at <= until), key=lambda ring: ring.at):
            self.now = due[0].at
            self.set.remove(due[0])
            if not due[0].stopped:
                due[0].run()
        self.now = until


class Ring:
    """One timer."""

    def __init__(self, at: float, run: Callable[[], None]) -> None:
        self.at, self.run, self.stopped = at, run, False

    def stop(self) -> None:
        self.stopped = True


def held() -> tuple[HeldKey, Timers, list[str]]:
    timers, heard = Timers(), list[str]()
    key = HeldKey(timers.set_timer, lambda: heard.append("let go"), lambda: heard.append("pressed"))
    key.hold()
    return key, timers, heard


def test_it_is_let_go_once_the_keyboard_was_quiet() -> None:
    key, timers, heard = held()
    timers.wait(QUIET - 0.01)
    assert key.held
    timers.wait(0.01)
    assert not key.held
    assert heard == ["let go"]


def test_a_press_of_its_own_counts() -> None:
    key, timers, heard = held()
    timers.wait(0.3)
    key.press()
    timers.wait(ALONE)
    assert heard == ["let go", "pressed"]
    assert not key.held


def test_a_repeating_key_never_counts_not_even_when_it_is_let_go() -> None:
    key, timers, heard = held()
    timers.wait(0.5)
    for _ in range(40):
        key.press()
        timers.wait(0.03)
    assert heard == []
    timers.wait(QUIET)
    assert heard == ["let go"]


def test_a_stroke_of_another_key_takes_a_press_back() -> None:
    key, timers, heard = held()
    key.press()
    key.hold()
    timers.wait(ALONE)
    assert heard == []
