"""What the client hears, as one frozen Snapshot; what this installation keeps; the one long-lived session."""
