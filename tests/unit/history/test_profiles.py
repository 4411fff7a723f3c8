"""Plans and operators' figures that are kept of queries: of which, and who is shown what."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.access.other_users import redact_record
from sqe.errors import ErrorCode, UserError
from sqe.gateway.tracker import TrackedQuery
from sqe.history.profiles import ProfileRule
from sqe.model.identity import Identity
from sqe.model.query import EngineKind, Profile, QueryRecord, QueryState, Route
from sqe.store.database import Database
from sqe.store.history import HistoryStore, Process, QueryFilter
from sqe.store.query_rows import row_of
from tests.unit.gateway.test_system_queries import ask, serving

RECORD = QueryRecord("q1", "ann", "SELECT 1", QueryState.RUNNING, 100.0)
MADE = Profile("filter salary > 7", "- FILTER")
SLOW = ProfileRule(after_s=10.0)


def kept(record: QueryRecord, elapsed_s: float, *, failed: bool = False) -> Profile:
    return SLOW.profile_of(record, lambda: MADE, elapsed_s, failed=failed)


def test_slow_and_failed_queries_have_one() -> None:
    assert kept(RECORD, 10.0) == MADE
    assert kept(RECORD, 0.1, failed=True) == MADE
    assert kept(RECORD, 9.9) == Profile()
    assert ProfileRule().profile_of(RECORD, lambda: MADE, 99.0, failed=True) == Profile()


def test_nothing_is_kept_of_what_its_user_sees_in_part() -> None:
    assert kept(replace(RECORD, restricted=True), 99.0, failed=True) == Profile()


def test_no_plan_is_kept_of_a_text_with_a_secret() -> None:
    text = "SELECT aes_encrypt(a, b) FROM t WHERE password = 'open sesame'"
    assert kept(replace(RECORD, text=text), 99.0) == Profile("", "- FILTER")


def test_a_profile_that_cannot_be_made_is_none() -> None:
    def fail() -> Profile:
        raise RuntimeError("no")

    assert SLOW.profile_of(RECORD, fail, 99.0, failed=False) == Profile()


def test_a_profile_is_cut() -> None:
    long = Profile("p" * 50_000, "o" * 50_000)
    made = SLOW.profile_of(RECORD, lambda: long, 99.0, failed=False)
    assert (len(made.plan), len(made.operators)) == (20_000, 20_000)


def test_others_are_shown_no_plan() -> None:
    record = replace(RECORD, profile=MADE)
    assert redact_record(record, Identity("ann")).profile == MADE
    assert redact_record(record, Identity("root")).profile == Profile("", "- FILTER")
    hidden = replace(record, restricted=True)
    assert redact_record(hidden, Identity("ann")).profile == Profile()


def test_it_is_there_after_a_restart_and_not_in_rows_of_before(tmp_path: Path) -> None:
    record = replace(RECORD, state=QueryState.FINISHED, ended=110.0, profile=MADE)
    before = replace(record, query_id="q0", profile=Profile())
    old = row_of(before, "p")
    old["body"] = old["body"].replace(',"plan":"","operators":""', "")
    assert "operators" not in old["body"]
    with closing(Database(tmp_path)) as database:
        store = HistoryStore(database)
        store.write(Process("p", "home"), time.time(), [row_of(record, "p"), old])
        found = {one.query_id: one.profile for one in store.search(QueryFilter(), 9)}
    assert found == {"q1": MADE, "q0": Profile()}


@pytest.mark.parametrize("profile", ["all", "slow", "off"])
def test_the_history_shows_what_the_local_engine_did(tmp_path: Path, profile: str) -> None:
    query = "SELECT count(*) FROM range(9) WHERE id > 7654321"
    with serving(tmp_path, history={"delay_s": 0.02, "profile": profile}) as server:
        ask(server, "ann", query)
        columns = f"SELECT plan, operators FROM system.history.queries WHERE query = '{query}'"
        [(plan, operators)] = ask(server, "ann", columns)
        [(of_others, others)] = ask(server, "root", columns)
        assert of_others is None
        if profile == "all":
            assert "7654321" in plan and "7654321" not in operators
            assert "FILTER" in operators and others == operators
        else:
            assert plan is operators is others is None


def test_an_engine_that_gives_up_leaves_none() -> None:
    query = TrackedQuery(RECORD, lambda _: None, profiles=SLOW)
    query.note_route(Route(EngineKind.LOCAL, "small"))
    query.offer_profile(lambda: MADE)
    query.note_route(Route(EngineKind.SPARK, "the local engine gave up"))
    query.fail(UserError(ErrorCode.USER_ERROR, "no"))
    assert query.record.profile == Profile()
