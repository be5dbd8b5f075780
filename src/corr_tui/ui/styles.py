"""Where the stylesheets are: beside the package in a checkout, inside it in a wheel.

`styles/` lies outside `src/` so that it reads as data; the wheel carries it as `corr_tui/styles`. Nobody else in the
interface knows which of the two it runs from.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
PLACES = (_PACKAGE / "styles", _PACKAGE.parent.parent / "styles")
"""In a wheel, in a checkout; the first that exists is used."""


class StylesMissing(RuntimeError):
    """The installation is incomplete: no folder of stylesheets, or not this one."""


def stylesheet(name: str, places: tuple[Path, ...] = PLACES) -> Path:
    """The path of one stylesheet, such as `board.tcss`; raises StylesMissing when it is in none of the places."""
    for place in places:
        if (place / name).is_file():
            return place / name
    raise StylesMissing(f"stylesheet {name} is in none of: {', '.join(map(str, places))}")
