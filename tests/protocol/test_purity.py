"""The protocol is pure: importing it brings in no I/O, no event loop, no other room."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import corr_tui.protocol

MODULES = sorted(path.stem for path in Path(corr_tui.protocol.__file__).parent.glob("[a-z]*.py"))

SCRIPT = """
import sys
{imports}
banned = {{"asyncio", "httpx", "httpx_sse", "textual", "rich", "socket", "sqlalchemy", "starlette", "uvicorn", "ssl"}}
rooms = {{name for name in sys.modules if name.startswith("corr_tui.") and not name.startswith("corr_tui.protocol")}}
print(",".join(sorted(banned & set(sys.modules) | rooms)))
"""


def test_importing_the_protocol_brings_in_nothing_that_acts() -> None:
    """§1: reading an event can trigger nothing. In a fresh interpreter, all modules at once."""
    assert len(MODULES) >= 11
    imports = "\n".join(f"import corr_tui.protocol.{name}" for name in MODULES)
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(imports=imports)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, "", "")
