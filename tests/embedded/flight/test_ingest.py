"""Bulk load: a client's batches become rows of a table, all of them or none."""

from __future__ import annotations

import datetime
import itertools
import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.decision import Deny
from sqe.protocols.flight_sql.ingest import Destination, IfAbsent, IfPresent, Ingest
from sqe.settings import LoadSettings, Settings
from tests.embedded.conftest import Another
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]
APPEND = (IfAbsent.FAIL, IfPresent.APPEND)
CREATE = (IfAbsent.CREATE, IfPresent.FAIL)
REPLACE = (IfAbsent.CREATE, IfPresent.REPLACE)
CREATE_APPEND = (IfAbsent.CREATE, IfPresent.APPEND)
_NUMBERS = itertools.count(1)
NewName = Callable[[], str]


@pytest.fixture(scope="session")
def ingesting(shared_lake: Lake) -> Lake:
    shared_lake.run("CREATE SCHEMA ingest")
    return shared_lake


@pytest.fixture
def new(ingesting: Lake) -> NewName:
    """The name of a table that is not there yet, in the schema ``ingest``."""
    return lambda: f"t{next(_NUMBERS)}"


def load(
    lake: Lake, table: str, data: pa.Table, mode: tuple[int, int] = APPEND, **given: Any
) -> int:
    to = Destination(table, "ingest", if_absent=mode[0], if_present=mode[1], **given)
    return Ingest(lake.server.gateway, lake.session, source="tests").load(
        to, data.schema, data.to_batches(max_chunksize=1000)
    )


def refused(*arguments: Any, **given: Any) -> SqeError:
    with pytest.raises(SqeError) as raised:
        load(*arguments, **given)
    return raised.value


def uploads(lake: Lake) -> list[str]:
    """What of uploads lies on the disk."""
    return [
        os.path.join(folder, name)
        for folder, _, names in os.walk(lake.home / "uploads")
        for name in names
        if name != "lock"
    ]


def snapshots(lake: Lake, table: str) -> int:
    return int(lake.value(f"SELECT count(*) FROM ingest.{table}.snapshots"))


def test_rows_are_added_replaced_or_make_a_table(ingesting: Lake, new: NewName) -> None:
    lake, name = ingesting, new()
    data = pa.table({"id": [1, 2], "v": ["a", None]})
    missing = refused(lake, name, data, APPEND)
    assert missing.code is ErrorCode.TABLE_NOT_FOUND
    assert "create" in missing.hint
    assert load(lake, name, data, CREATE) == 2
    assert refused(lake, name, data, CREATE).code is ErrorCode.TABLE_ALREADY_EXISTS
    # By name, whatever the order and the case; what is not sent is NULL.
    assert load(lake, name, pa.table({"V": ["c"], "ID": [3]}), APPEND) == 1
    assert load(lake, name, pa.table({"id": [4]}), CREATE_APPEND) == 1
    rows = [(1, "a"), (2, None), (3, "c"), (4, None)]
    assert lake.rows(f"SELECT * FROM ingest.{name} ORDER BY id") == rows
    assert snapshots(lake, name) == 3
    assert load(lake, name, pa.table({"other": [True]}), REPLACE) == 1
    assert lake.rows(f"SELECT * FROM ingest.{name}") == [(True,)]
    assert load(lake, new(), data, REPLACE) == 2
    assert load(lake, new(), data, CREATE_APPEND) == 2
    assert uploads(lake) == []


def test_many_rows_come_in_one_commit(ingesting: Lake, new: NewName) -> None:
    name = new()
    data = pa.table({"id": range(250_000), "v": ["x" * 20] * 250_000})
    assert load(ingesting, name, data, CREATE) == 250_000
    found = ingesting.rows(f"SELECT count(*), sum(id) FROM ingest.{name}")
    assert found == [(250_000, sum(range(250_000)))]
    assert snapshots(ingesting, name) == 1
    properties = ingesting.rows(f"SHOW TBLPROPERTIES ingest.{name}")
    assert "sqe.loaded-files" not in dict(properties)  # an upload does not come twice


def test_no_rows_make_an_empty_table_and_add_nothing(ingesting: Lake, new: NewName) -> None:
    name = new()
    empty = pa.schema([("id", pa.int64()), ("d", pa.decimal128(9, 3))]).empty_table()
    assert load(ingesting, name, empty, CREATE) == 0
    assert load(ingesting, name, empty, APPEND) == 0
    assert ingesting.rows(f"SELECT * FROM ingest.{name}") == []


