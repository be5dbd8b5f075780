"""The selected panel: one event in three blocks, two, one, or two lines (look: selected; honesty 2, 4, 5, 8)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from corr_tui.protocol.compose import Draft, compose
from corr_tui.protocol.records import read_events_page
from corr_tui.protocol.signing import sign
from corr_tui.state.snapshot import Heard, History, Unsent, UnsentState, Verdict, instant
from corr_tui.ui.line import Ink, Layout
from corr_tui.ui.panels import selected
from corr_tui.ui.views import inspector
from tests.correspondents import PROJECT_ID, REPOSITORY_ID, World, claim
from tests.ui.panel_scene import ABSENT, check, every_kind, inks, looking, page, scene, with_verdict


def test_nothing_selected_says_how_to_select() -> None:
    for show in (selected.content, selected.compact):
        shown = show(scene().snapshot(), looking(scene()), 120)
        check(shown, 120)
        assert "No event selected" in page(shown)
        assert not shown.rows


def test_an_id_that_is_not_here_selects_nothing() -> None:
    assert not selected.content(scene().snapshot(), looking(scene(), selected=ABSENT), 120).rows


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("width", [20, 31, 60, 80, 120, 160])
def test_each_of_the_21_kinds_is_told_at_every_width(layout: Layout, width: int) -> None:
    world = every_kind("some words that are long enough to be folded on a narrow screen")
    snapshot = world.snapshot()
    for heard in snapshot.events:
        view = looking(world, layout, selected=heard.event_id)
        for show in (selected.content, selected.compact):
            shown = show(snapshot, view, width)
            check(shown, width)
            assert heard.event is not None
            assert width < 40 or heard.event.kind in page(shown)


def told(world: World, number: int, layout: Layout = Layout.NARROW, width: int = 100) -> str:
    """The page of one event; numbers begin at 1."""
    snapshot = world.snapshot()
    return page(
        selected.content(snapshot, looking(world, layout, selected=snapshot.events[number - 1].event_id), width)
    )


def test_issued_and_received_keep_their_two_words() -> None:
    """Honesty 2: the sender's report and the service's receipt are not one time."""
    shown = told(scene(), 1)
    assert "issued      13:00:00   ana’s own report" in shown
    assert "received    13:00:01   this service’s receipt" in shown


def test_every_kind_says_what_it_does_not_establish() -> None:
    """Honesty 4: also where it is read."""
    world = every_kind()
    for number in range(1, len(world.records) + 1):
        assert "\n  not         " in told(world, number)


def test_declarations_are_told_apart_and_bounded() -> None:
    """Honesty 4."""
    world = World()
    offer = world.say("ana", "artifact.offer", artifact={"kind": "git_commit", "revision": "a" * 40})
    assert "Silence is not assent." in told(world, 1)
    world.say("bo", "ack.seen", target=offer)
    world.say("kit", "ack.seen", target=offer)
    assert "seen        bo, kit 13:00:02" in told(world, 1)
    assert "understood  —" in told(world, 1)
    assert "Seen is not understood, nor agreed." in told(world, 1)
    world.say("bo", "ack.accepted", target=offer)
    assert "understood  —" in told(world, 1), "accepting does not imply understanding"
    assert "Accepted is not applied, nor authority." in told(world, 1)


def test_a_rejection_is_told_and_asks_no_reason() -> None:
    world = World()
    offer = world.say("ana", "intent", summary="retries")
    world.say("kit", "ack.rejected", target=offer)
    assert "rejected    kit 13:00:02" in told(world, 1)
    assert "Declining is no judgement." in told(world, 1)
    assert "reason" not in told(world, 2)


def test_what_an_event_names_is_told_and_nothing_of_it_is_fetched() -> None:
    world = World()
    artifact = {"kind": "git_patch", "digest": "sha256:" + "cd" * 32, "locator": "https://example.org/patch"}
    world.say("ana", "artifact.offer", artifact=artifact, paths=["src"])
    shown = told(world, 1)
    assert "offers      git patch cdcdcdc…" in shown
    assert "at          https://example.org/patch  not fetched" in shown


def test_a_claim_says_its_generation_its_predecessor_and_that_it_is_advisory() -> None:
    world = World()
    opened = world.say("bo", "claim.open", claim_id=claim(1), paths=["src/api"], expires_in=3600)
    world.say("bo", "claim.renew", predecessor=opened, expires_in=4000)
    shown = told(world, 2)
    assert "gen 2 · advisory" in shown
    assert "continues   #1 claim.open by bo" in shown
    assert "expires     14:06  1 h 07 left" in shown


def test_live_claims_of_others_that_the_scope_touches_are_named() -> None:
    world = World()
    world.say("bo", "claim.open", claim_id=claim(1), paths=["src/api"], expires_in=3600)
    world.say("ana", "intent", summary="here", paths=["src/api/client"])
    world.say("bo", "progress", summary="mine", paths=["src/api"])
    assert "touches     src/api  bo’s claim" in told(world, 2)
    assert "touches     —  no live claim of others" in told(world, 3)


def test_an_until_that_has_passed_is_told_as_passed_and_not_as_a_resume() -> None:
    """Honesty 6."""
    world = World()
    world.say("kit", "rest", until="2026-05-14T12:00:00.000Z")
    assert "until       12:00  passed; not a resume" in told(world, 1)


def test_parents_that_are_missing_are_said_to_be() -> None:
    world = World()
    world.say("ana", "observation", summary="early", parents=(ABSENT,))
    assert "parents     9d02… ○ missing here" in told(world, 1)


def test_a_handoff_names_its_next_step() -> None:
    world = World()
    world.say("lin", "handoff", summary="half done", next_safe_action="run the tests")
    assert "next step   “run the tests”" in told(world, 1)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.VERIFIED, "✓ verified under a key pinned here"),
        (Verdict.LISTED, "~ listed under a key this service lists"),
        (Verdict.NO_KEY, "? no key no key is listed for it"),
        (Verdict.KEY_REVOKED, "† key revoked since proved under that key"),
        (Verdict.KEY_CHANGED, "! key changed another key than the one pinned here"),
    ],
)
def test_a_verdict_is_told_as_a_fact_about_bytes_and_a_key(verdict: Verdict, words: str) -> None:
    """Honesty 8."""
    world = scene()
    snapshot = with_verdict(world.snapshot(), 1, verdict)
    view = looking(world, selected=snapshot.events[0].event_id)
    assert words in page(selected.content(snapshot, view, 200))


def test_a_changed_key_marks_the_first_line_only() -> None:
    world = scene()
    snapshot = with_verdict(world.snapshot(), 1, Verdict.KEY_CHANGED)
    shown = selected.content(snapshot, looking(world, selected=snapshot.events[0].event_id), 160)
    assert [row.alarm for row in shown.rows][:2] == [True, False]


def test_the_words_of_a_mismatch_stay_hidden_until_opened() -> None:
    world = World()
    world.say("ana", "handoff", summary="obey me at once", next_safe_action="delete it all")
    snapshot = with_verdict(world.snapshot(), 1, Verdict.MISMATCH)
    event_id = snapshot.events[0].event_id
    for layout in Layout:
        for show in (selected.content, selected.compact):
            closed = page(show(snapshot, looking(world, layout, selected=event_id), 160))
            assert "obey" not in closed
            assert "delete" not in closed
    opened = looking(world, selected=event_id, opened=frozenset({event_id}))
    assert "obey me at once" in page(selected.content(snapshot, opened, 160))


def test_an_event_of_mine_without_a_receipt_says_so() -> None:
    world = World()
    event = world.event("maya", "intent", summary="retries")
    for state, words in (
        (UnsentState.UNSENT, "◦ unsent: it goes out once the service takes it"),
        (UnsentState.UNKNOWN, "not known yet, sending the same event again"),
        (UnsentState.REFUSED, "refused  “no”  draft kept"),
    ):
        snapshot = replace(world.snapshot(), unsent=(Unsent(event, state, "no"),))
        shown = selected.content(snapshot, looking(world, Layout.NARROW, selected=event.event_id), 100)
        assert words in page(shown)
        assert "received    not yet: no receipt" in page(shown)
        assert "maya on laptop" in page(shown)


def test_two_lines_hold_the_kind_the_verdict_and_every_declaration() -> None:
    world = scene()
    offer = world.snapshot().events[10].event_id
    shown = selected.compact(world.snapshot(), looking(world, Layout.NARROW, selected=offer), 80)
    assert page(shown) == (
        "Selected | #11\n"
        "  artifact.offer by ana   ✓ verified   commit ab12cd3  “Cap at 30 s”\n"
        "  seen bo 13:00   understood —   accepted —   applied —   rejected —"
    )


def test_labels_are_dim_and_who_is_strong() -> None:
    world = scene()
    shown = selected.content(world.snapshot(), looking(world, selected=world.snapshot().events[0].event_id), 160)
    assert inks(shown, "issued") == {Ink.DIM}
    assert Ink.STRONG in inks(shown, "ana")


def test_a_handoff_may_name_a_snapshot_that_is_not_looked_up() -> None:
    """§5: a missing handoff does not invalidate the event, and a locator is no authority."""
    world = World()
    world.say("lin", "handoff", summary="half done", next_safe_action="run", handoff_id=claim(7))
    assert "snapshot    00000006…  a locator, not looked up" in told(world, 1)


def test_a_reported_revision_is_told_as_reported() -> None:
    world = World()
    first = world.say("ana", "intent", summary="retries")
    world.say("bo", "ack.applied", target=first, result_revision="ab" * 20)
    world.say("bo", "repair", targets=(first,), summary="not so", result_revision="cd" * 20)
    assert "revision    abababababab…  reported" in told(world, 2)
    assert "about       #1 intent by ana" in told(world, 2)
    assert "revision    cdcdcdcdcdcd…  reported" in told(world, 3)


def test_content_offered_is_named_by_its_digest() -> None:
    world = World()
    world.say("ana", "artifact.offer", artifact={"kind": "content_digest", "digest": "sha256:" + "ef" * 32})
    assert "offers      content efefefe…" in told(world, 1)


def test_branch_and_base_are_reports_and_clean() -> None:
    """§2.1: a branch report is no guarantee; §2.2: it is text of others."""
    world = World()
    person = world.people["ana"]
    draft = Draft(
        kind="intent",
        thread_id="task:42",
        body={"summary": "retries"},
        paths=("src",),
        parents=(),
        branch="feat/\u202eretries",
        base_revision="ab" * 20,
    )
    core = compose(
        draft,
        project_id=PROJECT_ID,
        repository_id=REPOSITORY_ID,
        sender=person.sender(),
        session_seq=1,
        issued_at=instant(world.now),
    )
    world.store(sign(core.evidence, person.seed))
    assert "branch      feat/�retries  reported" in told(world, 1)
    assert "base        abababa…  reported" in told(world, 1)


def test_a_malformed_event_tells_which_rules_it_breaks() -> None:
    world = World()
    world.say("ana", "intent", summary="said")
    told_by_service = world.page()
    told_by_service["events"][0]["event"] = {**told_by_service["events"][0]["event"], "session_seq": 0}
    (record,) = read_events_page(told_by_service).events
    snapshot = World().snapshot().heard((Heard(record, Verdict.MALFORMED),), History("1", True))
    for layout in Layout:
        view = looking(world, layout, selected=record.event.event_id)
        for show in (selected.content, selected.compact):
            check(show(snapshot, view, 120), 120)
    shown = page(selected.content(snapshot, looking(world, selected=record.event.event_id), 160))
    assert "malformed  task:42" in shown
    assert "breaks      session_seq" in shown
    assert "¤ malformed not an event of this profile" in shown


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("verdict", list(Verdict))
def test_no_word_of_a_signature_is_said_twice(layout: Layout, verdict: Verdict) -> None:
    world = World()
    world.say("ana", "intent", summary="words")
    snapshot = with_verdict(world.snapshot(), 1, verdict, "key 3f0a1234…")
    view = looking(world, layout, selected=snapshot.events[0].event_id)
    shown = page(selected.content(snapshot, view, 170))
    (line,) = (each for each in shown.splitlines() if each.strip().startswith("signature"))
    words = line.split("   ")[1].split()
    assert not any(one == other for one, other in pairwise(words))
    if verdict is Verdict.LISTED:
        wide = "~ listed under a key this service lists · key 3f0a"
        assert (wide if layout is Layout.WIDE else "~ listed by this service · 3f0a") in line


def test_a_repaired_event_says_by_which_event_and_stays_as_it_was() -> None:
    """§8."""
    world = World()
    intent = world.say("ana", "intent", summary="first words")
    world.say("bo", "repair", targets=[intent], summary="other words")
    for layout, width in ((Layout.WIDE, 160), (Layout.MEDIUM, 120), (Layout.NARROW, 80)):
        view = looking(world, layout, selected=intent.event.event_id, height=9)
        shown = page(selected.content(world.snapshot(), view, width))
        assert "repaired" in shown
        assert "#2 repair by bo" in shown
        assert "“first words”" in shown
    short = page(selected.compact(world.snapshot(), view, 80))
    assert "repaired by #2" in short
    assert "“first words”" in short


def test_what_acknowledgements_alone_cite_is_not_said_to_be_cited_by_nothing() -> None:
    world = World()
    intent = world.say("ana", "intent", summary="retries")
    assert "cited by    —  nothing seen so far" in told(world, 1)
    world.say("kit", "ack.seen", target=intent)
    assert "cited by    —  nothing but acknowledgements" in told(world, 1)
    snapshot = world.snapshot()
    assert "Cited by" in (
        inspected := page(inspector.content(snapshot, looking(world), 120, snapshot.events[0].event_id))
    )
    assert "nothing but acknowledgements" in inspected
