"""A running service for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.running import Running


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """A service on loopback, stopped afterwards."""
    service = Running(tmp_path)
    yield service
    service.stop()
