"""What the profile demands of a service, section by section, and the tests that hold it to that (§4, §6, §7, §7.1, §8).

Each line is one demand in short words and the tests that would fail without it; a demand on whoever reads is left to
the client's tests. The test here makes sure that every test named exists, so that the table can be ticked off.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import pytest


class Demand(NamedTuple):
    """One MUST (or a fixed number) of a section, and where it is tested."""

    section: str
    words: str
    tests: tuple[str, ...]


def demands(section: str, *lines: tuple[str, str]) -> list[Demand]:
    """The demands of one section; a line's tests are `module.test`, in words apart."""
    return [Demand(section, words, tuple(tests.split())) for words, tests in lines]


MUSTS = [
    *demands(
        "4",
        (
            "an event is accepted before its parents are stored",
            "append.test_an_event_is_stored_before_its_parents_and_says_which_are_missing_section_4",
        ),
        (
            "reads expose the parents that are missing now, and their arrival changes no receipt",
            "append.test_an_event_is_stored_before_its_parents_and_says_which_are_missing_section_4",
        ),
        ("arrival order is no parent relationship", "append.test_arrival_makes_nobody_a_parent_section_4"),
        (
            "gaps and delayed lower sequences are valid",
            "append.test_gaps_and_late_lower_sequences_are_valid_section_4",
        ),
        (
            "a session fork is retained and exposed, never decided",
            "append.test_two_events_at_one_place_of_a_session_are_both_kept_and_warned_of_section_4 "
            "voice.test_a_fork_is_found_whatever_thread_its_siblings_are_in_section_7_1",
        ),
        (
            "posting an event again is idempotent, also after its key was revoked",
            "append.test_an_exact_retry_returns_the_first_receipt_with_200_section_4 "
            "append.test_a_retry_is_answered_after_its_key_was_revoked_but_a_new_event_is_not_section_4 "
            "concurrency.test_one_event_from_many_threads_is_stored_once_section_4",
        ),
        (
            "another event under a stored id is a conflict",
            "append.test_another_event_under_a_stored_event_id_is_a_conflict_section_4",
        ),
        (
            "received_seq is a canonical positive decimal that rises inside a project",
            "append.test_received_seq_rises_by_project_in_the_order_of_receipt_section_4",
        ),
        (
            "received_seq is an exclusive cursor that no reader misses an event by",
            "replay.test_records_ascend_and_pages_join_without_gap_or_repeat_section_7 "
            "concurrency.test_two_processes_of_16_threads_append_without_loss_and_in_order_section_4",
        ),
        (
            "received_at is the database's time, and issued_at never stands in for it",
            "append.test_the_receipt_is_the_databases_clock_and_never_issued_at_section_4 "
            "database.test_the_database_is_the_clock_section_4",
        ),
    ),
    *demands(
        "6",
        ("a claim blocks nothing and nobody", "claims.test_a_claim_keeps_nobody_from_anything_section_6"),
        (
            "a lineage has one identity; devices, sessions and keys may change",
            "claims.test_devices_sessions_and_keys_of_one_identity_may_change_section_6 "
            "claims.test_a_mismatch_is_kept_as_invalid_and_never_active_section_6",
        ),
        (
            "two opens of one claim_id are colliding roots that compete",
            "claims.test_two_opens_of_one_claim_id_are_colliding_roots_that_compete_section_6",
        ),
        (
            "a predecessor is generation n-1 of the same project, repository, claim, identity and set of paths",
            "claims.test_a_mismatch_is_kept_as_invalid_and_never_active_section_6 "
            "claims.test_the_order_of_paths_means_nothing_to_lineage_section_6",
        ),
        ("a predecessor is a parent", "claims.test_a_predecessor_that_is_no_parent_is_refused_section_6"),
        (
            "a branch ends at a claim.open",
            "claims.test_a_renewal_of_something_that_is_no_claim_is_invalid_section_6 "
            "claims.test_a_renewal_of_a_release_is_invalid_section_6",
        ),
        (
            "an unknown predecessor makes an event pending: replayable, and not active",
            "claims.test_a_pending_renewal_is_replayable_and_settles_when_its_predecessor_arrives_section_6",
        ),
        (
            "an append, an exact retry and a read settle at most 32 rows each",
            "claims.test_one_append_settles_32_rows_and_reads_settle_the_rest_section_6 "
            "claims.test_an_exact_retry_settles_a_step_too_section_6 "
            "claims.test_wide_frontiers_share_a_step_section_6",
        ),
        ("the ready frontier is durable", "claims.test_the_ready_frontier_outlives_its_process_section_6"),
        (
            "settling commits before the snapshot begins, and a scan holds no stream",
            "claims.test_a_projection_scan_holds_no_stream_and_is_one_snapshot_section_6 "
            "database.test_a_reader_sees_one_snapshot_section_6",
        ),
        ("a mismatch is kept as invalid", "claims.test_a_mismatch_is_kept_as_invalid_and_never_active_section_6"),
        (
            "ready work that remains is persisted and told as truncated",
            "claims.test_one_append_settles_32_rows_and_reads_settle_the_rest_section_6 "
            "claims.test_the_ready_frontier_outlives_its_process_section_6",
        ),
        (
            "whatever the order of arrival, the projection is that of the branch tips",
            "arrival.test_the_stored_lineage_is_the_pure_lineage_whatever_the_order_section_6",
        ),
        (
            "only a valid direct child ends a tip",
            "claims.test_a_valid_renewal_takes_the_place_of_its_predecessor_alone_section_6",
        ),
        ("a release ends only its branch", "claims.test_a_release_ends_only_its_branch_section_6"),
        (
            "expiry is the database clock's",
            "claims.test_expiry_is_the_database_clocks_and_changes_the_bytes_without_an_event_section_6",
        ),
        (
            "nothing delayed, invalid, expired or released reactivates an ancestor",
            "claims.test_an_event_that_arrives_expired_or_late_reactivates_nothing_section_6",
        ),
        (
            "every live tip survives, also one of a lower generation",
            "claims.test_a_lower_generation_sibling_stays_active_section_6",
        ),
        (
            "tip, kind and expiry are asked before the 512-row sentinel and the 128-row cap",
            "bounds.test_expired_and_released_history_never_hides_a_live_tip_section_6 "
            "bounds.test_a_narrowed_answer_is_complete_only_when_every_candidate_was_looked_at_section_6 "
            "claims.test_at_most_128_rows_are_shown_and_the_rest_is_admitted_section_6",
        ),
        (
            "no branch is preferred by generation, issued_at, receipt or arrival",
            "claims.test_claims_are_ordered_by_expiry_claim_and_event_and_by_nothing_else_section_6",
        ),
        (
            "an active row has its members, thread_id among them",
            "claims.test_an_active_row_has_just_its_eleven_members_section_6",
        ),
        (
            "expired and released sibling tips compete, in any thread",
            "claims.test_an_expired_sibling_tip_still_competes_section_6 "
            "claims.test_a_release_ends_only_its_branch_section_6 "
            "bounds.test_a_focus_on_one_thread_still_sees_competitors_in_another_section_6",
        ),
        (
            "at most 16 competitors, a sentinel for one more, and then truncated",
            "claims.test_at_most_16_competitors_are_listed_and_more_are_admitted_section_6 "
            "bounds.test_a_voice_with_more_competitors_than_it_may_list_is_truncated_section_6",
        ),
        (
            "path narrows by the prefix rule, thread_id by itself",
            "claims.test_path_and_thread_narrow_the_claims_section_6",
        ),
        (
            "a projection that cannot be had is 503, never an empty 200",
            "database.test_a_storage_failure_on_a_read_is_503_and_never_empty_section_6",
        ),
        (
            "evaluated_at is the receipt's, the reconciliation's or the passed expiry's instant, or 1970",
            "claims.test_a_reconciliation_moves_evaluated_at_and_the_entity_tag_without_an_event_section_6 "
            "claims.test_expiry_is_the_database_clocks_and_changes_the_bytes_without_an_event_section_6 "
            "claims.test_a_project_without_correspondence_was_evaluated_in_1970_section_6",
        ),
    ),
    *demands(
        "7",
        (
            "every route wants a bearer and stays within its project",
            "refusals.test_every_route_wants_a_known_bearer_section_7 "
            "replay.test_another_projects_bearer_sees_nothing_of_this_one_section_7",
        ),
        (
            "HEAD is GET without a body",
            "representation.test_head_equals_get_without_a_body_section_7 "
            "representation.test_head_equals_get_everywhere_else_too_section_7 "
            "atom.test_head_of_a_feed_equals_its_get_section_7",
        ),
        ("queries are known, single and well-formed", "refusals.test_queries_are_strict_section_7"),
        (
            "a raw body has at most 65,536 bytes, counted while it is read",
            "append.test_a_body_of_exactly_the_cap_is_accepted_and_one_byte_more_is_not_section_7 "
            "append.test_a_body_without_a_length_is_refused_while_it_is_read_section_7 "
            "append.test_a_canonical_event_beyond_the_cap_is_refused_whatever_it_came_in_section_7",
        ),
        ("a write returns one record", "append.test_a_new_event_gets_201_and_one_complete_record_section_7"),
        (
            "warnings are bounded, of two codes, and of writes only",
            "append.test_a_fork_warning_lists_at_most_16_events_section_7 "
            "append.test_a_pending_claim_is_warned_of_section_7 append.test_reads_never_carry_warnings_section_7",
        ),
        ("a POST waits for no wake", "standing.test_a_post_does_not_wait_for_who_is_told_section_7"),
        (
            "a failure to wake takes no event back",
            "standing.test_nobody_to_be_told_takes_no_event_back_section_7",
        ),
        (
            "recipients are told in bounded pages",
            "standing.test_telling_many_gives_other_work_a_turn_after_each_page_section_7",
        ),
        (
            "an append that fails is a sanitized 503, and nothing of it is echoed or logged",
            "database.test_a_storage_failure_on_append_is_a_sanitized_503_section_7 "
            "secrecy.test_no_body_path_bearer_or_signature_is_logged_whatever_happens_sections_7_and_9 "
            "refusals.test_refusals_never_echo_what_was_sent_section_7",
        ),
        (
            "records ascend, and the page says where to go on",
            "replay.test_records_ascend_and_pages_join_without_gap_or_repeat_section_7 "
            "replay.test_an_empty_page_repeats_the_supplied_cursor_section_7 "
            "replay.test_an_empty_project_has_no_cursor_section_7",
        ),
        ("limit is 100 unless asked, 1 to 200", "replay.test_a_page_holds_100_records_unless_asked_section_7"),
        (
            "a page claims no exhaustive history while there is more",
            "replay.test_a_full_last_page_has_no_more_section_7 "
            "replay.test_records_ascend_and_pages_join_without_gap_or_repeat_section_7",
        ),
        (
            "Content-Type describes the bytes; Vary names Accept and Authorization",
            "representation.test_content_type_describes_the_bytes_served_section_7 "
            "representation.test_a_collection_is_private_and_tagged_over_its_exact_bytes_section_7 "
            "atom.test_events_are_offered_in_three_representations_section_7",
        ),
        (
            "parameters before q must fit, those after it do not matter, charset=utf-8 is admitted",
            "representation.test_accept_chooses_the_media_type_section_7 "
            "refusals.test_post_takes_the_two_json_media_types_section_7",
        ),
        (
            "an Atom entry is event_id, received_at and the immutable event and receipt",
            "atom.test_an_entry_has_the_event_id_the_receipt_time_and_only_what_never_changes_section_7 "
            "atom.test_every_character_of_an_event_survives_xml_section_7 "
            "recorded.test_the_recorded_feed_is_told_again_by_value_section_7",
        ),
        (
            "diagnostics change no old Atom bytes",
            "atom.test_a_parent_that_arrives_and_lineage_that_settles_change_no_old_atom_bytes_section_7 "
            "atom.test_an_expiry_changes_no_atom_bytes_section_7",
        ),
        ("feed order is receipt order", "atom.test_feed_order_is_receipt_order_and_pages_as_json_does_section_7"),
        (
            "a route spelled with escapes has the same exact body",
            "representation.test_a_route_spelled_with_escapes_gives_the_same_bytes_section_7",
        ),
        (
            "Link leads to self, alternate, voice and claims",
            "representation.test_links_lead_to_self_voice_and_claims_and_never_to_the_template_section_7 "
            "atom.test_json_and_atom_are_alternates_of_each_other_in_link_section_7",
        ),
        (
            "the live template stands in Link-Template, never in Link",
            "representation.test_the_live_template_is_a_structured_link_template_section_7 "
            "representation.test_links_lead_to_self_voice_and_claims_and_never_to_the_template_section_7",
        ),
        (
            "in Atom it is a foreign element",
            "atom.test_the_wake_template_is_a_foreign_element_and_no_link_section_7",
        ),
        (
            "it is expanded with an active identity of the bearer's project",
            "wake.test_who_cannot_listen_is_told_why_section_7_1 "
            "wake.test_another_projects_identity_cannot_listen_section_7",
        ),
        (
            "a strong tag over the exact bytes; a match is 304 without a body",
            "representation.test_a_collection_is_private_and_tagged_over_its_exact_bytes_section_7 "
            "representation.test_a_matching_tag_gives_304_with_the_full_header_set_section_7 "
            "representation.test_if_none_match_takes_stars_lists_and_weak_forms_section_7",
        ),
        (
            "what a bearer reads is private",
            "representation.test_a_collection_is_private_and_tagged_over_its_exact_bytes_section_7",
        ),
        (
            "JSON and Atom have tags of their own",
            "atom.test_a_parent_that_arrives_and_lineage_that_settles_change_no_old_atom_bytes_section_7 "
            "representation.test_each_representation_has_the_tag_of_its_own_bytes_section_7",
        ),
    ),
    *demands(
        "7.1",
        ("50 recent records", "voice.test_recent_events_are_the_newest_50_newest_first_section_7_1"),
        ("128 active claims", "bounds.test_a_voice_with_more_claims_than_it_may_show_is_truncated_section_7_1"),
        (
            "missing parents and forks come from the recent window",
            "voice.test_missing_parents_come_from_the_recent_window_and_go_when_they_arrive_section_7_1 "
            "bounds.test_missing_parents_are_looked_for_in_the_recent_window_only_and_older_ones_are_admitted"
            "_section_7_1",
        ),
        (
            "a fork lists 16 events, with a 17-row sentinel",
            "voice.test_a_fork_lists_16_events_and_admits_more_section_7_1",
        ),
        ("128 overlaps", "voice.test_at_most_128_overlaps_are_listed_and_more_are_admitted_section_7_1"),
        ("an overlap lists 16 paths", "voice.test_an_overlap_lists_16_prefixes_and_admits_more_section_7_1"),
        (
            "complete only when every part is; anything omitted is truncated",
            "voice.test_recent_events_are_the_newest_50_newest_first_section_7_1 "
            "bounds.test_a_voice_with_more_competitors_than_it_may_list_is_truncated_section_6",
        ),
        ("no query reads more than its bound", "plans.test_every_key_and_index_leads_with_the_project"),
        (
            "every append is told to the active identities of its project",
            "wake.test_every_active_identity_of_the_project_is_told_of_each_append_in_order_section_7_1",
        ),
        (
            "the frame has its members, no body and no authority",
            "wake.test_a_change_frame_has_the_members_of_section_7_1_and_no_authority_section_8",
        ),
        (
            "a slow reader is cut, a stream has a lifetime and an identity a cap",
            "wake.test_a_reader_that_does_not_keep_up_is_cut_off_section_7_1 "
            "wake.test_a_stream_ends_with_refresh_at_its_lifetime_section_7_1 "
            "wake.test_a_stream_beyond_the_cap_of_its_identity_is_told_so_and_ended_section_7_1",
        ),
        (
            "who may listen no more is ended, and told why when it comes again",
            "standing.test_the_stream_of_a_revoked_identity_ends_and_it_gets_410_again_section_7_1 "
            "standing.test_the_stream_of_a_revoked_bearer_ends_and_other_bearers_go_on_section_7 "
            "standing.test_the_stream_of_a_bearer_ends_when_the_bearer_expires_section_7",
        ),
    ),
    *demands(
        "8",
        (
            "unknown parents and late sequences are stored",
            "append.test_an_event_is_stored_before_its_parents_and_says_which_are_missing_section_4 "
            "append.test_gaps_and_late_lower_sequences_are_valid_section_4",
        ),
        (
            "concurrent overlapping claims stay independent and visible",
            "voice.test_overlaps_are_pairs_of_live_tips_even_of_one_identity_section_7_1",
        ),
        (
            "resolution and repair are appended and edit nothing",
            "append.test_resolution_and_repair_are_appended_and_edit_nothing_section_8",
        ),
        (
            "the wake document has the unconditional item and its links",
            "representation.test_the_wake_document_names_the_project_and_five_correspondence_links_section_8",
        ),
        (
            "a wake frame repeats automatic_action never",
            "wake.test_a_change_frame_has_the_members_of_section_7_1_and_no_authority_section_8",
        ),
    ),
]


@pytest.mark.parametrize("demand", MUSTS, ids=[f"{each.section} {each.words}" for each in MUSTS])
def test_every_demand_names_tests_that_exist(demand: Demand) -> None:
    assert demand.tests
    for named in demand.tests:
        module, _, name = named.partition(".")
        assert callable(getattr(import_module(f"tests.server.test_{module}"), name, None)), named
