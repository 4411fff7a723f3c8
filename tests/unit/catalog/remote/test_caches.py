"""What is kept of a catalog's answers: for whom, how long, and what makes it void."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident
from sqe.catalog.remote.options import RestOptions
from sqe.catalog.remote.service import Service
from sqe.catalog.remote.ttl_cache import TtlCache
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from tests.unit.catalog.remote.serving import (
    Reply,
    Served,
    opened,
    person,
    scripted,
    served,
    service,
)
from tests.unit.catalog.tables import SCHEMA

NS = ("hr",)
EMP = Ident(NS, "emp")
ANN, BOB = person("ann"), person("bob")


class Lakes:
    """Ann and Bob have a lake each, with the same names in it; ``shared`` is Carl's and Dan's."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.now = 0.0
        self.lakes = {name: _lake(folder / name, stack) for name in ("ann", "bob", "shared")}
        shared = self.lakes["shared"]
        tokens = {**self.lakes, "carl": shared, "dan": shared, "ann renewed": self.lakes["ann"]}
        self.served: Served = stack.enter_context(served(tokens))
        self.service = Service(RestOptions("lake", self.served.url), clock=lambda: self.now)
        stack.callback(self.service.close)


def _lake(folder: Path, stack: ExitStack) -> EmbeddedCatalog:
    folder.mkdir()
    lake = EmbeddedCatalog(folder / "c.db", folder / "w")
    stack.callback(lake.close)
    lake.create_namespace(NS, {"owner": folder.name})
    lake.create_table(NS, {"name": "emp", "schema": SCHEMA, "properties": {"whose": folder.name}})
    lake.create_table(NS, {"name": f"only_{folder.name}", "schema": SCHEMA})
    return lake


@pytest.fixture
def lakes(tmp_path: Path) -> Iterator[Lakes]:
    with ExitStack() as stack:
        yield Lakes(tmp_path, stack)


def whose(lakes: Lakes, identity: Identity) -> tuple[str, str, list[str]]:
    """By the table, by the schema, and by the list of tables."""
    catalog = opened(lakes.service, identity)
    table = catalog.load_table(EMP).metadata["properties"]["whose"]
    return table, catalog.load_namespace(NS)["owner"], catalog.list_tables(NS)


def test_two_users_and_one_name_are_two_tables(lakes: Lakes) -> None:
    for _ in range(3):
        assert whose(lakes, ANN) == ("ann", "ann", ["emp", "only_ann"])
        assert whose(lakes, BOB) == ("bob", "bob", ["emp", "only_bob"])
    assert lakes.served.count("GET", "/tables") == 2  # each list was asked for once


def test_nor_when_all_of_them_ask_at_once(lakes: Lakes) -> None:
    def ask(number: int) -> bool:
        name = ("ann", "bob", "shared")[number % 3]
        if number % 10 == 0:
            lakes.service.lists.clear()
        return whose(lakes, person(name)) == (name, name, ["emp", f"only_{name}"])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(90)))


def test_a_name_at_another_issuer_is_someone_else(lakes: Lakes) -> None:
    other = Identity("ann", issuer="https://other.test", passport=person("bob").passport)
    assert whose(lakes, ANN)[0] == "ann"
    assert whose(lakes, other) == ("bob", "bob", ["emp", "only_bob"])


def test_another_login_of_the_same_person_shares_nothing(lakes: Lakes) -> None:
    """Its token may allow less."""
    assert whose(lakes, ANN)[0] == "ann"
    assert whose(lakes, person("ann", token="bob", login="another"))[0] == "bob"


def test_a_renewed_token_is_answered_anew(lakes: Lakes) -> None:
    ann = Passport(Token(Secret("ann"), time.time() + 100), "monday")
    identity = Identity("ann", passport=ann)
    whose(lakes, identity)
    ann.renew(Token(Secret("ann renewed"), time.time() + 200))
    lakes.served.seen.clear()
    assert whose(lakes, identity)[0] == "ann"
    shown = {headers["authorization"] for _, _, headers in lakes.served.seen}
    assert shown == {"Bearer ann renewed"}
    assert not any("if-none-match" in headers for _, _, headers in lakes.served.seen)


