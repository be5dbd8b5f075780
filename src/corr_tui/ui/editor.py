"""A person's own editor for one text (`$VISUAL`, else `$EDITOR`): a private file out, its words back.

The editor is awaited, so that the session goes on meanwhile. Nothing is lost: where its text is not taken, the file it
wrote stays where it is, and the refusal says where. Whoever calls this has given the terminal away before.
"""

from __future__ import annotations

import asyncio
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from corr_tui.state import private_file

MOST_BYTES = 65_536
"""A file larger than that is not taken: no event holds as much."""


class EditorRefused(Exception):
    """No text came back; the message says why, and where the text is, if anywhere."""


def command_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The editor's command, in words; raises EditorRefused."""
    for variable in ("VISUAL", "EDITOR"):
        if said := environment.get(variable, "").strip():
            try:
                return tuple(shlex.split(said))
            except ValueError as error:
                raise EditorRefused(f"${variable} cannot be read: {error}") from None
    raise EditorRefused("neither $VISUAL nor $EDITOR is set")


async def edited(text: str, name: str, command: tuple[str, ...]) -> str:
    """The text after somebody edited it in a file called `name`.txt, without blank lines at its end.

    Raises EditorRefused.
    """
    try:
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="corr-tui-"))
        path, before = folder / f"{name}.txt", text.encode("utf-8", "replace")
        await asyncio.to_thread(private_file.create, path, before)
    except OSError as error:
        raise EditorRefused(f"no file could be made for it: {error.strerror}") from None
    try:
        await _run(command, path)
        words = await asyncio.to_thread(_read, path)
    except EditorRefused as refused:
        if await asyncio.to_thread(_differs, path, before):
            raise EditorRefused(f"{refused}; it is in {path}") from None
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        raise
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return words


async def _run(command: tuple[str, ...], path: Path) -> None:
    """Run the editor on a file in this terminal; raises EditorRefused unless it ends with code 0."""
    try:
        process = await asyncio.create_subprocess_exec(*command, str(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise EditorRefused(f"{command[0]} could not be run: {reason}") from None
    try:
        code = await process.wait()
    finally:
        if process.returncode is None:
            process.terminate()
    if code:
        raise EditorRefused(f"{command[0]} ended with code {code}, so its text was not taken")


def _read(path: Path) -> str:
    """What stands in the file; raises EditorRefused."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise EditorRefused("the editor's file is gone") from None
    except OSError as error:
        raise EditorRefused(f"the editor's file cannot be read: {error.strerror}") from None
    if len(raw) > MOST_BYTES:
        raise EditorRefused(f"the editor's text is too long, with more than {MOST_BYTES:,} bytes")
    try:
        return raw.decode("utf-8").rstrip()
    except UnicodeDecodeError:
        raise EditorRefused("the editor's text is not UTF-8") from None


def _differs(path: Path, before: bytes) -> bool:
    """Whether the file is there with another text than it was made with, so that somebody may want it."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES) != before
    except FileNotFoundError:
        return False
    except OSError:
        return True
