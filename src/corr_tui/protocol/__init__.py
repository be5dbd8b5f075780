"""agent-correspondence/v0.1 as pure functions and closed records: no I/O, no clock, no randomness."""
