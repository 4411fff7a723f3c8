"""The SQLAlchemy dialect against a real server: queries, reflection, pandas, the ORM."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal

import pandas as pd
import pytest
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from sqe.client.sqlalchemy.types import SparkType
from tests.embedded.client.conftest import PASSWORD, Served
from tests.embedded.pipe.lake import Lake

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(300)]


@pytest.fixture
def engine(served: Served, tables: Lake) -> Iterator[sa.Engine]:
    url = sa.URL.create(
        "sqe+flight", "ann", PASSWORD, "127.0.0.1", served.port, database="lake/client"
    )
    made = sa.create_engine(url)
    yield made
    made.dispose()


class Base(DeclarativeBase):
    pass


class Person(Base):
    __tablename__ = "people"
    __table_args__ = {"schema": "client"}  # noqa: RUF012  SQLAlchemy's way
    id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True)
    name: Mapped[str | None]
    height: Mapped[Decimal | None]


def test_the_inspector_sees_schemas_tables_views_and_columns(engine: sa.Engine) -> None:
    inspector = sa.inspect(engine)
    assert inspector.default_schema_name == "client"
    assert {"client", "default"} <= set(inspector.get_schema_names())
    assert "people" in inspector.get_table_names()
    assert inspector.get_table_names("default") != inspector.get_table_names("client")
    assert inspector.get_view_names("client") == ["adults"]
    assert inspector.has_table("people", schema="client")
    assert inspector.has_table("adults", schema="client")
    assert not inspector.has_table("people", schema="default")
    assert "SELECT id, name" in inspector.get_view_definition("adults", "client")
    columns = {column["name"]: column for column in inspector.get_columns("people", "client")}
    assert [str(column["type"]) for column in columns.values()] == [
        "BIGINT",
        "VARCHAR",
        "DECIMAL(5, 2)",
        "DATE",
        "TIMESTAMP",
        "TIMESTAMP",
        "ARRAY",
        "struct<city:string,zip:int>",
        "map<string,int>",
        "BLOB",
    ]
    assert [getattr(columns[name]["type"], "timezone", None) for name in ("seen", "met")] == [
        True,
        False,
    ]
    assert isinstance(columns["home"]["type"], SparkType)
    assert not columns["id"]["nullable"]
    assert columns["id"]["comment"] == "key"
    assert columns["name"]["nullable"]


def test_keys_and_indexes_are_none_and_not_an_error(engine: sa.Engine) -> None:
    inspector = sa.inspect(engine)
    assert inspector.get_pk_constraint("people", "client")["constrained_columns"] == []
    for ask in (
        inspector.get_foreign_keys,
        inspector.get_indexes,
        inspector.get_unique_constraints,
        inspector.get_check_constraints,
    ):
        assert ask("people", schema="client") == []
    assert inspector.get_table_comment("people", "client") == {"text": None}


def test_a_table_that_is_not_there_is_said(engine: sa.Engine) -> None:
    with pytest.raises(sa.exc.NoSuchTableError):
        sa.Table("nowhere", sa.MetaData(), autoload_with=engine, schema="client")


def test_a_reflected_table_can_be_queried(engine: sa.Engine) -> None:
    people = sa.Table("people", sa.MetaData(), autoload_with=engine, schema="client")
    query = (
        sa.select(people.c.name, people.c.born, people.c.height * 2)
        .where(people.c.id.in_([1, 7]), people.c.name == sa.bindparam("who"))
        .order_by(people.c.id)
        .limit(5)
        .offset(0)
    )
    with engine.connect() as connection:
        rows = connection.execute(query, {"who": "Ann"}).all()
    assert [tuple(row) for row in rows] == [("Ann", datetime.date(1990, 5, 1), Decimal("3.40"))]


def test_limit_and_offset_cut_the_rows(engine: sa.Engine) -> None:
    people = sa.table("people", sa.column("id"), schema="client")
    query = sa.select(people.c.id).order_by(people.c.id.desc())
    with engine.connect() as connection:
        assert connection.scalars(query.limit(1)).all() == [2]
        assert connection.scalars(query.limit(1).offset(1)).all() == [1]
        assert connection.scalars(query.offset(1)).all() == [1]
        assert connection.scalars(query.where(people.c.id.in_([]))).all() == []


def test_the_orm_selects(engine: sa.Engine) -> None:
    with Session(engine) as session:
        found = session.scalars(sa.select(Person).where(Person.name == "Ann")).one()
        assert (found.id, found.height) == (1, Decimal("1.70"))
        assert session.get(Person, 2) is not None
        assert session.scalar(sa.select(sa.func.count()).select_from(Person)) == 2


def test_pandas_reads(engine: sa.Engine) -> None:
    frame = pd.read_sql("SELECT id, name FROM people ORDER BY id", engine)
    assert frame["id"].tolist() == [1, 2]
    chosen = pd.read_sql(
        sa.text("SELECT name FROM people WHERE id = :id"), engine, params={"id": 1}
    )
    assert chosen["name"].tolist() == ["Ann"]
    table = pd.read_sql_table("adults", engine, schema="client")
    assert sorted(table.columns) == ["id", "name"]


def test_pandas_writes(engine: sa.Engine) -> None:
    frame = pd.DataFrame({"n": [1, 2, 3], "s": ["a", None, "c\\'d"], "x": [0.5, 1.5, None]})
    assert frame.to_sql("of_pandas", engine, index=False, if_exists="replace") == 3
    back = pd.read_sql("SELECT * FROM of_pandas ORDER BY n", engine)
    assert back["n"].tolist() == [1, 2, 3]
    assert [None if pd.isna(s) else s for s in back["s"]] == ["a", None, "c\\'d"]


def test_an_error_of_the_server_is_one_of_sqlalchemys(engine: sa.Engine) -> None:
    with engine.connect() as connection, pytest.raises(sa.exc.ProgrammingError) as raised:
        connection.execute(sa.text("SELECT * FROM nowhere"))
    assert "[TABLE_NOT_FOUND]" in str(raised.value)
    assert PASSWORD not in str(raised.value)


def test_a_wrong_password_is_an_operational_error(served: Served) -> None:
    engine = sa.create_engine(f"sqe+flight://ann:wrong@127.0.0.1:{served.port}")
    with pytest.raises(sa.exc.OperationalError) as raised:
        engine.connect()
    assert "AUTHENTICATION_FAILED" in str(raised.value)
    assert "wrong" not in str(raised.value)