def test_lists_are_kept_for_a_while(lakes: Lakes) -> None:
    carl = opened(lakes.service, person("carl"))
    assert "new" not in carl.list_tables(NS)
    lakes.lakes["shared"].create_table(NS, {"name": "new", "schema": SCHEMA})
    lakes.now = 29.0
    assert "new" not in carl.list_tables(NS)
    lakes.now = 30.0
    assert "new" in carl.list_tables(NS)


def test_what_one_user_makes_all_users_see(lakes: Lakes) -> None:
    carl, dan = (opened(lakes.service, person(name)) for name in ("carl", "dan"))
    assert "new" not in dan.list_tables(NS)
    carl.create_table(NS, {"name": "new", "schema": SCHEMA})
    assert "new" in dan.list_tables(NS)
    carl.drop_table(Ident(NS, "new"))
    assert "new" not in dan.list_tables(NS)


def test_a_table_is_asked_for_by_every_load_and_sent_once(lakes: Lakes) -> None:
    ann = opened(lakes.service, ANN)
    first, second = ann.load_table(EMP), ann.load_table(EMP)
    assert second is first
    asked = [h.get("if-none-match") for _, path, h in lakes.served.seen if path.endswith("/emp")]
    assert asked[0] is None and asked[1] is not None


def test_a_write_of_another_engine_is_seen_by_the_next_load(lakes: Lakes) -> None:
    ann = opened(lakes.service, ANN)
    ann.load_table(EMP)
    change = {"updates": [{"action": "set-properties", "updates": {"whose": "nobody"}}]}
    lakes.lakes["ann"].commit_table(EMP, change)
    assert ann.load_table(EMP).metadata["properties"]["whose"] == "nobody"


def table(expires_in_s: float | None) -> Reply:
    """With keys to its files, good for so long, and an ETag."""
    keys = {"s3.access-key-id": "AK", "s3.secret-access-key": "SK"}
    if expires_in_s is not None:
        ends = int((time.time() + expires_in_s) * 1000)
        keys["s3.session-token-expires-at-ms"] = str(ends)
    body = {
        "metadata-location": "s3://w/t/1.json",
        "metadata": {"location": "s3://w/t"},
        "config": {},
        "storage-credentials": [{"prefix": "s3://w/t", "config": keys}],
    }
    return Reply(200, json.dumps(body).encode(), {"etag": 'W/"1"'})


@pytest.mark.parametrize(("expires_in_s", "asks"), [(3600, True), (200, False), (-5, False)])
def test_keys_that_end_soon_are_not_kept_for_the_next_statement(
    expires_in_s: float, asks: bool
) -> None:
    """``304 Not Modified`` brings no keys, so it is asked for only where the old ones do."""
    with scripted(lambda method, path: table(expires_in_s)) as there, service(there.url) as made:
        for _ in range(2):
            opened(made, ANN).load_table(EMP)
    assert ("if-none-match" in there.seen[-1][2]) is asks


def test_keys_that_do_not_say_how_long_they_are_good_are_good_as_long_as_lists() -> None:
    with scripted(lambda method, path: table(None)) as there:
        for cache_s, asks in ((30.0, True), (0.0, False)):
            with service(there.url, cache_s=cache_s) as made:
                for _ in range(2):
                    opened(made, ANN).load_table(EMP)
                assert ("if-none-match" in there.seen[-1][2]) is asks


def test_a_table_without_a_tag_is_loaded_again() -> None:
    plain = Reply(200, b'{"metadata": {"location": "s3://w/t"}}')
    with scripted(lambda method, path: plain) as there, service(there.url) as made:
        for _ in range(2):
            opened(made, ANN).load_table(EMP)
    assert there.count("GET", "/emp") == 2


def test_an_answer_from_before_a_change_is_not_kept() -> None:
    shelf: TtlCache[str] = TtlCache(30.0, 10)

    def ask() -> str:
        shelf.clear()  # someone changes the catalog while it answers
        return "old"

    assert shelf.get_or_ask("list", ask) == "old"
    assert shelf.get_or_ask("list", lambda: "new") == "new"


def test_a_shelf_holds_so_much_and_no_more() -> None:
    shelf: TtlCache[str] = TtlCache(None, 10, len)
    for key in "abc":
        shelf.put(key, "xxxx")
        shelf.get("a")
    assert [shelf.get(key) is not None for key in "abc"] == [True, False, True]
    shelf.put("d", "much too long")
    assert shelf.get("d") is None
