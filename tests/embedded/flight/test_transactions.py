"""Transactions: what a session changes in one is there for all at once, or never was."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode, SqeError
from sqe.model.decision import Deny, Restrict, RowFilter
from sqe.model.query import EngineKind, QueryRequest
from sqe.protocols.flight_sql.ingest import Destination, IfAbsent, IfPresent, Ingest
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]
_NUMBERS = itertools.count(1)


@dataclass
class Work:
    """One transaction of a session."""

    lake: Lake
    id: str

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        gateway = self.lake.server.gateway
        request = QueryRequest(self.lake.session.id, sql, "tests", transaction=self.id)
        with gateway.fetch(gateway.submit(request)) as result:
            table = result.read_all()
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))

    def run(self, *statements: str) -> None:
        for sql in statements:
            self.rows(sql)

    def fails(self, sql: str) -> SqeError:
        with pytest.raises(SqeError) as raised:
            self.rows(sql)
        return raised.value

    def commit(self) -> None:
        self.lake.server.gateway.commit(self.lake.session.id, self.id)

    def rollback(self) -> None:
        self.lake.server.gateway.rollback(self.lake.session.id, self.id)


def begin(lake: Lake) -> Work:
    return Work(lake, lake.server.gateway.begin(lake.session.id))


@pytest.fixture(scope="session")
def _schema(shared_lake: Lake) -> None:
    shared_lake.run("CREATE SCHEMA txn")


@pytest.fixture
def us(shared_lake: Lake, _schema: None) -> Iterator[Lake]:
    """A session of this test's own; the engine is chosen as usual."""
    own = shared_lake.another_session(engine="auto")
    yield own
    own.close()


@pytest.fixture
def them(shared_lake: Lake, _schema: None) -> Lake:
    """Somebody else."""
    return shared_lake


def new_name() -> str:
    return f"txn.t{next(_NUMBERS)}"


@pytest.fixture
def table(them: Lake) -> str:
    """``(id INT, v STRING)`` with the rows 1 and 2."""
    name = new_name()
    them.run(f"CREATE TABLE {name} AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, v)")
    return name


def ids(who: Lake | Work, name: str) -> list[int]:
    return [number for (number,) in who.rows(f"SELECT id FROM {name} ORDER BY id")]


def files(lake: Lake, name: str) -> set[Path]:
    """Everything below the table's folder."""
    folder = lake.home / "warehouse" / "txn" / name.split(".")[-1]
    return {path for path in folder.rglob("*") if path.is_file()}


def metadata(lake: Lake, name: str) -> dict[str, Any]:
    catalog = lake.server.catalogs.open("lake", lake.session.identity)
    return catalog.load_table(Ident(("txn",), name.split(".")[-1])).metadata


def test_nobody_else_sees_a_change_before_it_is_committed(us: Lake, them: Lake, table: str) -> None:
    work = begin(us)
    before = metadata(them, table)
    work.run(f"INSERT INTO {table} VALUES (3, 'c')")
    work.run(f"UPDATE {table} SET v = 'changed' WHERE id = 1")
    work.run(f"DELETE FROM {table} WHERE id = 2")
    work.run(
        f"MERGE INTO {table} AS t USING (SELECT 4 AS id, 'd' AS v) AS s ON t.id = s.id"
        " WHEN NOT MATCHED THEN INSERT *"
    )
    mine = [(1, "changed"), (3, "c"), (4, "d")]
    for engine in ("local", "spark"):  # both read what the transaction has written
        us.session.set_property("sqe.engine", engine)
        assert work.rows(f"SELECT * FROM {table} ORDER BY id") == mine
    us.session.set_property("sqe.engine", "auto")
    assert us.server.gateway.records()[-1].route is not None
    for who in (us, them, begin(them)):  # the same session, too, if it is outside
        assert who.rows(f"SELECT * FROM {table} ORDER BY id") == [(1, "a"), (2, "b")]
    assert metadata(them, table) == before
    work.commit()
    for engine in ("local", "spark"):
        us.session.set_property("sqe.engine", engine)
        assert us.rows(f"SELECT * FROM {table} ORDER BY id") == mine
    assert them.rows(f"SELECT * FROM {table} ORDER BY id") == mine
    after = metadata(them, table)
    assert len(after["snapshots"]) == len(before["snapshots"]) + 4
    assert len(after["metadata-log"]) == len(before.get("metadata-log") or []) + 1  # one commit
    assert len(after["snapshot-log"]) == len(before["snapshot-log"]) + 1  # nothing in between
    assert work.fails("SELECT 1").code is ErrorCode.TRANSACTION_NOT_FOUND


