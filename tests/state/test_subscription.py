"""The wake subscription: ordinary cuts do not show, refusals and silence back off, frames are only hints (§7.1)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import pairwise

import httpx

from corr_tui.client.http import Client
from corr_tui.client.wake import Frame
from corr_tui.state.link_watch import LinkWatch
from corr_tui.state.snapshot import LinkState
from corr_tui.state.subscription import FRAMES_AT_ONCE, Subscription
from tests.client.answering import BASE_URL, BEARER, json_answer
from tests.state.streams import CHANGE, CONNECTED, CUT, Streams
from tests.state.virtual_time import VirtualTime


class Scene:
    """A subscription to a service that answers each opening with the next of some functions, the last one for good."""

    def __init__(self, *answers: Callable[[Scene], httpx.Response], chance: float = 1.0) -> None:
        self.time = VirtualTime(chance)
        self.answers = list(answers)
        self.opened: list[float] = []
        self.refreshes: list[float] = []
        self.states: list[LinkState] = []
        self.reopened = 0
        self.news = True
        self.link = LinkWatch(lambda: self.time.now)
        self.link.read_answered()
        self.client = Client(BASE_URL, BEARER, transport=httpx.MockTransport(self._answer))
        self.subscription = Subscription(
            self.client,
            "22222222-2222-4222-8222-222222222222",
            self.link,
            self.time.timing,
            refresh=lambda: self.refreshes.append(self.time.now),
            reopened=self._reopened,
            is_news=self._is_news,
            show=lambda: self.states.append(self.link.link.state),
        )

    def stream(self, *pieces: tuple[float, bytes], error: Exception | None = None) -> httpx.Response:
        """A wake stream."""
        stream = Streams(self.time, list(pieces), error)
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=stream)

    def state(self) -> LinkState:
        """The link's state now."""
        return self.link.link.state

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the subscription runs."""
        task = asyncio.ensure_future(self.subscription.run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await self.client.aclose()

    def _answer(self, _: httpx.Request) -> httpx.Response:
        self.opened.append(self.time.now)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(self)

    def _is_news(self, _: Frame) -> bool:
        return self.news

    def _reopened(self) -> None:
        self.reopened += 1


def cut_after_ten_seconds(scene: Scene) -> httpx.Response:
    """What the public service does with a quiet stream."""
    return scene.stream((0, CONNECTED), (10, b":\n\n"), error=CUT)


def refuses(_: Scene) -> httpx.Response:
    """A service that is not there."""
    raise httpx.ConnectError("no")


async def test_ten_second_cuts_do_not_flicker_and_each_opening_refreshes() -> None:
    scene = Scene(cut_after_ten_seconds)
    async with scene.running():
        await scene.time.advance(3600)
    assert set(scene.states) == {LinkState.LIVE}
    assert 340 <= len(scene.opened) <= 360
    assert len(scene.refreshes) == scene.reopened == len(scene.opened)


async def test_a_frame_that_is_no_news_costs_nothing() -> None:
    scene = Scene(lambda scene: scene.stream((0, CONNECTED), (1, CHANGE), (1, CHANGE), (100, b"")))
    scene.news = False
    async with scene.running():
        await scene.time.advance(50)
    assert scene.refreshes == [0]


async def test_a_frame_of_news_refreshes() -> None:
    scene = Scene(lambda scene: scene.stream((0, CONNECTED), (1, CHANGE), (1, CHANGE), (100, b"")))
    async with scene.running():
        await scene.time.advance(50)
    assert scene.refreshes == [0, 1, 2]


async def test_a_rejected_subscription_backs_off_and_polls() -> None:
    rejected = b'event: rejected\ndata: {"reason":"subscriber_cap_reached"}\n\n'
    scene = Scene(lambda scene: scene.stream((0, rejected)))
    async with scene.running():
        await scene.time.advance(600)
    assert len(scene.opened) <= 16
    assert scene.state() is LinkState.POLLING
    assert scene.link.link.detail == "no wake: subscriber_cap_reached"


async def test_streams_that_end_at_once_back_off_and_are_not_called_live_for_long() -> None:
    scene = Scene(lambda scene: scene.stream((0, CONNECTED)))
    async with scene.running():
        await scene.time.advance(600)
    assert len(scene.opened) <= 16
    assert scene.states[-1] is LinkState.POLLING


async def test_a_service_that_is_gone_is_told_and_found_again_at_once_when_a_read_is_answered() -> None:
    scene = Scene(cut_after_ten_seconds, refuses, refuses, refuses, refuses, refuses, refuses, cut_after_ten_seconds)
    async with scene.running():
        await scene.time.advance(11)
        assert scene.state() is LinkState.RECONNECTING
        await scene.time.advance(40)
        tries = len(scene.opened)
        scene.link.read_answered()
        scene.subscription.retry()
        await scene.time.advance(0.1)
        assert len(scene.opened) == tries + 1
        assert scene.state() is LinkState.LIVE


async def test_a_silent_stream_is_given_up() -> None:
    silent = httpx.ReadTimeout("no bytes")
    scene = Scene(lambda scene: scene.stream((0, CONNECTED), (45, b":\n\n"), error=silent), refuses)
    async with scene.running():
        await scene.time.advance(45.5)
    assert scene.state() is LinkState.RECONNECTING
    assert len(scene.refreshes) == 2


async def test_a_refused_bearer_asks_for_a_read_and_stops_until_somebody_asks() -> None:
    scene = Scene(lambda _: json_answer({"error": "unauthorized"}, 401), cut_after_ten_seconds)
    async with scene.running():
        await scene.time.advance(1000)
        assert len(scene.opened) == len(scene.refreshes) == 1
        assert not scene.link.waking
        assert scene.link.link.detail == "no wake: unauthorized"
        scene.link.refused("unauthorized")
        assert scene.state() is LinkState.UNAUTHORIZED
        scene.link.read_answered()
        scene.subscription.retry()
        await scene.time.advance(1)
        assert scene.state() is LinkState.LIVE


async def test_what_the_service_asks_to_wait_is_waited() -> None:
    scene = Scene(lambda _: json_answer({"error": "slow_down"}, 429, {"Retry-After": "120"}), chance=0.0)
    async with scene.running():
        await scene.time.advance(361)
    assert scene.opened == [0, 120, 240, 360]


async def test_a_stream_that_says_it_will_close_or_lost_frames_refreshes_and_a_heartbeat_does_not() -> None:
    frames = b"event: welcome\ndata: {}\n\n", b"event: disconnect\ndata: {}\n\n", b"event: refresh\ndata: {}\n\n"
    scene = Scene(lambda scene: scene.stream((0, CONNECTED), *((10, frame) for frame in frames), (100, b"")))
    async with scene.running():
        await scene.time.advance(50)
    assert scene.refreshes == [0, 20, 30]
    assert scene.link.link.heard_at == 30


async def test_ended_it_opens_nothing_and_begun_it_opens_at_once() -> None:
    scene = Scene(cut_after_ten_seconds)
    async with scene.running():
        await scene.time.advance(5)
        scene.subscription.end()
        await scene.time.advance(1000)
        assert scene.opened == [0]
        scene.subscription.begin()
        await scene.time.advance(1)
        assert scene.opened == [0, 1005]
        scene.subscription.reopen()
        await scene.time.advance(1)
    assert scene.opened == [0, 1005, 1006]


async def test_a_stream_without_a_first_frame_is_open_when_it_has_lived_and_refreshes() -> None:
    """No frame but `change` is promised (§7.1); a comment is a sign of life all the same."""
    scene = Scene(lambda scene: scene.stream(*[(3, b": still here\n\n")] * 4, (100, b"")))
    async with scene.running():
        await scene.time.advance(5)
        assert (scene.refreshes, scene.state()) == ([], LinkState.POLLING)
        await scene.time.advance(5)
        assert (scene.refreshes, scene.state()) == ([6], LinkState.LIVE)


async def test_streams_that_bring_news_and_end_at_once_back_off_all_the_same() -> None:
    """What a stream says costs its sender nothing and proves nothing about the next one."""
    scene = Scene(lambda scene: scene.stream((0, CONNECTED), (0, CHANGE)), chance=0.5)
    async with scene.running():
        await scene.time.advance(600)
    assert len(scene.opened) <= 30


async def test_streams_that_keep_ending_do_not_make_the_link_live_and_polling_in_turn() -> None:
    scene = Scene(lambda scene: scene.stream((0, CONNECTED), (2, CHANGE)))
    async with scene.running():
        await scene.time.advance(600)
        shown = [state for state, before in zip(scene.states, [None, *scene.states], strict=False) if state != before]
        assert shown == [LinkState.LIVE, LinkState.POLLING]
        scene.answers.append(cut_after_ten_seconds)
        await scene.time.advance(120)
    assert scene.states[-1] is LinkState.LIVE


async def test_retry_zero_is_no_reason_to_hurry() -> None:
    scene = Scene(lambda scene: scene.stream((0, b"retry: 0\n\n")))
    async with scene.running():
        await scene.time.advance(600)
    assert len(scene.opened) <= 16


async def test_who_asks_again_meanwhile_waits_as_long_as_the_service_asks() -> None:
    scene = Scene(lambda _: json_answer({"error": "slow_down"}, 429, {"Retry-After": "120"}))
    async with scene.running():
        for _ in range(12):
            await scene.time.advance(5)
            scene.subscription.retry()
            await scene.time.advance(5)
            scene.subscription.reopen()
        await scene.time.advance(1)
    assert scene.opened == [0, 120]


async def test_a_piece_with_thousands_of_frames_lets_others_have_their_turn() -> None:
    frames = 50 * FRAMES_AT_ONCE
    scene = Scene(lambda scene: scene.stream((0, CONNECTED + CHANGE * frames), (100, b"")))
    at_a_turn: list[int] = []
    heard: list[Frame] = []

    def is_news(frame: Frame) -> bool:
        heard.append(frame)
        return False

    scene.subscription._is_news = is_news

    async def turns() -> None:
        while len(heard) < frames:
            at_a_turn.append(len(heard))
            await asyncio.sleep(0)

    async with scene.running():
        await turns()
    assert max(after - before for before, after in pairwise(at_a_turn)) <= FRAMES_AT_ONCE


async def test_a_stream_that_cannot_be_opened_asks_for_no_read_where_reads_fail_already() -> None:
    scene = Scene(refuses)
    scene.link.read_failed("no", 60)
    async with scene.running():
        await scene.time.advance(600)
    assert len(scene.opened) > 5
    assert not scene.refreshes
