"""Trino's rules.json means what Trino 476 makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import SYSTEM, Object, ObjectKind, Privilege
from sqe.policy.file_rules.source import FileRules

P = Privilege
ANN = Identity("ann", groups=frozenset({"hr"}), roles=frozenset({"clerk"}))
ADMIN = Identity("root", roles=frozenset({"admin"}))
LAKE = Object.catalog("lake")


@pytest.fixture
def rules(tmp_path: Path) -> Any:
    def make(**sections: Any) -> FileRules:
        path = tmp_path / "rules.json"
        path.write_text(json.dumps(sections))
        return FileRules(path)

    return make


def decided(
    source: FileRules,
    privilege: Privilege = P.SELECT,
    name: str = "lake.hr.emp",
    who: Identity = ANN,
    columns: str = "id address ssn",
) -> Decision:
    catalog, *path, table = name.split(".")
    listed = tuple(ColumnFacts(one) for one in columns.split())
    relation = RelationName(SchemaName(catalog, tuple(path)), table)
    return source.decide(who, TableFacts(relation, privilege, listed))


def may(source: FileRules, privilege: Privilege, on: Object, who: Identity = ANN) -> bool:
    return isinstance(source.permits(who, privilege, on), Allow)


def schema(*parts: str) -> Object:
    return Object(ObjectKind.SCHEMA, parts)


def procedure(*parts: str) -> Object:
    return Object(ObjectKind.PROCEDURE, parts)


def function(*parts: str) -> Object:
    return Object(ObjectKind.FUNCTION, parts)


def setting(*parts: str) -> Object:
    return Object(ObjectKind.PROPERTY, parts)


def test_an_empty_file_allows_what_trino_says_it_does(rules: Any) -> None:
    source = rules()
    for privilege in (P.SELECT, P.INSERT, P.UPDATE, P.DELETE, P.CREATE, P.DROP, P.ALTER, P.SHOW):
        assert decided(source, privilege) == Allow("rules.json has no tables")
    assert may(source, P.CREATE, schema("lake", "x"))
    assert may(source, P.EXECUTE, SYSTEM)
    assert may(source, P.VIEW_QUERY, Object.user("bob"))
    assert may(source, P.SET, setting("x")) and may(source, P.SET, setting("lake", "x"))
    assert source.visible(ANN, [LAKE, schema("lake", "x")]) == [True, True]


def test_an_empty_file_denies_what_trino_says_it_does(rules: Any) -> None:
    source = rules()
    assert not may(source, P.EXECUTE, procedure("lake", "system", "expire_snapshots"))
    assert not may(source, P.IMPERSONATE, Object.user("bob"))
    assert not may(source, P.SHOW, SYSTEM) and not may(source, P.ALTER, SYSTEM)
    assert may(source, P.EXECUTE, procedure("system", "builtin", "x"))
    for place in (("lake", "builtin"), ("system", "other")):
        assert not may(source, P.EXECUTE, procedure(*place, "x"))
        assert not may(source, P.EXECUTE, function(*place, "x"))


@pytest.mark.parametrize(
    "sections",
    [{"catalogs": []}, {"tables": []}, {"tables": [{"user": "bob", "privileges": ["SELECT"]}]}],
)
def test_a_section_in_which_nothing_fits_denies(rules: Any, sections: Any) -> None:
    source = rules(**sections)
    assert isinstance(decided(source), Deny)
    assert isinstance(decided(source, P.SHOW), Deny)


def test_the_first_rule_that_fits_decides(rules: Any) -> None:
    source = rules(
        tables=[
            {"user": "ann", "table": "emp", "privileges": []},
            {"group": "hr", "privileges": ["SELECT"]},
        ]
    )
    denied = decided(source)
    assert denied == Deny("rule 1 of tables in rules.json does not give GRANT_SELECT or SELECT")
    assert decided(source, name="lake.hr.dept") == Allow("rule 2 of tables in rules.json")


def test_user_group_and_role_must_all_fit(rules: Any) -> None:
    both = {"user": "an.", "group": "h.*", "role": "clerk|chief", "privileges": ["SELECT"]}
    assert isinstance(decided(rules(tables=[both])), Allow)
    for key in ("user", "group", "role"):
        assert isinstance(decided(rules(tables=[{**both, key: "x"}])), Deny)


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [("ann", "ann", "ANN"), ("(?i)A.", "ab", "a\n"), ("(?s)b.", "b\n", "B\n")],
)
def test_flags_of_a_pattern_hold(rules: Any, pattern: str, fitting: str, other: str) -> None:
    source = rules(tables=[{"user": pattern, "privileges": ["SELECT"]}])
    assert isinstance(decided(source, who=Identity(fitting)), Allow)
    assert isinstance(decided(source, who=Identity(other)), Deny)


@pytest.mark.parametrize("key", ["catalog", "schema", "table"])
def test_a_rule_is_for_its_own_place_alone(rules: Any, key: str) -> None:
    where = {"catalog": "lake", "schema": "hr", "table": "emp", "privileges": ["SELECT"]}
    assert isinstance(decided(rules(tables=[where])), Allow)
    assert isinstance(decided(rules(tables=[{**where, key: "x"}])), Deny)


@pytest.mark.parametrize(
    ("privileges", "held"),
    [
        (["SELECT"], {P.SELECT, P.SHOW}),
        (["GRANT_SELECT"], {P.SELECT, P.SHOW, P.LEND}),
        (["INSERT"], {P.INSERT, P.SHOW}),
        (["UPDATE"], {P.UPDATE, P.SHOW}),
        (["DELETE"], {P.DELETE, P.SHOW}),
        (["OWNERSHIP"], {P.CREATE, P.DROP, P.ALTER, P.OWN, P.SHOW}),
        ([], set()),
    ],
)
def test_each_privilege_gives_what_it_gives(
    rules: Any, privileges: list[str], held: set[Privilege]
) -> None:
    source = rules(tables=[{"privileges": privileges}])
    assert {one for one in P if isinstance(decided(source, one), Allow)} == held
    assert isinstance(decided(source, P.EXECUTE), Deny)


@pytest.mark.parametrize(
    ("allow", "reads", "writes"),
    [
        ("owner", True, True),
        ("all", True, True),
        (True, True, True),
        ("read-only", True, False),
        ("READ-ONLY", True, False),
        ("none", False, False),
        (False, False, False),
    ],
)
def test_a_catalog_is_entered_first(rules: Any, allow: Any, reads: bool, writes: bool) -> None:
    source = rules(catalogs=[{"catalog": "lake", "allow": allow}])
    assert isinstance(decided(source), Allow) is reads
    assert isinstance(decided(source, P.SHOW), Allow) is reads
    assert isinstance(decided(source, P.INSERT), Allow) is writes
    assert isinstance(decided(source, P.DROP), Allow) is writes
    assert may(source, P.CREATE, schema("lake", "x")) is writes
    assert not may(source, P.CREATE, LAKE)  # what is made there is asked about by its name
    assert source.visible(ANN, [LAKE]) == [reads]
    assert isinstance(decided(source, name="pond.hr.emp"), Deny)
    assert isinstance(decided(source, name="system.jdbc.tables"), Allow)


@pytest.mark.parametrize(("allow", "shown"), [("owner", True), ("all", False)])
def test_its_owner_sees_a_catalog_in_which_nothing_is_given(
    rules: Any, allow: str, shown: bool
) -> None:
    source = rules(
        catalogs=[{"catalog": "lake", "allow": allow}],
        schemas=[{"owner": False}],
        tables=[{"privileges": []}],
        catalog_session_properties=[{"allow": False}],
    )
    assert source.visible(ANN, [LAKE, schema("lake", "hr")]) == [shown, False]


NOTHING: dict[str, Any] = {
    "schemas": [],
    "tables": [],
    "functions": [],
    "procedures": [],
    "catalog_session_properties": [],
}
GIVING = [
    ("schemas", {"owner": True}, {"owner": False}),
    ("tables", {"privileges": ["INSERT"]}, {"privileges": []}),
    ("functions", {"privileges": ["EXECUTE"]}, {"privileges": []}),
    ("procedures", {"privileges": ["EXECUTE"]}, {"privileges": []}),
]


@pytest.mark.parametrize(("section", "give", "refuse"), GIVING)
def test_places_are_shown_where_any_section_gives_something(
    rules: Any, section: str, give: Any, refuse: Any
) -> None:
    places = [LAKE, schema("lake", "hr"), schema("lake", "it"), Object.catalog("pond")]
    hr = {"user": "ann", "catalog": "lake", "schema": "hr"}
    there = {"schema": "x", **give}
    source = rules(**{**NOTHING, section: [there, {**hr, **give}]})
    assert source.visible(ANN, places) == [True, True, False, True]
    source = rules(**{**NOTHING, section: [{**hr, **give}]})
    assert source.visible(ANN, places) == [True, True, False, False]
    assert source.visible(ADMIN, places) == [False] * 4
    assert rules(**{**NOTHING, section: [{**hr, **refuse}]}).visible(ANN, places) == [False] * 4
    closed = rules(**{**NOTHING, section: [give]}, catalogs=[{"catalog": "pond", "allow": "all"}])
    assert closed.visible(ANN, places) == [False, False, False, True]


def test_a_catalog_is_shown_where_a_property_of_it_may_be_set(rules: Any) -> None:
    places = [LAKE, schema("lake", "hr"), Object.catalog("pond")]
    given = [{"catalog": "x", "allow": True}, {"catalog": "lake", "allow": True}]
    source = rules(**{**NOTHING, "catalog_session_properties": given})
    assert source.visible(ANN, places) == [True, False, False]
    assert rules(**NOTHING).visible(ANN, places) == [False] * 3


def test_what_trinos_own_page_shows(rules: Any) -> None:
    """The example of Trino's documentation of table rules."""
    source = rules(
        tables=[
            {"role": "admin", "privileges": ["SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP"]},
            {"user": "banned_user", "privileges": []},
            {
                "catalog": "default",
                "schema": "hr",
                "table": "employee",
                "privileges": ["SELECT"],
                "filter": "user = current_user",
                "filter_environment": {"user": "system_user"},
            },
            {
                "catalog": "default",
                "schema": "default",
                "table": ".*",
                "privileges": ["SELECT"],
                "columns": [
                    {"name": "address", "allow": False},
                    {
                        "name": "SSN",
                        "mask": "'XXX-XX-' + substring(credit_card, -4)",
                        "mask_environment": {"user": "system_user"},
                    },
                    {"name": "not_here", "allow": False},
                ],
            },
        ]
    )
    own = decided(source, name="default.hr.employee")
    assert isinstance(own, Restrict)
    assert own.filters == (RowFilter("user = current_user", "trino", check=True),)
    seen = decided(source, name="default.default.anything")
    assert isinstance(seen, Restrict)
    assert seen.hidden == {"address"}
    mask = ExpressionMask("'XXX-XX-' + substring(credit_card, -4)", "trino")
    assert seen.masks == {"ssn": mask}
    assert isinstance(decided(source, P.INSERT, "default.default.anything"), Deny)
    assert isinstance(decided(source, P.INSERT, "x.y.z", ADMIN), Allow)
    assert isinstance(decided(source, name="x.y.z", who=Identity("banned_user")), Deny)


