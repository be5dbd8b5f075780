"""From the raw bytes of a POST to an event that may be stored (§2, §3, §7).

The rule is the order of the checks: media type, size, presence, strict JSON, closed form, project, identifier. Each
has its own code. Only the sender's standing and the signature are left to the store, which knows the keys.
"""

from __future__ import annotations

from dataclasses import dataclass

from corr_tui.protocol import strict_json
from corr_tui.protocol.errors import EventRefused, JsonRefused, SignatureRefused
from corr_tui.protocol.event import Event, read_event
from corr_tui.protocol.lineage import ClaimEvent, claim_event
from corr_tui.protocol.signing import check_event_id, event_jcs
from corr_tui.server.refusal import Refused

VENDOR_JSON = "application/vnd.agenttool.correspondence+json"
PLAIN_JSON = "application/json"
ATOM = "application/atom+xml"

MAX_BODY_BYTES = 65_536
"""The transport cap on a raw body before anything is parsed, and the cap on the canonical event it holds."""

_JSON_CODES = {
    "invalid_utf8": "invalid_utf8",
    "duplicate_object_name": "duplicate_object_key",
    "nul_not_admitted": "non_canonical_json_value",
    "non_scalar_unicode": "non_canonical_json_value",
    "fractional_number": "non_canonical_json_value",
    "exponent_number": "non_canonical_json_value",
    "negative_zero": "non_canonical_json_value",
    "unsafe_integer": "non_canonical_json_value",
}
"""The wire's code for a reason of strict JSON; every other reason is invalid_json."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submitted event whose form and identifier hold."""

    event: Event
    evidence: str
    """Canonical JSON text of the whole event."""
    core_jcs: bytes
    """What its signature must cover."""
    claim: ClaimEvent | None


def check_content_type(content_type: str | None) -> None:
    """Refuse a POST that is not one of the two JSON media types in UTF-8 (415)."""
    media_type, *parameters = [part.strip().lower() for part in (content_type or "").split(";")]
    utf8 = all(parameter.replace('"', "") == "charset=utf-8" for parameter in parameters)
    if media_type not in (PLAIN_JSON, VENDOR_JSON) or not utf8:
        raise Refused(415, "content_type_unsupported", f"Send the event as {PLAIN_JSON} or {VENDOR_JSON}, in UTF-8.")


def too_large() -> Refused:
    """The refusal of a body beyond the transport cap (413)."""
    return Refused(413, "body_too_large", f"An event takes at most {MAX_BODY_BYTES} bytes before parsing.")


def read_submission(raw: bytes, project_id: str) -> Submission:
    """The event in a raw body, posted under a bearer of `project_id`; raises Refused."""
    if not raw:
        raise Refused(400, "body_required", "Send one complete signed event as the request body.")
    event = _read_event(raw)
    if event.project_id != project_id:
        raise Refused(403, "project_mismatch", "The event was signed for another project than the bearer's.")
    try:
        core_jcs = check_event_id(event)
    except SignatureRefused as error:
        message = "The event_id is not the digest of the canonical signed event."
        raise Refused(400, "event_id_mismatch", message, hint=f"{error.message}.".capitalize()) from None
    evidence = event_jcs(event.evidence)
    if len(evidence) > MAX_BODY_BYTES:
        raise too_large()
    return Submission(event, evidence.decode("utf-8"), core_jcs, claim_event(event))


def _read_event(raw: bytes) -> Event:
    try:
        return read_event(strict_json.decode(raw))
    except JsonRefused as error:
        code = _JSON_CODES.get(error.reason, "invalid_json")
        raise Refused(400, code, f"The body is not strict JSON: {error}.") from None
    except EventRefused as error:
        message = "The body is not a closed agent-correspondence/v0.1 event."
        raise Refused(400, "event_invalid", message, issues=error.issues) from None
