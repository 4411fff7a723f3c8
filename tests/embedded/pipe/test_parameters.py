"""Parameter markers and descriptions, on both engines."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.model.decision import Restrict, RowFilter
from sqe.model.masks import ConstantMask
from sqe.model.query import EngineKind, Parameter, QueryRequest, RowsAffected
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]

P = Parameter
NOON = dt.datetime(2024, 2, 29, 12, 0, 0, 123456)
COLUMNS = {
    "b": "boolean",
    "i8": "tinyint",
    "i16": "smallint",
    "i32": "int",
    "i64": "bigint",
    "f32": "float",
    "f64": "double",
    "dec": "decimal(10,2)",
    "txt": "string",
    "day": "date",
    "ts": "timestamp",
    "ntz": "timestamp_ntz",
}
NESTED = {
    "bin": "binary",
    "arr": "array<decimal(5,1)>",
    "dict": "map<string,timestamp>",
    "rec": "struct<a:int,B c:array<string>>",
}
VALUES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "tinyint": [-128, 0, 7],
    "smallint": [-32768, 3],
    "int": [-(2**31), 0, 1, 2, 2**31 - 1],
    "bigint": [-(2**63), 2, 10, 2**63 - 1],
    "float": [0.1, -2.5, 16777216.0],
    "double": [0.1, 2.5, -1e300],
    "decimal(10,2)": [Decimal("1.50"), Decimal("-12345678.90"), Decimal("2.00")],
    "decimal(3,1)": [Decimal("1.5"), Decimal("-0.1")],
    "string": [
        "",
        "x",
        "it's",
        'say "x"',
        "back\\slash",
        "\\%",
        "a\nb\t",
        "é€😀",
        "%",
        "-- ? */",
        "${env:HOME}",
        "a\0b",
        ":sqe_1 ?",
        "\\u0041",
    ],
    "date": [dt.date(1, 1, 1), dt.date(2024, 2, 29), dt.date(9999, 12, 31)],
    "timestamp": [NOON.replace(tzinfo=dt.UTC), dt.datetime(1900, 1, 1, 0, 0, 1, tzinfo=dt.UTC)],
    "timestamp_ntz": [NOON, dt.datetime(2024, 2, 29)],
    "void": [None],
    "binary": [b"", b"\x00\xff'"],
    "interval day to second": [dt.timedelta(days=-2, microseconds=5)],
    "array<int>": [[1, None], []],
    "array<array<double>>": [[[0.5], []]],
    "map<string,decimal(5,1)>": [{"k'": Decimal("1.5")}, {}],
    "struct<a:int,B c:string>": [{"a": 1, "B c": None}],
}


@dataclass
class Desk:
    """One session, and a table ``p.t`` with a column of every type."""

    lake: Lake

    def request(self, sql: str, *values: Parameter) -> QueryRequest:
        return QueryRequest(self.lake.session.id, sql, parameters=values or None)

    def open(self, sql: str, *values: Parameter) -> ResultStream:
        gateway = self.lake.server.gateway
        return gateway.fetch(gateway.submit(self.request(sql, *values)))

    def run(self, sql: str, *values: Parameter) -> pa.Table:
        with self.open(sql, *values) as result:
            return result.read_all()

    def affected(self, sql: str, *values: Parameter) -> RowsAffected | None:
        with self.open(sql, *values) as result:
            result.read_all()
            return result.rows_affected

    def describe(self, sql: str, *values: Parameter) -> Description:
        return self.lake.server.gateway.describe(self.request(sql, *values))

    def fails(self, sql: str, *values: Parameter) -> SqeError:
        with pytest.raises(SqeError) as raised:
            self.run(sql, *values)
        return raised.value

    @property
    def engine(self) -> EngineKind:
        route = self.lake.last_record().route
        assert route is not None
        return route.engine


@pytest.fixture(scope="module")
def made(shared_lake: Lake) -> Lake:
    columns = ", ".join(f"`{name}` {kind}" for name, kind in {**COLUMNS, **NESTED}.items())
    columns = columns.replace("B c:", "`B c`:")
    shared_lake.all("CREATE SCHEMA p", f"CREATE TABLE p.t ({columns})")
    shared_lake.run(
        "INSERT INTO p.t SELECT id % 2 = 0, CAST(id AS tinyint), CAST(id AS smallint),"
        " CAST(id AS int), id, CAST(id / 2 AS float), id / 4, CAST(id * 1.25 AS decimal(10,2)),"
        " concat('x', id), date_add(DATE '2024-02-26', CAST(id AS int)),"
        " timestamp_seconds(id * 100000000), TIMESTAMP_NTZ '2024-02-29 12:00:00.123456',"
        " X'00', array(1.5), map('k', TIMESTAMP '2024-02-29 12:00:00'),"
        " named_struct('a', 1, 'B c', array('y')) FROM range(6) UNION ALL SELECT NULL, NULL, NULL,"
        " NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
    )
    return shared_lake


@pytest.fixture(params=["spark", "auto"])
def desk(made: Lake, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """On Spark, and where the choice is free."""
    own = made.another_session(engine=request.param)
    yield Desk(own)
    own.close()


@pytest.fixture
def spark(made: Lake) -> Iterator[Desk]:
    own = made.another_session()
    yield Desk(own)
    own.close()


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_a_description_has_the_schema_of_the_rows(desk: Desk, zone: str) -> None:
    """Every type, with rows and without."""
    desk.lake.session.set_property("sqe.time_zone", zone)
    plain = ", ".join(COLUMNS)
    for sql in (f"SELECT {plain} FROM p.t", "SELECT * FROM p.t"):
        for text in (sql, f"{sql} WHERE i64 > 1000"):
            described = desk.describe(text)
            found = desk.run(text)
            assert described.schema.equals(found.schema), text
            assert [c.name for c in described.columns] == found.schema.names
            assert not described.changes
            # The files of nested values are Spark's to read, if there are any left to be read.
            mine = "*" not in text or "WHERE" in text
            local = mine and desk.lake.session.property("sqe.engine") == "auto"
            assert desk.engine is (EngineKind.LOCAL if local else EngineKind.SPARK)


def test_a_description_has_the_schema_of_types_that_no_table_stores(spark: Desk) -> None:
    sql = (
        "SELECT INTERVAL '1' DAY AS a, INTERVAL '1-2' YEAR TO MONTH AS b, make_interval(1, 2) AS c,"
        " parse_json('{}') AS d, NULL AS e, array(NULL) AS f, map('k', CAST(NULL AS int)) AS g,"
        " 'x' COLLATE UTF8_LCASE AS h, array(named_struct('x', TIMESTAMP '2024-01-01 00:00:00'))"
        " AS i, CAST(1 AS decimal(38, 20)) - 1 AS j, X'00' AS k"
    )
    assert spark.describe(sql).schema.equals(spark.run(sql).schema)
    assert spark.describe(f"{sql} WHERE false").schema.equals(spark.run(sql).schema)


def test_a_variant_is_json_text_wherever_it_is(spark: Desk) -> None:
    sql = """SELECT parse_json('{"a": [1, "x", null, 1.5]}') AS v, array(parse_json('1')) AS a,
        named_struct('v', parse_json('"x"')) AS s, map('k', parse_json('true')) AS m,
        CAST(NULL AS variant) AS n, to_json(parse_json('{"a": [1, "x", null, 1.5]}')) AS t"""
    (row,) = spark.run(sql).to_pylist()
    assert row["v"] == row["t"]
    assert (row["a"], row["s"], row["m"]) == (["1"], {"v": '"x"'}, [("k", "true")])
    assert row["n"] is None
    assert spark.describe(sql).columns[0].type == "variant"
    assert spark.describe(sql).schema.equals(spark.run(f"{sql} LIMIT 0").schema)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_every_type_comes_back_as_it_was_sent(desk: Desk, zone: str) -> None:
    desk.lake.session.set_property("sqe.time_zone", zone)
    sent = [P(kind, value) for kind, values in VALUES.items() for value in [*values, None]]
    found = desk.run(f"SELECT {', '.join(f'? AS c{i}' for i in range(len(sent)))}", *sent)
    (row,) = found.to_pylist()
    for index, parameter in enumerate(sent):
        value = row[f"c{index}"]
        if isinstance(value, list) and parameter.type.startswith("map"):
            value = dict(value)
        wanted = parameter.value
        if parameter.type == "float" and wanted is not None:
            assert isinstance(wanted, float)
            value, wanted = round(value, 6), round(wanted, 6)
        assert value == wanted, (parameter.type, wanted)


def test_a_moment_when_clocks_are_set_back_stays_the_same(desk: Desk) -> None:
    desk.lake.session.set_property("sqe.time_zone", "Europe/Berlin")
    for hour in (0, 1):  # half past two, twice
        moment = dt.datetime(2023, 10, 29, hour, 30, tzinfo=dt.UTC)
        found = desk.run("SELECT ? AS m", P("timestamp", moment))
        assert found.column(0)[0].as_py().astimezone(dt.UTC) == moment


def test_many_parameters_keep_their_order(desk: Desk) -> None:
    numbers = list(range(40))
    sql = (
        f"SELECT {', '.join(f'? AS c{i}' for i in numbers)}, CASE WHEN ? > ? THEN ? ELSE ? END AS x"
    )
    found = desk.run(sql, *[P("int", n) for n in [*numbers, 2, 1, 77, 78]])
    assert list(found.to_pylist()[0].values()) == [*numbers, 77]


def test_a_negative_value_behind_a_minus_is_no_comment(desk: Desk) -> None:
    found = desk.run("SELECT 5 -? AS a, -? AS b, i32-?AS c FROM p.t WHERE i32 = 1",
                     P("int", -2), P("int", -3), P("int", -4))  # fmt: skip
    assert found.to_pylist() == [{"a": 7, "b": 3, "c": 5}]


def test_an_error_has_its_place_in_the_users_text(spark: Desk) -> None:
    sql = "SELECT ? AS a, ? AS b, nope FROM p.t"
    error = spark.fails(sql, P("string", "long " * 20), P("decimal(10,2)", Decimal(1)))
    assert error.code is ErrorCode.COLUMN_NOT_FOUND
    assert error.position is not None
    assert (error.position.line, error.position.column) == (1, sql.index("nope") + 1)


def test_text_that_looks_like_sql_is_text(desk: Desk) -> None:
    for text in ("' OR '1'='1", "x'; DROP TABLE p.t; --", "\\' OR 1=1 --", "q_" + "0" * 32, "?"):
        found = desk.run("SELECT count(*) AS n FROM p.t WHERE txt = ?", P("string", text))
        assert found.to_pylist() == [{"n": 0}]
        assert desk.run("SELECT ? AS t", P("string", text)).to_pylist() == [{"t": text}]


def test_limits_take_the_whole_numbers_that_clients_have(desk: Desk) -> None:
    sql = "SELECT i64 FROM p.t WHERE i64 IS NOT NULL ORDER BY i64 LIMIT ? OFFSET ?"
    found = desk.run(sql, P("bigint", 2), P("bigint", 1))
    assert found.column(0).to_pylist() == [1, 2]
    assert desk.describe(sql).parameters == ("int", "int")
    refused = desk.fails("SELECT i64 FROM p.t LIMIT ?", P("int", -1))
    assert refused.code.category.name == "USER"


def test_a_wrong_number_of_values_is_refused(desk: Desk) -> None:
    for sql, values in (
        ("SELECT ?, ?", (P("int", 1),)),
        ("SELECT 1", (P("int", 1),)),
        ("SELECT ?", ()),
        ("DELETE FROM p.t WHERE i32 = ?", ()),
    ):
        assert desk.fails(sql, *values).code is ErrorCode.INVALID_ARGUMENT
    with pytest.raises(SqeError) as raised:
        desk.describe("SELECT ?, ?", P("int", 1))
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT
    assert "secret" not in str(desk.fails("SELECT ?", P("int", "secret")))


def test_writes_take_parameters(spark: Desk) -> None:
    spark.run("CREATE OR REPLACE TABLE p.w (id int, name string, d decimal(10,2), a array<int>)")
    insert = "INSERT INTO p.w VALUES (?, ?, ?, ?), (?, 'two', NULL, ?)"
    described = spark.describe(insert)
    assert described.parameters == (
        "int",
        "string",
        "decimal(10,2)",
        "array<int>",
        "int",
        "array<int>",
    )
    assert described.changes and described.schema == pa.schema([])
    values = (P("bigint", 1), P("string", "o'ne"), P("decimal(5,1)", Decimal("9.5")))
    counted = spark.affected(insert, *values, P("array<int>", [1]), P("int", 2), P("void", None))
    assert counted == RowsAffected(inserted=2)
    update = "UPDATE p.w SET name = ?, d = d + ? WHERE id = ? OR id = ?"
    counted = spark.affected(update, P("string", "?"), P("int", 1), P("int", 1), P("int", 99))
    assert counted == RowsAffected(updated=1)
    merge = (
        "MERGE INTO p.w t USING (SELECT ? AS id, ? AS name) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET name = ? WHEN NOT MATCHED THEN INSERT (id, name)"
        " VALUES (s.id, ?)"
    )
    texts = [P("string", text) for text in ("source", "merged", "inserted")]
    assert spark.affected(merge, P("int", 2), *texts) == RowsAffected(0, 1, 0)
    assert spark.affected(merge, P("int", 3), *texts) == RowsAffected(1, 0, 0)
    copy = "INSERT INTO p.w (name, id) SELECT ?, id + ? FROM p.w WHERE id < ?"
    counted = spark.affected(copy, P("string", "copy"), P("int", 10), P("int", 3))
    assert counted == RowsAffected(inserted=2)
    delete = "DELETE FROM p.w WHERE id > ? AND name = ?"
    assert spark.affected(delete, P("int", 0), P("string", "copy")) == RowsAffected(deleted=2)
    rows = spark.run("SELECT id, name, CAST(d AS string) AS d FROM p.w ORDER BY id").to_pylist()
    assert rows == [
        {"id": 1, "name": "?", "d": "10.50"},
        {"id": 2, "name": "merged", "d": None},
        {"id": 3, "name": "inserted", "d": None},
    ]


def test_rows_are_counted_with_the_markers_that_are_left(spark: Desk) -> None:
    """Copy-on-write, where only a query tells how many rows an UPDATE was about."""
    spark.run("CREATE OR REPLACE TABLE p.c AS SELECT CAST(id AS int) AS id, 'x' AS t FROM range(9)")
    update = "UPDATE p.c SET t = ?, id = id + ? WHERE id BETWEEN ? AND ? OR id = ? - ?"
    numbers = [P("int", n) for n in (0, 2, 4, 9, 1)]
    assert spark.affected(update, P("string", "y"), *numbers) == RowsAffected(updated=4)


def test_nothing_runs_in_a_description(spark: Desk) -> None:
    lake = spark.lake
    lake.run("CREATE OR REPLACE TABLE p.d AS SELECT 1 AS a")
    changing = (
        "INSERT INTO p.d VALUES (?)",
        "DELETE FROM p.d WHERE a = ?",
        "UPDATE p.d SET a = ?",
        "MERGE INTO p.d USING (SELECT 1 AS x) ON a = x WHEN MATCHED THEN DELETE",
        "CREATE TABLE p.new AS SELECT 1 AS a",
        "CREATE VIEW p.v AS SELECT 1 AS a",
        "CREATE TEMPORARY VIEW v AS SELECT 1 AS a",
        "ALTER TABLE p.d ADD COLUMN b int",
        "TRUNCATE TABLE p.d",
        "DROP TABLE p.d",
        "CREATE SCHEMA p2",
        "USE p",
        "SET SESSION sqe.engine = 'local'",
        "ANALYZE TABLE p.d COMPUTE STATISTICS",
    )
    for sql in changing:
        described = spark.describe(sql)
        assert (described.changes, described.columns) == (True, ()), sql
        assert described.schema == pa.schema([]), sql
    assert lake.rows("SELECT * FROM p.d") == [(1,)]
    assert ("p", "new", False) not in lake.rows("SHOW TABLES IN p")
    assert lake.session.property("sqe.engine") == "spark"
    asking = ("SHOW TABLES IN p", "DESCRIBE p.d", "EXPLAIN DELETE FROM p.d", "SHOW SCHEMAS",
              "EXPLAIN ANALYZE SELECT * FROM p.d", "SHOW CREATE TABLE p.d", "SHOW COLUMNS IN p.d",
              "DESCRIBE SELECT 1 AS a", "CALL system.rewrite_data_files('p.d')")  # fmt: skip
    for sql in asking:
        described = spark.describe(sql)
        assert not described.changes and described.columns, sql
        assert described.schema.equals(spark.run(sql).schema), sql


def test_describing_an_unbound_query_types_its_markers(desk: Desk) -> None:
    described = desk.describe(
        "SELECT i64, dec + ? AS total FROM p.t WHERE day >= ? AND txt LIKE ? AND ? < ts LIMIT ?"
    )
    assert described.parameters == ("decimal(10,2)", "date", "string", "timestamp", "int")
    assert [c.type for c in described.columns] == ["bigint", "decimal(11,2)"]
    values = [P("decimal(10,2)", Decimal("0.5")), P("date", dt.date(2024, 1, 1)), P("string", "x%"),
              P("timestamp", dt.datetime(1900, 1, 1, tzinfo=dt.UTC)), P("int", 3)]  # fmt: skip
    found = desk.run(
        "SELECT i64, dec + ? AS total FROM p.t WHERE day >= ? AND txt LIKE ? AND ? < ts LIMIT ?",
        *values,
    )
    assert found.schema.equals(described.schema) and found.num_rows == 3


def test_a_hidden_column_tells_nothing_through_a_marker(spark: Desk) -> None:
    hides = Restrict("no days", hidden=frozenset({"day"}))
    spark.run("CREATE TABLE IF NOT EXISTS p.sink (a int)")
    with spark.lake.rules.on("lake.p.t", hides, "select"):
        described = spark.describe("INSERT INTO p.sink SELECT i32 FROM p.t WHERE day = ?")
        assert described.parameters == ("string",)


def test_a_guard_holds_with_parameters(spark: Desk) -> None:
    guard = Restrict(
        "two rows", filters=(RowFilter("i32 < 2"),), masks={"txt": ConstantMask("***")}
    )
    with spark.lake.rules.on("lake.p.t", guard, "select"):
        found = spark.run(
            "SELECT txt FROM p.t WHERE i32 < ? OR txt = ?", P("int", 100), P("string", "x5")
        )
        assert found.column(0).to_pylist() == ["***", "***"]


def test_a_view_that_leaves_something_open_is_refused(spark: Desk) -> None:
    for sql in ("CREATE VIEW p.open AS SELECT ? AS a", "CREATE TEMPORARY VIEW o AS SELECT ?"):
        assert spark.fails(sql, P("int", 1)).code is ErrorCode.NOT_SUPPORTED


def test_explain_shows_a_plan_with_the_values(desk: Desk) -> None:
    plan = str(desk.run("EXPLAIN SELECT i64 FROM p.t WHERE i64 = ?", P("bigint", 4)).column(0)[0])
    assert "i64 = 4" in plan or "i64=4" in plan


def test_metadata_takes_parameters_without_an_engine(made: Lake) -> None:
    desk = Desk(made.another_session(engine="auto"))
    tables = "information_schema.tables"
    sql = f"SELECT table_name FROM {tables} WHERE table_schema = ? AND table_name LIKE ?"
    found = desk.run(sql, P("string", "p"), P("string", "t"))
    assert found.column(0).to_pylist() == ["t"]
    assert desk.engine is EngineKind.COORDINATOR
    assert desk.describe(sql).parameters == ("string", "string")
    assert desk.describe(sql).schema.equals(found.schema)


# The same question with markers on both engines, and with literals.

_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "<=>")


def _literal(parameter: Parameter) -> str:
    """As a user would write it."""
    kind, value = parameter.type, parameter.value
    if value is None:
        return "NULL" if kind == "void" else f"CAST(NULL AS {kind})"
    if kind == "string":
        return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
    if kind in ("date", "timestamp_ntz"):
        return f"{kind} '{value}'"
    if kind == "timestamp":
        assert isinstance(value, dt.datetime)
        return f"TIMESTAMP '{value:%Y-%m-%d %H:%M:%S.%f}+00:00'"
    suffix = {"tinyint": "Y", "smallint": "S", "bigint": "L", "double": "D"}.get(kind, "")
    if kind.startswith("decimal") or kind == "float":
        return f"CAST('{value}' AS {kind})"
    return f"{value}{suffix}" if kind != "boolean" else str(value).lower()


class _Questions:
    """Conditions and items over ``p.t``, each with the values of its markers."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.values: list[Parameter] = []

    def marker(self, kind: str) -> str:
        pool = [value for value in VALUES[kind] if "\0" not in str(value)]  # none in a text
        self.values.append(P(kind, self.rng.choice([*pool, *pool, None])))
        return "?"

    def kind_beside(self, kind: str) -> str:
        """Mostly the column's own type, sometimes one that is cast."""
        others = {
            "tinyint": ("int", "bigint"), "smallint": ("int",), "int": ("bigint", "decimal(3,1)"),
            "bigint": ("int", "double"), "double": ("int", "decimal(3,1)"), "float": ("double",),
            "decimal(10,2)": ("int", "bigint", "decimal(3,1)", "double"),
        }  # fmt: skip
        return self.rng.choice([kind, kind, *others.get(kind, ())])

    def condition(self) -> str:
        name, kind = self.rng.choice(list(COLUMNS.items()))
        form = self.rng.randrange(6)
        given = self.kind_beside(kind)
        if form == 0:
            return f"{name} IN ({self.marker(given)}, {self.marker(given)})"
        if form == 1 and kind != "boolean":
            return f"{name} BETWEEN {self.marker(given)} AND {self.marker(given)}"
        if form == 2:
            return f"txt LIKE {self.marker('string')}"
        if form == 3:
            return f"NOT ({name} {self.rng.choice(_COMPARISONS)} {self.marker(given)})"
        if form == 4:
            return f"{self.marker(given)} {self.rng.choice(_COMPARISONS)} {name}"
        return f"{name} {self.rng.choice(_COMPARISONS)} {self.marker(given)}"

    def item(self) -> str:
        name = self.rng.choice(["i32", "i64", "f64", "dec"])
        given = self.rng.choice(["int", "decimal(3,1)", "tinyint"])
        forms: list[Callable[[], str]] = [
            lambda: self.marker(self.rng.choice(list(COLUMNS.values()))),
            lambda: f"{name} {self.rng.choice('+-*')} {self.marker(given)}",
            lambda: f"coalesce({name}, {self.marker(COLUMNS[name])})",
            lambda: f"CASE WHEN {self.condition()} THEN {self.marker('string')} ELSE txt END",
            lambda: f"CAST({self.marker('int')} AS bigint) + i64",
        ]
        return self.rng.choice(forms)()

    def query(self) -> str:
        items = f"{self.item()} AS a, {self.item()} AS b, i64"
        joined = self.rng.choice([" AND ", " OR "]).join(self.condition() for _ in range(2))
        return f"SELECT {items} FROM p.t WHERE {joined} ORDER BY i64 NULLS FIRST"


def _spelled(sql: str, values: list[Parameter]) -> str:
    for value in values:
        sql = sql.replace("?", _literal(value).replace("?", "\1"), 1)
    return sql.replace("\1", "?")


def _outcome(ask: Callable[[], pa.Table]) -> tuple[Any, ...]:
    try:
        table = ask()
    except SqeError as error:
        return (error.code,)
    return (table.schema.types, table.to_pylist())


@pytest.mark.parametrize("seed", range(30))
def test_markers_answer_as_literals_do_on_both_engines(made: Lake, seed: int) -> None:
    questions = _Questions(seed)
    sql = questions.query()
    spark, free = Desk(made.another_session()), Desk(made.another_session(engine="auto"))
    values = questions.values
    wanted = _outcome(lambda: spark.run(_spelled(sql, values)))
    assert _outcome(lambda: spark.run(sql, *values)) == wanted, (sql, values)
    assert _outcome(lambda: free.run(sql, *values)) == wanted, (sql, values)
    spark.lake.close()
    free.lake.close()