def test_a_rollback_leaves_no_trace(us: Lake, them: Lake, table: str) -> None:
    before, state = files(them, table), metadata(them, table)
    work = begin(us)
    made = new_name()
    work.run(
        f"INSERT INTO {table} VALUES (3, 'c')",
        f"DELETE FROM {table} WHERE id = 1",
        f"CREATE TABLE {made} AS SELECT 1 AS id",
        f"TRUNCATE TABLE {table}",
    )
    assert ids(work, table) == []
    assert files(them, table) > before
    work.rollback()
    assert ids(them, table) == [1, 2]
    assert metadata(them, table) == state
    assert files(them, table) == before
    assert not files(them, made)
    assert them.fails(f"SELECT * FROM {made}").code is ErrorCode.TABLE_NOT_FOUND
    for end in (work.commit, work.rollback):
        with pytest.raises(SqeError) as raised:
            end()
        assert raised.value.code is ErrorCode.TRANSACTION_NOT_FOUND


def test_the_end_of_a_session_rolls_back(shared_lake: Lake, them: Lake, table: str) -> None:
    own = shared_lake.another_session()
    before = files(them, table)
    begin(own).run(f"INSERT INTO {table} VALUES (3, 'c')")
    own.close()
    assert ids(them, table) == [1, 2]
    assert files(them, table) == before


def test_who_comes_second_is_told_and_has_written_nothing(us: Lake, them: Lake, table: str) -> None:
    work, other = begin(us), begin(them)
    work.run(f"INSERT INTO {table} VALUES (3, 'c')")
    other.run(f"INSERT INTO {table} VALUES (4, 'd')")
    other.commit()
    before = files(them, table)
    assert ids(work, table) == [1, 2, 3]  # what it works on does not move under it
    with pytest.raises(SqeError) as raised:
        work.commit()
    assert raised.value.code is ErrorCode.COMMIT_CONFLICT
    assert ids(them, table) == [1, 2, 4]
    assert files(them, table) < before
    assert them.rows(f"SELECT count(*) FROM {table}.snapshots") == [(2,)]


CHANGES = [
    "ALTER TABLE {} ADD COLUMN w INT",
    "DROP TABLE {}",
    "CREATE OR REPLACE TABLE {} AS SELECT 9 AS id, 'new' AS v",
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda text: text.split()[0].lower())
def test_any_change_of_the_table_is_a_conflict(
    us: Lake, them: Lake, table: str, change: str
) -> None:
    work = begin(us)
    work.run(f"INSERT INTO {table} VALUES (3, 'c')")
    them.run(change.format(table))
    with pytest.raises(SqeError) as raised:
        work.commit()
    assert raised.value.code is ErrorCode.COMMIT_CONFLICT


def test_a_table_made_by_someone_else_meanwhile_is_a_conflict(us: Lake, them: Lake) -> None:
    name = new_name()
    work = begin(us)
    work.run(f"CREATE TABLE {name} AS SELECT 1 AS id")
    them.run(f"CREATE TABLE {name} AS SELECT 2 AS id")
    with pytest.raises(SqeError) as raised:
        work.commit()
    assert raised.value.code is ErrorCode.COMMIT_CONFLICT
    assert ids(them, name) == [2]


