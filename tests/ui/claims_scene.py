"""An hour of claims: live and not, renewed, branched, overlapping, released, expired, pending and invalid."""

from __future__ import annotations

from tests.correspondents import World, claim

ABSENT = "sha256:" + "9d02" * 16


def claims_scene() -> World:
    """Claim 1 has every state there is; the service's clock stands at 14:03:24 in the end."""
    world = World()
    say = world.say

    def at(hour: int, minute: int, second: int = 0) -> None:
        world.now = world.now.replace(hour=hour, minute=minute, second=second)

    at(12, 52)
    docs = say("kit", "claim.open", paths=["docs"], claim_id=claim(1), expires_in=3600, thread="task:40")
    at(12, 55)
    say("kit", "claim.renew", predecessor=docs, expires_in=1500, device=4)
    at(12, 58)
    phone = say("kit", "claim.renew", predecessor=docs, expires_in=3600, device=3)
    at(13, 6)
    say("kit", "claim.release", predecessor=phone, device=3)
    at(13, 20)
    spec = say("ana", "claim.open", paths=["api/spec"], claim_id=claim(7), expires_in=3600)
    at(13, 25)
    auth = say("zed", "claim.open", paths=["src/auth"], claim_id=claim(8), expires_in=100)
    at(13, 26)
    say("zed", "claim.renew", predecessor=auth, paths=["src/authn"], expires_in=900)
    at(13, 30)
    say("maya", "claim.open", paths=["README.md"], claim_id=claim(6), expires_in=23 * 60)
    spec = say("ana", "claim.renew", predecessor=spec, expires_in=3600)
    at(13, 33, 40)
    second = say("kit", "claim.renew", predecessor=docs, expires_in=5400)
    at(13, 41)
    say("ana", "claim.release", predecessor=spec)
    at(13, 45, 9)
    tip = say("kit", "claim.renew", predecessor=second, expires_in=4600)
    say("kit", "claim.renew", predecessor=second, expires_in=4600, device=2)
    unknown = {"predecessor_event_id": ABSENT, "generation": 4}
    say("lin", "claim.renew", paths=["src/cli"], claim_id=claim(9), expires_in=900, **unknown)
    say("kit", "claim.renew", predecessor=tip, paths=["docs", "src"], expires_in=5000)
    say("kit", "claim.renew", paths=["docs"], claim_id=claim(1), expires_in=900, thread="task:40", **unknown)
    at(13, 50)
    packages = ["packages/sdk-ts", "packages/sdk-py", "tools"]
    say("lin", "claim.open", thread="task:41", paths=packages, claim_id=claim(2), expires_in=6300)
    at(13, 51)
    say("zed", "claim.open", thread="task:39", paths=["scripts/ci"], claim_id=claim(3), expires_in=16 * 60)
    at(13, 57, 30)
    api = say("bo", "claim.open", paths=["src/api"], claim_id=claim(4), expires_in=2800)
    at(13, 58, 12)
    api = say("bo", "claim.renew", predecessor=api, expires_in=2800)
    at(13, 58, 59)
    say("ana", "claim.open", paths=["src/api/client"], claim_id=claim(5), expires_in=960)
    at(14, 1, 2)
    say("bo", "claim.renew", predecessor=api, expires_in=2580)
    say("ana", "intent", summary="Move retries into the client")
    at(14, 3, 24)
    return world
