"""GRANT and its kin on real rows: one query, several users, both engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.errors import ErrorCode
from sqe.settings import Settings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]
POLICY = {"sql": True, "administrators": ["ann"], "hash_keys": {"default": "k" * 32}}
PEOPLE = "SELECT * FROM hr.emp ORDER BY id"


@pytest.fixture
def admin(another: Another, tmp_path: object) -> Iterator[Lake]:
    """ann, the administrator, with a table of three people."""
    lake = another(Settings.model_validate({"home": tmp_path, "policy": POLICY}))
    lake.all(
        "CREATE SCHEMA hr",
        "CREATE TABLE hr.emp AS SELECT * FROM VALUES"
        " (1L, 'Ada', 'EU', 10), (2L, 'Bob', 'US', 20), (3L, 'Cleo', 'EU', 30)"
        " AS v(id, name, region, pay)",
    )
    yield lake


@pytest.fixture(params=["auto", "spark"])
def bob(admin: Lake, request: pytest.FixtureRequest) -> Lake:
    return admin.another_session("bob", request.param)


def test_one_query_gives_three_users_three_answers(admin: Lake, bob: Lake) -> None:
    admin.all(
        "CREATE ROLE analyst",
        "GRANT ROLE analyst TO bob",
        "GRANT SELECT ON hr.emp TO ROLE analyst ROWS WHERE (region = 'EU')"
        " COLUMNS (id, name MASKED WITH (PARTIAL(1, 0)))",
    )
    assert admin.rows(PEOPLE) == [
        (1, "Ada", "EU", 10),
        (2, "Bob", "US", 20),
        (3, "Cleo", "EU", 30),
    ]
    assert bob.rows(PEOPLE) == [(1, "A**"), (3, "C***")]
    error = admin.another_session("eve").fails(PEOPLE)
    assert error.code is ErrorCode.ACCESS_DENIED
    [row] = bob.rows(f"EXPLAIN POLICY {PEOPLE}")
    assert row[1:4] == ("select", "restrict", "sql")
    assert "ROLE analyst" in row[4]


def test_a_change_is_there_for_the_next_query(admin: Lake, bob: Lake) -> None:
    admin.run("GRANT SELECT ON hr.emp TO bob")
    assert len(bob.rows(PEOPLE)) == 3
    admin.run("DENY SELECT ON hr.emp TO bob")
    assert bob.fails(PEOPLE).code is ErrorCode.ACCESS_DENIED
    admin.run("REVOKE SELECT ON hr.emp FROM bob")
    assert bob.fails(PEOPLE).code is ErrorCode.ACCESS_DENIED
    admin.run("GRANT SELECT ON hr.* TO PUBLIC")
    assert len(bob.rows(PEOPLE)) == 3


def test_policies_by_name_and_by_tag_are_in_force(admin: Lake, bob: Lake) -> None:
    admin.all(
        "GRANT SELECT ON hr.emp TO PUBLIC",
        "CREATE ROW FILTER cheap AS (pay < 25)",
        "CREATE COLUMN MASK loud (c) AS (concat(upper(c), '!'))",
        "ALTER TABLE hr.emp ADD ROW FILTER cheap",
        "ALTER TABLE hr.emp ALTER COLUMN name SET TAG pii",
        "APPLY COLUMN MASK loud TO TAG pii",
    )
    assert bob.rows("SELECT id, name FROM hr.emp ORDER BY id") == [(1, "ADA!"), (2, "BOB!")]
    admin.all("ALTER TABLE hr.emp ADD ROW FILTER cheap EXCEPT USER bob")
    assert len(bob.rows(PEOPLE)) == 3
    admin.all("ALTER TABLE hr.emp RENAME COLUMN name TO called")
    assert bob.rows("SELECT called FROM hr.emp WHERE id = 3") == [("CLEO!",)]
    admin.all(
        "REMOVE COLUMN MASK loud FROM TAG pii",
        "ALTER TABLE hr.emp ALTER COLUMN called SET MASK loud",
        "ALTER TABLE hr.emp RENAME COLUMN called TO name",
    )
    assert bob.rows("SELECT name FROM hr.emp WHERE id = 3") == [("CLEO!",)]
    admin.all(
        "ALTER TABLE hr.emp ALTER COLUMN name DROP MASK",
        "ALTER TABLE hr.emp RENAME COLUMN name TO called",
    )
    assert bob.rows("SELECT called FROM hr.emp WHERE id = 3") == [("Cleo",)]


def test_a_filter_may_ask_another_table_and_who_reads(admin: Lake, bob: Lake) -> None:
    admin.all(
        "CREATE TABLE hr.regions AS SELECT 'bob' AS who, 'US' AS region",
        "GRANT SELECT ON hr.emp TO PUBLIC ROWS WHERE"
        " (region IN (SELECT r.region FROM lake.hr.regions AS r WHERE r.who = current_user()))",
    )
    assert bob.rows("SELECT name FROM hr.emp") == [("Bob",)]


def test_a_filter_knows_roles_that_were_granted(admin: Lake, bob: Lake) -> None:
    admin.all(
        "CREATE ROLE inner_circle",
        "CREATE ROLE boss",
        "GRANT SELECT ON hr.emp TO PUBLIC ROWS WHERE (has_role('inner_circle') OR id = 1)",
    )
    assert len(bob.rows(PEOPLE)) == 1
    admin.all("GRANT ROLE inner_circle TO ROLE boss", "GRANT ROLE boss TO bob")
    assert len(bob.rows(PEOPLE)) == 3


def test_a_hash_stays_the_same_and_tells_nothing(admin: Lake, bob: Lake) -> None:
    admin.run("GRANT SELECT ON hr.emp TO bob COLUMNS (id, name MASKED WITH (HASH))")
    first, again = bob.rows(PEOPLE), bob.rows(PEOPLE)
    assert first == again
    assert len({name for _, name in first}) == 3
    assert not {name for _, name in first} & {"Ada", "Bob", "Cleo"}


def test_the_owner_grants_what_they_made(admin: Lake) -> None:
    admin.run("GRANT ALL PRIVILEGES ON SCHEMA hr TO bob")
    bob, eve = admin.another_session("bob"), admin.another_session("eve")
    bob.run("CREATE TABLE hr.own AS SELECT 1 AS a, 2 AS b")
    bob.run("GRANT SELECT ON hr.own TO eve COLUMNS (a)")
    assert eve.rows("SELECT * FROM hr.own") == [(1,)]
    assert eve.fails("GRANT SELECT ON hr.own TO USER cid").code is ErrorCode.ACCESS_DENIED
    rows = bob.rows("SHOW EFFECTIVE POLICY FOR USER eve ON hr.own")
    assert next(row for row in rows if row[0] == "select")[5] == "b: hidden"
