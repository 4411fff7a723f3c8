"""Catalogs that administrators attach with SQL: kept, followed, and never with a secret inside."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.model.query import ClientState, QueryRequest
from sqe.model.rules import Privilege
from sqe.server.attached import AttachedCatalogs
from sqe.server.build import build
from sqe.server.catalog_check import CatalogTrial, try_catalog
from sqe.server.catalogs import SettingsCatalogs
from sqe.server.policy_tools import PolicyTools
from sqe.settings import Settings
from sqe.store.catalogs import KeptCatalogs
from sqe.store.database import Database
from tests.unit.server.test_front import until

BOOKS = "CREATE CATALOG books USING jdbc WITH (url = 'env:CATALOG_BOOKS', auth = 'shared', "


@dataclass(frozen=True)
class Person:
    gateway: Gateway
    session: str
    client: ClientState | None = None  # of Trino's

    def rows(self, text: str) -> list[dict[str, Any]]:
        request = QueryRequest(self.session, text, client=self.client)
        with self.gateway.fetch(self.gateway.submit(request)) as result:
            rows: list[dict[str, Any]] = result.read_all().to_pylist()
            return rows

    def catalogs(self) -> list[str]:
        return [next(iter(row.values())) for row in self.rows("SHOW CATALOGS")]

    def code(self, text: str) -> ErrorCode:
        with pytest.raises(SqeError) as failed:
            self.rows(text)
        return failed.value.code


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CATALOG_BOOKS", f"sqlite:///{tmp_path}/books.db")
    values = {"home": tmp_path / "home", "policy": {"administrators": ["root"]}}
    return Settings.model_validate(values)


@contextmanager
def people(
    settings: Settings, *names: str, client: ClientState | None = None
) -> Iterator[list[Person]]:
    with closing(build(settings)) as server:
        gateway = server.gateway
        yield [Person(gateway, gateway.open_session(Identity(n)).id, client) for n in names]


@pytest.fixture
def create(tmp_path: Path) -> str:
    return f"{BOOKS}warehouse = '{tmp_path}/books')"


def test_a_catalog_is_attached_used_and_there_again(settings: Settings, create: str) -> None:
    with people(settings, "root", "bob") as (root, bob):
        root.rows(create)
        assert bob.catalogs() == ["books", "lake"]
        root.rows("CREATE SCHEMA books.hr")
        [shown] = root.rows("SHOW CATALOGS EXTENDED LIKE 'books'")
        assert (shown["type"], shown["state"]) == ("jdbc", "reachable")
    with people(settings, "root", "bob") as (root, bob):
        assert bob.catalogs() == ["books", "lake"]
        assert [row["namespace"] for row in bob.rows("SHOW SCHEMAS IN books")] == ["hr"]
        root.rows("DROP CATALOG books")
        assert bob.catalogs() == ["lake"]
        assert bob.code("SELECT 1 FROM books.hr.t") is ErrorCode.CATALOG_NOT_FOUND
    with people(settings, "bob") as (bob,):
        assert bob.catalogs() == ["lake"]


@pytest.mark.parametrize(
    "text",
    [
        "CREATE CATALOG x USING nessie WITH (uri = 'https://n.test')",
        "ALTER CATALOG books SET PROPERTIES schema_version = 'V1'",
        "DROP CATALOG books",
        "SHOW CREATE CATALOG books",
    ],
)
def test_only_administrators_may(settings: Settings, create: str, text: str) -> None:
    with people(settings, "root", "bob") as (root, bob):
        root.rows(create)
        assert bob.code(text) is ErrorCode.ACCESS_DENIED
        assert bob.catalogs() == ["books", "lake"]


def test_show_create_gives_references_and_makes_it_again(
    settings: Settings, create: str, tmp_path: Path
) -> None:
    with people(settings, "root") as (root,):
        root.rows(create)
        root.rows("ALTER CATALOG books SET PROPERTIES schema_version = 'V1'")
        [[text]] = [list(row.values()) for row in root.rows("SHOW CREATE CATALOG books")]
        assert "`url` = 'env:CATALOG_BOOKS'" in text
        assert "`schema_version` = 'V1'" in text
        assert "sqlite" not in text
        root.rows("DROP CATALOG books")
        root.rows(text)
        assert root.catalogs() == ["books", "lake"]


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ("url = 'postgresql+psycopg://a:knock-knock@h/b'", "may be a secret"),
        ("url = 'env:HOME'", "for other things"),
        ("url = 'file:/etc/passwd'", "for other things"),
        ("url = 'file:../sqe.db'", "for other things"),
        (
            "url = 'env:CATALOG_BOOKS', warehouse = '/b', auth = 'shared', catalogname = 'x'",
            "Did you mean catalog_name",
        ),
        ("url = 'env:CATALOG_BOOKS', warehouse = '/b'", 'auth = "shared"'),
        ("url = 'env:CATALOG_MISSING', warehouse = '/b', auth = 'shared'", "no variable"),
        ("type = 'rest'", "said by USING"),
    ],
)
def test_wrong_properties_are_told_at_once(
    settings: Settings, properties: str, why: str, tmp_path: Path
) -> None:
    with people(settings, "root") as (root,):
        with pytest.raises(SqeError, match=why) as wrong:
            root.rows(f"CREATE CATALOG books USING jdbc WITH ({properties})")
        assert wrong.value.code in (ErrorCode.INVALID_ARGUMENT, ErrorCode.INVALID_SETTINGS)
        assert "knock" not in str(wrong.value)
        assert root.catalogs() == ["lake"]
    told = "".join(path.read_text() for path in (settings.home / "logs").iterdir())
    assert "knock" not in told


def test_headers_may_be_secrets_too(settings: Settings, tmp_path: Path) -> None:
    (settings.home / "secrets").mkdir(parents=True)
    (settings.home / "secrets" / "key").write_text("the key\n")
    start = "CREATE CATALOG p USING polaris WITH (uri = 'https://p.test', warehouse = 'w'"
    with people(settings, "root") as (root,):
        plain = f"{start}, `headers.X-Key` = 'in plain text')"
        assert root.code(plain) is ErrorCode.INVALID_ARGUMENT
        realm = "`headers.Polaris-Realm` = 'EU'"
        root.rows(f"{start}, {realm}, `headers.X-Key` = 'file:key')")
        [[text]] = [list(row.values()) for row in root.rows("SHOW CREATE CATALOG p")]
        assert "file:key" in text and "the key" not in text
    assert "in plain text" not in (settings.home / "logs" / "audit.jsonl").read_text()


@pytest.mark.parametrize("name", ["lake", "LAKE", "system", "`a b`", "`a.b`", "B"])
def test_names_that_are_taken_or_are_none(settings: Settings, name: str) -> None:
    with people(settings, "root") as (root,):
        text = f"CREATE CATALOG {name} USING nessie WITH (uri = 'https://n.test')"
        assert root.code(text) in (ErrorCode.CATALOG_ALREADY_EXISTS, ErrorCode.INVALID_ARGUMENT)
        assert root.catalogs() == ["lake"]


def test_the_files_of_another_catalog_are_not_attached_once_more(
    settings: Settings, create: str
) -> None:
    with people(settings, "root") as (root,):
        root.rows(create)
        with pytest.raises(SqeError, match="folders in common") as refused:
            root.rows(create.replace("CATALOG books", "CATALOG again"))
        assert refused.value.code is ErrorCode.INVALID_SETTINGS
        root.rows("DROP CATALOG books")
        root.rows(create.replace("CATALOG books", "CATALOG again"))


def test_if_exists_and_if_not_exists(settings: Settings, create: str) -> None:
    with people(settings, "root") as (root,):
        root.rows("DROP CATALOG IF EXISTS books")
        assert root.code("DROP CATALOG books") is ErrorCode.CATALOG_NOT_FOUND
        root.rows(create)
        assert root.code(create) is ErrorCode.CATALOG_ALREADY_EXISTS
        root.rows(create.replace("CATALOG books", "CATALOG IF NOT EXISTS books"))


def test_catalogs_of_the_settings_stay(settings: Settings) -> None:
    with people(settings, "root") as (root,):
        for text in ("DROP CATALOG lake", "SHOW CREATE CATALOG lake"):
            assert root.code(text) is ErrorCode.NOT_SUPPORTED
        assert root.catalogs() == ["lake"]


def test_a_reference_that_has_gone_keeps_nobody_from_the_rest(
    settings: Settings, create: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with people(settings, "root") as (root,):
        root.rows(create)
    monkeypatch.delenv("CATALOG_BOOKS")
    with people(settings, "root") as (root,):
        assert root.rows("SHOW SCHEMAS IN lake") != []
        [shown] = root.rows("SHOW CATALOGS EXTENDED LIKE 'books'")
        assert "CATALOG_BOOKS" in shown["state"]
        root.rows("DROP CATALOG books")


def test_servers_with_one_store_follow_each_other(
    settings: Settings, create: str, tmp_path: Path
) -> None:
    store = {"url": f"sqlite:///{tmp_path}/store.db"}
    shared = {"policy": {"administrators": ["root"]}, "store": store}
    one = Settings.model_validate({"home": tmp_path / "one", **shared})
    two = Settings.model_validate({"home": tmp_path / "two", **shared})
    with people(one, "root") as (root,), people(two, "bob") as (bob,):
        assert bob.catalogs() == ["lake"]
        root.rows(create)
        assert until(lambda: bob.catalogs() == ["books", "lake"])
        root.rows("DROP CATALOG books")
        assert until(lambda: bob.catalogs() == ["lake"])


class HangingStore(KeptCatalogs):
    """Answers until ``hangs`` is set, and then when it is released."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.hangs, self.asked, self.released = (threading.Event() for _ in range(3))

    def version(self) -> Hashable:
        if self.hangs.is_set():
            self.asked.set()
            self.released.wait(30)
        return super().version()


