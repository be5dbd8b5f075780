"""What can go wrong between here and a service, drawn before anything is raised.

ClientError                       the base; its text never holds a bearer
├── Unsendable                    a request that cannot be made: a base URL or a bearer without its form
├── Unreachable                   no answer; `phase` says how far the request came, `delivered` whether it may have
│                                 reached the service
├── UnexpectedAnswer              an answer that is none of this contract: a redirect, another content type, a body
│                                 over the cap, JSON that is not strict, a record that has not its form
└── Refused                       the service's own refusal: status, error, message, hint, issues, retry_after
    ├── Unauthorized              401: the bearer is not accepted
    ├── TooManyRequests           429, or a wake stream that was answered with `rejected`
    ├── IdentityUnknown           404 or 410 of a route that names an identity: unknown here, or revoked
    ├── ProjectionUnavailable     503 correspondence_projection_unavailable: nothing may be inferred from it (§6)
    ├── AppendUnavailable         503 correspondence_append_unavailable: retry the same exact event (§7)
    └── ServiceFailed             any other 5xx

`error` is an opaque word of the service; wake routes send no message, so `message` may be empty there.
"""

from __future__ import annotations

from enum import StrEnum

from corr_tui.protocol.errors import Issue


class ClientError(Exception):
    """The base of everything this package raises."""


class Unsendable(ClientError):
    """A request that cannot be made as configured."""


class Phase(StrEnum):
    """How far a request came before it was lost."""

    CONNECT = "could not connect"
    UNTRUSTED = "its certificate is not trusted"
    INSECURE = "no secure connection could be made"
    CUT = "the connection was cut"
    TIMEOUT = "no answer in time"
    SILENT = "the stream fell silent"


class Unreachable(ClientError):
    """No answer."""

    def __init__(self, phase: Phase, detail: str = "") -> None:
        super().__init__(f"{phase.value}: {detail}" if detail else phase.value)
        self.phase = phase

    @property
    def delivered(self) -> bool:
        """Whether the request may have reached the service all the same."""
        return self.phase not in (Phase.CONNECT, Phase.UNTRUSTED, Phase.INSECURE)


class UnexpectedAnswer(ClientError):
    """An answer outside of the contract; the text says in which way."""


class Refused(ClientError):
    """A refusal in the service's own words, which are untrusted text."""

    def __init__(
        self,
        status: int,
        error: str = "",
        message: str = "",
        hint: str = "",
        issues: tuple[Issue, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message or error or f"status {status}")
        self.status = status
        self.error = error
        self.message = message
        self.hint = hint
        self.issues = issues
        self.retry_after = retry_after
        """Seconds the service asks to wait, when it says so."""

    @property
    def definite(self) -> bool:
        """Whether the service has decided against the request, rather than put it off."""
        return 400 <= self.status < 500 and self.status not in (408, 425, 429)


class Unauthorized(Refused):
    """401: the bearer is not accepted."""


class TooManyRequests(Refused):
    """429, or a rejected subscription."""


class IdentityUnknown(Refused):
    """404 or 410: no such identity in this project, or one that was revoked."""


class ProjectionUnavailable(Refused):
    """503: the projection could not be computed; this is no empty set (§6)."""


class AppendUnavailable(Refused):
    """503: the append may or may not have happened; the same bytes may be posted again (§7)."""


class ServiceFailed(Refused):
    """Any other 5xx."""


_BY_ERROR: dict[str, type[Refused]] = {
    "correspondence_projection_unavailable": ProjectionUnavailable,
    "correspondence_append_unavailable": AppendUnavailable,
}


def refusal_type(status: int, error: str) -> type[Refused]:
    """Which refusal a status and the service's word make."""
    if status == 401:
        return Unauthorized
    if status == 429:
        return TooManyRequests
    if status in (404, 410) and error.startswith("identity_"):
        return IdentityUnknown
    if status == 503 and error in _BY_ERROR:
        return _BY_ERROR[error]
    return ServiceFailed if status >= 500 else Refused
