"""What was hidden from triage is kept in a private file of its place, and nothing is lost or believed for it."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.state import hidden as hidden_module
from corr_tui.state.connection import Connection
from corr_tui.state.hidden import Hidden
from corr_tui.state.home import Home
from corr_tui.state.session import Session


async def test_what_is_hidden_stays_hidden_in_the_next_run_and_only_at_its_place(tmp_path: Path) -> None:
    here = Hidden(tmp_path, "local widgets")
    assert await here.hide("raised a", hidden=True) == ""
    assert await here.hide("raised b", hidden=True) == ""
    assert await here.hide("raised a", hidden=False) == ""
    assert here.keys == Hidden(tmp_path, "local widgets").keys == {"raised b"}
    assert Hidden(tmp_path, "local gadgets").keys == frozenset()


async def test_the_file_is_for_this_user_alone(tmp_path: Path) -> None:
    await Hidden(tmp_path, "local").hide("raised a", hidden=True)
    (file,) = (tmp_path / "hidden").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_what_another_run_hid_meanwhile_is_kept(tmp_path: Path) -> None:
    one, other = Hidden(tmp_path, "local"), Hidden(tmp_path, "local")
    assert one.keys == other.keys == frozenset()
    await one.hide("raised a", hidden=True)
    await other.hide("raised b", hidden=True)
    assert Hidden(tmp_path, "local").keys == {"raised a", "raised b"}


async def test_a_folder_that_takes_no_files_hides_for_this_run_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "hidden").write_text("in the way")
    here = Hidden(tmp_path, "local")
    assert "cannot be written: its folder is a file" in await here.hide("raised a", hidden=True)
    assert here.keys == {"raised a"}


async def test_no_more_is_kept_than_the_bound_and_the_first_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden_module, "MOST", 2)
    here = Hidden(tmp_path, "local")
    for key in ("a", "b", "c"):
        await here.hide(key, hidden=True)
    assert Hidden(tmp_path, "local").keys == {"b", "c"}


@given(content=st.one_of(st.binary(max_size=40), st.sampled_from([b"[]", b'{"hidden":3}', b'{"hidden":["a",3]}'])))
def test_a_file_that_makes_no_sense_hides_nothing_but_what_it_says(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    state = tmp_path_factory.mktemp("state")
    here = Hidden(state, "local")
    here._path.parent.mkdir()
    here._path.write_bytes(content)
    assert here.keys == ({"a"} if b'"a",3' in content else frozenset())


def test_each_identity_of_one_home_and_a_reader_hide_for_themselves(tmp_path: Path) -> None:
    async def hidden_by(identity_id: str | None, key: str = "") -> frozenset[str]:
        connection = Connection("http://127.0.0.1:1", "at_x", "acme/widgets", identity_id=identity_id)
        session = Session(connection, Home.under(tmp_path))
        if key:
            assert await session.hide(key, hidden=True) == ""
        await session.close()
        return session.hidden

    async def all_of_them() -> None:
        assert await hidden_by("ana", "raised a") == {"raised a"}
        assert await hidden_by("bo", "raised b") == {"raised b"}
        assert await hidden_by(None) == frozenset()
        assert await hidden_by("ana") == {"raised a"}

    asyncio.run(all_of_them())
