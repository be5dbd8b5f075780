"""Links stay on the origin they came from (§7, RFC 8288, RFC 9652)."""

from __future__ import annotations

import pytest

from corr_tui.client.links import (
    LIVE,
    LIVE_TEMPLATE,
    WebLink,
    expand_live,
    live_template,
    origin,
    read_link,
    read_link_template,
)

BASE = "https://service.example/under"
IDENTITY = "22222222-2222-4222-8222-222222222222"


def test_a_link_field_is_read_with_commas_quotes_and_unknown_parameters() -> None:
    field = '<https://a.example/x,y>; rel="self alternate"; title="a, \\"b\\""; x=1, </c>; REL=next; rel=prev'
    assert read_link(field) == (
        WebLink("https://a.example/x,y", ("self", "alternate")),
        WebLink("/c", ("next",)),
    )


@pytest.mark.parametrize("field", ["", "nonsense", "<a", '<a>; rel="unclosed', "<a b>; rel=x"])
def test_what_is_no_link_is_none(field: str) -> None:
    assert read_link(field) == ()


@pytest.mark.parametrize("field", ["", "nonsense, (", '"unclosed', "token; rel=x", '("a" "b"); rel="x"', '"ü"'])
def test_what_is_no_link_template_is_none(field: str) -> None:
    assert read_link_template(field) == ()


def test_the_live_template_is_the_one_with_its_relation_and_its_variable() -> None:
    """The live target is advertised as a Link-Template (§7)."""
    field = f'"/other{{identity_id}}"; rel="x", "/fixed"; rel="{LIVE}", "/live/{{identity_id}}"; rel="y {LIVE}"'
    assert live_template(field) == "/live/{identity_id}"
    assert live_template('"/live"; rel="x"') is None


def test_an_advertised_template_is_expanded_on_its_origin() -> None:
    expanded = expand_live("https://service.example/live?identity_id={identity_id}", BASE, "a b&c")
    assert expanded == "https://service.example/live?identity_id=a%20b%26c"
    assert expand_live("/live/{identity_id}", BASE, IDENTITY) == f"https://service.example/live/{IDENTITY}"


@pytest.mark.parametrize(
    "template",
    [
        None,
        "https://elsewhere.example/{identity_id}",
        "http://service.example/{identity_id}",
        "https://service.example:444/{identity_id}",
        "//elsewhere.example/{identity_id}",
        "https://service.example@elsewhere.example/{identity_id}",
        "javascript:{identity_id}",
        "https://[{identity_id}",
    ],
)
def test_a_template_that_leads_elsewhere_gives_way_to_the_specified_route(template: str | None) -> None:
    """The bearer goes with the request, so only the same origin is asked."""
    assert expand_live(template, BASE, IDENTITY) == BASE + LIVE_TEMPLATE.replace("{identity_id}", IDENTITY)


@pytest.mark.parametrize("url", ["", "/path", "ftp://a.example", "http://", "http://a.example:x", "http://u@a.example"])
def test_what_names_no_http_origin_has_none(url: str) -> None:
    assert origin(url) is None


def test_a_default_port_is_the_same_origin() -> None:
    assert origin("http://a.example") == origin("http://A.example:80/x")
