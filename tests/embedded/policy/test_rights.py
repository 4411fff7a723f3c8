"""Privileges that are not about rows: schemas, procedures, session properties, other people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sqe.auth.hashing import hash_password
from sqe.errors import ErrorCode
from sqe.model.decision import Deny
from sqe.model.identity import Identity, Secret
from sqe.model.password_hash import ScryptCost
from sqe.model.query import QueryRequest
from sqe.model.rules import SYSTEM, Object, ObjectKind, Privilege
from sqe.policy.source import AllowAll
from sqe.server.build import build
from sqe.settings import Settings
from tests.embedded.pipe.lake import Permits
from tests.embedded.policy.quiet import NOWHERE, Quiet, quiet_lake
from tests.trino.asking import Client


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quiet]:
    with quiet_lake(tmp_path_factory.mktemp("home")) as found:
        yield found


PASSWORD = hash_password(Secret("pw"), ScryptCost(p=1)).write()


def all_but(privilege: Privilege, on: Object) -> Permits:
    return lambda identity, asked, about: (asked, about) != (privilege, on)


def schema(name: str) -> Object:
    return Object(ObjectKind.SCHEMA, ("lake", name))


ENGINE = Object(ObjectKind.PROPERTY, ("sqe.engine",))
CASES = [
    ("SELECT 1", Privilege.EXECUTE, SYSTEM),
    ("SHOW CATALOGS", Privilege.EXECUTE, SYSTEM),
    ("DROP SCHEMA hr", Privilege.DROP, schema("hr")),
    ("DROP SCHEMA IF EXISTS HR CASCADE", Privilege.DROP, schema("hr")),
    ("DROP SCHEMA nowhere", Privilege.DROP, schema("nowhere")),
    ("ALTER SCHEMA hr SET PROPERTIES ('a' = 'b')", Privilege.ALTER, schema("hr")),
    ("COMMENT ON SCHEMA lake.hr IS 'x'", Privilege.ALTER, schema("hr")),
    ("SET SESSION sqe.engine = 'auto'", Privilege.SET, ENGINE),
    ("RESET SESSION sqe.engine", Privilege.SET, ENGINE),
    (
        "CALL system.rewrite_data_files(table => 'hr.dept')",
        Privilege.EXECUTE,
        Object(ObjectKind.PROCEDURE, ("lake", "system", "rewrite_data_files")),
    ),
    (
        "CALL system.register_table(table => 'hr.new', metadata_file => '/x.json')",
        Privilege.EXECUTE,
        Object(ObjectKind.PROCEDURE, ("lake", "system", "register_table")),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "privilege", "on"), CASES)
def test_a_statement_takes_its_privilege(
    quiet: Quiet, text: str, privilege: Privilege, on: Object
) -> None:
    with quiet.lake.rules.permitting(all_but(privilege, on)):
        error = quiet.lake.fails(text)
    assert error.code is ErrorCode.ACCESS_DENIED
    assert "rule 7" not in str(error)


def test_a_schema_is_made_by_who_may_create_in_the_catalog_or_have_one_of_the_name(
    quiet: Quiet,
) -> None:
    for given in (schema("made"), Object.catalog("lake")):

        def only(identity: Identity, asked: Privilege, on: Object, given: Object = given) -> bool:
            return asked is not Privilege.CREATE or on == given

        with quiet.lake.rules.permitting(only):
            quiet.lake.run("CREATE SCHEMA made")
            quiet.lake.run("DROP SCHEMA made")
    with quiet.lake.rules.permitting(lambda identity, asked, on: asked is Privilege.EXECUTE):
        assert quiet.lake.fails("CREATE SCHEMA made").code is ErrorCode.ACCESS_DENIED


def test_trinos_clients_set_what_they_may_set(quiet: Quiet) -> None:
    never = Object(ObjectKind.PROPERTY, ("query_max_run_time",))
    client = Client(quiet.lake.server.listen_trino(), "lake", "hr", "ann")
    with closing(client), quiet.lake.rules.permitting(all_but(Privilege.SET, never)):
        assert client.ask("SET SESSION query_max_run_time = '1m'").error == "PERMISSION_DENIED"
        assert not client.ask("SET SESSION sqe.engine = 'auto'").error
        assert not client.ask("SELECT 1").error
    sent = {"query_max_run_time": "1m"}
    client = Client(quiet.lake.server.listen_trino(), "lake", "hr", "ann", properties=sent)
    with closing(client):
        assert not client.ask("SELECT 1").error
        with quiet.lake.rules.permitting(all_but(Privilege.SET, never)):
            assert client.ask("SELECT 1").error == "PERMISSION_DENIED"


def over_bob(*given: Privilege) -> Permits:
    def permits(identity: Identity, privilege: Privilege, on: Object) -> bool:
        over = on.kind is ObjectKind.USER
        return not over or (privilege in given and on == Object.user("bob"))

    return permits


def bobs_query(quiet: Quiet) -> str:
    bob = quiet.lake.another_session("bob", engine="auto")
    query_id = bob.submit("SELECT 'of bob'")
    with quiet.lake.server.gateway.fetch(query_id) as result:
        result.read_all()
    return query_id


def http(quiet: Quiet, method: str, path: str, user: str = "ann") -> tuple[int, Any]:
    address = urlsplit(quiet.lake.server.listen_trino())
    with closing(HTTPConnection(address.netloc)) as connection:
        connection.request(method, path, headers={"X-Trino-User": user})
        answer = connection.getresponse()
        body = answer.read()
    return answer.status, json.loads(body) if body[:1] in (b"{", b"[") else body.decode()


def test_queries_of_others_are_seen_where_a_rule_says_so(quiet: Quiet) -> None:
    query_id = bobs_query(quiet)
    rows = "SELECT query_id FROM system.runtime.queries WHERE \"user\" = 'bob'"
    for given, seen in (((), False), ((Privilege.VIEW_QUERY,), True)):
        with quiet.lake.rules.permitting(over_bob(*given)):
            assert ([query_id] in quiet.trino.ask(rows).data) is seen
            assert (http(quiet, "GET", f"/v1/query/{query_id}")[0] == 200) is seen
            _, listed = http(quiet, "GET", "/v1/query")
            assert (query_id in [one["queryId"] for one in listed]) is seen
    assert [query_id] not in quiet.trino.ask(rows).data  # without a rule nobody has rights


def test_queries_of_others_are_killed_where_a_rule_says_so(quiet: Quiet) -> None:
    bob = quiet.lake.another_session("bob", engine="auto")
    gateway = quiet.lake.server.gateway
    query_id = gateway.submit(QueryRequest(bob.session.id, "SELECT * FROM hr.dept"))
    kill = f"CALL system.runtime.kill_query(query_id => '{query_id}', message => 'enough')"
    with quiet.lake.rules.permitting(over_bob(Privilege.VIEW_QUERY)):
        refused = quiet.trino.ask(kill)
        assert (refused.error, "not found" in refused.message) == ("NOT_FOUND", True)
        http(quiet, "DELETE", f"/v1/query/{query_id}")
        with gateway.fetch(query_id) as result:
            assert result.read_all().num_rows == 0
    with quiet.lake.rules.permitting(over_bob(Privilege.KILL_QUERY)):
        assert not quiet.trino.ask(kill).error


def test_a_client_acts_as_another_where_a_rule_says_so(tmp_path: Path) -> None:
    rules = _Impersonating()
    given = {
        "home": tmp_path,
        "spark": {"remote": f"sc://{NOWHERE}"},
        "trino": {"port": 0, "allow_plain_http_credentials": True},
        "auth": {"users": {"svc": {"password": PASSWORD, "groups": ["apps"]}}},
    }
    with closing(build(Settings.model_validate(given), (rules,))) as server:
        address = urlsplit(server.listen_trino()).netloc
        assert _as(address, "svc") == 200
        assert _as(address, "bob") == 200
        assert _as(address, "eve") == 403


def _as(address: str, user: str) -> int:
    headers = {"X-Trino-User": user, "Authorization": "Basic c3ZjOnB3"}
    with closing(HTTPConnection(address)) as connection:
        connection.request("HEAD", "/v1/statement", headers=headers)
        return connection.getresponse().status


class _Impersonating(AllowAll):
    name = "tests"

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Any:
        if (identity.user, privilege, on) == ("svc", Privilege.IMPERSONATE, Object.user("bob")):
            return super().permits(identity, Privilege.EXECUTE, on)
        return super().permits(identity, privilege, on)


def test_who_may_create_a_table_need_not_be_able_to_read_it(quiet: Quiet) -> None:
    """To make it, Trino's statements look whether it is there."""
    text = "EXPLAIN CREATE TABLE hr.fresh (a int)"
    with quiet.lake.rules.on("lake.hr.fresh", Deny("no"), "select"):
        assert quiet.trino.ask(text).data == [["CREATE TABLE lake.hr.fresh"]]
    with quiet.lake.rules.on("lake.hr.fresh", Deny("no")):
        assert quiet.trino.ask(text).error == "PERMISSION_DENIED"
