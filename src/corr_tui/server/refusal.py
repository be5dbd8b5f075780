"""What the service refuses over HTTP, as one value (§7).

Refused carries a status, a stable lowercase `error` for programs and sentences for people. Handlers raise it; the
application turns it into bytes. It never carries a driver's words, a signed value or a bearer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corr_tui.protocol.errors import Issue

DOCUMENTATION = "https://docs.agenttool.dev/AGENT-CORRESPONDENCE.md"
"""Where the profile is described; a place to read, which the service itself never fetches."""


class Refused(Exception):
    """A request that is refused with an HTTP status and a code."""

    def __init__(
        self,
        status: int,
        error: str,
        message: str,
        *,
        hint: str | None = None,
        issues: Sequence[Issue] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
        self.message = message
        self.hint = hint
        self.issues = tuple(issues)
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """The JSON members: error, message, hint and issues where there are some, docs."""
        body: dict[str, Any] = {"error": self.error, "message": self.message}
        if self.hint is not None:
            body["hint"] = self.hint
        if self.issues:
            body["issues"] = [
                {"path": list(issue.path), "code": issue.code, "message": issue.message} for issue in self.issues
            ]
        body["docs"] = DOCUMENTATION
        return body
