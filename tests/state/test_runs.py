"""Which sessions run: a mark that ends with its process, and what holds where there are none."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from corr_tui.state import runs
from corr_tui.state.runs import Runs

SESSION = str(uuid4())

BEGIN = """
import sys
from pathlib import Path
from corr_tui.state.runs import Runs
mine = Runs(Path(sys.argv[1]))
mine.begin(sys.argv[2])
print(mine.trouble or "begun", flush=True)
sys.stdin.read()
"""


def test_a_session_runs_from_its_begin_to_its_end(tmp_path: Path) -> None:
    mine, other = Runs(tmp_path), Runs(tmp_path)
    assert not other.running(SESSION)
    mine.begin(SESSION)
    mine.begin(SESSION)
    assert (other.running(SESSION), mine.trouble) == (True, "")
    assert (tmp_path / "sessions" / SESSION).stat().st_mode & 0o777 == 0o600
    mine.end()
    mine.end()
    assert not other.running(SESSION)
    assert list((tmp_path / "sessions").iterdir()) == []


def test_whoever_looks_does_not_look_like_one_that_runs(tmp_path: Path) -> None:
    left = tmp_path / "sessions" / "left"
    left.parent.mkdir()
    left.touch()
    descriptor = os.open(left, os.O_RDWR)
    try:
        assert runs._mark(descriptor, shared=True)
        assert not Runs(tmp_path).running("left")
    finally:
        os.close(descriptor)


def test_a_process_that_is_killed_runs_no_longer_and_is_cleared_away_by_the_next(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BEGIN, str(tmp_path), SESSION]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        assert Runs(tmp_path).running(SESSION)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not Runs(tmp_path).running(SESSION)
    assert (tmp_path / "sessions" / SESSION).exists()
    nobody = Runs(tmp_path)
    nobody.begin("next")
    assert [path.name for path in (tmp_path / "sessions").iterdir()] == ["next"]
    nobody.end()


def test_in_a_copy_of_the_folder_the_sessions_of_the_original_do_not_run(tmp_path: Path) -> None:
    mine = Runs(tmp_path / "one")
    mine.begin(SESSION)
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    assert not Runs(tmp_path / "copy").running(SESSION)
    assert Runs(tmp_path / "one").running(SESSION)
    mine.end()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_such_marks_is_said_and_every_other_session_counts_as_ended(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(runs, "flock", unable)
    mine = Runs(tmp_path)
    mine.begin(SESSION)
    assert os.strerror(code) in mine.trouble
    assert not Runs(tmp_path).running(SESSION)
    assert list((tmp_path / "sessions").iterdir()) == []
    mine.end()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    mine = Runs(tmp_path / "state")
    mine.begin(SESSION)
    assert "cannot be marked" in mine.trouble
