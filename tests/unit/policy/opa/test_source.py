"""What OPA is asked, and what becomes of its answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from sqe.errors import UpstreamError
from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import SYSTEM, Object, ObjectKind, Privilege
from sqe.policy.opa.source import OpaSource
from sqe.policy.policy import Policy
from sqe.settings.policy import OpaSettings
from tests.unit.policy.opa.serving import PolicyServer, Reply, says

P = Privilege
ANN = Identity("ann", frozenset({"staff", "hr"}), frozenset({"clerk"}))
NAME = RelationName(SchemaName("Lake", ("HR", "old")), "Emp")
EMP = {"catalogName": "lake", "schemaName": "hr.old", "tableName": "emp"}
COLUMNS = (ColumnFacts("Id", "bigint"), ColumnFacts("ssn", "string"), ColumnFacts("pay", "int"))
KINDS = {
    "boolean": "boolean",
    "tinyint": "tinyint",
    "smallint": "smallint",
    "float": "real",
    "double": "double",
    "binary": "varbinary",
    "decimal(9,2)": "decimal(9,2)",
    "timestamp": "timestamp(6) with time zone",
    "timestamp_ntz": "timestamp(6)",
    "array<struct<a:int,B:map<string,date>>>": "array(row(a integer, b map(varchar, date)))",
    "variant": "unknown",
    "": "unknown",
}


def table(privilege: Privilege = P.SELECT, view: bool = False) -> TableFacts:
    return TableFacts(NAME, privilege, COLUMNS, view=view)


@contextmanager
def served(
    answers: dict[str, Any], *, batched: bool = True, **settings: Any
) -> Iterator[tuple[OpaSource, PolicyServer]]:
    """``answers``: by document, a result or a function of the action."""

    def reply(document: str, body: bytes) -> Reply:
        found = answers[document]
        return says(found(json.loads(body)["input"]["action"]) if callable(found) else found)

    with PolicyServer(reply).running() as server:
        base = server.address
        urls = {"allow_url": f"{base}/allow", "row_filters_url": f"{base}/rowFilters"}
        urls |= {"column_mask_url": f"{base}/columnMask"}
        if batched:
            urls |= {"batch_url": f"{base}/batch", "batch_column_masks_url": f"{base}/masks"}
        source = OpaSource(OpaSettings.model_validate({**urls, "timeout_s": 20, **settings}))
        try:
            yield source, server
        finally:
            source.close()


OPEN: dict[str, Any] = {"allow": True, "batch": [0, 1, 2], "rowFilters": [], "masks": []}


def seen(answers: dict[str, Any], **settings: Any) -> Decision:
    with served({**OPEN, **answers}, **settings) as (source, _):
        facts = table()
        return Policy([source]).decide(ANN, [facts])[facts]


def test_a_table_is_read_after_five_questions() -> None:
    with served(OPEN) as (source, server):
        assert isinstance(source.decide(ANN, table()), Allow)
    names = ["id", "ssn", "pay"]
    columns = [
        {"column": {**EMP, "columnName": name, "columnType": kind}}
        for name, kind in zip(names, ["bigint", "varchar", "integer"], strict=True)
    ]
    whole = {"table": {**EMP, "columns": names}}
    assert server.actions() == [
        ("allow", {"operation": "AccessCatalog", "resource": {"catalog": {"name": "lake"}}}),
        ("batch", {"operation": "FilterColumns", "filterResources": [whole]}),
        ("allow", {"operation": "SelectFromColumns", "resource": whole}),
        ("rowFilters", {"operation": "GetRowFilters", "resource": {"table": EMP}}),
        ("masks", {"operation": "GetColumnMask", "filterResources": columns}),
    ]
    context = {"identity": {"user": "ann", "groups": ["hr", "staff"]}}
    assert all(
        asked["context"] == {**context, "softwareStack": {"trinoVersion": "476"}}
        for _, asked, _ in server.asked
    )


def test_what_is_restricted() -> None:
    filters = [{"expression": "a = 1"}, {"expression": "b = 2", "identity": "system"}]
    masks = [{"index": 1, "viewExpression": {"expression": "'x'", "identity": None}}]
    answers = {"batch": [2, 0], "rowFilters": filters, "masks": masks}
    assert seen(answers) == Restrict(
        "OPA allows part of it",
        (RowFilter("a = 1", "trino", check=True), RowFilter("b = 2", "trino", check=True)),
        {"pay": ExpressionMask("'x'", "trino")},  # the second of those that are left
        frozenset({"ssn"}),
    )


@pytest.mark.parametrize(
    "answers",
    [
        {"rowFilters": [{"expression": "a = 1"}]},
        {"masks": [{"index": 0, "viewExpression": {"expression": "'x'"}}]},
        {"batch": [0, 1]},
    ],
)
def test_each_limit_by_itself_restricts(answers: dict[str, Any]) -> None:
    assert isinstance(seen(answers), Restrict)


def test_a_table_without_columns_has_no_masks() -> None:
    with served({"allow": True, "rowFilters": []}) as (source, server):
        assert isinstance(source.decide(ANN, TableFacts(NAME, P.SELECT)), Allow)
        assert server.operations() == ["AccessCatalog", "SelectFromColumns", "GetRowFilters"]


def test_without_batches_each_thing_is_asked_by_itself() -> None:
    def allow(action: Any) -> bool:
        about = action.get("resource", {}).get("table", {})
        return bool(about.get("columns") != ["ssn"] and about.get("tableName") != "dept")

    def mask(action: Any) -> Any:
        named = action["resource"]["column"]["columnName"]
        return {"expression": "0"} if named == "pay" else None

    answers = {"allow": allow, "rowFilters": [], "columnMask": mask}
    with served(answers, batched=False) as (source, server):
        found = source.decide(ANN, table())
        assert isinstance(found, Restrict)
        assert found.hidden == {"ssn"}
        assert found.masks == {"pay": ExpressionMask("0", "trino")}
        assert server.operations().count("FilterColumns") == 3
        assert server.operations().count("GetColumnMask") == 2
        emp, dept = (Object(ObjectKind.TABLE, ("lake", "hr", one)) for one in ("emp", "dept"))
        assert source.visible(ANN, [emp, dept]) == [True, False]
        assert server.operations()[-3:] == ["FilterCatalogs", "FilterTables", "FilterTables"]


def test_addresses_that_are_not_set_restrict_nothing() -> None:
    off: dict[str, Any] = {
        "row_filters_url": "",
        "column_mask_url": "",
        "batch_column_masks_url": "",
    }
    with served({"allow": True, "batch": [0, 1, 2]}, **off) as (source, server):
        assert isinstance(source.decide(ANN, table()), Allow)
        assert server.operations() == ["AccessCatalog", "FilterColumns", "SelectFromColumns"]


@pytest.mark.parametrize("operation", ["AccessCatalog", "SelectFromColumns"])
def test_a_no_is_a_no(operation: str) -> None:
    denied = seen({"allow": lambda action: action["operation"] != operation})
    assert denied == Deny(f"OPA does not allow {operation}")


def test_no_column_is_no_table() -> None:
    assert seen({"batch": []}) == Deny("OPA's FilterColumns leaves no column")


MALFORMED = [
    ("allow", 1),
    ("allow", "true"),
    ("allow", None),
    ("allow", {}),
    ("batch", True),
    ("batch", [3]),
    ("batch", [-1]),
    ("batch", [True]),
    ("batch", ["0"]),
    ("batch", [0.5]),
    ("rowFilters", None),
    ("rowFilters", {"expression": "x"}),
    ("rowFilters", ["x"]),
    ("rowFilters", [1]),
    ("rowFilters", [{"expression": 1}]),
    ("rowFilters", [{}]),
    ("rowFilters", [{"expression": "x", "identity": 1}]),
    ("rowFilters", [{"expression": "x", "catalog": "y"}]),
    ("masks", {}),
    ("masks", [{"index": 3, "viewExpression": {"expression": "x"}}]),
    ("masks", [{"index": -1, "viewExpression": {"expression": "x"}}]),
    ("masks", ["x"]),
    ("masks", [1]),
    ("masks", [{"index": 0}]),
    ("masks", [{"index": 0, "viewExpression": {"expression": "x"}, "more": 1}]),
    ("masks", [{"index": 0, "viewExpression": None}]),
    ("masks", [{"index": 0, "viewExpression": {"expression": "x"}}] * 2),
]


@pytest.mark.parametrize(("document", "result"), MALFORMED)
def test_an_answer_that_is_none_denies(document: str, result: Any) -> None:
    found = seen({document: result})
    assert isinstance(found, Deny) and "gave no proper answer" in found.reason


@pytest.mark.parametrize("document", ["allow", "batch", "rowFilters", "masks", "columnMask"])
@pytest.mark.parametrize(
    "reply", [(200, b"{}"), (200, b"[]"), (200, b"<html>"), (200, b""), (500, b'{"result": true}')]
)
def test_what_is_undefined_or_no_answer_denies(document: str, reply: Reply) -> None:
    batched = document != "columnMask"
    with served(OPEN, batched=batched) as (source, server):
        good = server.reply
        server.reply = lambda one, body: reply if one == document else good(one, body)
        facts = table()
        assert isinstance(Policy([source]).decide(ANN, [facts])[facts], Deny)
        if document == "allow":
            assert isinstance(Policy([source]).permits(ANN, P.EXECUTE, SYSTEM), Deny)
        if document == "batch":
            assert Policy([source]).visible(ANN, [Object.catalog("lake")]) == [False]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b'["result"]', "not an object"),
        (b'"result"', "not an object"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(answer: bytes, words: str) -> None:
    with served(OPEN) as (source, server):
        server.reply = lambda document, body: (200, answer)
        with pytest.raises(UpstreamError, match=f"gave no proper answer .*{words}"):
            source.decide(ANN, table())


def test_what_to_write_where_a_column_has_no_mask_is_said() -> None:
    with served(OPEN, batched=False) as (source, server):
        good = server.reply
        server.reply = lambda one, body: (200, b"{}") if one == "columnMask" else good(one, body)
        with pytest.raises(UpstreamError, match="default columnMask := null"):
            source.decide(ANN, table())


def test_the_token_is_shown_and_nothing_else_says_it() -> None:
    with served(OPEN, token=SecretStr("s3cret")) as (source, server):
        source.decide(ANN, table())
        assert {headers["authorization"] for _, _, headers in server.asked} == {"Bearer s3cret"}
        assert "s3cret" not in repr(source.__dict__)
    with served(OPEN) as (source, server):
        source.decide(ANN, table())
        assert not any("authorization" in headers for _, _, headers in server.asked)


@pytest.mark.parametrize("token", ["", "s3cret"])
def test_questions_and_answers_are_json(token: str) -> None:
    with served(OPEN, token=SecretStr(token)) as (source, server):
        source.decide(ANN, table())
        for _, _, headers in server.asked:
            assert headers["content-type"] == "application/json; charset=utf-8"
            assert headers["accept"] == "application/json"


@pytest.mark.parametrize(("spark", "trino"), KINDS.items())
def test_types_are_in_trinos_words(spark: str, trino: str) -> None:
    with served({**OPEN, "batch": [0]}) as (source, server):
        source.decide(ANN, TableFacts(NAME, P.SELECT, (ColumnFacts("c", spark),)))
        ((_, asked),) = [one for one in server.actions() if one[0] == "masks"]
        assert asked["filterResources"][0]["column"]["columnType"] == trino


TABLES = [
    (P.INSERT, False, ["InsertIntoTable"]),
    (P.UPDATE, False, ["UpdateTableColumns"]),
    (P.DELETE, False, ["DeleteFromTable"]),
    (P.CREATE, False, ["CreateTable"]),
    (P.DROP, False, ["DropTable"]),
    (P.SHOW, False, ["ShowColumns", "ShowCreateTable"]),
    (P.OWN, False, ["SetTableAuthorization"]),
    (P.ALTER, False, ["AddColumn", "AlterColumn", "DropColumn", "RenameColumn"]),
    (P.ALTER, False, ["SetColumnComment", "SetTableComment", "SetTableProperties"]),
    (P.LEND, False, ["CreateViewWithSelectFromColumns"]),
    (P.LEND, True, ["CreateViewWithSelectFromColumns"]),
    (P.CREATE, True, ["CreateView"]),
    (P.DROP, True, ["DropView"]),
    (P.ALTER, True, ["CreateView", "SetViewComment"]),
    (P.SHOW, True, ["ShowColumns", "ShowCreateTable"]),
    (P.OWN, True, ["SetViewAuthorization"]),
]


@pytest.mark.parametrize(("privilege", "view", "operations"), TABLES)
def test_every_operation_behind_a_privilege_must_be_allowed(
    privilege: Privilege, view: bool, operations: list[str]
) -> None:
    with served({"allow": True}) as (source, server):
        assert isinstance(source.decide(ANN, table(privilege, view)), Allow)
        assert set(operations) <= set(server.operations())
    for denied in ("AccessCatalog", *operations):
        with served({"allow": lambda action, no=denied: action["operation"] != no}) as (source, _):
            assert isinstance(source.decide(ANN, table(privilege, view)), Deny)


def test_shapes_of_changes() -> None:
    with served({"allow": True}) as (source, server):
        for privilege in (P.UPDATE, P.CREATE, P.OWN, P.LEND):
            source.decide(ANN, table(privilege))
        update, create, own, lend = server.actions()[1::2]
    columns = ["id", "ssn", "pay"]
    assert update[1]["resource"] == {"table": {**EMP, "columns": columns}}
    assert create[1]["resource"] == {"table": {**EMP, "properties": {}}}
    assert own[1]["grantee"] == {"type": "USER", "name": "ann"}
    assert lend[1]["resource"] == update[1]["resource"]


@pytest.mark.parametrize("privilege", [P.EXECUTE, P.SET, P.IMPERSONATE])
def test_what_trino_has_no_operation_for_is_denied(privilege: Privilege) -> None:
    with served({"allow": True}) as (source, server):
        assert isinstance(source.decide(ANN, table(privilege)), Deny)
        assert isinstance(source.permits(ANN, privilege, Object.catalog("lake")), Deny)
        assert isinstance(source.permits(ANN, P.DROP, Object(ObjectKind.PROPERTY, ("x",))), Deny)
        assert not server.asked


SCHEMA = {"catalogName": "lake", "schemaName": "hr.old"}
FUNCTION = {**SCHEMA, "functionName": "f"}
IN_LAKE = ("Lake", "HR", "old")
OTHERS = [
    (P.EXECUTE, SYSTEM, "ExecuteQuery", None),
    (P.SHOW, SYSTEM, "ReadSystemInformation", None),
    (P.ALTER, SYSTEM, "WriteSystemInformation", None),
    (P.SHOW, Object.catalog("Lake"), "ShowSchemas", {"catalog": {"name": "lake"}}),
    (P.SHOW, Object(ObjectKind.SCHEMA, IN_LAKE), "ShowTables", {"schema": SCHEMA}),
    (P.DROP, Object(ObjectKind.SCHEMA, IN_LAKE), "DropSchema", {"schema": SCHEMA}),
    (
        P.CREATE,
        Object(ObjectKind.SCHEMA, IN_LAKE),
        "CreateSchema",
        {"schema": {**SCHEMA, "properties": {}}},
    ),
    (P.OWN, Object(ObjectKind.SCHEMA, IN_LAKE), "SetSchemaAuthorization", {"schema": SCHEMA}),
    (P.ALTER, Object(ObjectKind.SCHEMA, IN_LAKE), "SetSchemaAuthorization", {"schema": SCHEMA}),
    (
        P.EXECUTE,
        Object(ObjectKind.PROCEDURE, (*IN_LAKE, "f")),
        "ExecuteProcedure",
        {"function": FUNCTION},
    ),
    (
        P.EXECUTE,
        Object(ObjectKind.FUNCTION, (*IN_LAKE, "f")),
        "ExecuteFunction",
        {"function": FUNCTION},
    ),
    (
        P.CREATE,
        Object(ObjectKind.FUNCTION, (*IN_LAKE, "f")),
        "CreateFunction",
        {"function": FUNCTION},
    ),
    (
        P.DROP,
        Object(ObjectKind.FUNCTION, (*IN_LAKE, "f")),
        "DropFunction",
        {"function": FUNCTION},
    ),
    (
        P.SHOW,
        Object(ObjectKind.FUNCTION, (*IN_LAKE, "f")),
        "ShowCreateFunction",
        {"function": FUNCTION},
    ),
    (P.SHOW, Object.table(NAME), "ShowColumns", {"table": EMP}),
    (P.IMPERSONATE, Object.user("Bob"), "ImpersonateUser", {"user": {"user": "Bob"}}),
    (
        P.VIEW_QUERY,
        Object.user("Bob"),
        "ViewQueryOwnedBy",
        {"user": {"user": "Bob", "groups": []}},
    ),
    (
        P.KILL_QUERY,
        Object.user("Bob"),
        "KillQueryOwnedBy",
        {"user": {"user": "Bob", "groups": []}},
    ),
    (
        P.SET,
        Object(ObjectKind.PROPERTY, ("x",)),
        "SetSystemSessionProperty",
        {"systemSessionProperty": {"name": "x"}},
    ),
    (
        P.SET,
        Object(ObjectKind.PROPERTY, ("Lake", "x")),
        "SetCatalogSessionProperty",
        {"catalogSessionProperty": {"catalogName": "lake", "propertyName": "x"}},
    ),
]


@pytest.mark.parametrize(("privilege", "on", "operation", "resource"), OTHERS)
def test_everything_else_is_asked_in_trinos_shape(
    privilege: Privilege, on: Object, operation: str, resource: Any
) -> None:
    with served({"allow": True}) as (source, server):
        assert isinstance(source.permits(ANN, privilege, on), Allow)
        _, last = server.actions()[-1]
        assert (last["operation"], last.get("resource")) == (operation, resource)
    with served({"allow": lambda action: action["operation"] != operation}) as (source, _):
        assert isinstance(source.permits(ANN, privilege, on), Deny)


@pytest.mark.parametrize(
    ("privilege", "on"),
    [
        (P.SHOW, Object.catalog("Lake")),
        (P.DROP, Object(ObjectKind.SCHEMA, IN_LAKE)),
        (P.OWN, Object(ObjectKind.SCHEMA, IN_LAKE)),
        (P.SHOW, Object.table(NAME)),
        (P.EXECUTE, Object(ObjectKind.PROCEDURE, (*IN_LAKE, "f"))),
    ],
)
def test_whoever_may_not_enter_a_catalog_may_do_nothing_in_it(
    privilege: Privilege, on: Object
) -> None:
    with served({"allow": lambda action: action["operation"] != "AccessCatalog"}) as (source, _):
        assert source.permits(ANN, privilege, on) == Deny("OPA does not allow AccessCatalog")


def test_ones_own_queries_are_ones_own() -> None:
    with served({"allow": False}) as (source, server):
        assert isinstance(source.permits(ANN, P.VIEW_QUERY, Object.user("ann")), Allow)
        assert isinstance(source.permits(ANN, P.KILL_QUERY, Object.user("ann")), Allow)
        assert isinstance(source.permits(ANN, P.IMPERSONATE, Object.user("ann")), Deny)
        assert server.operations() == ["ImpersonateUser"]


def test_lists_are_asked_for_at_once() -> None:
    def batch(action: Any) -> list[int]:
        return [0] if action["operation"] == "FilterCatalogs" else [1]

    objects = [
        Object.catalog("Lake"),
        Object(ObjectKind.SCHEMA, ("lake", "a")),
        Object(ObjectKind.TABLE, ("lake", "a", "t")),
        Object(ObjectKind.SCHEMA, ("lake", "b")),
        Object(ObjectKind.TABLE, ("pond", "a", "t")),
        Object(ObjectKind.TABLE, ("lake", "a", "u")),
        Object(ObjectKind.PROPERTY, ("x",)),
    ]
    with served({"batch": batch}) as (source, server):
        found = source.visible(ANN, objects)
        assert found == [True, False, False, True, False, True, False]
        asked = [action["operation"] for _, action in server.actions()]
        assert asked == ["FilterCatalogs", "FilterCatalogs", "FilterSchemas", "FilterTables"]
        lists = [len(action["filterResources"]) for _, action in server.actions()]
        assert lists == [2, 1, 2, 2]  # pond is not shown, so neither is what is in it


def test_lists_of_functions_and_of_users() -> None:
    def batch(action: Any) -> list[int]:
        catalogs = action["operation"] == "FilterCatalogs"
        return [0] if catalogs else list(range(len(action["filterResources"])))

    objects = [
        Object(ObjectKind.FUNCTION, (*IN_LAKE, "f")),
        Object(ObjectKind.FUNCTION, ("pond", "a", "f")),
        Object(ObjectKind.SCHEMA, ("pond", "a")),
        Object.user("Bob"),
    ]
    with served({"batch": batch}) as (source, server):
        assert source.visible(ANN, objects) == [True, False, False, True]
        catalogs, functions, users = (action for _, action in server.actions())
    assert catalogs["filterResources"] == [{"catalog": {"name": one}} for one in ("lake", "pond")]
    assert functions["operation"] == "FilterFunctions"
    assert functions["filterResources"] == [{"function": FUNCTION}]
    assert users["operation"] == "FilterViewQueryOwnedBy"
    assert users["filterResources"] == [{"user": {"user": "Bob", "groups": []}}]


def test_nothing_is_asked_of_what_has_no_list() -> None:
    with served({}) as (source, server):
        assert source.visible(ANN, [SYSTEM, Object(ObjectKind.PROPERTY, ("x",))]) == [False, False]
        assert source.visible(ANN, []) == []
        assert not server.asked