def test_several_tables_change_together(us: Lake, them: Lake, table: str) -> None:
    made, empty = new_name(), new_name()
    work = begin(us)
    work.run(
        f"CREATE TABLE {made} AS SELECT id + 10 AS id FROM {table}",
        f"CREATE TABLE {empty} (id BIGINT NOT NULL, at TIMESTAMP) PARTITIONED BY (days(at))",
        f"INSERT INTO {empty} SELECT id, TIMESTAMP '2024-01-01' FROM {made}",
        f"ALTER TABLE {table} ADD COLUMN w INT",
        f"INSERT INTO {table} VALUES (3, 'c', 30)",
    )
    assert work.fails(f"CREATE TABLE {made} (id INT)").code is ErrorCode.TABLE_ALREADY_EXISTS
    assert made.split(".")[-1] in [part for row in work.rows("SHOW TABLES IN txn") for part in row]
    assert them.fails(f"SELECT * FROM {made}").code is ErrorCode.TABLE_NOT_FOUND
    assert them.run(f"SELECT * FROM {table}").column_names == ["id", "v"]
    work.commit()
    assert ids(them, made) == [11, 12]
    assert ids(them, empty) == [11, 12]
    assert them.rows(f"SELECT w FROM {table} WHERE id = 3") == [(30,)]
    again = begin(us)
    again.run(f"INSERT INTO {table} VALUES (5, 'e', 50)", f"INSERT INTO {made} VALUES (13)")
    them.run(f"INSERT INTO {made} VALUES (14)")
    with pytest.raises(SqeError) as raised:
        again.commit()
    assert raised.value.code is ErrorCode.COMMIT_CONFLICT
    assert ids(them, table) == [1, 2, 3]  # all or none
    assert ids(them, made) == [11, 12, 14]


def test_a_statement_that_fails_is_not_part_of_it(us: Lake, them: Lake, table: str) -> None:
    work = begin(us)
    work.run(f"INSERT INTO {table} VALUES (3, 'c')")
    assert work.fails(f"INSERT INTO {table} VALUES ('x', 'y')").code.category.value == "user"
    assert work.fails(f"INSERT INTO {table} SELECT id / 0, v FROM {table}") is not None
    work.run(f"INSERT INTO {table} VALUES (4, 'd')")
    work.commit()
    assert ids(them, table) == [1, 2, 3, 4]


def test_statements_of_one_transaction_may_run_at_once(us: Lake, them: Lake, table: str) -> None:
    work, gateway = begin(us), us.server.gateway
    texts = [f"INSERT INTO {table} VALUES ({number}, 'x')" for number in (3, 4, 5)]
    running = [
        gateway.submit(QueryRequest(us.session.id, text, transaction=work.id)) for text in texts
    ]
    for query_id in running:
        with gateway.fetch(query_id) as result:
            result.read_all()
    assert ids(work, table) == [1, 2, 3, 4, 5]
    work.commit()
    assert ids(them, table) == [1, 2, 3, 4, 5]


REFUSED = [
    "DROP TABLE {}",
    "CREATE SCHEMA txn_x",
    "CREATE VIEW txn.v AS SELECT 1 AS a",
    "ALTER TABLE {} RENAME TO txn.other",
    "CALL system.rewrite_data_files('{}')",
    "EXPLAIN ANALYZE DROP TABLE {}",
    "CREATE TABLE txn.l LIKE {}",
    "COMMENT ON TABLE {} IS 'x'",
    "ANALYZE TABLE {} COMPUTE STATISTICS",
]


