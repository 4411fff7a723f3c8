"""COPY INTO: files become rows, all of them or none, once."""

from __future__ import annotations

import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.decision import Deny
from sqe.model.query import QueryRequest, RowsAffected
from tests.embedded.pipe.lake import Lake
from tests.embedded.writes.conftest import NewTable

COLUMNS = "id INT, v STRING, q INT"
HEADER = "FILEFORMAT = CSV FORMAT_OPTIONS ('header' = 'true')"


def copied(lake: Lake, sql: str) -> int:
    """Rows loaded."""
    with lake.server.gateway.fetch(lake.submit(sql)) as result:
        result.read_all()
        affected = result.rows_affected
    assert affected is not None
    assert affected == RowsAffected(inserted=affected.inserted)
    return affected.total


def snapshots(lake: Lake, table: str) -> int:
    return int(lake.value(f"SELECT count(*) FROM {table}.snapshots"))


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_go_by_their_names_in_every_format(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS)
    write(loadable / "a.csv", "q,id\n10,1\n")  # another order, and v is missing
    write(loadable / "b.json", '{"id": 2, "v": "b"}\n{"v": "c", "id": 3, "q": 30}\n')
    whole = {"ID": pa.array([4], pa.int64()), "q": pa.array([40], pa.int32())}
    pq.write_table(pa.table(whole), loadable / "c1.parquet")
    pq.write_table(pa.table({"id": pa.array([5]), "v": ["e"]}), loadable / "c2.parquet")
    write(loadable / "d.csv", "6,f,60\n")
    assert copied(writes, f"COPY INTO {table} FROM '{loadable}/a.csv' {HEADER}") == 1
    assert copied(writes, f"COPY INTO {table} FROM '{loadable}/*.json' FILEFORMAT = JSON") == 2
    parquet = f"COPY INTO {table} FROM '{loadable}/c?.parquet' FILEFORMAT = PARQUET"
    assert copied(writes, parquet) == 2
    assert copied(writes, f"COPY INTO {table} FROM '{loadable}/d.csv' FILEFORMAT = CSV") == 1
    assert writes.rows(f"SELECT * FROM {table} ORDER BY id") == [
        (1, None, 10),
        (2, "b", None),
        (3, "c", 30),
        (4, None, 40),
        (5, "e", None),
        (6, "f", 60),
    ]
    assert snapshots(writes, table) == 4


def test_a_file_is_loaded_once_unless_it_changes_or_is_forced(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS)
    first = write(loadable / "a.csv", "id\n1\n")
    copy = f"COPY INTO {table} FROM '{loadable}/*.csv' {HEADER}"
    assert copied(writes, copy) == 1
    before = snapshots(writes, table)
    assert copied(writes, copy) == 0
    assert snapshots(writes, table) == before
    write(loadable / "b.csv", "id\n2\n")
    assert copied(writes, copy) == 1  # the new one
    write(first, "id\n1\n11\n")
    assert copied(writes, copy) == 2  # the changed one
    assert copied(writes, f"{copy} COPY_OPTIONS ('force' = 'true')") == 3
    assert copied(writes, f"{copy} COPY_OPTIONS ('overwrite' = 'true')") == 3
    assert writes.rows(f"SELECT id FROM {table} ORDER BY id") == [(1,), (2,), (11,)]


def test_rolled_back_files_are_loaded_again(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS, rows="VALUES (0, NULL, NULL)")
    start = writes.value(f"SELECT max(snapshot_id) FROM {table}.snapshots")
    write(loadable / "a.csv", "id\n1\n")
    copy = f"COPY INTO {table} FROM '{loadable}/a.csv' {HEADER}"
    assert copied(writes, copy) == 1
    writes.run(f"CALL system.rollback_to_snapshot('{table}', {start})")
    assert copied(writes, copy) == 1


