"""What loading the client brings along: a command must not wait for what it does not use."""

from __future__ import annotations

import subprocess
import sys


def test_loading_the_client_loads_no_command_line_and_no_link_library() -> None:
    script = "import sys, corr_tui.client.http, corr_tui.state.session; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "httpx" in loaded
    assert not loaded & {"click", "rich", "pygments", "textual", "starlette", "sqlalchemy", "uritemplate", "http_sf"}
