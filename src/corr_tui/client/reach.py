"""Reaching a service: whom TLS trusts, and in which way a connection was lost.

The authorities are the usual ones, or those of SSL_CERT_FILE or SSL_CERT_DIR, for every address: a service on this
machine has its own certificate more often than one elsewhere.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import httpx

from corr_tui.client.errors import Phase, Unreachable, Unsendable

UNREADABLE = "the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"


def trust(base_url: str) -> ssl.SSLContext:
    """Whom a connection to this address trusts; raises Unsendable for authorities that cannot be read.

    Plain http needs none, and loading them is slow: it gets a context that trusts nobody, should anything ever ask.
    """
    if not base_url.startswith("https:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx.create_ssl_context()
    except (OSError, ValueError):
        raise Unsendable(UNREADABLE) from None


def unreachable(error: httpx.HTTPError) -> Unreachable:
    """How far a request came."""
    secure = next((each for each in _causes(error) if isinstance(each, ssl.SSLError)), None)
    match error:
        case httpx.ConnectError() if isinstance(secure, ssl.SSLCertVerificationError):
            return Unreachable(Phase.UNTRUSTED, secure.verify_message)
        case httpx.ConnectError() if secure is not None:
            return Unreachable(Phase.INSECURE)
        case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.PoolTimeout() | httpx.UnsupportedProtocol():
            return Unreachable(Phase.CONNECT)
        case httpx.TimeoutException():
            return Unreachable(Phase.TIMEOUT)
        case _:
            return Unreachable(Phase.CUT)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
