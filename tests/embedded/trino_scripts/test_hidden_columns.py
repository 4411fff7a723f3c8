"""``"$path"``: the file that a row is in, for those who see the whole table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import ConstantMask
from tests.embedded.pipe.lake import Lake
from tests.trino.asking import Client

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]
TABLE = "lake.trino_hidden.t"


@pytest.fixture(scope="module")
def client(shared_lake: Lake, trino_address: str) -> Iterator[Client]:
    shared_lake.run("CREATE SCHEMA trino_hidden")
    shared_lake.run(f"CREATE TABLE {TABLE} (a int, b string)")
    shared_lake.run(f"INSERT INTO {TABLE} VALUES (1, 'x')")
    shared_lake.run(f"INSERT INTO {TABLE} VALUES (2, 'y')")
    with closing(Client(trino_address, "lake", "trino_hidden")) as opened:
        opened.ask('CREATE VIEW v AS SELECT a, "$path" AS file FROM t')
        yield opened
    shared_lake.run("DROP SCHEMA trino_hidden CASCADE")


def test_rows_tell_their_file(client: Client) -> None:
    answer = client.ask('SELECT a, "$path" FROM t ORDER BY a')
    assert [column["type"] for column in answer.columns] == ["integer", "varchar"]
    (_, first), (_, second) = answer.data
    files = client.ask('SELECT file_path FROM "t$files" ORDER BY file_path').data
    assert sorted([[first], [second]]) == files
    assert len(client.ask("SELECT * FROM t").columns) == 2
    assert client.ask(f"SELECT a FROM t WHERE \"$path\" = '{second}'").data == [[2]]
    assert client.ask("SELECT a, file FROM v ORDER BY a").data == [[1, first], [2, second]]


@pytest.mark.parametrize(
    "decision",
    [
        Restrict("rows", filters=(RowFilter("a = 1"),)),
        Restrict("mask", masks={"b": ConstantMask("***")}),
        Restrict("hidden", hidden=frozenset({"b"})),
    ],
)
def test_who_sees_a_part_learns_no_file(
    client: Client, shared_lake: Lake, decision: Restrict
) -> None:
    with shared_lake.rules.on(TABLE, decision):
        assert client.ask('SELECT "$path" FROM t').error == "NOT_SUPPORTED"
        assert client.ask("SELECT a FROM t WHERE \"$path\" LIKE '%'").error == "NOT_SUPPORTED"
        through_a_view = client.ask("SELECT file FROM v")
    assert through_a_view.error
    assert "parquet" not in through_a_view.message


def test_json_tables_and_groups_read_what_the_user_sees(client: Client, shared_lake: Lake) -> None:
    items = "JSON_TABLE('[\"' || b || '\"]', 'lax $[*]' COLUMNS (s varchar PATH 'lax $'))"
    frame = "ORDER BY a GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW"
    masked = Restrict("mask", filters=(RowFilter("a = 2"),), masks={"b": ConstantMask("***")})
    with shared_lake.rules.on(TABLE, masked):
        assert client.ask(f"SELECT a, s FROM t, {items}").data == [[2, "***"]]
        assert client.ask(f"SELECT a, count(*) OVER ({frame}) FROM t").data == [[2, 1]]
        hashed = client.ask("SELECT checksum(b), xxhash64(to_utf8(b)) FROM t GROUP BY b").data
    assert hashed == client.ask("SELECT checksum('***'), xxhash64(to_utf8('***'))").data