def test_what_a_rollback_could_not_undo_is_refused(us: Lake, table: str) -> None:
    work = begin(us)
    work.run(f"DELETE FROM {table} WHERE id = 1")
    for text in REFUSED:
        error = work.fails(text.format(table))
        assert error.code in (ErrorCode.NOT_SUPPORTED, ErrorCode.SYNTAX_ERROR), (text, error)
    assert "roll back first" in work.fails(f"DROP TABLE {table}").hint
    assert ids(work, table) == [2]
    work.run("USE txn", "SET SESSION sqe.time_zone = 'Europe/Berlin'")
    assert work.rows("SELECT current_schema()") == [("txn",)]
    work.run("CREATE TEMPORARY VIEW tv AS SELECT 1 AS a", f"EXPLAIN SELECT * FROM {table}")
    work.rollback()


def test_what_shows_a_table_shows_what_the_transaction_has_made_of_it(
    us: Lake, them: Lake, table: str
) -> None:
    work = begin(us)
    work.run(f"INSERT INTO {table} VALUES (3, 'c')")
    for who, rows, snapshots in ((work, 3, 2), (them, 2, 1)):
        stats = {row[0]: row for row in who.rows(f"SHOW STATS FOR {table}")}
        assert stats[None][4] == rows
        assert stats["id"][6] == str(rows)  # the highest value
        [maintenance] = who.rows(f"SHOW MAINTENANCE FOR {table}")
        assert (maintenance[2], maintenance[8]) == (rows, snapshots)
        assert who.rows("SHOW MATERIALIZED VIEWS IN txn") == []
    work.rollback()


def test_a_read_only_transaction_reads_and_changes_nothing(us: Lake, table: str) -> None:
    gateway = us.server.gateway
    work = Work(us, gateway.begin(us.session.id, read_only=True))
    assert len(work.rows(f"SHOW STATS FOR {table}")) == 3
    work.run(
        f"SHOW MAINTENANCE FOR {table}",
        f"EXPLAIN ANALYZE SELECT * FROM {table}",
        f"CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT id FROM {table}",
    )
    assert ids(work, "seen") == [1, 2]
    for text in (f"DELETE FROM {table}", f"EXPLAIN ANALYZE DELETE FROM {table}"):
        assert "read-only transaction" in work.fails(text).message
    work.commit()
    assert ids(us, table) == [1, 2]


def test_it_runs_by_itself_where_nothing_waits_for_the_commit(
    us: Lake, them: Lake, table: str
) -> None:
    work = begin(us)
    work.run(
        f"SELECT * FROM {table}",
        "CREATE SCHEMA txn_made",
        f"CREATE VIEW txn_made.v AS SELECT id FROM {table}",
        f"COMMENT ON TABLE {table} IS 'seen at once'",
    )
    assert ids(them, "txn_made.v") == [1, 2]
    work.run(f"INSERT INTO {table} VALUES (3, 'c')")  # still the same transaction
    assert ids(work, "txn_made.v") == [1, 2, 3]
    assert ids(them, "txn_made.v") == [1, 2]
    work.rollback()
    empty = begin(us)
    empty.run("DROP VIEW txn_made.v", "DROP SCHEMA txn_made", f"DROP TABLE {table}")
    assert them.fails(f"SELECT * FROM {table}").code is ErrorCode.TABLE_NOT_FOUND
    empty.commit()


def test_rules_hold_inside_of_a_transaction(us: Lake, them: Lake, table: str) -> None:
    work = begin(us)
    work.run(f"INSERT INTO {table} VALUES (3, 'c')")
    with us.rules.on(f"lake.{table}", Restrict("test", filters=(RowFilter("id > 1"),))):
        assert ids(work, table) == [2, 3]
        denied = work.fails(f"INSERT INTO {table} VALUES (4, 'd')")
        assert denied.code is ErrorCode.ACCESS_DENIED
    with us.rules.on(f"lake.{table}", Deny("test")):
        assert work.fails(f"SELECT * FROM {table}").code is ErrorCode.ACCESS_DENIED
    work.rollback()


