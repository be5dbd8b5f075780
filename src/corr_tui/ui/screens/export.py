"""Writing what is shown to a file: a form, a name, and a question before anything is written over.

The result is what was written, in words, or None. Whatever stands in the way is said here, and the name stays.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.types import CSSPathType
from textual.widgets import Input

from corr_tui.ui import export_file
from corr_tui.ui.commands import Scope, bindings
from corr_tui.ui.export_file import FileThere, NotWritten
from corr_tui.ui.exporting import Exported, Format, rendered
from corr_tui.ui.layout import START, blank, dim, text
from corr_tui.ui.line import Content, Ink, Line, Row
from corr_tui.ui.screens.sheet import Sheet, sheet_heading
from corr_tui.ui.styles import stylesheet
from corr_tui.ui.text import clean_lines, typed
from corr_tui.ui.widgets.inked import Inked
from corr_tui.ui.widgets.line_list import LineList
from corr_tui.ui.widgets.panel import Frame
from corr_tui.ui.widgets.word_field import WordLine

KEYS = ("export.write", "open", "export.close")
ASKED_KEYS = ("export.over", "export.close")
WHILE_NAMING = "Enter writes the file, Esc goes back to the forms"
FORMS = {
    Format.SVG: "a picture of the screen, without any address in it",
    Format.TEXT: "every line of the panel, those out of view too",
    Format.JSON: "its rows with their events: evidence, receipt, verdict",
}


class ExportScreen(Sheet[str | None]):
    """Asks form and name, and writes."""

    CSS_PATH: ClassVar[CSSPathType | None] = [stylesheet("sheet.tcss"), stylesheet("export.tcss")]
    BINDINGS = bindings(Scope.EXPORT)
    AUTO_FOCUS = "#forms"

    def __init__(self, exported: Exported, folder: Path, *, ascii_only: bool) -> None:
        """`folder` is where a file goes whose name says no folder."""
        super().__init__("forms", KEYS, ascii_only=ascii_only)
        self._exported, self._folder = exported, folder
        self._told = ""
        self._asked: Path | None = None
        """The file that would be written over."""
        self._writing = False

    def compose(self) -> ComposeResult:
        """The heading, the forms, the line for a name, the keys."""
        with Vertical(classes="sheet"):
            scope = f"{self._exported.name}, to a file only you can read"
            yield Inked(lambda width: (sheet_heading("Export", scope, width),), ascii_only=self.ascii_only)
            yield self.list
            with Horizontal(classes="sheet-line"):
                yield Inked(lambda width: ((*blank(START), *dim("file")),), classes="sheet-label")
                yield WordLine(self._exported.file_name(Format.SVG), id="path", compact=True, select_on_focus=False)
            yield self.foot

    def on_mount(self) -> None:
        """Show the forms."""
        self._draw()

    def on_resize(self) -> None:
        """Other widths, other lines."""
        self.call_after_refresh(self._draw)

    @property
    def form(self) -> Format:
        """The form under the cursor."""
        return Format(self.list.view.cursor or Format.SVG)

    def _draw(self) -> None:
        if self.list.size:
            rows = tuple(Row(form, (_form_line(form, words),), known=True) for form, words in FORMS.items())
            self.list.show(Content(title="Form", rows=rows, banner=self._banner()), Frame(numbered=False))
            self.keys = KEYS if self._asked is None else ASKED_KEYS
            self.draw_foot(dim(WHILE_NAMING) if self._names else ())

    def _banner(self) -> tuple[Line, ...]:
        """What was told, as many lines as it takes."""
        told = clean_lines(self._told, max(self.list.size.width - START - 1, 1)) if self._told else ()
        return tuple((*blank(START), *text(line, Ink.STRONG if self._asked else Ink.TEXT)) for line in told)

    @property
    def _names(self) -> bool:
        """Whether somebody writes a name."""
        return self.query_one(WordLine).has_focus

    def _tell(self, words: str, asked: Path | None = None) -> None:
        self._told, self._asked = words, asked
        self._draw()

    @on(LineList.Highlighted, "#forms")
    def _form_changed(self) -> None:
        """The name ends as its form does, unless somebody ended it otherwise."""
        line = self.query_one(WordLine)
        if Path(line.value).suffix[1:] in list(Format):
            line.value = line.value[: line.value.rindex(".") + 1] + self.form
            line.cursor_position = len(line.value)
        self._tell("")

    @on(LineList.Opened, "#forms")
    def _name_it(self) -> None:
        """A form was chosen: its file is named next."""
        self.set_focus(self.query_one(WordLine))
        self._tell("")

    @on(Input.Changed, "#path")
    def _renamed(self) -> None:
        """Another name: what was asked was asked of the one before."""
        if self._asked is not None:
            self._tell("")

    @on(Input.Submitted, "#path")
    def action_write(self) -> None:
        """Write the file named, unless there is one."""
        named = self.query_one(WordLine).value.strip()
        if not named:
            self._tell("Not written: it needs a name.")
        elif not self._writing:
            self._begin(export_file.path_of(named, self._folder), over=False)

    def action_write_over(self) -> None:
        """Write over the file that was asked about."""
        if self._asked is not None and not self._writing:
            self._begin(self._asked, over=True)

    def _begin(self, path: Path, *, over: bool) -> None:
        self._writing = True
        self.run_worker(self._write(path, self.form, over=over), group="write")

    async def _write(self, path: Path, form: Format, *, over: bool) -> None:
        try:
            # a long history is laid out whole for this, which takes longer than a key may
            content = await asyncio.to_thread(rendered, self._exported, form)
            await asyncio.to_thread(export_file.write, path, content, over=over)
        except FileThere:
            self.set_focus(self.list)  # so that the key that answers is not typed into the name
            self._tell(f"{path.name} is there already. Write over it?", path)
        except NotWritten as error:
            self._tell(f"Not written: {path}: {error}.")
        else:
            self.dismiss(f"Written: {path}")
        finally:
            self._writing = False

    def take_typed(self, text: str) -> bool:
        """Text that was typed before the name had the focus; False where nobody writes."""
        if self._names:
            self.query_one(WordLine).insert_text_at_cursor(typed(text))
        return self._names

    def action_close(self) -> None:
        """Answer no; else back to the forms; else close."""
        if self._asked is not None:
            self._tell("")
        elif self._names:
            self.set_focus(self.list)
            self._tell("")
        else:
            self.dismiss(None)


def _form_line(form: Format, words: str) -> Line:
    return (*blank(START), *text(f"{form:<6}", Ink.STRONG), *dim(words))
