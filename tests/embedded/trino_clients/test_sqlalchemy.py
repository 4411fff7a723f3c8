"""The SQLAlchemy dialect of Trino's Python client, and pandas over it: what Superset uses."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import NoSuchTableError, ProgrammingError

from tests.embedded.trino_clients.conftest import SCHEMA, Address

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def engine(trino: Address) -> Iterator[sa.Engine]:
    made = sa.create_engine(f"trino://ann@{trino.host}:{trino.port}/lake/{SCHEMA}")
    yield made
    made.dispose()


def test_rows_are_selected_with_parameters(engine: sa.Engine) -> None:
    text = sa.text("SELECT n_name FROM nation WHERE n_regionkey = :key AND n_name <> :not")
    with engine.connect() as connection:
        found = connection.execute(text, {"key": 1, "not": "it's"}).fetchall()
    assert sorted(found) == [("ARGENTINA",), ("BRAZIL",)]


# The dialect takes the columns of an unpartitioned Iceberg table's $partitions for an index.
@pytest.mark.filterwarnings("ignore:index key:sqlalchemy.exc.SAWarning")
def test_a_table_is_reflected(engine: sa.Engine) -> None:
    table = sa.Table("nation", sa.MetaData(), autoload_with=engine)
    kinds = {column.name: column.type.compile(engine.dialect) for column in table.columns}
    assert kinds == {
        "n_nationkey": "BIGINT",
        "n_name": "VARCHAR",
        "n_regionkey": "BIGINT",
        "n_comment": "VARCHAR",
    }
    with engine.connect() as connection:
        count = connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
    assert count == 3


def test_what_there_is_is_inspected(engine: sa.Engine) -> None:
    inspector = sa.inspect(engine)
    assert {SCHEMA, "information_schema"} <= set(inspector.get_schema_names())
    assert {"nation", "region"} <= set(inspector.get_table_names(SCHEMA))
    assert inspector.has_table("nation", SCHEMA)
    assert not inspector.has_table("nosuch", SCHEMA)
    assert inspector.get_pk_constraint("nation", SCHEMA)["constrained_columns"] == []
    assert inspector.get_foreign_keys("nation", SCHEMA) == []
    assert inspector.get_table_comment("nation", SCHEMA) == {"text": None}
    with pytest.raises(NoSuchTableError):
        inspector.get_columns("nosuch", SCHEMA)


def test_a_view_has_a_definition(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        connection.execute(sa.text("CREATE VIEW sa_view AS SELECT n_name FROM nation"))
        try:
            inspector = sa.inspect(engine)
            assert "sa_view" in inspector.get_view_names(SCHEMA)
            definition = inspector.get_view_definition("sa_view", SCHEMA)
        finally:
            connection.execute(sa.text("DROP VIEW sa_view"))
    assert "FROM" in definition and "nation" in definition


def test_a_table_is_made_filled_and_dropped(engine: sa.Engine) -> None:
    metadata = sa.MetaData()
    table = sa.Table(
        "sa_made", metadata, sa.Column("a", sa.Integer), sa.Column("b", sa.String), schema=SCHEMA
    )
    metadata.create_all(engine)
    try:
        with engine.connect() as connection:
            connection.execute(table.insert(), [{"a": 1, "b": "x"}, {"a": 2, "b": None}])
            rows = connection.execute(sa.select(table).order_by(table.c.a)).fetchall()
    finally:
        metadata.drop_all(engine)
    assert [tuple(row) for row in rows] == [(1, "x"), (2, None)]


def test_errors_are_the_databases(engine: sa.Engine) -> None:
    with engine.connect() as connection, pytest.raises(ProgrammingError, match="TABLE_NOT_FOUND"):
        connection.execute(sa.text("SELECT * FROM nosuch"))


def test_the_server_has_a_version(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT version()")).scalar_one()


def test_pandas_reads_a_query(engine: sa.Engine) -> None:
    frame = pd.read_sql("SELECT n_nationkey AS k, n_name AS n FROM nation ORDER BY 1", engine)
    assert frame.to_dict("list") == {"k": [0, 1, 2], "n": ["ALGERIA", "ARGENTINA", "BRAZIL"]}


def test_pandas_reads_a_query_with_parameters(engine: sa.Engine) -> None:
    text = sa.text("SELECT count(*) AS c FROM nation WHERE n_name LIKE :like")
    assert pd.read_sql(text, engine, params={"like": "A%"})["c"].tolist() == [2]


def test_pandas_writes_a_table(engine: sa.Engine) -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    try:
        frame.to_sql("pd_made", engine, schema=SCHEMA, index=False, method="multi")
        read = pd.read_sql(f"SELECT a, b FROM {SCHEMA}.pd_made ORDER BY a", engine)
    finally:
        with engine.connect() as connection:
            connection.execute(sa.text(f"DROP TABLE IF EXISTS {SCHEMA}.pd_made"))
    assert read.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
