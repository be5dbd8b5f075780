"""What identities are called in this home, as far as that is known without asking a service.

A service's names are those it listed last; a local project's stand in its register.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corr_tui.state.home import Home
    from corr_tui.state.outbox import Kept

_IDENTITIES = """
SELECT identity_id, identity_name FROM projects UNION SELECT identity_id, identity_name FROM identities
"""


def known_names(home: Home, kept: Iterable[Kept]) -> dict[str, str]:
    """Names by identity id, of whoever may have signed what is kept. Raises Invalid when the register is broken."""
    from corr_tui.state.listed_names import ListedNames
    from corr_tui.state.snapshot import LOCAL_SERVICE
    from corr_tui.state.trust import Place

    places = {(row.place, row.project_id): Place(row.place, row.project_id, row.repository_id) for row in kept}
    names = _of_local_projects(home) if any(place == LOCAL_SERVICE for place, _ in places) else {}
    for place in places.values():
        names |= {each.identity_id: each.name for each in ListedNames(home.projects_file, place).recall().values()}
    return names


def _of_local_projects(home: Home) -> dict[str, str]:
    from corr_tui.cli.local import register, register_of

    if not register_of(home).exists():
        return {}
    with register(home) as projects:
        return {str(identity_id): str(name) for identity_id, name in projects.execute(_IDENTITIES)}
