"""The session behind a board, and the service under it when there is none elsewhere.

A local project's service listens on loopback under a bearer that lives as long as this process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from corr_tui.cli.failures import Invalid
from corr_tui.cli.flags import Flags, home_of, settings_of
from corr_tui.cli.in_process import local_connection
from corr_tui.cli.local import local_project
from corr_tui.cli.local_identity import local_identity
from corr_tui.cli.place import configured, session_at
from corr_tui.cli.streams import working_folder
from corr_tui.server.accounts import new_bearer
from corr_tui.server.embed import EmbeddedService
from corr_tui.state.connection import Connection
from corr_tui.state.git_facts import GitFacts
from corr_tui.state.session import Session
from corr_tui.state.snapshot import UnsentState


@dataclass(frozen=True, slots=True)
class Mounted:
    """A session that is ready to run."""

    session: Session
    close: Callable[[], None]
    """Lets go of the service, once the session is closed."""
    introduction: str = ""
    """What a first run made, in a line for the board."""
    whole_introduction: str = ""
    """The same in full, for when the board is left."""

    @property
    def unsent(self) -> int:
        """How many events of this home the session could not post; they are kept."""
        return sum(each.state is not UnsentState.REFUSED for each in self.session.snapshot.unsent)


Change = Callable[[Connection], Connection]
"""What a verb makes of a connection before there is a session on it; raises Invalid."""


def _unchanged(connection: Connection) -> Connection:
    return connection


def mount(flags: Flags, change: Change = _unchanged) -> Mounted:
    """The session on the configured service, else on a service mounted here; raises Invalid."""
    settings, home = settings_of(flags), home_of(flags)
    facts = GitFacts(working_folder())
    if settings.configured:
        return Mounted(session_at(change(configured(settings, facts)), home), close=lambda: None)
    project = local_project(home, facts.folder)
    identity = local_identity(home, project, settings.as_name)
    assert identity is not None  # it was made
    database = project.open()
    bearer = new_bearer()
    service = EmbeddedService(database, bearers={bearer: project.project_id})
    service.start()

    def close() -> None:
        service.stop()
        database.close()

    try:
        connection = local_connection(project, identity, settings, service.base_url, bearer)
        session = session_at(change(connection), home)
    except Invalid:
        close()
        raise
    made = (
        (project.made, project.introduction, project.whole_introduction),
        (identity.made, identity.introduction, identity.introduction),
    )
    return Mounted(
        session,
        close,
        introduction=next((short for now, short, _ in made if now), ""),
        whole_introduction="\n".join(whole for now, _, whole in made if now),
    )
