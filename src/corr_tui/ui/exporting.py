"""What a panel or a view shows, as a picture, as text, or as data. Pure.

svg    the screen as it is drawn; its file asks no other computer for anything, fonts included
text   every line of the panel, those out of view too, as wide as it is drawn
json   the same rows with the events they are about: signed evidence, receipt, the service's diagnostics, and the
       verdict on the signature here; ASCII alone, whatever others wrote
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from corr_tui.state.snapshot import Heard, Snapshot
from corr_tui.state.standing import claims_view
from corr_tui.ui.line import Content, Line

_REMOTE = re.compile(r"@font-face\s*\{[^}]*\}|<!--.*?-->", re.DOTALL)


class Format(StrEnum):
    """The forms there are; each is also how its file's name ends."""

    SVG = "svg"
    TEXT = "txt"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Exported:
    """What one panel shows at one moment."""

    name: str
    """Of the panel or view, as commands call it."""
    content: Content
    snapshot: Snapshot
    thread_id: str | None
    """The thread that was chosen, if any."""
    events_at: Callable[[str], tuple[Heard, ...]]
    """The events at hand that the row with a key is about."""
    picture: str
    """The screen as SVG."""

    def file_name(self, form: Format) -> str:
        """What its file is called unless somebody calls it otherwise."""
        through = self.snapshot.history.through
        return f"corr-tui-{self.name}{f'-{through}' if through else ''}.{form}"


def rendered(exported: Exported, form: Format) -> bytes:
    """The file's content."""
    match form:
        case Format.SVG:
            text = without_addresses(exported.picture)
        case Format.TEXT:
            text = as_text(exported.content)
        case Format.JSON:
            text = json.dumps(as_data(exported), indent=2) + "\n"
    return text.encode("utf-8", "replace")


def without_addresses(svg: str) -> str:
    """A picture without the fonts and the comment that name other computers; the name of the XML form stays."""
    head, end, drawing = svg.partition("</style>")
    return _REMOTE.sub("", head) + end + drawing


def as_text(content: Content) -> str:
    """The lines of a panel, its title first."""
    title = "  ".join(part for part in (content.title, content.scope, _text(content.info)) if part)
    parts: list[Iterable[Line]] = [
        (content.columns,) if content.columns else (),
        *(row.lines for row in content.rows),
        () if content.rows else content.empty,
        content.foot,
        content.banner,
    ]
    return "\n".join((title, *(_text(line) for lines in parts for line in lines))) + "\n"


def as_data(exported: Exported) -> dict[str, Any]:
    """What a panel shows, as JSON has it."""
    content, snapshot = exported.content, exported.snapshot
    rows: list[dict[str, Any]] = []
    events: dict[str, Heard] = {}
    for row in content.rows:
        about = exported.events_at(row.key)
        events |= {heard.key: heard for heard in about}
        rows.append({"lines": [_text(line) for line in row.lines], "events": [heard.key for heard in about]})
    view = claims_view(snapshot)
    return {
        "view": exported.name,
        "title": content.title,
        "repository_id": snapshot.repository_id,
        "thread_id": exported.thread_id,
        "cursor": snapshot.history.through,
        "history_complete": snapshot.history.complete,
        "projection_status": str(snapshot.projection.state),
        "said_with_it": [_text(line) for line in (*content.empty, *content.foot, *content.banner)],
        "rows": rows,
        "events": {key: _event(heard) for key, heard in events.items()},
        "claims": [msgspec.to_builtins(each) for each in (view.claims if view else ()) if each.event_id in events],
    }


def _event(heard: Heard) -> dict[str, Any]:
    record = heard.record
    return {
        "event": record.event.evidence,
        "receipt": msgspec.to_builtins(record.receipt),
        "missing_parents": list(record.missing_parents),
        "lineage_status": str(record.lineage_status),
        "verdict": str(heard.verdict),
        "verdict_detail": heard.detail,
        "genuine": heard.genuine,
    }


def _text(line: Line) -> str:
    return "".join(span.text for span in line).rstrip()
