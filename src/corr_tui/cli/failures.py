"""How a command ends when it does not end well: one sentence on standard error, and an exit code for programs.

0  done
1  something broke that nobody foresaw
2  the arguments, the settings or the event break a rule (click's own code for usage)
3  the service refused
4  the service was not reached, or the outcome is not known yet
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from corr_tui.protocol.errors import Issue, show_path
from corr_tui.ui.text import clean


class Ended(click.ClickException):
    """A command that ends early; the message is text of ours or was cleaned."""

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"corr-tui: {self.format_message()}", err=True, file=file)


class Invalid(Ended):
    """Arguments, settings or an event that break a rule."""

    exit_code = 2


class Declined(Ended):
    """The service refused, in its own words."""

    exit_code = 3


class Unreached(Ended):
    """The service was not reached, or what became of the event is not known yet."""

    exit_code = 4


@contextmanager
def in_words(then: str = "") -> Iterator[None]:
    """Turn what the client raises inside into a command's end, with the service's words cleaned.

    `then` is a sentence on what that leaves behind.
    """
    from corr_tui.client.errors import ClientError, Refused, Unsendable
    from corr_tui.protocol.records import RecordRefused

    try:
        yield
    except Refused as refused:
        said = refusal_words(refused.error, refused.message, refused.hint, refused.issues)
        ended = Declined if refused.definite else Unreached
        raise ended(_sentences(f"the service refused ({refused.status}): {said}", then)) from None
    except Unsendable as error:
        raise Invalid(_sentences(str(error), then)) from None
    except RecordRefused as refused:
        said = f"the service's answer is not the record asked for: {clean(str(refused))}"
        raise Unreached(_sentences(said, then)) from None
    except ClientError as error:
        raise Unreached(_sentences(f"the service was not reached: {clean(str(error))}", then)) from None


def _sentences(first: str, then: str) -> str:
    """Two sentences, the second on a line of its own where the first already has several."""
    if not then:
        return first
    return f"{first}\n  {then}" if "\n" in first else f"{first.rstrip('.')}. {then}"


def refusal_words(error: str, message: str, hint: str, issues: tuple[Issue, ...]) -> str:
    """A refusal as the service put it, each broken rule on a line of its own; every part cleaned."""
    first = ": ".join(clean(part) for part in (error, message) if part)
    rules = [f"  {clean(show_path(issue.path))}: {clean(issue.message)} ({clean(issue.code)})" for issue in issues]
    return "\n".join([first or "without a word", *rules, *([f"  {clean(hint)}"] if hint else [])])
