"""What the service says, as typed values: HTTP (§7), the wake stream (§7.1) and its links (RFC 8288, RFC 9652)."""

import sys
from typing import Any

# httpx brings a command line of its own, whose imports (click, rich, pygments) cost more than all of its others. It
# does without when they cannot be imported, and None says so of a module that nobody has imported yet.
_modules: dict[str, Any] = sys.modules
_modules.setdefault("httpx._main", None)