def test_two_sessions_that_load_the_same_file_load_it_once(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS)
    write(loadable / "a.csv", "id\n" + "".join(f"{i}\n" for i in range(1000)))
    copy = f"COPY INTO {table} FROM '{loadable}/a.csv' {HEADER}"
    outcomes: list[int | ErrorCode] = []

    def load(lake: Lake) -> None:
        try:
            outcomes.append(copied(lake, copy))
        except SqeError as error:
            outcomes.append(error.code)

    sessions = [writes.another_session() for _ in range(2)]
    threads = [threading.Thread(target=load, args=(lake,)) for lake in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for lake in sessions:
        lake.close()
    other = next(outcome for outcome in outcomes if outcome != 1000)
    assert 1000 in outcomes
    assert other in (0, ErrorCode.COMMIT_CONFLICT)  # too late from the start, or at the end
    assert writes.value(f"SELECT count(*) FROM {table}") == 1000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.csv", "id,v,q\n1,a,2\nx,b,3\n", 'line 3: id: "x" is no int: x,b,3'),
        ("short.csv", "id,v,q\n1,a\n", "line 2: it has 2 fields instead of 3: 1,a"),
        ("bad.json", '{"id": 1}\n{"id": "nope"}\n', "the value nope"),
        ("worse.json", "{broken\n", "Unexpected character ('b' (code 98))"),
        ("junk.parquet", "PAR1junk", "is not a Parquet file"),
        ("text.parquet", "id,v\n", "is not a Parquet file: it seems to be some kind of text"),
        ("empty.json", "", "is empty"),
    ],
)
def test_a_file_that_does_not_fit_is_named_and_nothing_is_loaded(
    writes: Lake, new_table: NewTable, loadable: Path, name: str, content: str, message: str
) -> None:
    table = new_table(COLUMNS)
    path = write(loadable / name, content)
    good = write(loadable / f"a_good{path.suffix}", "id,v,q\n7,g,7\n" if ".csv" in name else "")
    kind = path.suffix[1:].upper()
    options = "FORMAT_OPTIONS (header = true)" if kind == "CSV" else ""
    files = f"'{good}', '{path}'" if kind == "CSV" else f"'{path}'"
    error = writes.fails(f"COPY INTO {table} FROM {files} FILEFORMAT = {kind} {options}")
    assert error.code is ErrorCode.INVALID_FILE
    assert error.message.startswith(str(path))
    assert message in error.message
    assert "org.apache" not in error.message
    assert writes.value(f"SELECT count(*) FROM {table}") == 0


def test_columns_the_table_lacks_are_an_error_unless_others_are_listed(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS)
    write(loadable / "a.csv", "id,zz,v\n1,2,c\n")
    source = f"FROM '{loadable}/a.csv' {HEADER}"
    error = writes.fails(f"COPY INTO {table} {source}")
    assert error.code is ErrorCode.COLUMN_NOT_FOUND
    assert "lacks: zz" in error.message
    assert "no column q" in writes.fails(f"COPY INTO {table} (id, q) {source}").message
    assert "has no column zz" in writes.fails(f"COPY INTO {table} (id, zz) {source}").message
    assert copied(writes, f"COPY INTO {table} (v, id) {source}") == 1
    assert writes.rows(f"SELECT id, v, q FROM {table}") == [(1, "c", None)]


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.parquet"])
def test_columns_the_table_lacks_can_be_added_with_the_rows(
    writes: Lake, new_table: NewTable, loadable: Path, name: str
) -> None:
    table = new_table(COLUMNS, rows="VALUES (0, NULL, NULL)")
    path = loadable / name
    if name == "a.csv":
        write(path, "id,zz,v\n1,2.5,c\n")
    elif name == "a.json":
        write(path, '{"id": 1, "zz": 2.5, "v": "c"}\n')
    else:
        pq.write_table(pa.table({"id": [1], "zz": [2.5], "v": ["c"]}), path)
    options = "FORMAT_OPTIONS (header = true)" if name == "a.csv" else ""
    copy = (
        f"COPY INTO {table} FROM '{path}' FILEFORMAT = {path.suffix[1:].upper()} {options} "
        "COPY_OPTIONS ('mergeSchema' = 'true')"
    )
    writes.run(f"EXPLAIN {copy}")
    assert len(writes.rows(f"DESCRIBE {table}")) == 3
    assert copied(writes, copy) == 1
    assert writes.rows(f"SELECT * FROM {table} ORDER BY id") == [
        (0, None, None, None),
        (1, "c", None, 2.5),
    ]
    assert snapshots(writes, table) == 2


