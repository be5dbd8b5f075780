"""One device an installation, one session a process (§2.1)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest

from corr_tui.state.identity import InstallationRefused, installation


def test_the_device_stays_and_the_session_is_new(tmp_path: Path) -> None:
    """`device_id` names an installation, `session_id` one bounded run (§2.1)."""
    first, second = installation(tmp_path / "state"), installation(tmp_path / "state")
    assert first.device_id == second.device_id
    assert first.session_id != second.session_id
    assert str(UUID(first.device_id)) == first.device_id
    assert (tmp_path / "state" / "device.json").stat().st_mode & 0o777 == 0o600


def test_processes_that_start_at_once_agree_on_the_device(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        devices = {each.device_id for each in pool.map(installation, [tmp_path] * 16)}
    assert len(devices) == 1


@pytest.mark.parametrize("content", [b"", b"{}", b'{"device_id":"x"}', b"[]", b"\xff"])
def test_a_broken_device_file_is_said_and_not_replaced(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "device.json").write_bytes(content)
    with pytest.raises(InstallationRefused, match="device"):
        installation(tmp_path)
    assert (tmp_path / "device.json").read_bytes() == content


def test_a_state_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InstallationRefused, match="cannot be used"):
        installation(tmp_path / "file")