def test_a_column_of_a_named_table_that_is_gone_is_not_forgotten(rules: Any) -> None:
    """It may have been renamed: whoever enforces this refuses the table."""
    rule = {"privileges": ["SELECT"], "columns": [{"name": "pay", "allow": False}]}
    where = {"catalog": "lake", "schema": "hr", "table": "emp"}
    named = decided(rules(tables=[{**rule, **where}]))
    assert isinstance(named, Restrict) and named.hidden == {"pay"}
    for many in ({"catalog": "lak."}, {"schema": "h.*"}, {"table": "emp.*"}):
        assert isinstance(decided(rules(tables=[{**rule, **where, **many}])), Allow)


def test_a_column_that_is_only_named_is_as_it_is_and_a_denied_one_needs_no_mask(rules: Any) -> None:
    columns: list[dict[str, Any]] = [{"name": "id"}, {"name": "address", "allow": True}]
    assert isinstance(
        decided(rules(tables=[{"privileges": ["SELECT"], "columns": columns}])), Allow
    )
    columns.append({"name": "ssn", "allow": False, "mask": "'x'"})
    seen = decided(rules(tables=[{"privileges": ["SELECT"], "columns": columns}]))
    assert isinstance(seen, Restrict)
    assert seen.hidden == {"ssn"} and not seen.masks


