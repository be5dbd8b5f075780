"""How refusals speak: places without the refused text."""

from __future__ import annotations

import pytest

from corr_tui.protocol.errors import (
    EventRefused,
    Issue,
    JsonPath,
    JsonRefused,
    ProtocolError,
    SignatureRefused,
    show_path,
)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ((), "$"),
        (("body", "artifact", "revision"), "body.artifact.revision"),
        (("parents", 3), "parents[3]"),
        ((0, "a"), "[0].a"),
        (("a.b", "c"), '["a.b"].c'),
        (("a", "", 1), 'a[""][1]'),
        (("a\x1b[31m\n", "\ud800"), '["a\\u001b[31m\\n"]["\\ud800"]'),
        (("é",), '["\\u00e9"]'),
        (("9",), '["9"]'),
    ],
)
def test_a_path_is_shown_as_printable_ascii(path: JsonPath, shown: str) -> None:
    """Names come from whoever sent the value."""
    assert show_path(path) == shown
    assert shown.isascii()
    assert shown.isprintable()


def test_a_long_name_is_cut_short() -> None:
    """A hostile name does not fill a log."""
    assert show_path(("x" * 60_000,)) == f'["{"x" * 64}"]'


def test_an_error_leads_with_its_path() -> None:
    """The text of an error is a path and a sentence; without a path only the sentence."""
    assert str(ProtocolError("why", "is wrong", ("a", 0))) == "a[0]: is wrong"
    assert str(ProtocolError("why", "is wrong")) == "is wrong"


def test_a_refused_event_speaks_with_its_first_issue_and_keeps_all() -> None:
    """Every broken rule stays available."""
    issues = (Issue(("a",), "one", "is one"), Issue(("b",), "two", "is two"))
    error = EventRefused(issues)
    assert (error.reason, error.path, error.message, error.issues) == ("one", ("a",), "is one", issues)


@pytest.mark.parametrize("kind", [JsonRefused, EventRefused, SignatureRefused])
def test_every_refusal_is_a_protocol_error(kind: type[Exception]) -> None:
    """One base to catch."""
    assert issubclass(kind, ProtocolError)
