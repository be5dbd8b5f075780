"""What a session connects to, and as whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from corr_tui.client.answers import NamedProject
from corr_tui.client.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Connection:
    """One repository of one project at one service. Secrets are kept out of the text form."""

    base_url: str
    bearer: str = field(repr=False)
    repository_id: str
    label: str = ""
    """What to call the service, when its address says nothing: `local` for an embedded one."""
    identity_id: str | None = None
    signing_key_id: str | None = None
    seed: bytes | None = field(default=None, repr=False)
    transport: object | None = field(default=None, repr=False)
    """An httpx transport that stands in for the network: an application in this process. It cannot stream."""
    recorder: Recorder | None = field(default=None, repr=False)
    """Who writes down what passes."""
    project: NamedProject | None = None
    """The project, where it is known without the service."""
    hindrance: str = ""
    """Why nothing can be sent through it, in words; else empty."""

    @property
    def can_sign(self) -> bool:
        """Whether there is a whole signer: an identity, its key's id and the key."""
        return self.identity_id is not None and self.signing_key_id is not None and self.seed is not None

    @property
    def place(self) -> str:
        """What pinned keys and unsent events are filed under. The port of an embedded service changes with every
        run, so a labelled one is filed under its label; project ids keep its projects apart."""
        parts = urlsplit(self.base_url)
        return self.label or f"{parts.scheme}://{parts.netloc}"
