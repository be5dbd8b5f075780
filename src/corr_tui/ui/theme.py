"""Colours by what they are for (look: tokens), as Textual themes and as the styles of ink on a ground.

Sixteen tokens and no others colour the interface. A theme of ours gives them literally. For one of Textual's own they
are derived: accent from primary, attn from warning, alarm from error, the rest from its foreground, background and
surface. Where a text would not read on a ground it may meet, the text moves towards black or white until it does, and
where grounds lie so far apart that no colour reads on all of them, the grounds move together first. With NO_COLOR
there is no colour at all: weight and reverse remain.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from corr_tui.ui.line import Ink

READABLE = 4.5
"""The contrast ratio every text token keeps (WCAG 2 AA)."""
LEAST = {"dim": 4.9, "text": 5.8, "strong": 7.0, "accent": READABLE, "attn": READABLE, "alarm": READABLE}
"""The text tokens, and the ratio each keeps on every ground of a derived theme; the steps keep dim, text and strong
apart. `rule` and `faint` are never text."""


class Ground(StrEnum):
    """What lies under the ink."""

    CANVAS = "canvas"
    PANEL = "panel"
    RAISED = "raised"
    PILL = "pill"
    CURSOR = "cursor"
    ACCENT = "accent_bg"
    ATTN = "attn_bg"
    ALARM = "alarm_bg"


class Tokens(NamedTuple):
    """One colour a purpose, as `#rrggbb`."""

    canvas: str
    panel: str
    raised: str
    pill: str
    cursor: str
    rule: str
    faint: str
    dim: str
    text: str
    strong: str
    accent: str
    accent_bg: str
    attn: str
    attn_bg: str
    alarm: str
    alarm_bg: str

    def colour(self, name: str) -> str:
        """The colour of a token by its name."""
        value: str = getattr(self, name)
        return value


DARK = Tokens(
    canvas="#0d1116",
    panel="#141920",
    raised="#1c232c",
    pill="#1e2630",
    cursor="#22303f",
    rule="#36424f",
    faint="#63717e",
    dim="#95a1ae",
    text="#ccd4dd",
    strong="#f3f6f9",
    accent="#8cb9f6",
    accent_bg="#1b2f4a",
    attn="#dcb671",
    attn_bg="#2b2517",
    alarm="#f3968f",
    alarm_bg="#3a1b1b",
)
LIGHT = Tokens(
    canvas="#e9ecef",
    panel="#f7f8fa",
    raised="#e6eaf0",
    pill="#f7f8fa",
    cursor="#d7e3f4",
    rule="#b9c2cc",
    faint="#808c98",
    dim="#56616d",
    text="#29323c",
    strong="#0b1016",
    accent="#1a5bb8",
    accent_bg="#d3e2f7",
    attn="#7d5200",
    attn_bg="#f5ead2",
    alarm="#a8231c",
    alarm_bg="#f9dedb",
)
HIGH_CONTRAST = DARK._replace(
    canvas="#000000",
    panel="#000000",
    raised="#1c1c1c",
    pill="#1c1c1c",
    cursor="#1f3a5f",
    rule="#8a8a8a",
    faint="#a8a8a8",
    dim="#d0d0d0",
    text="#ffffff",
    strong="#ffffff",
    accent="#7fd0ff",
    accent_bg="#1f3a5f",
    attn="#ffd75f",
    attn_bg="#3d3000",
    alarm="#ffa3a3",
    alarm_bg="#5c1414",
)
OWN = {
    "corr-dark": DARK,
    "corr-light": LIGHT,
    "corr-high-contrast": HIGH_CONTRAST,
    "corr-colour-blind": DARK._replace(accent="#7cc0ff", attn="#f0c05a", alarm="#ff9ed8"),
    "corr-colour-blind-light": LIGHT._replace(accent="#0b5cad", attn="#7a5200", alarm="#a3126b"),
}
"""Our themes by name."""
DEFAULT_THEME = "corr-dark"

_BOLD = frozenset({Ink.STRONG, Ink.KEY, Ink.ALARM})
_TOKEN_OF = {Ink.KEY: "accent"}
_REVERSED = frozenset({Ground.CURSOR, Ground.ACCENT, Ground.ALARM})


def contrast(one: str, other: str) -> float:
    """The WCAG contrast ratio of two `#rrggbb` colours, 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def themes() -> tuple[Theme, ...]:
    """Our tokens as Textual themes; every token is also a CSS variable, `accent_bg` as `$accent-bg`."""
    return tuple(_theme(name, tokens) for name, tokens in OWN.items())


def in_order(available: Iterable[Theme]) -> list[Theme]:
    """The themes to choose from: ours first, then Textual's by name; not those that leave colours to the terminal."""
    ours = list(OWN)
    coloured = (theme for theme in available if not theme.ansi)
    return sorted(coloured, key=lambda theme: (ours.index(theme.name) if theme.name in OWN else len(ours), theme.name))


