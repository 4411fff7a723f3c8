"""sqe catalog test: each step that can fail, failing, on each type of catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json, Loaded, Namespace
from sqe.cli.exit_codes import ExitCode
from sqe.errors import AccessError, ErrorCode, SqeError, UpstreamError, UserError
from sqe.testing import PolarisLikeCatalog, StaticTokens
from tests.unit.catalog.remote.serving import served
from tests.unit.cli.fakes import FakeGateway, run
from tests.unit.engines.local.runtime.object_store import FOLDER, FolderIO, ObjectStore

ROLES: dict[str, list[tuple[str, dict[str, str]]]] = {
    "ann": [("CATALOG_MANAGE_CONTENT", {})],
    "reader": [
        ("NAMESPACE_LIST", {}),
        ("TABLE_LIST", {}),
        ("TABLE_READ_DATA", {"namespace": "sales"}),
    ],
    "loader": [("TABLE_READ_DATA", {"namespace": "sales", "table": "orders"})],
}
DATA = pa.table({"n": [1, 2, 3]})
READ = ["reach", "login", "list", "load", "vend", "read"]


@pytest.fixture
def polaris(tmp_path: Path) -> Iterator[PolarisLikeCatalog]:
    """With ``sales.orders``, which has rows, and an empty ``sales.none`` before it."""
    tokens = StaticTokens()
    catalog = PolarisLikeCatalog(tmp_path / "polaris", tokens)
    catalog.admin.add_catalog("lake", ["sales", "scratch"])
    for name, grants in ROLES.items():
        tokens.add(f"{name}-token", name, [name])
        catalog.admin.add_principal(name, [name])
        for privilege, on in grants:
            catalog.admin.grant(name, [privilege], catalog="lake", **on)
    write(tmp_path / "polaris" / "lake" / "catalog.db", tmp_path / "polaris" / "lake")
    with catalog:
        yield catalog


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "lakehouse"
    folder.mkdir()
    return folder


def write(database: Path, folder: Path) -> None:
    warehouse = (folder / "warehouse").absolute()
    catalog = SqlCatalog("lake", uri=f"sqlite:///{database}", warehouse=f"file://{warehouse}")
    catalog.create_table("sales.none", DATA.schema)
    catalog.create_table("sales.orders", DATA.schema).append(DATA)
    catalog.close()


def configure(home: Path, url: str, warehouse: str = "lake", **more: Any) -> None:
    settings = {"type": "rest", "uri": url, "warehouse": warehouse, **more}
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    (home / "sqe.toml").write_text("\n".join(["[catalogs.lake]", "[catalogs.polaris]", *lines]))


def check(
    home: Path, *arguments: str, token: str = "", name: str = "polaris"
) -> tuple[list[dict[str, Any]], int]:
    """The steps, and the exit code."""
    if token:
        (home / "token.txt").write_text(token + "\n")
        arguments = (*arguments, "--token-file", str(home / "token.txt"))
    result = run(FakeGateway(), "catalog", "test", name, "--json", *arguments, home=home)
    assert not token or token not in result.output
    return json.loads(result.stdout), result.exit_code


def last(steps: list[dict[str, Any]]) -> tuple[str, str, str | None]:
    return steps[-1]["step"], steps[-1]["state"], steps[-1]["code"]


def test_all_is_well_with_our_own(home: Path) -> None:
    own = EmbeddedCatalog(home / "lake.db", home / "warehouse")
    own.create_namespace(("sales",), {})
    own.close()
    write(home / "lake.db", home)
    steps, code = check(home, "--write", "--schema", "sales", name="lake")
    assert [step["step"] for step in steps] == [*READ, "create", "drop"]
    assert {step["state"] for step in steps} == {"ok"} and code == ExitCode.OK
    assert not list((home / "warehouse").rglob("*sqe_test*"))


def test_what_cannot_be_tried_is_not_a_failure(home: Path) -> None:
    steps, code = check(home, name="lake")
    assert last(steps) == ("load", "warn", None) and code == ExitCode.OK
    own = EmbeddedCatalog(home / "lake.db", home / "warehouse")
    own.create_namespace(("sales",), {})
    schema = {"type": "struct", "fields": []}
    own.create_table(("sales",), {"name": "none", "schema": schema})
    own.close()
    steps, code = check(home, name="lake")
    assert last(steps) == ("read", "warn", None) and code == ExitCode.OK
    assert steps[-1]["text"] == "not tried: sales.none has no data files"


def test_a_home_that_is_new_is_told_of_and_closed_to_others(tmp_path: Path) -> None:
    new = tmp_path / "lke"
    result = run(FakeGateway(), "catalog", "test", "lake", home=new)
    assert result.stderr == f"sqe: a new lakehouse is made in {new}\n"
    assert new.stat().st_mode & 0o777 == 0o700


def test_settings_with_which_nothing_is_reached(home: Path) -> None:
    configure(home, "https://polaris.test", authorities="ca.pem")
    steps, code = check(home, token="ann-token")
    assert last(steps) == ("reach", "fail", "INVALID_SETTINGS") and code == ExitCode.USER_ERROR


def test_a_catalog_that_is_not_configured(home: Path) -> None:
    result = run(FakeGateway(), "catalog", "test", "lak", home=home)
    assert "error[CATALOG_NOT_FOUND] Catalog lak does not exist. Did you mean lake?" in (
        result.stderr
    )
    assert result.exit_code == ExitCode.USER_ERROR


@pytest.mark.parametrize(
    ("wrong", "todo"),
    [
        ({"url": "http://127.0.0.1:9"}, "Try again"),
        ({"warehouse": "lakee"}, "catalogs.polaris.warehouse"),
        ({"path": "/elsewhere"}, "catalogs.polaris.uri"),
    ],
)
def test_nothing_is_there(
    home: Path, polaris: PolarisLikeCatalog, wrong: dict[str, str], todo: str
) -> None:
    url = wrong.get("url", polaris.url) + wrong.get("path", "")
    configure(home, url, wrong.get("warehouse", "lake"))
    steps, code = check(home, token="ann-token")
    assert [last(steps)] == [("reach", "fail", "CATALOG_UNAVAILABLE")] and len(steps) == 1
    assert todo in steps[0]["todo"] and code == ExitCode.UPSTREAM


def test_a_realm_that_is_not_there(home: Path, polaris: PolarisLikeCatalog) -> None:
    configure(home, polaris.url)
    with (home / "sqe.toml").open("a") as file:
        file.write('\n[catalogs.polaris.headers]\nPolaris-Realm = "OTHER"\n')
    steps, _ = check(home, token="ann-token")
    assert last(steps) == ("reach", "fail", "CATALOG_UNAVAILABLE")
    assert "Polaris-Realm" in steps[0]["todo"]


def test_nobody_gets_in_without_a_good_token(home: Path, polaris: PolarisLikeCatalog) -> None:
    configure(home, polaris.url)
    steps, code = check(home)
    assert last(steps) == ("login", "fail", "AUTHENTICATION_FAILED") and code == ExitCode.ACCESS
    assert "--token-file" in steps[0]["todo"] and polaris.admin.calls() == 0
    steps, code = check(home, token="forged")
    assert last(steps) == ("login", "fail", "AUTHENTICATION_FAILED") and code == ExitCode.ACCESS


def test_an_issuer_of_the_settings_is_asked_first(home: Path, polaris: PolarisLikeCatalog) -> None:
    configure(home, polaris.url)
    with (home / "sqe.toml").open("a") as file:
        issuer = 'issuer = "http://127.0.0.1:9/realm"\naudience = ["sqe"]\n'
        file.write(f"\n[auth.oidc.main]\n{issuer}")
    steps, _ = check(home, token="ann-token")
    assert last(steps)[:2] == ("login", "fail")
    assert polaris.admin.calls() == 0


def test_who_may_not_list(home: Path, polaris: PolarisLikeCatalog) -> None:
    configure(home, polaris.url)
    steps, code = check(home, token="loader-token")
    assert [step["step"] for step in steps] == ["reach", "login", "list"]
    assert last(steps) == ("list", "fail", "ACCESS_DENIED") and code == ExitCode.ACCESS


def test_a_table_that_cannot_be_loaded(home: Path, polaris: PolarisLikeCatalog) -> None:
    configure(home, polaris.url)
    steps, code = check(home, "--table", "sales.nothing", token="ann-token")
    assert last(steps) == ("load", "fail", "TABLE_NOT_FOUND") and code == ExitCode.USER_ERROR
    polaris.admin.inject("status", endpoint="load_table", status=500)
    steps, code = check(home, token="ann-token")
    assert last(steps) == ("load", "fail", "CATALOG_UNAVAILABLE") and code == ExitCode.UPSTREAM


@pytest.mark.parametrize("name", ["polaris", "lake"])
def test_a_schema_that_is_not_there(home: Path, polaris: PolarisLikeCatalog, name: str) -> None:
    configure(home, polaris.url)
    steps, _ = check(home, "--write", "--schema", "skratch", token="ann-token", name=name)
    assert last(steps) == ("create", "fail", "SCHEMA_NOT_FOUND")


def test_a_table_of_somebody_elses_is_not_dropped(home: Path, store: ObjectStore) -> None:
    catalog = in_s3(home.parent, store, vends=True)
    taken = UserError(ErrorCode.TABLE_ALREADY_EXISTS, "taken")
    catalog.broken = {"create_table": taken}
    with served({"ann-token": catalog}) as server:
        configure(home, server.url, unique_locations=False)
        steps, _ = check(home, "--write", "--schema", "sales", token="ann-token")
    assert last(steps) == ("create", "fail", "TABLE_ALREADY_EXISTS")
    assert len(catalog.list_tables(("sales",))) == 2  # as if somebody had made it meanwhile
    catalog.close()


def test_who_may_not_write(home: Path, polaris: PolarisLikeCatalog) -> None:
    configure(home, polaris.url)
    steps, code = check(home, "--write", "--schema", "scratch", token="reader-token")
    assert last(steps) == ("create", "fail", "ACCESS_DENIED") and code == ExitCode.ACCESS


def test_a_create_without_an_answer_is_cleaned_up(home: Path, polaris: PolarisLikeCatalog) -> None:
    configure(home, polaris.url)
    polaris.admin.inject("truncated", endpoint="create_table")
    steps, _ = check(home, "--write", "--schema", "scratch", token="ann-token")
    assert [(step["step"], step["state"]) for step in steps[-2:]] == [
        ("create", "fail"),
        ("drop", "ok"),
    ]
    polaris.admin.heal()
    own = EmbeddedCatalog(
        polaris.admin.home / "lake" / "catalog.db", polaris.admin.home / "lake" / "warehouse"
    )
    assert own.list_tables(("scratch",)) == []
    own.close()


class InS3(EmbeddedCatalog):
    """Its tables are in an object store. ``broken``: what fails, by method."""

    loaded: Loaded
    broken: Mapping[str, SqeError] = MappingProxyType({})

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        self._fail("list_namespaces")
        return super().list_namespaces(parent)

    def load_table(self, ident: Ident) -> Loaded:
        return self.loaded

    def create_table(self, namespace: Namespace, request: Json) -> Loaded:
        metadata = super().create_table(namespace, request).metadata
        self._fail("create_table")
        there = {**metadata, "location": "s3://lake/w/new"}
        return Loaded(json.dumps(there).encode(), "s3://lake/w/new/metadata/1.json")

    def drop_table(self, ident: Ident, *, purge: bool = False) -> None:
        self._fail("purge" if purge else "drop")
        super().drop_table(ident, purge=purge)

    def _fail(self, method: str) -> None:
        if method in self.broken:
            raise self.broken[method]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    store = ObjectStore(tmp_path / "buckets")
    yield store
    store.close()


def in_s3(folder: Path, store: ObjectStore, *, vends: bool) -> InS3:
    made = InS3(folder / "behind.db", folder / "behind")
    made.create_namespace(("sales",), {})
    made.create_table(("sales",), {"name": "orders", "schema": {"type": "struct", "fields": []}})
    writer = SqlCatalog(
        "s3",
        uri=f"sqlite:///{folder / 's3.db'}",
        warehouse="s3://lake/w",
        **{
            "py-io-impl": f"{FolderIO.__module__}.{FolderIO.__name__}",
            FOLDER: str(store.folder),
        },
    )
    writer.create_namespace("db")
    table = writer.create_table("db.t", DATA.schema, location="s3://lake/w/t")
    table.append(DATA)
    writer.close()
    store.keys["lake/w/t"] = "KEY"
    metadata = (store.folder / table.metadata_location.removeprefix("s3://")).read_bytes()
    credential = {"prefix": "s3://lake/w/t", "config": store.config("KEY")}
    given = (credential,) if vends else ()
    made.loaded = Loaded(metadata, table.metadata_location, {}, given)
    return made


@pytest.mark.parametrize(
    ("vends", "refuses", "end"),
    [
        (True, False, ("read", "ok", None)),
        (False, False, ("vend", "fail", "STORAGE_UNAVAILABLE")),
        (True, True, ("read", "fail", "STORAGE_UNAVAILABLE")),
    ],
)
def test_keys_to_an_object_store(
    home: Path,
    store: ObjectStore,
    vends: bool,
    refuses: bool,
    end: tuple[str, str, str | None],
) -> None:
    catalog = in_s3(home.parent, store, vends=vends)
    if refuses:
        store.keys["lake/w/t"] = "another key"
    with served({"ann-token": catalog}) as server:
        configure(home, server.url)
        steps, code = check(home, token="ann-token")
    catalog.close()
    assert last(steps) == end
    assert code == (ExitCode.OK if end[1] == "ok" else ExitCode.UPSTREAM)
    assert "secret of" not in json.dumps(steps)


DENIED = AccessError(ErrorCode.ACCESS_DENIED, "no")
DOWN = UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "down")


@pytest.mark.parametrize(
    ("broken", "dropped"),
    [
        ({}, ("ok", "with its files")),
        ({"purge": DENIED}, ("ok", "the catalog keeps its metadata file")),
        ({"purge": DENIED, "drop": DENIED}, ("fail", "")),
        ({"purge": DOWN}, ("fail", "")),
    ],
)
def test_a_scratch_table_comes_and_goes(
    home: Path, store: ObjectStore, broken: dict[str, SqeError], dropped: tuple[str, str]
) -> None:
    catalog = in_s3(home.parent, store, vends=True)
    catalog.broken = broken
    with served({"ann-token": catalog}) as server:
        configure(home, server.url, unique_locations=False)
        steps, code = check(home, "--write", "--schema", "sales", token="ann-token")
    assert [step["step"] for step in steps] == [*READ, "create", "drop"]
    assert steps[-1]["state"] == dropped[0] and dropped[1] in steps[-1]["text"]
    assert {step["state"] for step in steps[:-1]} == {"ok"}
    scratch = [name for name in catalog.list_tables(("sales",)) if name != "orders"]
    if dropped[0] == "ok":
        assert scratch == [] and code == ExitCode.OK
    else:
        assert f"Drop sales.{scratch[0]} later." in steps[-1]["todo"] and code != ExitCode.OK
    catalog.close()


def test_who_may_not_list_may_load_a_table_by_name(home: Path, store: ObjectStore) -> None:
    catalog = in_s3(home.parent, store, vends=True)
    catalog.broken = {"list_namespaces": DENIED}
    with served({"ann-token": catalog}) as server:
        configure(home, server.url)
        unnamed, _ = check(home, token="ann-token")
        named, code = check(home, "--table", "sales.orders", token="ann-token")
    catalog.close()
    assert last(unnamed) == ("list", "fail", "ACCESS_DENIED")
    assert [step["step"] for step in named] == READ
    assert [step["step"] for step in named if step["state"] != "ok"] == ["list"]
    assert code == ExitCode.ACCESS


def test_a_file_that_is_gone(home: Path, store: ObjectStore) -> None:
    catalog = in_s3(home.parent, store, vends=True)
    for file in store.folder.rglob("*.parquet"):
        file.unlink()
    with served({"ann-token": catalog}) as server:
        configure(home, server.url)
        steps, _ = check(home, token="ann-token")
    catalog.close()
    assert last(steps) == ("read", "fail", "CORRUPT_DATA")


def test_a_file_of_our_own_that_is_gone(home: Path) -> None:
    own = EmbeddedCatalog(home / "lake.db", home / "warehouse")
    own.create_namespace(("sales",), {})
    own.close()
    write(home / "lake.db", home)
    for file in home.rglob("*.parquet"):
        file.unlink()
    steps, code = check(home, name="lake")
    assert last(steps) == ("read", "fail", "STORAGE_UNAVAILABLE") and code == ExitCode.UPSTREAM
    assert str(home) not in steps[-1]["text"]


def test_a_manifest_that_is_broken(home: Path, store: ObjectStore) -> None:
    catalog = in_s3(home.parent, store, vends=True)
    for file in store.folder.rglob("snap-*.avro"):
        file.write_bytes(b"Obj\x01" + b"\xff" * 50)
    with served({"ann-token": catalog}) as server:
        configure(home, server.url)
        steps, _ = check(home, token="ann-token")
    catalog.close()
    assert last(steps) == ("read", "fail", "CORRUPT_DATA")


def test_a_table_of_a_remote_catalog_on_our_disk(home: Path, polaris: PolarisLikeCatalog) -> None:
    """Nobody but SQE's own catalog may name files of this machine."""
    configure(home, polaris.url)
    steps, _ = check(home, "--write", "--schema", "scratch", token="ann-token")
    states = {step["step"]: step["state"] for step in steps}
    assert (states["load"], states["create"], states["drop"]) == ("fail", "fail", "ok")


def test_people_read_what_failed_and_what_to_do(home: Path, polaris: PolarisLikeCatalog) -> None:
    configure(home, polaris.url)
    result = run(FakeGateway(), "catalog", "test", "polaris", home=home)
    assert result.stdout.splitlines() == [
        "fail  login     The catalog must be shown a token of yours, and there is none.",
        "                -> Give one of its identity provider with --token-file.",
    ]


@pytest.mark.parametrize(
    "arguments",
    [("--write",), ("--schema", "s"), ("--table", "t"), ("--write", "--schema", "a..b")],
)
def test_options_that_do_not_fit(home: Path, arguments: tuple[str, ...]) -> None:
    result = run(FakeGateway(), "catalog", "test", "lake", *arguments, home=home)
    assert result.exit_code == ExitCode.USAGE
