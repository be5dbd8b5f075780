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
def in_words() -> Iterator[None]:
    """Turn what the client raises inside into a command's end, with the service's words cleaned."""
    from corr_tui.client.errors import ClientError, Refused, Unsendable
    from corr_tui.protocol.records import RecordRefused

    try:
        yield
    except Refused as refused:
        said = refusal_words(refused.error, refused.message, refused.hint, refused.issues)
        ended = Declined if refused.definite else Unreached
        raise ended(f"the service refused ({refused.status}): {said}") from None
    except Unsendable as error:
        raise Invalid(str(error)) from None
    except RecordRefused as refused:
        raise Unreached(f"the service's answer is not the record asked for: {clean(str(refused))}") from None
    except ClientError as error:
        raise Unreached(f"the service was not reached: {clean(str(error))}") from None


def refusal_words(error: str, message: str, hint: str, issues: tuple[Issue, ...]) -> str:
    """A refusal as the service put it, each broken rule on a line of its own; every part cleaned."""
    first = ": ".join(clean(part) for part in (error, message) if part)
    rules = [f"  {clean(show_path(issue.path))}: {clean(issue.message)} ({clean(issue.code)})" for issue in issues]
    return "\n".join([first or "without a word", *rules, *([f"  {clean(hint)}"] if hint else [])])
