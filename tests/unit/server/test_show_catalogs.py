"""SHOW CATALOGS EXTENDED: where catalogs are, as whom they know a user, whether they answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog
from sqe.coordinator.catalog_states import states_of
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import build
from sqe.settings import Settings
from sqe.testing import PolarisLikeCatalog, StaticTokens
from tests.unit.catalog.remote.serving import person

SHOW = "SHOW CATALOGS EXTENDED"


@pytest.fixture
def polaris(tmp_path: Path) -> Iterator[PolarisLikeCatalog]:
    tokens = StaticTokens()
    for name in ("ann", "nobody"):
        tokens.add(f"{name}-token", name, [name])
    catalog = PolarisLikeCatalog(tmp_path / "polaris", tokens)
    catalog.admin.add_catalog("lake", ["sales"])
    for name in ("ann", "nobody"):
        catalog.admin.add_principal(name, [name])
    catalog.admin.grant("ann", ["CATALOG_MANAGE_CONTENT"], catalog="lake")
    with catalog:
        yield catalog


def rows(
    home: Path, sql: str, identity: Identity, others: dict[str, Any], **settings: Any
) -> dict[str, dict[str, Any]]:
    catalogs = {"lake": {}, **others}
    server = build(Settings.model_validate({"home": home, "catalogs": catalogs, **settings}))
    with closing(server):
        session = server.gateway.open_session(identity)
        query = server.gateway.submit(QueryRequest(session.id, sql))
        with server.gateway.fetch(query) as result:
            return {row.pop("catalog"): row for row in result.read_all().to_pylist()}


def rest(url: str, **settings: Any) -> dict[str, Any]:
    return {"type": "rest", "uri": url, "warehouse": "lake", **settings}


def test_each_catalog_says_where_it_is_and_whom_it_knows(
    tmp_path: Path, polaris: PolarisLikeCatalog
) -> None:
    header = {"Polaris-Realm": "POLARIS", "X-Key": "not for anyone's eyes"}
    others = {
        "polaris": rest(polaris.url, headers=header),
        "open": rest("http://127.0.0.1:9", auth="none"),
    }
    shown = rows(tmp_path / "home", SHOW, person("ann", "ann-token"), others)
    assert shown["lake"] == {
        "type": "embedded",
        "address": None,
        "identity": "none",
        "state": "reachable",
    }
    assert shown["polaris"] == {
        "type": "rest",
        "address": polaris.url,
        "identity": "the user's token",
        "state": "reachable",
    }
    assert shown["open"]["identity"] == "none"
    assert "cannot be reached" in shown["open"]["state"]
    assert "eyes" not in str(shown) and "ann-token" not in str(shown)


def test_the_state_is_this_users(tmp_path: Path, polaris: PolarisLikeCatalog) -> None:
    others = {"polaris": rest(polaris.url)}
    states = {
        who: rows(tmp_path / who, SHOW, identity, others)["polaris"]["state"]
        for who, identity in {
            "ann": person("ann", "ann-token"),
            "nobody": person("nobody", "nobody-token"),
            "forger": person("forger", "made-up"),
            "local": Identity("local"),
        }.items()
    }
    assert states == {
        "ann": "reachable",
        "nobody": "reachable",  # which is not to say that there is anything for them
        "forger": "Catalog polaris did not accept your login.",
        "local": "Catalog polaris must be shown a token of yours, and your login has none.",
    }


def test_a_wrong_warehouse_is_told_as_what_it_is(
    tmp_path: Path, polaris: PolarisLikeCatalog
) -> None:
    others = {"polaris": rest(polaris.url) | {"warehouse": "lakee"}}
    shown = rows(tmp_path / "home", SHOW, person("ann", "ann-token"), others)
    assert "warehouse lakee" in shown["polaris"]["state"].lower()


def test_an_answer_is_not_remembered(tmp_path: Path, polaris: PolarisLikeCatalog) -> None:
    settings = {"home": tmp_path / "home", "catalogs": {"lake": {}, "polaris": rest(polaris.url)}}
    server = build(Settings.model_validate(settings))
    with closing(server):
        session = server.gateway.open_session(person("ann", "ann-token"))

        def state() -> str:
            query = server.gateway.submit(QueryRequest(session.id, f"{SHOW} LIKE 'polaris'"))
            with server.gateway.fetch(query) as result:
                [row] = result.read_all().to_pylist()
            return str(row["state"])

        assert state() == "reachable"
        fault = polaris.admin.inject("status", status=500)
        assert state() != "reachable"
        polaris.admin.heal(fault)
        assert state() == "reachable"


def test_a_catalog_that_one_may_not_know_of_is_not_asked(
    tmp_path: Path, polaris: PolarisLikeCatalog
) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text('{"catalogs": [{"catalog": "lake", "allow": "all"}]}')
    shown = rows(
        tmp_path / "home",
        SHOW,
        person("ann", "ann-token"),
        {"polaris": rest(polaris.url)},
        policy={"file": {"path": str(rules)}},
    )
    assert shown.keys() == {"lake"}
    assert polaris.admin.calls() == 0


class _Slow:
    """A catalog that answers too late."""

    def list_namespaces(self, parent: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        time.sleep(1.0)
        return []


def test_nobody_waits_for_a_catalog_that_hangs(tmp_path: Path) -> None:
    own = EmbeddedCatalog(tmp_path / "lake.db", tmp_path / "lake")
    catalogs: dict[str, Any] = {"slow": _Slow(), "late": _Slow(), "lake": own}

    def open_catalog(name: str) -> Catalog:
        catalog: Catalog = catalogs[name]
        return catalog

    started = time.monotonic()
    states = states_of(list(catalogs), open_catalog, seconds=0.3)
    assert time.monotonic() - started < 0.9
    assert states["lake"] == "reachable"
    assert states["slow"] == states["late"] == "It did not answer within 0.3 seconds."
    own.close()
