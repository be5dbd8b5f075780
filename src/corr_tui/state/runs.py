"""Which sessions of this installation run now (§2.1).

Each keeps a file of its name open and marked for itself; the operating system takes the mark away with the process,
however it ends. What an ended session left is posted by whoever starts, what a running one keeps is left to it.

Nothing else rests on the marks. A session never outlives its process and its identifier is made once, so that its
numbers are its own in a copied folder too, where the sessions of the original count as ended: what both then post are
the same bytes, and one event. It is the same on a file system that knows no such marks, and on a platform without
them, where every other session counts as ended; `trouble` says so.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":

    def _mark(descriptor: int, *, shared: bool) -> bool:
        raise OSError("this platform cannot mark a file for one process")

else:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock

    def _mark(descriptor: int, *, shared: bool) -> bool:
        """Mark an open file for this process, or beside others who only look; returns whether nobody else has.

        Raises OSError on a file system that cannot.
        """
        try:
            flock(descriptor, (LOCK_SH if shared else LOCK_EX) | LOCK_NB)
        except BlockingIOError:
            return False
        return True


class Runs:
    """The marks under one state folder; at most one of them is that of this object."""

    def __init__(self, state: Path) -> None:
        self._folder = state / "sessions"
        self._mine: tuple[int, Path] | None = None
        self.trouble = ""
        """Why no session can be marked as running here, or empty."""

    def begin(self, session_id: str) -> None:
        """Mark a session as running for as long as this process lives, and clear away what ended ones left."""
        if self._mine is not None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._mine = self._marked(self._folder / session_id)
            self._clear()
        except OSError as error:
            self.trouble = f"sessions cannot be marked as running in {self._folder}: {error.strerror or error}"

    def end(self) -> None:
        """This session runs no longer."""
        if self._mine is None:
            return
        descriptor, path = self._mine
        self._mine = None
        path.unlink(missing_ok=True)
        os.close(descriptor)

    def running(self, session_id: str) -> bool:
        """Whether another process, or another session of this one, runs a session; of what cannot be known, no."""
        return _is_marked(self._folder / session_id)

    def _marked(self, path: Path) -> tuple[int, Path]:
        """A new file, marked before it has the name under which others look for it."""
        draft = path.with_name(f".{path.name}")
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if not _mark(descriptor, shared=False):
                raise OSError("its file is marked by another process")
            draft.rename(path)
        except OSError:
            os.close(descriptor)
            draft.unlink(missing_ok=True)
            raise
        return descriptor, path

    def _clear(self) -> None:
        """Remove the files of sessions that ended without doing so; one that is being made has another name."""
        for path in self._folder.iterdir():
            if not path.name.startswith(".") and not _is_marked(path):
                path.unlink(missing_ok=True)


def _is_marked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _mark(descriptor, shared=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
