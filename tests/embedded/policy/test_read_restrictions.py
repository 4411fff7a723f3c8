"""A catalog's own restrictions hold in whatever is asked, on whichever engine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sqe.errors import ErrorCode
from sqe.model.query import EngineKind
from sqe.settings import Settings
from sqe.testing import PolarisLikeCatalog, StaticTokens
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake
from tests.unit.catalog.remote.serving import person

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

US = {
    "type": "eq",
    "left": {"type": "reference", "id": 3},
    "right": {"type": "literal", "value": "US"},
}
ONLY_US = {
    "required-row-filter": US,
    "required-column-projections": [
        {"field-id": 2, "action": "show-last-4"},
        {"field-id": 4, "action": "replace-with-null"},
        {"field-id": 5, "action": "truncate-to-month"},
    ],
}
ROWS = (
    "(1, '111-22-3333', 'US', 10, DATE'2024-05-17'), (2, '444-55-6666', 'DE', 20, NULL),"
    " (3, 'x', 'US', 30, NULL), (4, NULL, NULL, 40, NULL)"
)


class Shop:
    """Carol owns the catalog; Alice may read and write, with what a test restricts."""

    def __init__(self, there: PolarisLikeCatalog, carol: Lake) -> None:
        self.admin = there.admin
        self.carol = carol

    @contextmanager
    def restricted(self, restrictions: Any) -> Iterator[None]:
        self.admin.restrict_reads("lake", "shop", "people", "alice", restrictions)
        try:
            yield
        finally:
            self.admin.restrict_reads("lake", "shop", "people", "alice", None)

    def alice(self, engine: str) -> Lake:
        session = self.carol.server.gateway.open_session(person("alice"))
        session.set_property("sqe.engine", engine)
        return Lake(self.carol.server, session)


@pytest.fixture
def shop(another: Another, tmp_path: Path) -> Iterator[Shop]:
    tokens = StaticTokens()
    tokens.add("alice", "alice", ["analyst"])
    tokens.add("carol", "carol", ["admin"])
    with PolarisLikeCatalog(tmp_path / "polaris", tokens) as there:
        there.admin.add_catalog("lake", ["shop"])
        for name, role in (("alice", "analyst"), ("carol", "admin")):
            there.admin.add_principal(name, [role])
            there.admin.grant(role, ["CATALOG_MANAGE_CONTENT"], catalog="lake")
        remote = {"type": "rest", "uri": there.url, "warehouse": "lake", "delegation": "none"}
        settings = {
            "default_catalog": "lake",
            "default_schema": "shop",
            "catalogs": {"lake": remote},
        }
        server = another(Settings.model_validate(settings)).server
        carol = Lake(server, server.gateway.open_session(person("carol")))
        carol.all(
            "CREATE TABLE people (id INT, ssn STRING, country STRING, pay INT, day DATE)",
            f"INSERT INTO people VALUES {ROWS}",
            "ALTER TABLE people CREATE TAG before",
            "CREATE VIEW everyone AS SELECT * FROM people",
        )
        yield Shop(there, carol)


@pytest.mark.parametrize("engine", ["spark", "auto"])
def test_a_reader_sees_what_the_catalog_lets_them_see(shop: Shop, engine: str) -> None:
    alice = shop.alice(engine)
    assert alice.value("SELECT count(*) FROM people") == 4
    with shop.restricted(ONLY_US):
        for source in ("people", "everyone", "people VERSION AS OF 'before'", "people.tag_before"):
            seen = alice.rows(
                f"SELECT id, ssn, country, pay, cast(day AS string) FROM {source} ORDER BY id"
            )
            assert seen == [
                (1, "nnn-nn-3333", "US", None, "2024-05-01"),
                (3, "x", "US", None, None),
            ], source
        assert alice.rows("SELECT 1 FROM people WHERE ssn = '111-22-3333' OR pay > 0") == []
        assert shop.carol.value("SELECT count(*) FROM people") == 4
    assert alice.value("SELECT sum(pay) FROM people") == 100


def hashed(number: int, size: int) -> int:
    """As the specification has it: bytes in and out, the lowest first."""
    digest = hashlib.sha256(number.to_bytes(size, "little", signed=True)).digest()
    return int.from_bytes(digest[:size], "little", signed=True)


def test_hashes_are_those_of_every_other_reader(shop: Shop) -> None:
    numbers = [0, 1, -1, 2**31 - 1, -(2**31), 255, 65_536]
    rows = ", ".join(f"({one}, {one * 2**20}, 'é{one}', X'00{one % 90 + 10}')" for one in numbers)
    shop.carol.run("CREATE TABLE hashes (i INT, b BIGINT, s STRING, x BINARY)")
    shop.carol.run(f"INSERT INTO hashes VALUES {rows}, (NULL, NULL, NULL, NULL)")
    actions = [{"field-id": one, "action": "sha-256-global"} for one in (1, 2, 3, 4)]
    restrictions = {"required-column-projections": actions}
    shop.admin.restrict_reads("lake", "shop", "hashes", "alice", restrictions)
    seen = shop.alice("auto").rows("SELECT * FROM hashes")
    assert sorted(seen, key=str) == sorted(
        [
            (None, None, None, None),
            *(
                (
                    hashed(one, 4),
                    hashed(one * 2**20, 8),
                    hashlib.sha256(f"é{one}".encode()).hexdigest(),
                    hashlib.sha256(bytes.fromhex(f"00{one % 90 + 10}")).digest(),
                )
                for one in numbers
            ),
        ],
        key=str,
    )


def test_the_local_engine_carries_filters_out_too(shop: Shop) -> None:
    alice = shop.alice("auto")
    with shop.restricted({"required-row-filter": US}):
        assert alice.rows("SELECT id FROM people ORDER BY id") == [(1,), (3,)]
    route = alice.last_record().route
    assert route is not None and route.engine is EngineKind.LOCAL


def test_what_sqe_cannot_carry_out_denies_the_table(shop: Shop) -> None:
    alice = shop.alice("auto")
    unknown: list[Any] = [
        {"required-column-projections": [{"field-id": 2, "action": "rot13"}]},
        {"required-column-projections": [{"field-id": 99, "action": "replace-with-null"}]},
        {"required-row-filter": {"type": "like", "left": 1, "right": 2}},
    ]
    for restrictions in unknown:
        with shop.restricted(restrictions):
            for sql in ("SELECT 1 FROM people", "SELECT id FROM everyone", "DELETE FROM people"):
                assert alice.fails(sql).code is ErrorCode.ACCESS_DENIED, (restrictions, sql)
    assert alice.value("SELECT count(*) FROM people") == 4


CHANGES = [
    "INSERT INTO people (id) VALUES (5)",
    "UPDATE people SET pay = 0",
    "DELETE FROM people WHERE country = 'US'",
    "MERGE INTO people t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "ALTER TABLE people RENAME COLUMN ssn TO other",
    "DROP TABLE people",
    "CALL lake.system.rewrite_data_files(table => 'shop.people')",
    "SELECT * FROM people.files",
]


def test_who_sees_a_part_changes_nothing_and_sees_no_metadata(shop: Shop) -> None:
    alice = shop.alice("auto")
    with shop.restricted(ONLY_US):
        for sql in CHANGES:
            assert alice.fails(sql).code is ErrorCode.ACCESS_DENIED, sql
    assert shop.carol.value("SELECT count(*) FROM people") == 4


def test_a_renamed_column_stays_masked(shop: Shop) -> None:
    shop.carol.run("ALTER TABLE people RENAME COLUMN ssn TO number")
    alice = shop.alice("auto")
    with shop.restricted(ONLY_US):
        assert alice.value("SELECT number FROM people WHERE id = 1") == "nnn-nn-3333"
