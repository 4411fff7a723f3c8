"""Keyed hashes: equal stays equal, and the key is nowhere to be seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.engines.protocol import Run
from sqe.errors import ErrorCode
from sqe.model.decision import Restrict
from sqe.model.masks import HashMask
from sqe.model.query import EngineKind, QueryRequest
from tests.embedded.pipe.lake import Lake
from tests.policy.hashing import HASH_KEYS, hashed, subkey

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

KEY = HASH_KEYS["default"]
COLUMNS = "id INT, s STRING, other STRING, n INT, b BIGINT, raw BINARY, day DATE"
MASKS = {name: HashMask() for name in ("s", "other", "n", "b", "raw")}
HIDDEN = Restrict("test", masks=MASKS)


@pytest.fixture(scope="module")
def keyed(shared_lake: Lake) -> Lake:
    shared_lake.all(
        "CREATE SCHEMA hashes",
        f"CREATE TABLE hashes.t ({COLUMNS})",
        "INSERT INTO hashes.t VALUES"
        " (1, 'ünï', 'x', 7, -9223372036854775808, X'00ff', DATE'2024-01-01'),"
        " (2, 'x', 'ünï', -2147483648, 7, X'', NULL), (3, NULL, NULL, NULL, NULL, NULL, NULL)",
    )
    return shared_lake


@pytest.fixture(params=["spark", "auto"])
def mine(keyed: Lake, request: pytest.FixtureRequest) -> Iterator[Lake]:
    own = keyed.another_session(engine=request.param)
    with own.rules.on("lake.hashes.t", HIDDEN):
        yield own
    own.close()


def test_values_become_hashes_of_their_type(mine: Lake) -> None:
    rows = mine.run("SELECT s, n, b, raw FROM hashes.t ORDER BY id").to_pylist()
    texts = [hashed("ünï".encode()), hashed(b"x"), None]
    assert [row["s"] for row in rows] == texts
    assert [row["n"] for row in rows] == [
        int(hashed(b"7")[:7], 16), int(hashed(b"-2147483648")[:7], 16), None
    ]  # fmt: skip
    assert [row["b"] for row in rows][1:] == [int(hashed(b"7")[:15], 16), None]
    assert [row["raw"] for row in rows] == [
        bytes.fromhex(hashed(b"\x00\xff")), bytes.fromhex(hashed(b"")), None
    ]  # fmt: skip


def test_columns_that_are_hashed_can_be_joined(mine: Lake) -> None:
    rows = mine.rows(
        "SELECT a.id, b.id FROM hashes.t a JOIN hashes.t b ON a.s = b.other ORDER BY 1"
    )
    assert rows == [(1, 2), (2, 1)]


def test_another_key_gives_other_hashes(keyed: Lake) -> None:
    with keyed.rules.on("lake.hashes.t", Restrict("test", masks={"s": HashMask("second")})):
        assert keyed.value("SELECT s FROM hashes.t WHERE id = 2") == hashed(b"x", "another")


@pytest.mark.parametrize("key", ["none", "empty"])
def test_a_key_that_the_settings_lack_refuses_the_query(keyed: Lake, key: str) -> None:
    with keyed.rules.on("lake.hashes.t", Restrict("test", masks={"s": HashMask(key)})):
        assert keyed.fails("SELECT id FROM hashes.t").code is ErrorCode.ACCESS_DENIED


def test_a_type_that_cannot_be_hashed_refuses_the_query(keyed: Lake) -> None:
    with keyed.rules.on("lake.hashes.t", Restrict("test", masks={"day": HashMask()})):
        assert keyed.fails("SELECT id FROM hashes.t").code is ErrorCode.ACCESS_DENIED


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT s + 1 FROM hashes.t",
        "SELECT CAST(s AS INT) FROM hashes.t",
        "SELECT raise_error(s) FROM hashes.t",
        "SELECT s.x FROM hashes.t",
        "SELECT sum(s) OVER (ORDER BY nope) FROM hashes.t",
        "SELECT element_at(array(s), 9) FROM hashes.t",
    ],
)
def test_no_error_shows_the_key(mine: Lake, sql: str) -> None:
    said = str(mine.fails(sql))
    assert "sqekey" not in said and subkey("inner").decode()[6:] not in said


def test_neither_text_nor_plan_shows_the_key(keyed: Lake) -> None:
    pipeline = keyed.server.gateway._pipeline
    request = QueryRequest(keyed.session.id, "SELECT s, raw FROM hashes.t WHERE s = 'x'")
    with keyed.rules.on("lake.hashes.t", HIDDEN):
        planned = pipeline.plan(request, keyed.session, lambda stage: _Nothing())
        engine = pipeline.runner.engines[EngineKind.SPARK]
        for mode in ("", "FORMATTED", "COST", "EXTENDED", "CODEGEN"):
            shown = engine.prepare(planned.guarded_statement, keyed.session).explain(
                Run("test", keyed.session), mode
            )
            said = shown.text + shown.plan
            assert "sha2" in said
            assert KEY not in said and subkey("inner").decode()[6:] not in said
            assert subkey("outer").decode()[6:] not in said
    assert subkey("inner").decode() not in repr(planned)


class _Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...
