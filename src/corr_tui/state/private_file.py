"""Files that only this user may read, written whole or not at all.

A file is made under another name and then linked to its own: whoever reads it sees all of it, and of two processes
that make it at once exactly one succeeds.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4


def create(path: Path, content: bytes, *, folders: bool = True) -> None:
    """Make a file of mode 0600 with this content; raises FileExistsError when there is one, or another OSError.

    `folders` makes those it lies in where they are missing; a place that somebody typed is not made up for them.
    """
    if folders:
        _make_folders(path)
    _write(path, content, os.link)


def replace(path: Path, content: bytes) -> None:
    """Make a file of mode 0600 with this content, in place of the one there is, if any; raises OSError."""
    _make_folders(path)
    _write(path, content, os.replace)


def _make_folders(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except FileExistsError as error:
        raise NotADirectoryError(error.errno, "its folder is a file", str(path.parent)) from None


def _write(path: Path, content: bytes, settle: Callable[[Path, Path], None]) -> None:
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        settle(draft, path)
    finally:
        draft.unlink(missing_ok=True)
