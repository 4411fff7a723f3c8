"""What Spark can reach through the broker: the handles of its own running queries, nothing else."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from sqe.broker.broker import Broker, BrokerSession
from sqe.broker.handles import GrantedTable, HandleGrant, make_grant
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Loaded
from sqe.errors import AccessError, ErrorCode
from sqe.sql.statement import Access
from tests.unit.broker.emp import EMP, NAME, SCHEMA


@pytest.fixture
def broker() -> Iterator[Broker]:
    broker = Broker()
    yield broker
    broker.close()


def table(catalog: EmbeddedCatalog, *accesses: Access) -> GrantedTable:
    return GrantedTable(NAME, EMP, catalog, frozenset(accesses), catalog.load_table(EMP))


def ask(broker: Broker, token: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    request = urllib.request.Request(
        f"{broker.url}/v1/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            content = answer.read()
            return answer.status, json.loads(content) if content else None
    except urllib.error.HTTPError as error:
        with error:
            content = error.read()
            return error.code, json.loads(content) if content else None


def asking(broker: Broker, session: BrokerSession, method: str, path: str, body: Any = None) -> int:
    return ask(broker, session.token.reveal(), method, path, body)[0]


def path_of(grant: HandleGrant) -> str:
    _, namespace, name = grant.spell(NAME)
    return f"namespaces/{namespace}/tables/{name}"


def test_a_granted_handle_answers_until_the_query_ends(
    broker: Broker, catalog: EmbeddedCatalog
) -> None:
    session = broker.open_session()
    with session.grant([table(catalog, Access.READ)]) as grant:
        path = path_of(grant)
        status, loaded = ask(broker, session.token.reveal(), "GET", path)
        assert status == 200
        assert loaded["metadata"]["schemas"][0]["fields"][0]["name"] == "a"
    assert asking(broker, session, "GET", path) == 404


def test_the_handle_of_another_session_does_not_exist(
    broker: Broker, catalog: EmbeddedCatalog
) -> None:
    mine, other = broker.open_session(), broker.open_session()
    with mine.grant([table(catalog, Access.READ)]) as grant:
        assert asking(broker, other, "GET", path_of(grant)) == 404
        assert asking(broker, mine, "GET", path_of(grant)) == 200


@pytest.mark.parametrize("path", ["hr/tables/emp", f"q_{'0' * 32}_1/tables/emp"])
def test_other_names_do_not_exist(broker: Broker, catalog: EmbeddedCatalog, path: str) -> None:
    session = broker.open_session()
    with session.grant([table(catalog, Access.READ, Access.WRITE)]):
        assert asking(broker, session, "GET", f"namespaces/{path}") == 404
        assert asking(broker, session, "POST", f"namespaces/{path}", {"updates": []}) == 404


def test_a_wrong_or_ended_token_is_refused(broker: Broker, catalog: EmbeddedCatalog) -> None:
    session = broker.open_session()
    with session.grant([table(catalog, Access.READ)]) as grant:
        assert ask(broker, "wrong", "GET", path_of(grant))[0] == 401
        assert ask(broker, "", "GET", path_of(grant))[0] == 401
        broker.close_session(session)
        assert asking(broker, session, "GET", path_of(grant)) == 401


def test_a_table_that_is_only_read_cannot_be_changed(
    broker: Broker, catalog: EmbeddedCatalog
) -> None:
    session = broker.open_session()
    before = catalog.load_table(Ident(("hr",), "emp")).metadata_location
    update = {"action": "set-properties", "updates": {"x": "y"}}
    with session.grant([table(catalog, Access.READ)]) as grant:
        commit = {"requirements": [], "updates": [update]}
        assert asking(broker, session, "POST", path_of(grant), commit) == 403
        assert asking(broker, session, "DELETE", path_of(grant)) == 403
    assert catalog.load_table(Ident(("hr",), "emp")).metadata_location == before


def test_a_table_that_is_written_is_committed_under_its_real_name(
    broker: Broker, catalog: EmbeddedCatalog
) -> None:
    session = broker.open_session()
    update = {"action": "set-properties", "updates": {"x": "y"}}
    with session.grant([table(catalog, Access.WRITE)]) as grant:
        commit = {"requirements": [], "updates": [update]}
        assert asking(broker, session, "POST", path_of(grant), commit) == 200
        assert asking(broker, session, "DELETE", path_of(grant)) == 403
    assert catalog.load_table(Ident(("hr",), "emp")).metadata["properties"]["x"] == "y"


def test_listing_gives_nothing(broker: Broker, catalog: EmbeddedCatalog) -> None:
    session = broker.open_session()
    token = session.token.reveal()
    with session.grant([table(catalog, Access.READ)]) as grant:
        namespace = grant.spell(NAME)[1]
        assert ask(broker, token, "GET", "namespaces")[1]["namespaces"] == []
        listed = ask(broker, token, "GET", f"namespaces/{namespace}/tables")[1]
        assert listed["identifiers"] == []
        assert asking(broker, session, "GET", f"namespaces/{namespace}/views/emp") == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "namespaces", {"namespace": ["x"]}),
        ("DELETE", "namespaces/hr", None),
        ("POST", "tables/rename", {"source": {"namespace": ["hr"], "name": "emp"},
                                   "destination": {"namespace": ["hr"], "name": "b"}}),
        ("POST", "namespaces/hr/register", {"name": "x", "metadata-location": "/etc/passwd"}),
        ("POST", "namespaces/hr/tables", {"name": "x", "schema": SCHEMA}),
        ("POST", "transactions/commit", {"table-changes": []}),
        ("POST", "namespaces/hr/views", {"name": "x", "schema": SCHEMA, "view-version": {}}),
    ],
)  # fmt: skip
def test_everything_else_is_refused(
    broker: Broker, catalog: EmbeddedCatalog, method: str, path: str, body: Any
) -> None:
    session = broker.open_session()
    with session.grant([table(catalog, *Access)]):
        assert asking(broker, session, method, path, body) in (400, 403, 404)
    assert catalog.list_tables(("hr",)) == ["emp"]
    assert catalog.list_namespaces() == [("hr",)]


def test_handles_turn_back_into_names(catalog: EmbeddedCatalog) -> None:
    grant = make_grant([table(catalog, Access.READ)])
    dotted = ".".join(grant.spell(NAME))
    for text in (dotted, dotted.replace("sqe.", ""), f"`sqe`.`{grant.spell(NAME)[1]}`.`emp`"):
        assert grant.to_user(f"x {text} y") == "x lake.hr.emp y"
    assert "q_" not in grant.to_user(f"[{', '.join(grant.spell(NAME))}] {grant.spell(NAME)[1]}")


def test_no_two_grants_share_a_handle(catalog: EmbeddedCatalog) -> None:
    grants = [make_grant([table(catalog, Access.READ)]) for _ in range(100)]
    assert len({grant.spell(NAME) for grant in grants}) == 100


def test_a_change_that_the_catalog_would_refuse_does_not_begin(catalog: EmbeddedCatalog) -> None:
    class ReadOnly(EmbeddedCatalog):
        def __init__(self) -> None:
            """Only what is asked of the other."""

        def load_table(self, ident: Ident) -> Loaded:
            return catalog.load_table(ident)

        def check_change(self, ident: Ident) -> None:
            raise AccessError(ErrorCode.ACCESS_DENIED, f"not {ident}")

    for access in (Access.WRITE, Access.ALTER):
        with pytest.raises(AccessError, match=r"not hr\.emp"):
            make_grant([table(ReadOnly(), Access.READ, access)]).begin()
    make_grant([table(ReadOnly(), Access.READ)]).begin()
    make_grant([table(catalog, Access.WRITE)]).begin()