def test_a_load_that_fails_leaves_no_new_column_behind(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS)
    write(loadable / "a.csv", "id,zz\nx,1\n")
    copy = f"COPY INTO {table} FROM '{loadable}/a.csv' {HEADER} COPY_OPTIONS (mergeSchema = true)"
    assert writes.fails(copy).code is ErrorCode.INVALID_FILE
    assert len(writes.rows(f"DESCRIBE {table}")) == 3


def test_a_table_is_made_of_files_in_one_step(writes: Lake, loadable: Path) -> None:
    write(loadable / "a.csv", "id,day,price\n1,2024-01-05,1.5\n")
    write(loadable / "bad.csv", "id,day,price\n1,2\n")
    made = f"COPY INTO writes.made FROM '{loadable}/{{}}.csv' {HEADER} COPY_OPTIONS (create = true)"
    assert writes.fails(made.format("bad")).code is ErrorCode.INVALID_FILE
    assert writes.rows("SHOW TABLES IN writes LIKE 'made'") == []
    assert copied(writes, made.format("a")) == 1
    types = writes.rows("DESCRIBE writes.made")
    assert [row[:2] for row in types] == [("id", "int"), ("day", "date"), ("price", "double")]
    assert writes.fails(made.format("a")).code is ErrorCode.TABLE_ALREADY_EXISTS


def test_names_of_files_are_names_and_not_patterns(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS)
    write(loadable / "aXb.csv", "id\n666\n")
    odd = ["a*b.csv", "a?b.csv", "a[X]b.csv", "a{X}b.csv", "a b%20#ü.csv", "it's.csv", "b\\s.csv"]
    for number, name in enumerate(odd):
        write(loadable / name, f"id\n{number}\n")
    listed = ", ".join(
        "'" + str(loadable / name).replace("\\", "\\\\").replace("'", "\\'") + "'" for name in odd
    )
    assert copied(writes, f"COPY INTO {table} FROM {listed} {HEADER}") == len(odd)
    assert writes.value(f"SELECT max(id) FROM {table}") == len(odd) - 1


def test_who_may_not_write_the_table_loads_nothing(
    writes: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS)
    write(loadable / "a.csv", "id\n1\n")
    with writes.rules.on(f"lake.{table}", Deny("not yours")):
        error = writes.fails(f"COPY INTO {table} FROM '{loadable}/a.csv' {HEADER}")
    assert error.code is ErrorCode.ACCESS_DENIED


def test_other_files_are_out_of_reach_but_for_those_a_request_brings(
    writes: Lake, new_table: NewTable, tmp_path: Path
) -> None:
    table = new_table(COLUMNS)
    mine = write(tmp_path / "mine.csv", "id\n1\n")
    write(tmp_path / "other.csv", "id\n2\n")
    text = f"COPY INTO {table} FROM '{tmp_path}/{{}}.csv' {HEADER}"
    assert writes.fails(text.format("mine")).code is ErrorCode.ACCESS_DENIED
    gateway, own = writes.server.gateway, frozenset({str(mine.resolve())})

    def bring(name: str) -> None:
        request = QueryRequest(writes.session.id, text.format(name), files=own)
        gateway.fetch(gateway.submit(request)).read_all()

    bring("mine")
    with pytest.raises(SqeError, match="does not lie"):
        bring("other")
    assert writes.rows(f"SELECT id FROM {table}") == [(1,)]


def test_the_files_are_gone_from_spark_when_they_are_loaded(
    mine: Lake, new_table: NewTable, loadable: Path
) -> None:
    table = new_table(COLUMNS)
    write(loadable / "a.csv", "id\n1\n")
    copy = f"COPY INTO {table} FROM '{loadable}/a.csv' {HEADER}"
    explained = mine.explained(f"EXPLAIN {copy}")
    view = next(word for word in explained.replace("`", " ").split() if word.startswith("files_"))
    assert copied(mine, copy) == 1
    assert mine.fails(f"SELECT * FROM {view}").code is ErrorCode.TABLE_NOT_FOUND