WHEN = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)
UTC = datetime.UTC
TYPES: list[tuple[pa.DataType, Any, str, Any]] = [
    (pa.bool_(), True, "boolean", True),
    (pa.int8(), -128, "int", -128),
    (pa.uint8(), 255, "int", 255),
    (pa.int16(), -(2**15), "int", -(2**15)),
    (pa.uint16(), 2**16 - 1, "int", 2**16 - 1),
    (pa.int32(), -(2**31), "int", -(2**31)),
    (pa.uint32(), 2**32 - 1, "bigint", 2**32 - 1),
    (pa.int64(), 2**63 - 1, "bigint", 2**63 - 1),
    (pa.uint64(), 2**64 - 1, "decimal(20,0)", Decimal(2**64 - 1)),
    (pa.float16(), 1.5, "float", 1.5),
    (pa.float32(), 0.5, "float", 0.5),
    (pa.float64(), 0.1, "double", 0.1),
    (pa.decimal32(5, 2), Decimal("123.45"), "decimal(5,2)", Decimal("123.45")),
    (pa.decimal128(38, 18), Decimal("1.5"), "decimal(38,18)", Decimal("1.5")),
    (pa.decimal256(20, 4), Decimal("-0.0001"), "decimal(20,4)", Decimal("-0.0001")),
    (pa.decimal128(5, -2), Decimal("12300"), "decimal(7,0)", Decimal("12300")),
    (pa.string(), "ä\n'", "string", "ä\n'"),
    (pa.large_string(), "", "string", ""),
    (pa.string_view(), "view", "string", "view"),
    (pa.binary(), b"\0\xff", "binary", b"\0\xff"),
    (pa.large_binary(), b"", "binary", b""),
    (pa.binary(3), b"abc", "binary", b"abc"),
    (pa.binary_view(), b"v", "binary", b"v"),
    (pa.date32(), datetime.date(1500, 1, 1), "date", datetime.date(1500, 1, 1)),
    (pa.date64(), datetime.date(2024, 2, 29), "date", datetime.date(2024, 2, 29)),
    (pa.timestamp("s"), WHEN.replace(microsecond=0), "timestamp_ntz", WHEN.replace(microsecond=0)),
    (pa.timestamp("us"), WHEN, "timestamp_ntz", WHEN),
    (pa.timestamp("ns"), WHEN, "timestamp_ntz", WHEN),
    (pa.timestamp("ms", "UTC"), WHEN.replace(microsecond=0, tzinfo=UTC), "timestamp", None),
    (pa.timestamp("us", "Europe/Berlin"), WHEN.replace(tzinfo=UTC), "timestamp", None),
    (pa.timestamp("us"), datetime.datetime(1, 1, 1), "timestamp_ntz", datetime.datetime(1, 1, 1)),
    (pa.dictionary(pa.int8(), pa.string()), "coded", "string", "coded"),
    (pa.list_(pa.uint8()), [1, None], "array<int>", [1, None]),
    (pa.large_list(pa.string_view()), ["a"], "array<string>", ["a"]),
    (pa.list_(pa.float64(), 2), [1.0, 2.0], "array<double>", [1.0, 2.0]),
    (pa.struct([("A", pa.int8()), ("b", pa.date32())]), {"A": 1, "b": None}, "", None),
    (pa.map_(pa.string(), pa.uint32()), [("k", 7)], "map<string,bigint>", [("k", 7)]),
    (pa.json_(), '{"a": 1}', "string", '{"a": 1}'),
]


def test_every_type_arrives_with_its_values_and_its_name(ingesting: Lake, new: NewName) -> None:
    name = new()
    columns = {
        f"c{number}": pa.array([value, None], kind)
        for number, (kind, value, _, _) in enumerate(TYPES)
    }
    load(ingesting, name, pa.table({"n": [1, 2], **columns}), CREATE)
    described = {row[0]: row[1] for row in ingesting.rows(f"DESCRIBE ingest.{name}")}
    first, second = ingesting.rows(f"SELECT * FROM ingest.{name} ORDER BY n")
    for number, (kind, value, spark, expected) in enumerate(TYPES):
        assert described[f"c{number}"] == (spark or "struct<A:int,b:date>"), kind
        wanted = value if expected is None else expected
        assert first[number + 1] == wanted, (kind, first[number + 1])
        assert second[number + 1] is None, kind
    load(ingesting, name, pa.table({"n": [1, 2], **columns}), APPEND)
    assert ingesting.value(f"SELECT count(*) FROM ingest.{name}") == 4