def test_nobody_waits_for_a_store_that_hangs(settings: Settings, create: str) -> None:
    with people(settings, "root") as (root,):
        root.rows(create)
    database, catalogs = Database(settings.home), SettingsCatalogs(settings)
    with closing(database), closing(catalogs):
        store = HangingStore(database)
        attached = AttachedCatalogs(settings, catalogs, store, lambda _: None)
        try:
            assert catalogs.catalogs.names() == ["books", "lake"]
            store.hangs.set()
            assert store.asked.wait(10)
            began = time.monotonic()
            assert [catalogs.catalogs.names() for _ in range(100)] == [["books", "lake"]] * 100
            assert time.monotonic() - began < 1
        finally:
            store.released.set()
            attached.stop()


def test_sqe_catalog_test_tries_them(settings: Settings, create: str) -> None:
    with people(settings, "root") as (root,):
        root.rows(create)
        root.rows("CREATE SCHEMA books.scratch")
    trial = CatalogTrial("books", "root", scratch=("scratch",))
    steps = {step.name: step.state for step in try_catalog(settings, trial)}
    assert [steps[name] for name in ("reach", "login", "list", "create", "drop")] == ["ok"] * 5


def test_policies_are_explained_for_them(settings: Settings, create: str) -> None:
    with people(settings, "root") as (root,):
        root.rows(create)
    with closing(PolicyTools(settings)) as tools:
        explained = tools.explain(Identity("bob"), ("books", "hr", "emp"), Privilege.SELECT)
    assert str(explained.facts.name) == "books.hr.emp"


def test_changes_are_in_the_audit_log(settings: Settings, create: str) -> None:
    with people(settings, "root") as (root,):
        root.rows(create)
        root.rows("DROP CATALOG books")
    told = (settings.home / "logs" / "audit.jsonl").read_text()
    assert "CREATE CATALOG books USING jdbc" in told
    assert "DROP CATALOG books" in told


def test_trinos_clients_attach_them_too(settings: Settings, create: str) -> None:
    with people(settings, "root", client=ClientState()) as (root,):
        root.rows(create)
        assert "books" in root.catalogs()
        root.rows("ALTER CATALOG books SET PROPERTIES schema_version = 'V1'")
        [row] = root.rows("SHOW CREATE CATALOG books")
        assert list(row) == ["Create Catalog"]
        assert "\"schema_version\" = 'V1'" in row["Create Catalog"]
        root.rows("DROP CATALOG books")
        root.rows(row["Create Catalog"])
        assert "books" in root.catalogs()