def test_a_mask_by_itself_restricts(rules: Any) -> None:
    columns = [{"name": "ssn", "mask": "'x'"}]
    seen = decided(rules(tables=[{"privileges": ["SELECT"], "columns": columns}]))
    assert isinstance(seen, Restrict) and seen.masks == {"ssn": ExpressionMask("'x'", "trino")}


def test_names_of_things_fit_whatever_their_case(rules: Any) -> None:
    hides = {"schema": "hr", "table": "gehälter|Secret", "privileges": []}
    source = rules(tables=[hides, {"privileges": ["SELECT"]}])
    for name in ("lake.hr.gehälter", "lake.HR.Gehälter", "lake.hr.GEHÄLTER", "lake.hr.secret"):
        assert isinstance(decided(source, name=name), Deny)
    loud = rules(tables=[{"table": "GEHÄLTER", "privileges": ["SELECT"]}])
    assert isinstance(decided(loud, name="lake.hr.GEHÄLTER"), Allow)


def test_information_schema_has_no_rules_but_the_catalogs(rules: Any) -> None:
    source = rules(catalogs=[{"catalog": "lake", "allow": "read-only"}], tables=[])
    assert isinstance(decided(source, name="lake.information_schema.tables"), Allow)
    for name, privilege, done in [("pond", P.SELECT, "read"), ("lake", P.INSERT, "written")]:
        denied = decided(source, privilege, f"{name}.information_schema.tables")
        assert denied == Deny(f"catalogs of rules.json: not {done} by this user")


