"""Which sources are asked, by the settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.decision import Allow, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Privilege
from sqe.policy.source import AllowAll, PolicySource
from sqe.server.build import Server, build
from sqe.settings import Settings

FACTS = TableFacts(RelationName(SchemaName("lake", ("hr",)), "emp"), Privilege.SELECT)
ANN = Identity("ann")


@contextmanager
def served(
    home: Path, policy: dict[str, Any], sources: list[PolicySource] | None = None
) -> Iterator[Server]:
    server = build(Settings.model_validate({"home": home, "policy": policy}), sources)
    try:
        yield server
    finally:
        server.close()


def names(server: Server) -> list[str]:
    return [source.name for source in server.policy.sources]


def test_without_settings_the_catalogs_are_the_only_gate(tmp_path: Path) -> None:
    with served(tmp_path, {}) as server:
        assert names(server) == ["none", "catalog"]
        assert server.book is None
        assert isinstance(server.policy.decide(ANN, [FACTS])[FACTS], Allow)
    assert not (tmp_path / "sqe.db").exists()  # nothing was asked of it


def test_all_sources_that_are_named_are_asked(tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text(json.dumps({"tables": []}))
    (tmp_path / "rules.cedar").write_text("permit(principal, action, resource);")
    (tmp_path / "entities.json").write_text("[]")
    policy = {
        "sql": True,
        "administrators": ["root"],
        "file": {"path": "rules.json"},
        "cedar": {"policies": "rules.cedar", "entities": "entities.json"},
        "opa": {"allow_url": "http://127.0.0.1:9/v1/data/allow", "timeout_s": 0.5},
    }
    with served(tmp_path, policy) as server:
        assert names(server) == ["sql", "file", "cedar", "opa", "catalog"]
        assert server.book is not None
        assert isinstance(server.policy.decide(ANN, [FACTS])[FACTS], Deny)


def test_administrators_may_do_everything_by_the_rules_made_with_sql(tmp_path: Path) -> None:
    policy = {"sql": True, "administrators": ["root"], "administrator_groups": ["admins"]}
    with served(tmp_path, policy) as server:
        for who in (Identity("root"), Identity("eve", frozenset({"admins"}))):
            assert isinstance(server.policy.decide(who, [FACTS])[FACTS], Allow)
        assert isinstance(server.policy.decide(ANN, [FACTS])[FACTS], Deny)


@pytest.mark.parametrize(
    "policy", [{"cedar": {"policies": "broken"}}, {"file": {"path": "broken"}}], ids=str
)
@pytest.mark.parametrize("content", [None, "{{"])
def test_rules_that_are_broken_or_missing_refuse_the_start(
    tmp_path: Path, policy: dict[str, Any], content: str | None
) -> None:
    if content is not None:
        (tmp_path / "broken").write_text(content)
    with pytest.raises(UserError) as raised, served(tmp_path, policy):
        pass
    assert raised.value.code is ErrorCode.INVALID_SETTINGS and "broken" in raised.value.message


def test_what_a_catalog_demands_holds_beside_every_other_source(tmp_path: Path) -> None:
    demanded = json.dumps({"required-row-filter": False})
    restricted = TableFacts(FACTS.name, Privilege.SELECT, restrictions=demanded)
    with served(tmp_path, {}, [AllowAll()]) as server:
        found = server.policy.decide(ANN, [restricted])[restricted]
        assert isinstance(found, Restrict)
        assert [one.sql for one in found.filters] == ["FALSE"]


def test_an_empty_list_of_sources_denies_everything(tmp_path: Path) -> None:
    with served(tmp_path, {}, []) as server:
        assert names(server) == []
        assert isinstance(server.policy.decide(ANN, [FACTS])[FACTS], Deny)


def test_decisions_are_kept_as_long_as_the_settings_say(tmp_path: Path) -> None:
    class Counted(AllowAll):
        asked = 0

        def decide(self, identity: Identity, table: TableFacts) -> Allow:
            self.asked += 1
            return Allow("yes")

    for seconds, times in ((60.0, 1), (0.0, 2)):
        source = Counted()
        with served(tmp_path, {"cache_s": seconds}, [source]) as server:
            for _ in range(2):
                server.policy.decide(ANN, [FACTS])
        assert source.asked == times