class ThemeUnknown(ValueError):
    """There is no theme of that name, or it leaves its colours to the terminal; the message says which there are."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no theme is called {name!a}; there are {', '.join(known)}")
        self.name = name


def theme_named(name: str, available: Iterable[Theme]) -> str:
    """The name of a theme of ours or of those available, the default one for none; raises ThemeUnknown."""
    if not name or name in OWN:
        return name or DEFAULT_THEME
    others = [theme.name for theme in in_order(available) if theme.name not in OWN]
    if name not in others:
        raise ThemeUnknown(name, (*OWN, *others))
    return name


def tokens_of(theme: Theme) -> Tokens:
    """The tokens of any theme: literal for ours, derived for Textual's own."""
    own = OWN.get(theme.name)
    return own if own is not None else _derived(theme)


def variables_of(tokens: Tokens) -> dict[str, str]:
    """The tokens as CSS variables."""
    return {name.replace("_", "-"): tokens.colour(name) for name in Tokens._fields}


class Inks:
    """The styles of ink on a ground under one theme; each is made once."""

    def __init__(self, tokens: Tokens, *, colourless: bool = False) -> None:
        self.tokens = tokens
        self.colourless = colourless
        self._styles: dict[tuple[Ink, Ground], Style] = {}

    def style(self, ink: Ink, ground: Ground = Ground.PANEL) -> Style:
        """How to draw this ink on this ground."""
        style = self._styles.get((ink, ground))
        if style is None:
            style = self._weight(ink, ground) if self.colourless else self._colour(ink, ground)
            self._styles[ink, ground] = style
        return style

    def _colour(self, ink: Ink, ground: Ground) -> Style:
        token = _TOKEN_OF.get(ink, ink.value)
        return Style(
            color=self.tokens.colour(token), bgcolor=self.tokens.colour(ground.value), bold=ink in _BOLD or None
        )

    @staticmethod
    def _weight(ink: Ink, ground: Ground) -> Style:
        return Style(bold=ink in _BOLD or None, reverse=ground in _REVERSED or None)


_INKS: dict[tuple[str, bool], tuple[Theme, Inks]] = {}


def inks_of(app: App[Any]) -> Inks:
    """The inks of the app's theme; one object until the theme changes."""
    theme = app.current_theme
    key = (theme.name, app.no_color)
    known = _INKS.get(key)
    if known is None or known[0] is not theme:
        known = (theme, Inks(tokens_of(theme), colourless=app.no_color))
        _INKS[key] = known
    return known[1]


def _theme(name: str, tokens: Tokens) -> Theme:
    return Theme(
        name=name,
        primary=tokens.accent,
        secondary=tokens.accent,
        accent=tokens.accent,
        warning=tokens.attn,
        error=tokens.alarm,
        success=tokens.accent,
        foreground=tokens.text,
        background=tokens.canvas,
        surface=tokens.panel,
        panel=tokens.panel,
        dark=_luminance(tokens.canvas) < 0.5,
        variables=variables_of(tokens),
    )


def _derived(theme: Theme) -> Tokens:
    made = {name: _opaque(colour) for name, colour in theme.to_color_system().generate().items() if name in _LENT}
    ink, panel = made["foreground"], made["surface"]
    for share in _SHARES:
        grounds = _grounds(made, share)
        end = max(("#000000", "#ffffff"), key=lambda end: _least(end, grounds))
        if _least(end, grounds) >= LEAST["strong"]:
            break

    def mix(share: float) -> str:
        return panel.blend(ink, share).hex6.lower()

    hues = {"accent": made["primary"], "attn": made["warning"], "alarm": made["error"]}
    wanted = {"dim": mix(0.62), "text": mix(0.88), "strong": mix(1.0)}
    wanted |= {name: hue.hex6.lower() for name, hue in hues.items()}
    read = {name: _readable(colour, grounds, end, LEAST[name]) for name, colour in wanted.items()}
    return Tokens(**grounds, rule=mix(0.25), faint=mix(0.45), **read)


_LENT = frozenset({"foreground", "background", "surface", "primary", "warning", "error"})
"""What a theme of Textual's lends."""
_SHARES = (1.0, 0.5, 0.25, 0.0)
"""How much of their own colour grounds keep, tried in this order; with none they are all the panel, on which black or
white always reads."""


def _grounds(made: dict[str, Color], share: float) -> dict[str, str]:
    panel, ink = made["surface"], made["foreground"]
    tints = {
        "canvas": (made["background"], 1.0),
        "panel": (panel, 0.0),
        "raised": (ink, 0.06),
        "pill": (ink, 0.08),
        "cursor": (made["primary"], 0.18),
        "accent_bg": (made["primary"], 0.2),
        "attn_bg": (made["warning"], 0.1),
        "alarm_bg": (made["error"], 0.16),
    }
    return {name: panel.blend(tint, own * share).hex6.lower() for name, (tint, own) in tints.items()}


def _least(colour: str, grounds: dict[str, str]) -> float:
    """The contrast of a colour with the ground it reads worst on."""
    return min(contrast(colour, ground) for ground in grounds.values())


def _readable(colour: str, grounds: dict[str, str], end: str, least: float) -> str:
    """The colour, moved towards the end of the scale until it keeps a contrast on all grounds, or as far as that
    goes."""
    start, black_or_white = Color.parse(colour), Color.parse(end)
    moved = colour
    for step in range(21):
        moved = start.blend(black_or_white, step / 20).hex6.lower()
        if _least(moved, grounds) >= least:
            break
    return moved


def _opaque(colour: str) -> Color:
    return Color.parse(colour).with_alpha(1.0)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)
