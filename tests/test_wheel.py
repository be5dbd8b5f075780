"""The wheel carries what a checkout has: the styles beside the code, and the license."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_wheel_holds_the_styles(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    styles = {f"corr_tui/styles/{path.name}" for path in (ROOT / "styles").glob("*.tcss")}
    assert styles
    assert styles <= names
    assert "corr_tui/__main__.py" in names
