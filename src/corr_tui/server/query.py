"""Strict query strings (§7).

The rule: a parameter is known, stands once and has its form, or the request is refused with the code of what is wrong
with it. A query that is guessed at would answer another question than the one that was asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import parse_qsl

from starlette.requests import Request

from corr_tui.protocol.scalars import Refusal, check_opaque_id, check_path_prefix
from corr_tui.server.refusal import Refused

DEFAULT_LIMIT = 100
MAX_LIMIT = 200
MAX_CURSOR = 2**63 - 1

_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CURSOR = re.compile(r"0|[1-9][0-9]{0,18}")
_LIMIT = re.compile(r"[1-9][0-9]{0,2}")


def read_query(request: Request, known: Collection[str]) -> dict[str, str]:
    """The parameters of a request, each known and once; raises Refused (query_invalid)."""
    try:
        raw = request.scope["query_string"].decode("ascii")
        if _BROKEN_ESCAPE.search(raw):
            raise ValueError
        pairs = parse_qsl(raw, keep_blank_values=True, strict_parsing=bool(raw), errors="strict", max_num_fields=32)
    except ValueError:
        raise Refused(400, "query_invalid", "The query string is malformed.") from None
    query: dict[str, str] = {}
    for name, value in pairs:
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise Refused(
                400, "query_invalid", f"The query has a parameter this route does not know; known: {allowed}."
            )
        if name in query:
            raise Refused(400, "query_invalid", f"The query parameter {name} stands more than once.")
        query[name] = value
    return query


def check_focus(query: dict[str, str]) -> tuple[str, str | None]:
    """The repository_id, which is required, and the thread_id, which is not; raises Refused."""
    repository_id = query.get("repository_id")
    if repository_id is None:
        raise Refused(400, "repository_id_invalid", "The query must name one repository_id.")
    _check_opaque("repository_id", repository_id)
    thread_id = query.get("thread_id")
    if thread_id is not None:
        _check_opaque("thread_id", thread_id)
    return repository_id, thread_id


def check_path(query: dict[str, str]) -> str | None:
    """The path prefix, where there is one; raises Refused (path_invalid)."""
    path = query.get("path")
    if path is None:
        return None
    try:
        check_path_prefix(path)
    except Refusal as refused:
        message = f"path names one normalized prefix inside the repository; it {refused.message}."
        raise Refused(400, "path_invalid", message) from None
    return path


def check_page(query: dict[str, str]) -> tuple[int | None, int]:
    """The exclusive cursor, where there is one, and the limit; raises Refused (after_invalid, limit_invalid)."""
    after = query.get("after")
    if after is not None and (not _CURSOR.fullmatch(after) or int(after) > MAX_CURSOR):
        raise Refused(400, "after_invalid", f"after is a decimal receipt cursor from 0 to {MAX_CURSOR}.")
    limit = query.get("limit", str(DEFAULT_LIMIT))
    if not _LIMIT.fullmatch(limit) or int(limit) > MAX_LIMIT:
        raise Refused(400, "limit_invalid", f"limit is a whole number from 1 to {MAX_LIMIT}.")
    return None if after is None else int(after), int(limit)


def _check_opaque(name: str, value: str) -> None:
    try:
        check_opaque_id(value)
    except Refusal as refused:
        raise Refused(400, f"{name}_invalid", f"{name} {refused.message}.") from None
