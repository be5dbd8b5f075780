"""What identities are called in this home, as far as it is known without asking a service: those of local projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corr_tui.state.home import Home

_IDENTITIES = """
SELECT identity_id, identity_name FROM projects UNION SELECT identity_id, identity_name FROM identities
"""


def known_names(home: Home) -> dict[str, str]:
    """Names by identity id; empty where no local project was made. Raises Invalid when the register is broken."""
    from corr_tui.cli.local import register, register_of

    if not register_of(home).exists():
        return {}
    with register(home) as projects:
        return {str(identity_id): str(name) for identity_id, name in projects.execute(_IDENTITIES)}
