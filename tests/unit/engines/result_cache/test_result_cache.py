"""Kept answers: who gets them, and when nobody does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.model.query import ClientState, EngineKind, QueryRequest
from sqe.sessions.session import Session
from tests.rotation import Rotation
from tests.unit.engines.local.house import DENIED, ROOT, House, open_house

ROUNDS = 1_000
QUESTION = "SELECT id, salary FROM emp ORDER BY id"
EU, US = [(1, 10), (3, 30)], [(2, 20), (4, 40)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path, result_cache={"tables": ["lake.hr.*"]}) as house:
        yield house


def rows_where(condition: str, who: str = "bob") -> str:
    return f"GRANT SELECT ON hr.emp TO {who} ROWS WHERE ({condition})"


def local_root(house: House) -> Session:
    """For questions that the local engine refuses, without the wait for Spark."""
    root = house.session(ROOT)
    root.set_property("sqe.engine", "local")
    return root


def was_kept(house: House, user: str = "") -> bool:
    """Of the last question, or that user's last."""
    records = house.server.gateway.records()
    route = [record for record in records if user in ("", record.user)][-1].route
    if route is None:
        return False
    return route.engine is EngineKind.COORDINATOR and "result cache" in route.reason


def test_the_same_question_is_answered_without_an_engine(house: House) -> None:
    root = house.session(ROOT)
    answer = house.ask(root, QUESTION)
    assert not was_kept(house)
    assert house.ask(root, QUESTION) == answer and was_kept(house)
    other = house.session(ROOT)
    assert house.ask(other, f"/* again */ {QUESTION.replace(' ', '  ')}") == answer
    assert was_kept(house)


def test_a_string_is_not_the_name_of_its_letters(house: House) -> None:
    root = house.session(ROOT)
    assert house.ask(root, "SELECT region AS x FROM emp WHERE id = 1") == [("EU",)]
    assert house.ask(root, "SELECT 'region' AS x FROM emp WHERE id = 1") == [("region",)]
    assert not was_kept(house)


def test_those_who_see_the_same_share_it_and_others_do_not(house: House) -> None:
    root = house.session(ROOT)
    for who, region in (("bob", "EU"), ("cat", "EU"), ("dan", "US")):
        house.ask(root, rows_where(f"region = '{region}'", who))
    seen = []
    for who, answer in (("bob", EU), ("cat", EU), ("dan", US), ("eve", DENIED)):
        assert house.ask(house.session(who), QUESTION) == answer
        seen.append(answer is not DENIED and was_kept(house))
    assert not seen[0] and not seen[2]


def test_a_rule_about_the_user_gives_each_an_answer_of_their_own(house: House) -> None:
    root = house.session(ROOT)
    house.ask(root, "GRANT SELECT ON hr.emp TO PUBLIC ROWS WHERE (region = current_user())")
    for who, answer in (("EU", EU), ("US", US), ("EU", EU), ("nobody", [])):
        assert house.ask(house.session(who), QUESTION) == answer


def test_a_new_snapshot_is_a_new_question(house: House) -> None:
    root, count = house.session(ROOT), "SELECT count(*) FROM emp"
    for more in range(4):
        assert house.ask(root, count) == house.ask(root, count) == [(4 + more,)]
        assert was_kept(house)
        row = {"id": [9], "region": ["EU"], "salary": [1]}
        house.lake.load_table("hr.emp").append(pa.table(row))
    assert house.ask(root, count) == [(8,)] and not was_kept(house)


def test_a_table_of_the_same_name_is_another_one(house: House) -> None:
    root = house.session(ROOT)
    house.ask(root, QUESTION)
    house.lake.drop_table("hr.emp")
    rows = pa.table({"id": [7], "region": ["EU"], "salary": [70]})
    house.lake.create_table("hr.emp", rows.schema).append(rows)
    assert house.ask(root, QUESTION) == [(7, 70)]


UNSTABLE = (
    "SELECT rand() FROM emp",
    "SELECT count(*) FROM emp WHERE current_date > DATE '2020-01-01'",
    "SELECT count(*), current_user() FROM emp",
    "SELECT count(*), current_schema() FROM emp",
    "SELECT count(*) FROM emp WHERE TIMESTAMP 'today UTC' > TIMESTAMP '2020-01-01'",
    "SELECT * FROM emp TABLESAMPLE (50 PERCENT)",
    "SELECT snapshot_id FROM emp.snapshots",
    "SELECT table_name FROM information_schema.tables",
)


