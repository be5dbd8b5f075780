"""A service that is killed while many append loses nothing it acknowledged, and stores nothing twice (§4, §6)."""

from __future__ import annotations

import random

from tests.server.crashing import Crashing, Found, check


def test_a_killed_service_keeps_every_acknowledged_event_once_and_its_projection_sections_4_6(url: str) -> None:
    crashing = Crashing(url, random.Random(4))
    for acknowledged in (7, 23, 41):
        crashing.round(acknowledged)
    killed = Found.of(url)
    check(crashing, killed)
    crashing.finish()
    ended = Found.of(url)
    check(crashing, ended)
    assert set(ended.receipts) == set(crashing.said)
    assert killed.receipts.items() <= ended.receipts.items()
