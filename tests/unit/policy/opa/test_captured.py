"""What Trino's own plugin was seen to ask, SQE asks for the same statements; but for the order,
and for what is listed in ``ONLY_TRINO`` and ``ONLY_SQE``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import SYSTEM, Object, Privilege
from sqe.policy.opa.source import OpaSource
from sqe.settings.policy import OpaSettings
from tests.trino_clients.captures import FOLDER
from tests.unit.policy.opa.serving import PolicyServer, Reply, says

CAPTURE = FOLDER / "opa_requests.txt"
pytestmark = pytest.mark.skipif(not CAPTURE.is_file(), reason="the captures are not here")

ONLY_TRINO = {
    "information_schema": "SHOW TABLES is a query there; SQE asks for the listed names only",
    "$partition": "a column of Trino's connector; SQE's tables have none that are hidden",
    "$path": "the same",
    "$file_modified_time": "the same",
    "a query's own columns": "SQE decides before it knows them, and asks for all that are shown",
}
ONLY_SQE = {"FilterColumns": "which columns are shown, as Trino asks for DESCRIBE"}
_EXCHANGE = re.compile(
    r"=== #\d+ REQUEST\nPOST (\S+) .*?\n\n(\{.*?\})\n--- #\d+ RESPONSE\n.*?\n\n(.*?)\n(?==== |\Z)",
    re.DOTALL,
)
SF1 = SchemaName("iceberg", ("tpch_sf1",))
NATION = RelationName(SF1, "nation")
COLUMNS = (
    ColumnFacts("n_nationkey", "bigint"),
    ColumnFacts("n_name", "string"),
    ColumnFacts("n_regionkey", "bigint"),
    ColumnFacts("n_comment", "string"),
)
Question = tuple[str, str, str]  # the document, the operation, and what it is about


def exchanges(user: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
    for found in _EXCHANGE.finditer(CAPTURE.read_text()):
        asked = json.loads(found[2])["input"]
        if asked["context"]["identity"]["user"] == user:
            assert set(asked["context"]) == {"identity", "softwareStack"}
            yield found[1].rpartition("/")[2], asked["action"], json.loads(found[3])["result"]


def questions(asked: list[tuple[str, dict[str, Any]]]) -> set[Question]:
    found = set()
    for document, action in asked:
        about = action.get("filterResources") or [action.get("resource")]
        if "information_schema" in json.dumps(about) or action["operation"] in ONLY_SQE:
            continue
        for one in about:
            if one and "table" in one and action["operation"] == "SelectFromColumns":
                one["table"]["columns"] = "a query's own columns"
            if not (one and one.get("column", {}).get("columnName") in ONLY_TRINO):
                found.add((document, action["operation"], json.dumps(one, sort_keys=True)))
    return found


def replying(user: str) -> Callable[[str, bytes], Reply]:
    """As the recorded OPA did."""
    said = {}
    for document, action, result in exchanges(user):
        about = json.dumps(action.get("resource"), sort_keys=True)
        said[(document, action["operation"], about)] = result

    def reply(document: str, body: bytes) -> Reply:
        action = json.loads(body)["input"]["action"]
        if action["operation"] in ("FilterColumns", "FilterTables"):
            (*_, last) = action["filterResources"]
            columns = last["table"].get("columns", action["filterResources"])
            return says(list(range(len(columns))))
        if action["operation"] == "SelectFromColumns":
            return says(True)
        about = json.dumps(action.get("resource"), sort_keys=True)
        return says(said[(document, action["operation"], about)])

    return reply


@pytest.fixture(params=["alice", "lab"])
def asked_by(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_same_is_asked_for_the_same_statements(asked_by: str) -> None:
    """SELECT from nation, SHOW TABLES, and of alice CREATE TABLE zz."""
    who = Identity(asked_by)
    recorded = list(exchanges(asked_by))
    (listed,) = {
        json.dumps(action["filterResources"])
        for _, action, _ in recorded
        if action["operation"] == "FilterTables"
    }
    names = [one["table"]["tableName"] for one in json.loads(listed)]
    with PolicyServer(replying(asked_by)).running() as server:
        source = opa(server)
        assert isinstance(source.permits(who, Privilege.EXECUTE, SYSTEM), Allow)
        seen = source.decide(who, TableFacts(NATION, Privilege.SELECT, COLUMNS))
        assert isinstance(source.permits(who, Privilege.SHOW, Object.schema(SF1)), Allow)
        tables = [Object.table(RelationName(SF1, name)) for name in names]
        assert all(source.visible(who, tables))
        if asked_by == "alice":
            zz = TableFacts(RelationName(SF1, "zz"), Privilege.CREATE)
            assert isinstance(source.decide(who, zz), Deny)
        source.close()
    assert seen == SEEN[asked_by]
    assert questions(server.actions()) == questions([(one[0], one[1]) for one in recorded])


SEEN: dict[str, Decision] = {
    "alice": Restrict(
        "OPA allows part of it",
        (RowFilter("n_regionkey = 1", "trino", check=True),),
        {"n_name": ExpressionMask("'***' || substr(n_name, -2)", "trino")},
    ),
    "lab": Allow("OPA allows SelectFromColumns"),
}


def opa(server: PolicyServer) -> OpaSource:
    base = server.address
    return OpaSource(
        OpaSettings(
            allow_url=f"{base}/allow",
            batch_url=f"{base}/batch",
            row_filters_url=f"{base}/rowFilters",
            batch_column_masks_url=f"{base}/batchColumnMasks",
            timeout_s=20,
        )
    )