def test_what_may_be_another_answer_next_time_is_not_kept(house: House) -> None:
    root = local_root(house)
    for sql in UNSTABLE:
        for _ in range(2):
            with suppress(AssertionError):  # some of them need Spark, which is not there
                house.ask(root, sql)
            assert not was_kept(house), sql
        plan = house.server.gateway.open_session(root.identity, root.schema)
        if "information_schema" not in sql:
            asked = QueryRequest(plan.id, sql)
            assert "the answer is not kept" in house.server.gateway.route(asked).reason, sql


def test_the_session_is_part_of_the_question(house: House) -> None:
    root = local_root(house)
    sql = "SELECT count(*) FROM emp"
    house.ask(root, sql)
    root.set_property("sqe.time_zone", "Europe/Vienna")
    for kept in (False, True):
        assert house.ask(root, sql) == [(4,)] and was_kept(house) is kept
    house.ask(root, "SET SESSION sqe.result_cache = 'off'")
    house.ask(root, sql)
    assert not was_kept(house)
    house.ask(root, "RESET SESSION sqe.result_cache")
    house.ask(root, sql)
    assert was_kept(house)


def test_variables_and_temporary_views_are_what_they_are_now(house: House) -> None:
    root = local_root(house)
    house.ask(root, "DECLARE VARIABLE least INT DEFAULT 3")
    sql = "SELECT id FROM emp WHERE id >= least ORDER BY id"
    assert house.ask(root, sql) == [(3,), (4,)]
    house.ask(root, "SET VARIABLE least = 4")
    assert house.ask(root, sql) == [(4,)]


def test_explain_says_so(house: House) -> None:
    root = local_root(house)
    assert "the result cache keeps the answer" in str(house.ask(root, f"EXPLAIN {QUESTION}"))
    house.ask(root, QUESTION)
    page = str(house.ask(root, f"EXPLAIN {QUESTION}"))
    assert "Reason: the result cache has the answer" in page
    route = house.server.gateway.route(QueryRequest(house.session(ROOT).id, UNSTABLE[0]))
    assert route.reason.endswith("the answer is not kept: rand may be another one next time")


def test_trinos_clients_share_it(house: House) -> None:
    root, client = local_root(house), ClientState("lake", "hr")
    answer = house.ask(root, QUESTION, client)
    assert answer == [(1, 10), (2, 20), (3, 30), (4, 40)]
    assert house.ask(root, QUESTION, client) == answer and was_kept(house)
    for _ in range(2):
        house.ask(root, "SELECT id, now() FROM emp", client)
        assert not was_kept(house)


def test_an_answer_that_was_not_read_to_its_end_is_not_kept(house: House) -> None:
    root, gateway = house.session(ROOT), house.server.gateway
    big = "SELECT a.id FROM emp a, emp b, emp c, emp d, emp e, emp f, emp g, emp h, emp i"
    with gateway.fetch(gateway.submit(QueryRequest(root.id, big))) as result:
        next(iter(result))
    house.ask(root, QUESTION)
    with gateway.fetch(gateway.submit(QueryRequest(root.id, big))) as result:
        assert result.read_all().num_rows == 4**9
    assert not was_kept(house)


def test_no_answer_survives_a_revocation(house: House, rotation: Rotation) -> None:
    """Two users who see the same ask all the time, and one of them is asked about after each
    change of the rules."""
    root, bob, cat = house.session(ROOT), house.session("bob"), house.session("cat")
    asking, wrong = threading.Event(), []
    house.ask(root, rows_where("region = 'EU'", "cat"))

    def keep_asking() -> None:
        while not asking.is_set():
            seen = house.ask(cat, QUESTION)
            if seen != EU:
                wrong.append(seen)

    kept = 0
    thread = threading.Thread(target=keep_asking)
    thread.start()
    try:
        for _ in rotation.share(range(ROUNDS), 25):
            house.ask(root, rows_where("region = 'EU'"))
            if [house.ask(bob, QUESTION) for _ in range(2)] != [EU, EU]:
                wrong.append("granted")
            kept += was_kept(house, "bob")
            house.ask(root, "REVOKE SELECT ON hr.emp FROM bob")
            if house.ask(bob, QUESTION) != DENIED:
                wrong.append("revoked")
    finally:
        asking.set()
        thread.join()
    assert not wrong
    assert kept  # or nothing was tried


def test_an_engine_that_fails_leaves_no_answer(house: House) -> None:
    root = local_root(house)
    for _ in range(2):
        query_id = house.server.gateway.submit(
            QueryRequest(root.id, "SELECT id div (id - 3) FROM emp")
        )
        with (
            pytest.raises(SqeError, match="Division by zero"),
            house.server.gateway.fetch(query_id) as result,
        ):
            result.read_all()
        assert not was_kept(house)
