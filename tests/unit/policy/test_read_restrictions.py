"""What a catalog demands of readers is carried out in full, or the table is denied."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from sqe.model.decision import Allow, ColumnFacts, Decision, Deny, Restrict, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import ConstantMask, ExpressionMask, Mask, NullMask, TruncateMask
from sqe.model.names import RelationName, SchemaName
from sqe.model.rules import Object, Privilege
from sqe.policy.policy import Policy
from sqe.policy.read_restrictions import ReadRestrictions
from sqe.policy.source import AllowAll

TYPES = {
    1: ("id", "int"),
    2: ("odd name", "string"),
    3: ("big", "bigint"),
    4: ("price", "decimal(9,2)"),
    5: ("rate", "double"),
    6: ("day", "date"),
    7: ("at", "timestamp"),
    8: ("wall", "timestamp_ntz"),
    9: ("raw", "binary"),
    10: ("ok", "boolean"),
    11: ("tags", "array<string>"),
    12: ("ratio", "float"),
}
ANN = Identity("ann")


def decided(restrictions: Any, privilege: Privilege = Privilege.SELECT) -> Decision:
    text = restrictions if isinstance(restrictions, str) else json.dumps(restrictions)
    columns = tuple(ColumnFacts(name, kind, number) for number, (name, kind) in TYPES.items())
    name = RelationName(SchemaName("lake", ("hr",)), "emp")
    facts = TableFacts(name, privilege, (*columns, ColumnFacts("x")), restrictions=text)
    return Policy([AllowAll(), ReadRestrictions()]).decide(ANN, [facts])[facts]


def ref(number: Any) -> dict[str, Any]:
    return {"type": "reference", "id": number}


def compared(kind: str, number: int, value: Any) -> dict[str, Any]:
    return {"type": kind, "left": ref(number), "right": {"type": "literal", "value": value}}


def typed(number: int, value: Any, kind: str) -> dict[str, Any]:
    literal = {"type": "literal", "value": value, "data-type": kind}
    return {"type": "eq", "left": ref(number), "right": literal}


def filtered(predicate: Any) -> Decision:
    return decided({"required-row-filter": predicate})


def masked(number: Any, action: Any) -> Decision:
    return decided({"required-column-projections": [{"field-id": number, "action": action}]})


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        "{}",
        {"required-row-filter": None},
        {"required-row-filter": True},
        {"required-column-projections": None},
    ],
)
def test_a_catalog_that_demands_nothing_restricts_nothing(nothing: Any) -> None:
    assert decided(nothing) == Allow("no policy source is configured")


FILTERS: list[tuple[Any, str]] = [
    (False, "FALSE"),
    (compared("eq", 1, 5), "(id = 5)"),
    (compared("not-eq", 3, -5), "(big <> -5L)"),
    (compared("lt", 3, -(2**63)), "(big < CAST('-9223372036854775808' AS bigint))"),
    (compared("lt-eq", 4, "14.20"), "(price <= CAST('14.20' AS decimal(9,2)))"),
    (compared("gt", 5, 1.5), "(rate > 1.5D)"),
    (compared("gt", 12, 1), "(ratio > CAST(1.0D AS float))"),
    (compared("gt-eq", 6, "2024-02-29"), "(day >= DATE'2024-02-29')"),
    (compared("eq", 2, "it's \\"), "(`odd name` = 'it\\'s \\\\')"),
    (
        compared("eq", 7, "2024-01-01T01:00:00.5+01:00"),
        "(at = TIMESTAMP'2024-01-01 00:00:00.500000 UTC')",
    ),
    (compared("eq", 8, "2024-01-01T01:00:00"), "(wall = TIMESTAMP_NTZ'2024-01-01 01:00:00')"),
    (compared("eq", 9, "00FF"), "(raw = X'00ff')"),
    (compared("eq", 10, True), "(ok = TRUE)"),
    ({"type": "eq", "left": 5, "right": ref(1)}, "(5 = id)"),
    ({"type": "eq", "left": ref(1), "right": ref(1)}, "(id = id)"),
    ({"type": "starts-with", "left": ref(2), "right": "a"}, "(startswith(`odd name`, 'a'))"),
    (
        {"type": "not-starts-with", "left": ref(2), "right": "a"},
        "(NOT startswith(`odd name`, 'a'))",
    ),
    ({"type": "in", "child": ref(1), "values": [1, 2]}, "(id IN (1, 2))"),
    ({"type": "not-in", "child": ref(2), "values": ["a"]}, "(`odd name` NOT IN ('a'))"),
    ({"type": "is-null", "child": ref(11)}, "(tags IS NULL)"),
    ({"type": "not-null", "child": ref(1)}, "(id IS NOT NULL)"),
    ({"type": "is-nan", "child": ref(5)}, "(isnan(rate))"),
    ({"type": "not-nan", "child": ref(12)}, "(NOT isnan(ratio))"),
    ({"type": "not", "child": compared("eq", 1, 5)}, "(NOT (id = 5))"),
    ({"type": "and", "left": True, "right": compared("eq", 1, 5)}, "(TRUE AND (id = 5))"),
    ({"type": "or", "left": False, "right": compared("eq", 1, 5)}, "(FALSE OR (id = 5))"),
    (
        {
            "type": "eq",
            "left": ref(3),
            "right": {"type": "literal", "value": 1, "data-type": "long"},
        },
        "(big = 1L)",
    ),
    (
        typed(7, "2024-01-01T00:00:00+00:00", "timestamptz"),
        "(at = TIMESTAMP'2024-01-01 00:00:00 UTC')",
    ),
    (typed(8, "2024-01-01T00:00:00", "timestamp"), "(wall = TIMESTAMP_NTZ'2024-01-01 00:00:00')"),
    (typed(2, "a", "uuid"), "(`odd name` = 'a')"),
    (typed(4, "1", "decimal(9, 2)"), "(price = CAST('1' AS decimal(9,2)))"),
]


@pytest.mark.parametrize(("predicate", "sql"), FILTERS, ids=str)
def test_a_filter_is_the_same_condition_in_sql(predicate: Any, sql: str) -> None:
    found = filtered(predicate)
    assert isinstance(found, Restrict)
    assert [one.sql for one in found.filters] == [sql]
    assert not found.filters[0].check and found.filters[0].dialect == "spark"


def nested(depth: int) -> Any:
    return {"type": "not", "child": nested(depth - 1)} if depth else False


UNKNOWN = [
    "a = 1",
    1,
    {"type": "like", "left": ref(2), "right": "a%"},
    {"type": "eq", "term": "id", "value": 5},
    {"type": "eq", "left": ref(99), "right": 5},
    {"type": "eq", "left": ref(True), "right": 5},
    {"type": "eq", "left": ref("1"), "right": 5},
    {"type": "eq", "left": ref(1.0), "right": 5},
    {"type": "eq", "left": {"type": "reference", "name": "id"}, "right": 5},
    {"type": "eq", "left": {**ref(1), "name": "id"}, "right": 5},
    {"type": "eq", "left": 5, "right": 5},
    {"type": "eq", "left": ref(1), "right": ref(3)},
    {"type": "eq", "left": ref(1), "right": 5, "case-sensitive": False},
    {"type": "eq", "left": {"type": "apply", "function": "f", "arguments": [ref(1)]}, "right": 5},
    {"type": "eq", "left": ref(1), "right": {"type": "literal", "value": 5, "data-type": "long"}},
    {"type": "eq", "left": ref(1), "right": {"type": "literal", "value": 5, "unit": "kg"}},
    {"type": "eq", "left": ref(1), "right": {"type": "value"}},
    {"type": "eq", "left": ref(1), "right": {"type": "term", "value": 5}},
    {"type": "eq", "left": ref(1), "right": {"type": "literal"}},
    {"type": "in", "child": ref(1), "values": []},
    {"type": "in", "child": ref(2), "values": "ab"},
    {"type": "in", "child": ref(1), "values": [1, None]},
    {"type": "starts-with", "left": ref(1), "right": "1"},
    {"type": "starts-with", "left": ref(1), "right": 1},
    {"type": "not-starts-with", "left": ref(9), "right": "00"},
    {"type": "is-nan", "child": ref(1)},
    {"type": "and", "left": True},
    compared("eq", 1, None),
    compared("eq", 1, "5"),
    compared("eq", 1, True),
    compared("eq", 1, 2**31),
    compared("eq", 2, 5),
    compared("eq", 4, 14.2),
    compared("eq", 4, "NaN"),
    compared("eq", 4, "abc"),
    compared("eq", 4, "1e-9"),
    compared("eq", 4, "0." + "0" * 60),
    compared("eq", 5, float("inf")),
    compared("eq", 6, 5),
    compared("eq", 7, 5),
    compared("eq", 9, 5),
    compared("eq", 4, "12345678.00"),
    compared("eq", 4, "10000000.00"),
    compared("eq", 5, True),
    compared("eq", 5, "1.5"),
    compared("eq", 6, "29.02.2024"),
    compared("eq", 7, "2024-01-01T00:00:00"),
    compared("eq", 8, "2024-01-01T00:00:00+00:00"),
    compared("eq", 8, "2024-01-01T00:00:00.123456789"),
    compared("eq", 9, "0x"),
    compared("eq", 10, 1),
    compared("eq", 11, ["a"]),
    nested(102),
    nested(200),
]


@pytest.mark.parametrize("predicate", UNKNOWN, ids=str)
def test_a_filter_that_is_not_understood_denies(
    predicate: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = filtered(predicate)
    assert isinstance(found, Deny) and not found.unanswered
    assert "lake.hr.emp" in caplog.text


def test_a_filter_may_be_nested_as_deeply_as_any_that_people_write() -> None:
    assert isinstance(filtered(nested(101)), Restrict)


TEXT = "`odd name`"
HIDDEN = "regexp_replace(regexp_replace({}, '[^0-9(),.@-]', 'x'), '[0-9]', 'n')"
SHORT = f"CASE WHEN length({TEXT}) <= 4 THEN {TEXT} ELSE concat({{}}, {{}}) END"
BYTES = "regexp_replace({}, '(..)(..)(..)(..)', '$4$3$2$1')"
LONG = "regexp_replace({}, '(..)(..)(..)(..)(..)(..)(..)(..)', '$8$7$6$5$4$3$2$1')"
OF_INT = BYTES.format("right(lpad(hex(CAST(id AS bigint)), 16, '0'), 8)")
OF_BIG = LONG.format("right(lpad(hex(CAST(big AS bigint)), 16, '0'), 16)")
INT = f"CAST(conv({BYTES.format(f'left(sha2(unhex({OF_INT}), 256), 8)')}, 16, 10) AS bigint)"
BIG = LONG.format(f"left(sha2(unhex({OF_BIG}), 256), 16)")
MASKS: list[tuple[int, str, Mask]] = [
    (2, "mask-alphanum", ExpressionMask(HIDDEN.format(TEXT))),
    (
        2,
        "show-first-4",
        ExpressionMask(
            SHORT.format(f"left({TEXT}, 4)", HIDDEN.format(f"substring({TEXT}, 5)")),
        ),
    ),
    (
        2,
        "show-last-4",
        ExpressionMask(
            SHORT.format(HIDDEN.format(f"left({TEXT}, length({TEXT}) - 4)"), f"right({TEXT}, 4)"),
        ),
    ),
    (2, "sha-256-global", ExpressionMask(f"sha2(CAST({TEXT} AS binary), 256)")),
    (9, "sha-256-global", ExpressionMask("unhex(sha2(raw, 256))")),
    (3, "sha-256-global", ExpressionMask(f"CAST(conv({BIG}, 16, -10) AS bigint)")),
    (
        1,
        "sha-256-global",
        ExpressionMask(f"CAST(({INT} + 2147483648L) % 4294967296L - 2147483648L AS int)"),
    ),
    (1, "replace-with-null", NullMask()),
    (1, "mask-to-fixed-value", ConstantMask("0")),
    (2, "mask-to-fixed-value", ConstantMask("XXXXXXXX")),
    (3, "mask-to-fixed-value", ConstantMask("0")),
    (4, "mask-to-fixed-value", ConstantMask("0")),
    (5, "mask-to-fixed-value", ConstantMask("0.0")),
    (6, "mask-to-fixed-value", ConstantMask("1970-01-01")),
    (7, "mask-to-fixed-value", ConstantMask("1970-01-01 00:00:00")),
    (8, "mask-to-fixed-value", ConstantMask("1970-01-01 00:00:00")),
    (10, "mask-to-fixed-value", ConstantMask("false")),
    (12, "mask-to-fixed-value", ConstantMask("0.0")),
    (6, "truncate-to-year", TruncateMask("year")),
    (8, "truncate-to-month", TruncateMask("month")),
]


@pytest.mark.parametrize(("number", "action", "mask"), MASKS)
def test_an_action_is_a_mask_on_the_column_of_that_id(number: int, action: str, mask: Mask) -> None:
    found = masked(number, action)
    assert isinstance(found, Restrict) and found.masks == {TYPES[number][0]: mask}


@pytest.mark.parametrize(
    ("number", "action"),
    [
        (99, "replace-with-null"),
        (True, "replace-with-null"),
        (1.0, "replace-with-null"),
        (1, "mask-to-default"),
        (1, "apply-expression"),
        (1, ["replace-with-null"]),
        (1, "mask-alphanum"),
        (1, "show-first-4"),
        (1, "show-last-4"),
        (2, "truncate-to-year"),
        (5, "sha-256-global"),
        (2, "sha-256-query-local"),
        (9, "mask-to-fixed-value"),
        (11, "mask-to-fixed-value"),
    ],
)
def test_an_action_that_is_not_carried_out_denies(number: Any, action: Any) -> None:
    found = masked(number, action)
    assert isinstance(found, Deny) and not found.unanswered


@pytest.mark.parametrize(
    "restrictions",
    [
        "not json",
        pytest.param("[" * 100_000, id="deep"),
        [],
        {"required-row-filter": True, "required-column-hiding": [1]},
        {"required-column-projections": {"1": "replace-with-null"}},
        {"required-column-projections": 5},
        {"required-column-projections": ["replace-with-null"]},
        {"required-column-projections": [["field-id", "action"]]},
        {"required-column-projections": [{"field-id": 1, "action": "replace-with-null"}] * 2},
        {
            "required-column-projections": [
                {"field-id": 1, "action": "replace-with-null", "argument": 4}
            ]
        },
    ],
    ids=str,
)
def test_restrictions_of_an_unknown_shape_deny_everything(restrictions: Any) -> None:
    text = restrictions if isinstance(restrictions, str) else json.dumps(restrictions)
    for privilege in (Privilege.SELECT, Privilege.INSERT, Privilege.SHOW, Privilege.DROP):
        found = decided(text, privilege)
        assert isinstance(found, Deny) and not found.unanswered


def test_other_privileges_are_left_to_the_catalog() -> None:
    restrictions = {"required-row-filter": compared("eq", 1, 5)}
    assert decided(restrictions, Privilege.SHOW) == Allow("no policy source is configured")


def test_it_has_no_say_in_anything_else() -> None:
    policy = Policy([ReadRestrictions()])
    schema = Object.schema(SchemaName("lake", ("hr",)))
    assert isinstance(policy.permits(ANN, Privilege.CREATE, schema), Allow)
    assert policy.visible(ANN, [schema]) == [True]
