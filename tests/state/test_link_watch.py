"""The link says what is known of the service, and ordinary reconnecting does not show."""

from __future__ import annotations

from collections.abc import Callable

from corr_tui.state.link_watch import RELEASED, SLEPT, STALE_AFTER, LinkWatch
from corr_tui.state.snapshot import LinkState
from tests.state.virtual_time import VirtualTime


def opened() -> tuple[VirtualTime, LinkWatch]:
    """A watch that is live."""
    time = VirtualTime()
    watch = LinkWatch(lambda: time.now)
    watch.read_answered()
    watch.wake_opened()
    return time, watch


def state(watch: LinkWatch) -> LinkState:
    """Its state now."""
    return watch.link.state


def test_it_connects_polls_and_is_live_with_the_wake_stream() -> None:
    watch = LinkWatch(lambda: 3.0)
    assert (watch.link.state, watch.link.since, watch.link.heard_at) == (LinkState.CONNECTING, 3.0, None)
    watch.read_answered()
    assert state(watch) is LinkState.POLLING
    watch.wake_opened()
    assert state(watch) is LinkState.LIVE


def test_a_stream_that_opens_again_changes_nothing_but_when_it_was_heard() -> None:
    time, watch = opened()
    before = watch.link
    time.now = 12
    watch.wake_opened()
    assert (watch.link.state, watch.link.since, watch.link.heard_at) == (before.state, before.since, 12)


def test_one_failed_read_reconnects_and_the_next_is_offline_since_the_first() -> None:
    time, watch = opened()
    time.now = 10
    watch.read_failed("could not connect", 1.0)
    assert (watch.link.state, watch.link.retry_at) == (LinkState.RECONNECTING, 11)
    assert not watch.offline
    time.now = 11
    watch.read_failed("could not connect", 2.0)
    assert (watch.link.state, watch.link.since, watch.link.retry_at) == (LinkState.OFFLINE, 10, 13)
    assert watch.link.detail == "could not connect"
    assert watch.link.heard_at == 0
    time.now = 13
    watch.read_answered()
    assert (watch.link.state, watch.link.detail, watch.link.retry_at) == (LinkState.LIVE, "", None)


def test_a_lost_stream_is_reconnecting_until_a_read_tells() -> None:
    _, watch = opened()
    watch.wake_lost("the stream fell silent")
    assert state(watch) is LinkState.RECONNECTING
    watch.read_answered()
    assert state(watch) is LinkState.POLLING
    watch.wake_opened()
    assert state(watch) is LinkState.LIVE


def test_a_lost_stream_does_not_make_an_offline_link_look_better() -> None:
    _, watch = opened()
    watch.read_failed("no", 1)
    watch.read_failed("no", 1)
    watch.wake_lost("no")
    watch.wake_refused("no")
    assert state(watch) is LinkState.OFFLINE


def test_a_refused_stream_leaves_polling_and_says_why() -> None:
    _, watch = opened()
    watch.wake_refused("no wake: subscriber_cap_reached")
    assert (watch.link.state, watch.link.detail) == (LinkState.POLLING, "no wake: subscriber_cap_reached")
    assert not watch.waking


def test_a_refused_bearer_is_said_until_a_read_is_answered() -> None:
    _, watch = opened()
    watch.refused("no")
    assert watch.unauthorized
    assert watch.failing
    assert watch.offline
    assert not watch.waking
    watch.wake_opened()
    assert state(watch) is LinkState.UNAUTHORIZED
    watch.read_answered()
    assert state(watch) is LinkState.LIVE


def test_a_read_that_failed_and_was_not_answered_for_a_while_is_offline_since_it_failed() -> None:
    time, watch = opened()
    time.now = 10
    watch.read_failed("slow down", 600)
    time.now = 10 + STALE_AFTER - 1
    assert (watch.grow_old(), watch.old_in) == (False, 1)
    time.now += 1
    assert (watch.grow_old(), watch.grow_old()) == (True, False)
    assert (watch.link.state, watch.link.since, watch.link.retry_at) == (LinkState.OFFLINE, 10, 610)
    assert watch.link.detail == "slow down"


def test_an_answered_read_does_not_grow_old() -> None:
    time, watch = opened()
    watch.read_failed("no", 1)
    watch.read_answered()
    time.now = 100
    assert (watch.grow_old(), state(watch)) == (False, LinkState.LIVE)


def test_who_is_held_off_is_told_once() -> None:
    _, watch = opened()
    watch.read_failed("slow down", 600)
    watch.held_off("asked to wait")
    watch.held_off("asked to wait")
    assert watch.link.detail == "slow down; asked to wait"


def test_held_it_says_so_whatever_is_met_and_released_it_waits_for_a_read() -> None:
    time, watch = opened()
    time.now = 10
    watch.hold()
    assert (watch.link.state, watch.link.since, watch.link.heard_at) == (LinkState.HELD, 10, 0)
    time.now = 20
    meetings: list[tuple[Callable[[], None], str]] = [
        (lambda: watch.read_failed("could not connect", 1), "could not connect"),
        (lambda: watch.wake_refused("no wake"), "could not connect"),
        (lambda: watch.refused("no"), "no"),
        (watch.read_answered, ""),
    ]
    for meet, detail in meetings:
        meet()
        assert (watch.link.state, watch.link.since, watch.link.retry_at) == (LinkState.HELD, 10, None)
        assert watch.link.detail == detail
    watch.read_failed("no", 1)
    time.now = 100
    assert not watch.grow_old()
    watch.release()
    assert (watch.link.state, watch.link.since, watch.link.detail) == (LinkState.RECONNECTING, 100, RELEASED)
    watch.read_answered()
    assert state(watch) is LinkState.POLLING


def test_attempts_are_counted_until_a_read_is_answered() -> None:
    _, watch = opened()
    attempts = []
    for _ in range(3):
        watch.read_failed("no", 1)
        attempts.append(watch.link.attempt)
    watch.wake_lost("no")
    attempts.append(watch.link.attempt)
    watch.read_answered()
    assert [*attempts, watch.link.attempt] == [1, 2, 3, 3, 0]


def test_what_was_heard_before_a_sleep_is_older_by_it_and_after_a_long_one_nothing_is_known() -> None:
    time, watch = opened()
    time.now = 5
    watch.slept(3)
    assert (watch.link.state, watch.link.since, watch.link.heard_at) == (LinkState.LIVE, -3, -3)
    watch.slept(3600)
    assert (watch.link.state, watch.link.since, watch.link.detail) == (LinkState.RECONNECTING, 5, SLEPT)
    assert (watch.link.heard_at, watch.waking) == (-3603, False)


def test_an_outage_lasted_as_long_as_it_did_though_this_machine_slept_meanwhile() -> None:
    time, watch = opened()
    time.now = 10
    watch.read_failed("no", 1)
    watch.read_failed("no", 1)
    watch.slept(3600)
    assert (watch.link.state, watch.link.since) == (LinkState.OFFLINE, -3590)
    watch.read_failed("no", 1)
    assert watch.link.since == -3590


def test_after_a_refused_bearer_a_read_that_is_answered_is_polling_until_a_stream_opens() -> None:
    _, watch = opened()
    watch.refused("no")
    watch.read_answered()
    assert state(watch) is LinkState.POLLING
    watch.wake_opened()
    assert state(watch) is LinkState.LIVE
