"""Parts of SQE tell their observer what they do, and nothing that names anybody."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident
from sqe.catalog.remote.options import RestOptions
from sqe.catalog.remote.service import Service
from sqe.catalog.rest.routes import catalog_app
from sqe.engines.spark.activity import Heap, heap_of_text
from sqe.errors import SqeError
from sqe.model.decision import Allow, Decision, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.observer import CallOutcome, CredentialsOutcome, Observer
from sqe.model.rules import SYSTEM, Object, Privilege
from sqe.policy.policy import Policy
from sqe.policy.source import AllowAll
from tests.unit.catalog.remote.serving import Reply, opened, person, scripted, served
from tests.unit.catalog.tables import SCHEMA

ANN = Identity("ann")
KEYS = {"s3.access-key-id": "id", "s3.secret-access-key": "key"}


class Heard(Observer):
    """All that was told, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[str, ...]] = []

    def note_catalog_call(self, catalog: str, outcome: CallOutcome, seconds: float) -> None:
        assert seconds >= 0
        self.told.append(("catalog", catalog, outcome.value))

    def note_credentials(self, outcome: CredentialsOutcome) -> None:
        self.told.append(("credentials", outcome.value))

    def note_broker_call(self, operation: str, outcome: CallOutcome, seconds: float) -> None:
        assert seconds >= 0
        self.told.append(("broker", operation, outcome.value))

    def note_decisions(self, decisions: Iterable[str], seconds: float) -> None:
        self.told.append(("decisions", *decisions))


@pytest.fixture
def heard() -> Heard:
    return Heard()


class Denies(AllowAll):
    name = "denies"

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        return Deny("no")

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        raise RuntimeError("a defect")


@pytest.mark.parametrize(
    ("sources", "word"), [([AllowAll()], "allow"), ([Denies()], "unanswered"), ([], "deny")]
)
def test_decisions_are_told_with_those_that_nobody_made(
    heard: Heard, sources: Sequence[AllowAll], word: str
) -> None:
    Policy(sources, observer=heard).permits(ANN, Privilege.EXECUTE, SYSTEM)
    assert heard.told == [("decisions", word)]


def test_the_embedded_catalog_tells_of_its_calls(heard: Heard, tmp_path: Path) -> None:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w", observer=heard)
    try:
        catalog.create_namespace(("s",), {})
        with pytest.raises(SqeError):
            catalog.load_table(Ident(("s",), "absent"))
    finally:
        catalog.close()
    assert heard.told == [("catalog", "lake", "ok"), ("catalog", "lake", "absent")]


def test_requests_of_spark_are_told_by_operation(heard: Heard, tmp_path: Path) -> None:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    with TestClient(catalog_app(lambda bearer: catalog, observer=heard)) as client:
        client.get("/v1/config")
        client.get("/v1/namespaces/a/tables/t")
        client.get("/v1/somewhere/else/entirely")
        client.head("/v1/namespaces/a")
        client.post("/v1/namespaces/a/tables/t", json={})
        client.delete("/v1/namespaces/a/tables/t")
    catalog.close()
    assert heard.told == [
        ("broker", "config", "ok"),
        ("broker", "load_table", "absent"),
        ("broker", "no_such_endpoint", "absent"),
        ("broker", "namespace_exists", "absent"),
        ("broker", "commit_table", "absent"),
        ("broker", "drop_table", "absent"),
    ]


def _reply(body: object) -> Reply:
    return Reply(body=json.dumps(body).encode())


def test_a_remote_catalog_tells_of_its_calls_and_of_what_it_keeps(
    heard: Heard, tmp_path: Path
) -> None:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    catalog.create_namespace(("s",), {})
    catalog.create_table(("s",), {"name": "t", "schema": SCHEMA})
    with served({"ann": catalog}) as there:
        service = Service(RestOptions("far", there.url, delegation=""), observer=heard)
        remote = opened(service, person("ann"))
        assert remote.list_tables(("s",)) == remote.list_tables(("s",))
        remote.load_table(Ident(("s",), "t"))
        with pytest.raises(SqeError):
            remote.load_table(Ident(("s",), "absent"))
        # Its configuration, one list, and the two tables.
        assert heard.told == [("catalog", "far", "ok")] * 3 + [("catalog", "far", "absent")]
        assert service.cache_looks["lists"] == (1, 1)
        assert service.cache_looks["configs"] == (2, 1)
        service.close()
    catalog.close()
    service = Service(RestOptions("far", there.url), observer=heard)
    heard.told.clear()
    with pytest.raises(SqeError):
        opened(service, person("ann")).list_tables(("s",))
    service.close()
    assert heard.told and set(heard.told) == {("catalog", "far", "unavailable")}


@pytest.mark.parametrize(
    ("keys", "outcomes"),
    [(KEYS, ["vended", "renewed"]), ({}, ["refused", "refused"])],
)
def test_keys_to_files_are_told_of(heard: Heard, keys: dict[str, str], outcomes: list[str]) -> None:
    def script(method: str, path: str) -> Reply:
        vended = [{"prefix": "s3://w", "config": keys}] if keys else []
        if path.endswith("/credentials"):
            return _reply({"storage-credentials": vended})
        return _reply({"metadata": {"location": "s3://w/t"}, "storage-credentials": vended})

    with scripted(script) as there:
        options = RestOptions("far", there.url, delegation="vended-credentials")
        service = Service(options, observer=heard)
        remote = opened(service, person("ann"))
        remote.load_table(Ident(("s",), "t"))
        remote.load_credentials(Ident(("s",), "t"))
        service.close()
    assert [words[1] for words in heard.told if words[0] == "credentials"] == outcomes


@pytest.mark.parametrize(
    ("text", "heap"),
    [
        (
            "1:\n garbage-first heap   total 65536K, used 1316K [0x1, 0x2)\n"
            " Metaspace       used 73K, committed 320K, reserved 1114112K\n",
            Heap(1316 * 1024, 65536 * 1024),
        ),
        (
            "1:\n def new generation   total 100K, used 10K [0x1)\n  eden space 17472K,   8% used\n"
            " tenured generation   total 200K, used 20K [0x1)\n Metaspace  used 131K\n",
            Heap(30 * 1024, 300 * 1024),
        ),
        (
            "1:\n garbage-first heap   total reserved 900K, committed 500K, used 40K [0x1)\n",
            Heap(40 * 1024, 500 * 1024),
        ),
        ("nothing that is understood", None),
    ],
)
def test_the_heap_is_read_from_what_javas_say(text: str, heap: Heap | None) -> None:
    assert heap_of_text(text) == heap