def test_schemas_have_owners(rules: Any) -> None:
    source = rules(
        schemas=[{"user": "ann", "schema": "hr", "owner": True}, {"user": "root", "schema": "h."}],
        tables=[],
    )
    for privilege in (P.CREATE, P.DROP, P.ALTER, P.OWN, P.SHOW):
        assert may(source, privilege, schema("lake", "hr"))
        assert not may(source, privilege, schema("lake", "it"))
        assert not may(source, privilege, schema("lake", "hr"), ADMIN)
    emp = Object(ObjectKind.TABLE, ("lake", "hr", "emp"))
    assert source.visible(ANN, [emp, schema("lake", "it")]) == [True, False]
    assert isinstance(decided(source), Deny)  # to own the schema is not to read its tables
    lakes = rules(schemas=[{"catalog": "lake", "owner": True}])
    assert may(lakes, P.DROP, schema("lake", "x"))
    assert not may(lakes, P.DROP, schema("pond", "x"))
    assert not may(lakes, P.SELECT, schema("lake", "x"))
    spelled = rules(schemas=[{"schema": "gehälter", "owner": False}, {"owner": True}])
    assert not may(spelled, P.DROP, schema("lake", "GEHÄLTER"))


def test_a_table_is_shown_where_anything_is_given_on_it(rules: Any) -> None:
    source = rules(
        catalogs=[{"catalog": "lake", "allow": "read-only"}],
        schemas=[],
        tables=[
            {"table": "none", "privileges": []},
            {"table": "emp", "privileges": ["INSERT"]},
        ],
    )

    def shown(*parts: str) -> bool:
        return bool(source.visible(ANN, [Object(ObjectKind.TABLE, parts)])[0])

    assert shown("lake", "hr", "emp")
    assert not shown("lake", "hr", "none") and not shown("lake", "hr", "other")
    assert not shown("pond", "hr", "emp")
    assert shown("lake", "information_schema", "tables")
    assert not shown("pond", "information_schema", "tables")


def test_procedures_and_functions(rules: Any) -> None:
    give = {"catalog": "lake", "schema": "system", "privileges": ["EXECUTE"]}
    source = rules(
        procedures=[{**give, "procedure": "vacuum|expire.*"}],
        functions=[{**give, "function": "query", "privileges": ["GRANT_EXECUTE"]}],
    )
    assert may(source, P.EXECUTE, procedure("lake", "system", "expire_snapshots"))
    assert not may(source, P.DROP, procedure("lake", "system", "expire_snapshots"))
    assert not may(source, P.EXECUTE, procedure("lake", "system", "rewrite"))
    assert not may(source, P.EXECUTE, procedure("system", "builtin", "x"))
    query = function("lake", "system", "query")
    assert may(source, P.EXECUTE, query) and may(source, P.SHOW, query)
    assert not may(source, P.DROP, query)
    for other in (("lake", "system", "other"), ("lake", "x", "query"), ("pond", "system", "query")):
        assert not may(source, P.EXECUTE, function(*other))
    assert may(source, P.EXECUTE, function("system", "builtin", "abs"))
    assert not may(source, P.EXECUTE, function("system", "other", "abs"))
    assert not may(source, P.EXECUTE, function("lake", "builtin", "abs"))
    outside = rules(procedures=[give], catalogs=[{"catalog": "pond", "allow": "all"}])
    assert not may(outside, P.EXECUTE, procedure("lake", "system", "vacuum"))
    owned = rules(functions=[{**give, "privileges": ["OWNERSHIP"]}])
    assert not may(owned, P.EXECUTE, query)


def test_queries(rules: Any) -> None:
    """As in Trino's example."""
    source = rules(
        queries=[
            {"role": "admin", "allow": ["execute", "kill", "view"]},
            {"user": "ann", "allow": ["execute", "kill"]},
            {"group": "contractors", "queryOwner": "ann|dave", "allow": ["view"]},
            {"allow": ["execute"]},
        ]
    )
    con = Identity("con", groups=frozenset({"contractors"}))
    assert may(source, P.KILL_QUERY, Object.user("x")) and not may(
        source, P.VIEW_QUERY, Object.user("x")
    )
    assert may(source, P.VIEW_QUERY, Object.user("x"), ADMIN)
    assert may(source, P.VIEW_QUERY, Object.user("dave"), con)
    assert not may(source, P.VIEW_QUERY, Object.user("x"), con)
    assert not may(source, P.KILL_QUERY, Object.user("dave"), con)
    for own in (P.VIEW_QUERY, P.KILL_QUERY):
        assert may(source, own, Object.user("con"), con)
    assert may(source, P.EXECUTE, SYSTEM, con)
    assert not may(rules(queries=[]), P.EXECUTE, SYSTEM)