IMPOSSIBLE: list[tuple[pa.Array, ErrorCode]] = [
    (pa.array([1], pa.time64("us")), ErrorCode.NOT_SUPPORTED),
    (pa.array([1], pa.duration("s")), ErrorCode.NOT_SUPPORTED),
    (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), ErrorCode.NOT_SUPPORTED),
    (pa.array([None], pa.null()), ErrorCode.NOT_SUPPORTED),
    (pa.array([[None]], pa.list_(pa.null())), ErrorCode.NOT_SUPPORTED),
    (pa.array([b"x" * 16], pa.uuid()), ErrorCode.NOT_SUPPORTED),
    (pa.array([{}], pa.struct([])), ErrorCode.NOT_SUPPORTED),
    (pa.array([1001], pa.timestamp("ns")), ErrorCode.INVALID_CAST),
    (pa.array([[1001]], pa.list_(pa.timestamp("ns", "UTC"))), ErrorCode.INVALID_CAST),
    (pa.array([2**62], pa.timestamp("s")), ErrorCode.INVALID_CAST),
    (pa.array([Decimal(10**39)], pa.decimal256(45, 0)), ErrorCode.INVALID_CAST),
]


def test_what_would_lose_something_is_refused_by_name(ingesting: Lake, new: NewName) -> None:
    name = new()
    for column, code in IMPOSSIBLE:
        error = refused(ingesting, name, pa.table({"ok": [1], "what now": column}), CREATE)
        assert error.code is code, (column.type, error)
        assert "what now" in error.message, error
    assert ingesting.fails(f"SELECT * FROM ingest.{name}").code is ErrorCode.TABLE_NOT_FOUND
    assert uploads(ingesting) == []


def test_a_column_of_nothing_takes_the_type_of_the_table(ingesting: Lake, new: NewName) -> None:
    name = new()
    ingesting.run(f"CREATE TABLE ingest.{name} (id INT, d DECIMAL(9, 2), l ARRAY<INT>)")
    data = pa.table({"id": [1], "D": pa.nulls(1), "l": pa.nulls(1)})
    assert load(ingesting, name, data, CREATE_APPEND) == 1
    assert ingesting.rows(f"SELECT * FROM ingest.{name}") == [(1, None, None)]


def test_values_are_made_to_fit_the_table_or_nothing_is_loaded(
    ingesting: Lake, new: NewName
) -> None:
    lake, name = ingesting, new()
    lake.run(f"CREATE TABLE ingest.{name} (id BIGINT NOT NULL, v INT)")
    assert load(lake, name, pa.table({"id": pa.array([1], pa.uint64()), "v": [5]})) == 1
    wrong = [
        (pa.table({"id": [2], "v": [2**40]}), ErrorCode.NUMERIC_OUT_OF_RANGE),
        (pa.table({"id": [2], "v": ["text"]}), ErrorCode.TYPE_MISMATCH),
        (pa.table({"id": [2], "w": [1]}), ErrorCode.COLUMN_NOT_FOUND),
        (pa.table({"id": [2, None], "v": [1, 1]}), ErrorCode.CONSTRAINT_VIOLATION),
        (pa.table({"v": [1]}), ErrorCode.TYPE_MISMATCH),
    ]
    for data, code in wrong:
        error = refused(lake, name, data)
        assert error.code is code, error
        assert "uploads" not in str(error), error
        assert error.position is None
    assert lake.rows(f"SELECT * FROM ingest.{name}") == [(1, 5)]
    assert uploads(lake) == []


NAMES = [
    "with space",
    "a.b",
    "it's",
    "back`tick",
    'dou"ble',
    "täble",
    "x; DROP TABLE y",
    "--",
    "select",
]


@pytest.mark.parametrize("odd", NAMES)
def test_a_name_is_a_name_whatever_is_in_it(ingesting: Lake, odd: str) -> None:
    data = pa.table({odd: [1], f"{odd} 2": [2]})
    assert load(ingesting, odd, data, CREATE) == 1
    assert load(ingesting, odd, data, APPEND) == 1
    spelled = "`" + odd.replace("`", "``") + "`"
    found = ingesting.run(f"SELECT * FROM ingest.{spelled}")
    assert found.column_names == [odd, f"{odd} 2"]
    assert found.num_rows == 2


def test_a_stream_that_breaks_leaves_nothing(ingesting: Lake, new: NewName) -> None:
    name = new()
    schema = pa.schema([("id", pa.int64())])

    def gone() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([[1, 2]], schema=schema)
        assert len(uploads(ingesting)) == 1
        raise ConnectionResetError("the client went away")

    to = Destination(name, "ingest", if_absent=IfAbsent.CREATE, if_present=IfPresent.APPEND)
    loading = Ingest(ingesting.server.gateway, ingesting.session)
    with pytest.raises(ConnectionResetError):
        loading.load(to, schema, gone())
    assert uploads(ingesting) == []
    assert ingesting.fails(f"SELECT * FROM ingest.{name}").code is ErrorCode.TABLE_NOT_FOUND


