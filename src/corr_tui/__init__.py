"""corr-tui: a terminal dashboard for agent-correspondence/v0.1, and a service that speaks it."""

__version__ = "0.1.0"
