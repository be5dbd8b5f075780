"""The tables of a service's database (§2.1, §4, §6).

The rule: every key and every index leads with `project_id`, so that a project never reads another's rows and could
live on a machine of its own. Evidence is canonical JSON text, exactly as it was signed; the columns beside it repeat
only what a query selects or orders by. Instants are RFC3339-ms text, which sorts as time does.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, MetaData, Table, Text

SCHEMA_VERSION = 1
"""The layout this code reads and writes."""

_Text = Text().with_variant(Text(collation="C"), "postgresql")
"""Text in the order of its bytes, as SQLite has it, whatever locale a PostgreSQL database was created with."""

metadata = MetaData()

schema_versions = Table("schema_versions", metadata, Column("version", Integer, primary_key=True, autoincrement=False))
"""One row: the layout of this database."""

projects = Table(
    "projects",
    metadata,
    Column("project_id", _Text, primary_key=True),
    Column("name", _Text, nullable=False),
    Column("created_at", _Text, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("token_digest", _Text, primary_key=True),
    Column("project_id", _Text, nullable=False),
    Column("created_at", _Text, nullable=False),
    Column("expires_at", _Text),
    Column("revoked_at", _Text),
)
"""Bearers, as digests only. A bearer is what finds its project, so this is the one key that cannot lead with it."""

identities = Table(
    "identities",
    metadata,
    Column("project_id", _Text, primary_key=True),
    Column("identity_id", _Text, primary_key=True),
    Column("name", _Text, nullable=False),
    Column("created_at", _Text, nullable=False),
    Column("revoked_at", _Text),
)

signing_keys = Table(
    "signing_keys",
    metadata,
    Column("project_id", _Text, primary_key=True),
    Column("signing_key_id", _Text, primary_key=True),
    Column("identity_id", _Text, nullable=False),
    Column("public_key", LargeBinary, nullable=False),
    Column("label", _Text, nullable=False),
    Column("created_at", _Text, nullable=False),
    Column("revoked_at", _Text),
)
Index(
    "signing_keys_of_identity",
    signing_keys.c.project_id,
    signing_keys.c.identity_id,
    signing_keys.c.signing_key_id,
)

streams = Table(
    "streams",
    metadata,
    Column("project_id", _Text, primary_key=True),
    Column("received_seq", BigInteger, nullable=False),
    Column("received_at", _Text),
    Column("reconciled_at", _Text),
    Column("incomplete", Boolean, nullable=False),
)
"""One row a project: the newest receipt, the reconciliation watermark, and whether ready lineage remains (§4, §6)."""

events = Table(
    "events",
    metadata,
    Column("project_id", _Text, primary_key=True),
    Column("received_seq", BigInteger, primary_key=True, autoincrement=False),
    Column("event_id", _Text, nullable=False),
    Column("received_at", _Text, nullable=False),
    Column("repository_id", _Text, nullable=False),
    Column("thread_id", _Text, nullable=False),
    Column("identity_id", _Text, nullable=False),
    Column("device_id", _Text, nullable=False),
    Column("session_id", _Text, nullable=False),
    Column("session_seq", BigInteger, nullable=False),
    Column("kind", _Text, nullable=False),
    Column("parents", _Text, nullable=False),
    Column("evidence", _Text, nullable=False),
)
"""Every accepted event, once; `parents` are the parent ids in signed order, separated by spaces."""
Index("events_by_id", events.c.project_id, events.c.event_id, unique=True)
Index("events_of_repository", events.c.project_id, events.c.repository_id, events.c.received_seq)
Index("events_of_thread", events.c.project_id, events.c.repository_id, events.c.thread_id, events.c.received_seq)
Index(
    "events_of_session",
    events.c.project_id,
    events.c.identity_id,
    events.c.device_id,
    events.c.session_id,
    events.c.session_seq,
    events.c.event_id,
)

claim_events = Table(
    "claim_events",
    metadata,
    Column("project_id", _Text, primary_key=True),
    Column("event_id", _Text, primary_key=True),
    Column("repository_id", _Text, nullable=False),
    Column("thread_id", _Text, nullable=False),
    Column("claim_id", _Text, nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("identity_id", _Text, nullable=False),
    Column("device_id", _Text, nullable=False),
    Column("session_id", _Text, nullable=False),
    Column("predecessor_event_id", _Text),
    Column("expires_at", _Text),
    Column("scope", _Text, nullable=False),
    Column("lineage_status", _Text, nullable=False),
    Column("is_tip", Boolean, nullable=False),
)
"""The claim view of every claim.open, claim.renew and claim.release, with its lineage; rebuildable from events (§6)."""
Index(
    "claim_tips_of_repository",
    claim_events.c.project_id,
    claim_events.c.repository_id,
    claim_events.c.is_tip,
    claim_events.c.expires_at,
    claim_events.c.claim_id,
    claim_events.c.event_id,
)
Index(
    "claim_tips_of_thread",
    claim_events.c.project_id,
    claim_events.c.repository_id,
    claim_events.c.thread_id,
    claim_events.c.is_tip,
    claim_events.c.expires_at,
    claim_events.c.claim_id,
    claim_events.c.event_id,
)
Index(
    "claim_tips_of_claim",
    claim_events.c.project_id,
    claim_events.c.repository_id,
    claim_events.c.claim_id,
    claim_events.c.is_tip,
    claim_events.c.event_id,
)
Index(
    "claim_children",
    claim_events.c.project_id,
    claim_events.c.predecessor_event_id,
    claim_events.c.lineage_status,
    claim_events.c.event_id,
)

frontier = Table(
    "frontier",
    metadata,
    Column("project_id", _Text, primary_key=True),
    Column("predecessor_event_id", _Text, primary_key=True),
    Column("turn", BigInteger, nullable=False),
)
"""The ready frontier: settled events whose pending children wait to be settled; the lowest turn comes first (§6)."""
Index("frontier_turns", frontier.c.project_id, frontier.c.turn)