def test_a_transaction_belongs_to_its_session(us: Lake, them: Lake, table: str) -> None:
    work = begin(us)
    stolen = Work(them, work.id)
    assert stolen.fails(f"SELECT * FROM {table}").code is ErrorCode.TRANSACTION_NOT_FOUND
    with pytest.raises(SqeError) as raised:
        stolen.commit()
    assert raised.value.code is ErrorCode.TRANSACTION_NOT_FOUND
    other = begin(us)  # two of one session do not mix
    work.run(f"INSERT INTO {table} VALUES (3, 'c')")
    assert ids(other, table) == [1, 2]
    other.rollback()
    work.commit()
    assert ids(us, table) == [1, 2, 3]


def test_bulk_loads_are_part_of_it(us: Lake, them: Lake, table: str) -> None:
    work, name = begin(us), new_name()
    data = pa.table({"id": pa.array([7, 8], pa.int32()), "v": ["x", "y"]})
    loading = Ingest(us.server.gateway, us.session, transaction=work.id)
    append = (IfAbsent.FAIL, IfPresent.APPEND)
    for target, mode in (
        (table, append),
        (name, (IfAbsent.CREATE, IfPresent.FAIL)),
        (name, append),
    ):
        to = Destination(target.split(".")[1], "txn", if_absent=mode[0], if_present=mode[1])
        assert loading.load(to, data.schema, data.to_batches()) == 2
    assert ids(work, table) == [1, 2, 7, 8]
    assert ids(work, name) == [7, 7, 8, 8]
    replacing = Destination(name.split(".")[1], "txn", if_absent=1, if_present=3)
    loading.load(replacing, data.schema, data.slice(1).to_batches())
    loading.load(to, data.schema, data.to_batches())
    assert ids(work, name) == [7, 8, 8]
    assert ids(them, table) == [1, 2]
    work.commit()
    assert ids(them, table) == [1, 2, 7, 8]
    assert ids(them, name) == [7, 8, 8]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_format_version_takes_part(us: Lake, them: Lake, version: int) -> None:
    name = new_name()
    modes = ", ".join(f"'write.{verb}.mode' = 'merge-on-read'" for verb in ("delete", "update"))
    them.run(
        f"CREATE TABLE {name} (id INT) TBLPROPERTIES"
        f" ('format-version' = '{version}'{', ' + modes if version > 1 else ''})"
    )
    before = files(them, name)
    for rolled_back in (True, False):
        work = begin(us)
        work.run(
            f"INSERT INTO {name} VALUES (1), (2), (3)",
            f"DELETE FROM {name} WHERE id = 1",
            f"UPDATE {name} SET id = 20 WHERE id = 2",
        )
        assert ids(work, name) == [3, 20]
        if rolled_back:
            work.rollback()
            assert files(them, name) == before
    metadata_table = work.fails(f"SELECT count(*) FROM {name}.snapshots")
    assert metadata_table.code is ErrorCode.NOT_SUPPORTED
    work.commit()
    assert ids(them, name) == [3, 20]
    them.run(f"INSERT INTO {name} VALUES (4)")
    assert ids(us, name) == [3, 4, 20]


def test_time_travel_goes_from_commit_to_commit(us: Lake, them: Lake, table: str) -> None:
    work = begin(us)
    work.run(f"INSERT INTO {table} VALUES (3, 'c')", f"INSERT INTO {table} VALUES (4, 'd')")
    work.commit()
    log = metadata(them, table)["snapshot-log"]
    assert len(log) == 2
    newest = {one["snapshot-id"]: one for one in metadata(them, table)["snapshots"]}
    assert newest[log[1]["snapshot-id"]]["timestamp-ms"] == log[1]["timestamp-ms"]


def test_the_records_tell_of_it(us: Lake, table: str) -> None:
    work = begin(us)
    work.run(f"SELECT * FROM {table}")
    work.commit()
    mine = [r for r in us.server.gateway.records() if r.session_id == us.session.id]
    assert [record.text.split()[0] for record in mine[-3:]] == ["START", "SELECT", "COMMIT"]
    assert mine[-2].route is not None
    assert mine[-2].route.engine is EngineKind.LOCAL
