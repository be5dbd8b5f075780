"""What the service says, as typed values: HTTP (§7), the wake stream (§7.1) and its links (RFC 8288, RFC 9652)."""
