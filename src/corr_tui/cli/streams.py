"""What can break under any command: standard output that takes nothing more, and a working folder that is gone.

Both are told in one line, with an exit code; neither is a fault of what was asked for, nor undoes it.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path

from corr_tui.cli.failures import Ended, Invalid

_OF_WRITING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""How a stream refuses what is written to it."""


def working_folder() -> Path:
    """The folder a command stands in; raises Invalid when it is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        raise Invalid(f"the working folder cannot be used: {error.strerror}. Go to one that exists") from None


def ended(code: int, trouble: OSError | None = None) -> int:
    """The exit code of a command that ended with one: another, with a line, where what it printed was not taken.

    `trouble` is what writing raised before. A pipe that is closed at its other end has read what it wanted. What was
    not taken is thrown away, so that the end of the process does not complain of it again.
    """
    trouble = _unwritten() or trouble
    if trouble is None:
        return code
    if not isinstance(trouble, BrokenPipeError):
        Ended(f"standard output cannot be written: {trouble.strerror}").show()
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    return code or Ended.exit_code


def is_of_output(error: OSError) -> bool:
    """Whether an error is that of a write to a stream, which is of no file by name."""
    return error.filename is None and error.errno in _OF_WRITING


def _unwritten() -> OSError | None:
    """Why standard output does not take what was printed; None where it took all of it, or there is none."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        return error
    return None
