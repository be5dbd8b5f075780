"""What Git here says of revisions somebody writes: HEAD to begin with, and whether each is present as a commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from corr_tui.state.git_facts import Fact, GitFacts


class RevisionHere:
    """Asks Git in a thread, one revision once, and calls `told` after each answer; without Git it knows nothing."""

    def __init__(self, git: GitFacts | None, told: Callable[[], None]) -> None:
        self._git = git
        self._told = told
        self._facts: dict[str, Fact] = {}

    def fact(self, revision: str) -> Fact | None:
        """What is known of a revision; None while it was not asked."""
        return self._facts.get(revision)

    async def head(self) -> str:
        """The full id of HEAD, or nothing."""
        found = None if self._git is None else await asyncio.to_thread(self._git.head)
        return found or ""

    async def look_up(self, revision: str) -> None:
        """Ask for one revision. Every answer is kept: what is shown must not change under the eye."""
        if self._git is not None and revision and revision not in self._facts:
            self._facts[revision] = await asyncio.to_thread(self._git.has_commit, revision)
            self._told()
