"""One file somebody asked for: whole or not at all, private, and never over another one unasked."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from uuid import uuid4

from corr_tui.state import private_file


class NotWritten(Exception):
    """Nothing was written; the message says why."""


class FileThere(NotWritten):
    """There is a file of that name, and nobody said to write over it."""


def path_of(named: str, folder: Path) -> Path:
    """The path somebody named; a name alone is in `folder`."""
    try:
        return folder / Path(named).expanduser()
    except RuntimeError:  # there is no such home
        return folder / named


def write(path: Path, content: bytes, *, over: bool = False) -> None:
    """Write a file of mode 0600 into a folder that is there; raises FileThere unless `over`, and NotWritten."""
    try:
        if path.is_dir():
            raise NotWritten("it is a folder")
        if not path.parent.is_dir():
            raise NotWritten(f"there is no folder {path.parent}")
        if not over:
            private_file.create(path, content)
            return
        draft = path.with_name(f".{path.name}.{uuid4().hex}")
        private_file.create(draft, content)
        os.replace(draft, path)
    except FileExistsError:
        raise FileThere("there is a file of that name") from None
    except (OSError, ValueError) as error:
        raise NotWritten(_words(error)) from None


def _words(error: OSError | ValueError) -> str:
    """Why, in words that say what to do about it where there is something."""
    if not isinstance(error, OSError):
        return "that is no name of a file"
    known = {
        errno.ENOSPC: "the disk is full",
        errno.EDQUOT: "your share of the disk is full",
        errno.EROFS: "that disk can only be read",
        errno.EACCES: "you may not write there",
        errno.EPERM: "you may not write there",
        errno.ENAMETOOLONG: "the name is too long",
    }
    return known.get(error.errno or 0, error.strerror or str(error))
