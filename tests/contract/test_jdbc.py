"""The JDBC catalog's database is shared with other programs: nothing of theirs is lost, and what
they write there leads SQE nowhere else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.types import LongType
from sqlalchemy import create_engine, text

from sqe.catalog.embedded.store import SCHEMA as TABLES
from sqe.catalog.protocol import Catalog, Ident
from sqe.errors import ErrorCode, SqeError
from tests.contract.catalog_adapters import jdbc, make_v0
from tests.unit.catalog.tables import SCHEMA, field
from tests.unit.server.test_front import until
from tests.unit.store import postgresql as databases
from tests.unit.store.postgresql import schema_in

NS, T = ("sales",), Ident(("sales",), "t")
_CURRENT = {"action": "set-current-schema"}
ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64())})


@dataclass(frozen=True)
class Place:
    folder: Path
    url: str

    def sqe(self, name: str = "lake") -> AbstractContextManager[Catalog]:
        return jdbc(self.folder, self.url, catalog_name=name)

    @contextmanager
    def pyiceberg(self) -> Iterator[SqlCatalog]:
        client = SqlCatalog("lake", uri=self.url, warehouse=f"file://{self.folder}/w")
        yield client
        client.close()


@pytest.fixture(params=["SQLite", "V0", "PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "PostgreSQL":
        return Place(tmp_path, schema_in(request.getfixturevalue("postgresql")))
    if request.param == "V0":
        make_v0(tmp_path / "c.db")
    return Place(tmp_path, f"sqlite:///{tmp_path}/c.db")


def code(failed: pytest.ExceptionInfo[SqeError]) -> ErrorCode:
    return failed.value.code


def set_property(catalog: Catalog, key: str, value: str = "1") -> None:
    update = {"action": "set-properties", "updates": {key: value}}
    catalog.commit_table(T, {"updates": [update]})


def test_pyiceberg_and_sqe_see_each_others_tables(place: Place) -> None:
    with place.pyiceberg() as theirs, place.sqe() as ours:
        theirs.create_namespace("sales", {"owner": "ann"})
        table = theirs.create_table("sales.t", ROWS.schema)
        table.append(ROWS)
        assert ours.load_namespace(NS)["owner"] == "ann"
        assert ours.list_tables(NS) == ["t"]
        [snapshot] = ours.load_table(T).metadata["snapshots"]
        assert snapshot["summary"]["total-records"] == "3"
        set_property(ours, "by", "sqe")
        assert theirs.load_table("sales.t").properties["by"] == "sqe"
        ours.create_table(NS, {"name": "u", "schema": SCHEMA, "properties": {}})
        ours.rename_table(Ident(NS, "u"), Ident(NS, "v"))
        assert sorted(theirs.list_tables("sales")) == [("sales", "t"), ("sales", "v")]
        theirs.drop_table("sales.t")
        assert ours.list_tables(NS) == ["v"]


def test_who_has_read_something_older_gets_a_conflict(place: Place) -> None:
    with place.pyiceberg() as theirs, place.sqe() as ours:
        theirs.create_namespace("sales")
        stale = theirs.create_table("sales.t", ROWS.schema)
        schema = ours.load_table(T).metadata["schemas"][0]
        fields = [*schema["fields"], field(9, "by_sqe")]
        add = {"action": "add-schema", "schema": {**schema, "schema-id": 1, "fields": fields}}
        ours.commit_table(T, {"updates": [add, {**_CURRENT, "schema-id": -1}]})
        with pytest.raises(CommitFailedException), stale.update_schema() as update:
            update.add_column("more", LongType())
        theirs.load_table("sales.t").append(ROWS.append_column("by_sqe", pa.array(["a"] * 3)))
        unmoved = {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}
        with pytest.raises(SqeError) as lost:
            ours.commit_table(T, {"requirements": [unmoved], "updates": []})
        assert code(lost) is ErrorCode.COMMIT_CONFLICT


def test_commits_at_the_same_moment_are_all_there(place: Place) -> None:
    with place.sqe() as one, place.sqe() as two:
        one.create_namespace(NS, {})
        one.create_table(NS, {"name": "t", "schema": SCHEMA})
        with ThreadPoolExecutor(4) as pool:
            for number in range(24):
                pool.submit(set_property, (one, two)[number % 2], f"p{number}")
        properties = one.load_table(T).metadata["properties"]
        assert {f"p{number}" for number in range(24)} <= properties.keys()


def test_a_name_is_made_once_even_by_many(place: Place) -> None:
    def make(catalog: Catalog) -> str:
        try:
            catalog.create_table(NS, {"name": "t", "schema": SCHEMA})
        except SqeError as error:
            return error.code.name
        return "made"

    with place.sqe() as one, place.sqe() as two:
        one.create_namespace(NS, {})
        with ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(make, [one, two] * 4))
        assert sorted(ends) == ["TABLE_ALREADY_EXISTS"] * 7 + ["made"]


def test_other_catalogs_in_the_database_are_not_seen(place: Place) -> None:
    with place.sqe() as one, place.sqe("other") as two:
        one.create_namespace(NS, {})
        one.create_table(NS, {"name": "t", "schema": SCHEMA})
        assert two.list_namespaces() == []
        two.create_namespace(NS, {})
        with pytest.raises(SqeError) as missing:
            two.load_table(T)
        assert code(missing) is ErrorCode.TABLE_NOT_FOUND


def test_the_layout_becomes_v1_where_that_is_asked_for(tmp_path: Path) -> None:
    make_v0(tmp_path / "c.db")
    with jdbc(tmp_path, f"sqlite:///{tmp_path}/c.db", schema_version="V1") as catalog:
        catalog.create_namespace(NS, {})
        assert catalog.list_views(NS) == []
    with closing(sqlite3.connect(tmp_path / "c.db")) as db:
        assert "iceberg_type" in [row[1] for row in db.execute("PRAGMA table_info(iceberg_tables)")]


@pytest.mark.parametrize("what", ["metadata_location", "location", "manifest-list", "data path"])
def test_what_leads_out_of_the_warehouse_is_refused(tmp_path: Path, what: str) -> None:
    secret = tmp_path / "elsewhere"
    secret.mkdir()
    with jdbc(tmp_path, f"sqlite:///{tmp_path}/c.db") as catalog:
        catalog.create_namespace(NS, {})
        made = catalog.create_table(NS, {"name": "t", "schema": SCHEMA})
        file = Path(str(made.metadata_location))
        metadata = json.loads(file.read_text())
        if what == "location":
            metadata["location"] = str(secret)
        if what == "manifest-list":
            metadata["snapshots"] = [{"snapshot-id": 1, "manifest-list": f"{secret}/m.avro"}]
        if what == "data path":
            metadata["properties"]["write.data.path"] = f"{metadata['location']}/../../../elsewhere"
        target = secret / file.name if what == "metadata_location" else file
        target.write_text(json.dumps(metadata))
        with closing(sqlite3.connect(tmp_path / "c.db")) as db, db:
            db.execute("UPDATE iceberg_tables SET metadata_location = ?", (str(target),))
        with pytest.raises(SqeError, match="outside of the warehouse") as refused:
            catalog.load_table(T)
        assert code(refused) is ErrorCode.ACCESS_DENIED


def test_a_database_that_ignores_case_does_not_make_names_equal(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "c.db")) as db:
        for statement in TABLES:
            db.execute(statement.replace("VARCHAR(255)", "VARCHAR(255) COLLATE NOCASE"))
    with jdbc(tmp_path, f"sqlite:///{tmp_path}/c.db") as catalog:
        catalog.create_namespace(NS, {"owner": "ann"})
        catalog.create_table(NS, {"name": "t", "schema": SCHEMA})
        for ask in (
            lambda: catalog.load_table(Ident(NS, "T")),
            lambda: catalog.drop_table(Ident(NS, "T")),
            lambda: catalog.commit_table(Ident(("SALES",), "t"), {"updates": []}),
            lambda: catalog.load_namespace(("SALES",)),
        ):
            with pytest.raises(SqeError, match="does not exist"):
                ask()


def test_a_database_that_is_not_there_keeps_nobody_from_starting(tmp_path: Path) -> None:
    url = "postgresql+psycopg://ann:a-secret-word@127.0.0.1:9/books"
    with jdbc(tmp_path, url) as catalog, pytest.raises(SqeError) as gone:
        catalog.list_namespaces()
    assert code(gone) is ErrorCode.CATALOG_UNAVAILABLE
    assert "secret-word" not in f"{gone.value} {gone.value.__cause__} {catalog!r}"


def test_an_account_that_may_only_read_reads(tmp_path: Path, postgresql: str) -> None:
    address = schema_in(postgresql)
    with jdbc(tmp_path, address) as owner:
        owner.create_namespace(NS, {})
        owner.create_table(NS, {"name": "t", "schema": SCHEMA})
    schema = address.rpartition("%3D")[2]
    engine = create_engine(address)
    with engine.begin() as connection:
        for statement in (
            f"CREATE ROLE reader_{schema} LOGIN",
            f"GRANT USAGE ON SCHEMA {schema} TO reader_{schema}",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader_{schema}",
        ):
            connection.execute(text(statement))
    engine.dispose()
    with jdbc(tmp_path, address.replace("//sqe@", f"//reader_{schema}@")) as reader:
        assert reader.list_tables(NS) == ["t"]
        with pytest.raises(SqeError) as refused:
            reader.drop_table(T)
        assert "needs to read and write" in refused.value.hint
        assert reader.list_tables(NS) == ["t"]


def test_a_database_that_goes_in_the_middle_of_a_commit(tmp_path: Path) -> None:
    """Nobody knows then what became of it: its file stays, and the table is one or the other."""
    programs = databases.installed()
    if programs is None:
        pytest.skip("there is no PostgreSQL on this machine")
    with (
        databases.place() as folder,
        databases.running(programs, folder) as server,
        jdbc(tmp_path, server.url) as ours,
    ):
        ours.create_namespace(NS, {})
        ours.create_table(NS, {"name": "t", "schema": SCHEMA})
        engine = create_engine(server.url)
        holder = engine.connect()
        holder.execute(text("LOCK TABLE iceberg_tables IN SHARE MODE"))
        with ThreadPoolExecutor(1) as pool:
            commit = pool.submit(set_property, ours, "by", "sqe")
            waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            assert until(lambda: holder.execute(waiting).scalar() == 1)
            server.stop()
            with pytest.raises(SqeError) as unknown:
                commit.result(60)
        assert unknown.value.code is ErrorCode.CATALOG_UNAVAILABLE
        holder.invalidate()
        holder.close()
        engine.dispose()
        assert len(list((tmp_path / "w").rglob("*.metadata.json"))) == 2
        server.start()
        assert "by" not in ours.load_table(T).metadata["properties"]
        set_property(ours, "by", "sqe")
        assert ours.load_table(T).metadata["properties"]["by"] == "sqe"