def test_impersonation(rules: Any) -> None:
    """As in Trino's example."""
    source = rules(
        impersonation=[
            {"original_role": "admin", "new_user": "bob", "allow": False},
            {"original_role": "admin", "new_user": ".*"},
            {"original_user": ".*", "new_user": "test"},
            {"originalUser": "team_(.*)", "newUser": "team_$1_sandbox", "allow": True},
            {"original_user": "(?<n>x.*)y", "new_user": r"${n}\$"},
            {"original_user": "dan(ny)?", "new_user": "job$1"},
        ]
    )

    def becomes(user: str, other: str, *roles: str) -> bool:
        who = Identity(user, roles=frozenset(roles))
        return may(source, P.IMPERSONATE, Object.user(other), who)

    assert becomes("root", "carol", "admin") and not becomes("root", "bob", "admin")
    assert becomes("ann", "test") and not becomes("ann", "testy")
    assert becomes("team_backend", "team_backend_sandbox")
    assert not becomes("team_backend", "team_front_sandbox")
    assert not becomes("team_.*", "team_front_sandbox")  # a name is no pattern
    assert becomes("team_.*", "team_.*_sandbox")
    assert becomes("xzy", "xz$") and not becomes("xzy", "xz")
    assert becomes("danny", "jobny") and becomes("dan", "job") and not becomes("dan", "jobny")


def test_system_information_and_properties(rules: Any) -> None:
    source = rules(
        system_information=[{"user": "ann", "allow": ["read"]}, {"role": "admin", "allow": []}],
        system_session_properties=[
            {"property": "a.*", "allow": True},
            {"user": "root", "property": "b"},
        ],
        catalog_session_properties=[
            {"catalog": "lake", "property": "c", "allow": True},
            {"catalog": "lake", "property": "d"},
        ],
    )
    assert may(source, P.SHOW, SYSTEM) and not may(source, P.ALTER, SYSTEM)
    assert not may(source, P.SHOW, SYSTEM, ADMIN)
    assert may(source, P.SET, setting("abc")) and not may(source, P.SET, setting("b"))
    assert not may(source, P.SET, setting("b"), ADMIN)  # without allow, it is not
    assert may(source, P.SET, setting("lake", "c")) and not may(source, P.SET, setting("pond", "c"))
    assert not may(source, P.SET, setting("lake", "d"))


def test_rules_for_others_give_nothing(rules: Any) -> None:
    source = rules(
        system_information=[{"role": "admin", "allow": ["read", "write"]}],
        system_session_properties=[{"user": "root", "allow": True}],
        catalog_session_properties=[{"user": "root", "allow": True}],
        queries=[{"user": "root", "allow": ["execute", "view", "kill"]}],
        impersonation=[{"original_role": "admin", "new_user": ".*"}],
    )
    for privilege, on in [
        (P.SHOW, SYSTEM),
        (P.ALTER, SYSTEM),
        (P.EXECUTE, SYSTEM),
        (P.SET, setting("x")),
        (P.SET, setting("lake", "x")),
        (P.VIEW_QUERY, Object.user("bob")),
        (P.KILL_QUERY, Object.user("bob")),
        (P.IMPERSONATE, Object.user("bob")),
    ]:
        assert may(source, privilege, on, ADMIN) and not may(source, privilege, on)


def test_a_property_of_a_catalog_is_set_by_who_may_enter_it(rules: Any) -> None:
    source = rules(catalogs=[{"catalog": "lake", "allow": "read-only"}])
    assert may(source, P.SET, setting("lake", "x"))
    assert not may(source, P.SET, setting("pond", "x"))


def test_what_has_no_rules_is_denied(rules: Any) -> None:
    source = rules()
    for on, privilege in [
        (SYSTEM, P.CREATE),
        (LAKE, P.SELECT),
        (Object.user("bob"), P.DROP),
        (Object(ObjectKind.TABLE, ("lake", "hr", "emp")), P.SELECT),
        (setting("x"), P.SHOW),
        (procedure("lake", "system", "x"), P.DROP),
    ]:
        assert isinstance(source.permits(ANN, privilege, on), Deny)