def test_what_is_refused_is_refused_before_the_rows_are_sent(ingesting: Lake) -> None:
    def never() -> Iterator[pa.RecordBatch]:
        return (pytest.fail("nobody asked for the rows") for _ in range(1))

    to = Destination("nope", "ingest", if_absent=IfAbsent.FAIL, if_present=IfPresent.APPEND)
    schema = pa.schema([("id", pa.int64())])
    loading = Ingest(ingesting.server.gateway, ingesting.session)
    with pytest.raises(SqeError) as raised:
        loading.load(to, schema, never())
    assert raised.value.code is ErrorCode.TABLE_NOT_FOUND
    made = Destination("denied", "ingest", if_absent=IfAbsent.CREATE, if_present=IfPresent.FAIL)
    rule = ingesting.rules.on("lake.ingest.denied", Deny("test"))
    with rule, pytest.raises(SqeError) as raised:
        loading.load(made, schema, never())
    assert raised.value.code is ErrorCode.ACCESS_DENIED


def test_uploads_are_private_and_nobody_else_may_load_them(ingesting: Lake, new: NewName) -> None:
    name = new()
    schema = pa.schema([("id", pa.int64())])
    said: list[SqeError] = []

    def watched() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([[1, 2]], schema=schema)
        (path,) = uploads(ingesting)
        assert os.stat(path).st_mode & 0o777 == 0o600
        assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
        said.append(ingesting.fails(f"COPY INTO ingest.{name} FROM '{path}' FILEFORMAT = PARQUET"))

    ingesting.run(f"CREATE TABLE ingest.{name} (id BIGINT)")
    to = Destination(name, "ingest", if_absent=IfAbsent.FAIL, if_present=IfPresent.APPEND)
    Ingest(ingesting.server.gateway, ingesting.session).load(to, schema, watched())
    assert [error.code for error in said] == [ErrorCode.ACCESS_DENIED]


def test_an_upload_has_a_limit(another: Another) -> None:
    small = another(Settings(load=LoadSettings(upload_mb=1)))
    small.run("CREATE SCHEMA ingest")
    data = pa.table({"v": [os.urandom(50_000) for _ in range(1000)]})
    error = refused(small, "t", data, CREATE)
    assert error.code is ErrorCode.DISK_FULL
    assert "upload_mb" in error.hint
    assert uploads(small) == []
    assert small.fails("SELECT * FROM ingest.t").code is ErrorCode.TABLE_NOT_FOUND


def test_what_a_killed_process_left_is_removed_at_the_next_start(ingesting: Lake) -> None:
    left = ingesting.home / "uploads" / "process-dead"
    left.mkdir(parents=True)
    (left / "lock").touch()
    (left / "upload-1.parquet").write_bytes(b"rows")
    ingesting.server.start()
    assert not left.exists()


REFUSED: list[dict[str, Any]] = [
    {"temporary": True},
    {"options": {"x": "y"}},
    {"catalog": "nope"},
    {"schema": "nope"},
    {"schema": "in.gest"},
    {"schema": "ingest."},
    {"table": ""},
    {"if_present": IfPresent.UNSPECIFIED},
    {"if_absent": 7},
]


@pytest.mark.parametrize("odd", REFUSED, ids=lambda odd: next(iter(odd)))
def test_what_is_not_understood_is_refused(ingesting: Lake, odd: dict[str, Any]) -> None:
    usual = {"table": "never", "schema": "ingest", "if_absent": 1, "if_present": 1}
    loading = Ingest(ingesting.server.gateway, ingesting.session)
    data = pa.table({"id": [1]})
    with pytest.raises(SqeError) as raised:
        loading.load(Destination(**{**usual, **odd}), data.schema, data.to_batches())
    assert raised.value.code.category.value == "user"
    assert ingesting.fails("SELECT * FROM ingest.never").code is ErrorCode.TABLE_NOT_FOUND


def test_columns_of_one_name_are_refused(ingesting: Lake) -> None:
    for names in (["a", "A"], [""], []):
        data = pa.record_batch([pa.array([1]) for _ in names], names=names)
        error = refused(ingesting, "never", pa.Table.from_batches([data]), CREATE)
        assert error.code in (ErrorCode.AMBIGUOUS_NAME, ErrorCode.INVALID_ARGUMENT)


def test_the_home_may_have_a_strange_name(another: Another, tmp_path: Path) -> None:
    assert "'" not in str(tmp_path)
    odd = another(Settings())
    odd.run("CREATE SCHEMA ingest")
    assert load(odd, "t", pa.table({"id": [1]}), CREATE) == 1
