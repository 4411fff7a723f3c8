"""Statements about roles and grants, and where they go wrong."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.model.masks import (
    BucketMask,
    ConstantMask,
    ExpressionMask,
    HashMask,
    NullMask,
    PartialMask,
    RegexMask,
    TruncateMask,
)
from sqe.model.rules import PUBLIC, ObjectKind, Privilege, Subject, SubjectKind
from sqe.sql.access.commands import (
    CreateRole,
    Deny,
    DropRole,
    Grant,
    GrantRole,
    Revoke,
    RevokeRole,
    Word,
)
from sqe.sql.parse import parse
from sqe.sql.statement import Access


def said(text: str, kind: type[Any]) -> Any:
    command = parse(text).command
    assert isinstance(command, kind)
    return command


def refused(text: str) -> UserError:
    with pytest.raises(UserError) as caught:
        parse(text)
    return caught.value


def user(name: str) -> Subject:
    return Subject(SubjectKind.USER, name)


def role(name: str) -> Subject:
    return Subject(SubjectKind.ROLE, name)


def test_roles_are_made_and_dropped() -> None:
    assert said("create role if not exists `a b`", CreateRole).role.text == "a b"
    assert said("CREATE ROLE IF NOT EXISTS r", CreateRole).if_not_exists
    assert not said("CREATE ROLE r", CreateRole).if_not_exists
    assert said("DROP ROLE IF EXISTS r", DropRole).if_exists


def test_roles_are_granted_to_many() -> None:
    found = said(
        "GRANT ROLE a, b TO USER ann, GROUP dev, ROLE r, PUBLIC WITH ADMIN OPTION", GrantRole
    )
    assert [one.text for one in found.roles] == ["a", "b"]
    assert found.subjects == (user("ann"), Subject(SubjectKind.GROUP, "dev"), role("r"), PUBLIC)
    assert found.admin_option


def test_roles_are_granted_in_trinos_words() -> None:
    found = said("GRANT a TO bob", GrantRole)
    assert ([one.text for one in found.roles], found.subjects) == (["a"], (user("bob"),))
    assert said("REVOKE a FROM USER bob", RevokeRole).subjects == (user("bob"),)


def test_a_role_may_have_the_name_of_a_word() -> None:
    assert said("GRANT role TO ann", GrantRole).roles[0].text == "role"
    assert said("GRANT ROLE r TO user", GrantRole).subjects == (user("user"),)


def test_the_admin_option_alone_is_revoked() -> None:
    assert said("REVOKE ADMIN OPTION FOR ROLE a FROM ann", RevokeRole).only_admin_option
    assert not said("REVOKE ROLE a FROM ann", RevokeRole).only_admin_option


def test_names_of_people_may_be_quoted() -> None:
    assert said("GRANT ROLE a TO 'ann@example.com'", GrantRole).subjects == (
        user("ann@example.com"),
    )
    assert said("GRANT ROLE a TO ROLE `x-y`", GrantRole).subjects == (role("x-y"),)


@pytest.mark.parametrize(
    ("words", "privileges"),
    [
        ("SELECT", {Privilege.SELECT}),
        ("select, insert", {Privilege.SELECT, Privilege.INSERT}),
        ("OWNERSHIP", {Privilege.OWN}),
        (
            "OWN, SHOW, ALTER, DROP",
            {Privilege.OWN, Privilege.SHOW, Privilege.ALTER, Privilege.DROP},
        ),
    ],
)
def test_privileges_on_a_table(words: str, privileges: set[Privilege]) -> None:
    assert set(said(f"GRANT {words} ON a.b.c TO ann", Grant).privileges) == privileges


def test_all_privileges_leave_ownership_out() -> None:
    found = said("GRANT ALL PRIVILEGES ON SCHEMA a.b TO ann", Grant).privileges
    assert Privilege.SELECT in found
    assert Privilege.EXECUTE in found
    assert Privilege.OWN not in found
    assert Privilege.EXECUTE not in said("GRANT ALL ON TABLE t TO ann", Grant).privileges


@pytest.mark.parametrize(
    ("on", "kind", "parts", "pattern"),
    [
        ("t", ObjectKind.TABLE, ("t",), False),
        ("TABLE a.b.c", ObjectKind.TABLE, ("a", "b", "c"), False),
        ("VIEW v", ObjectKind.TABLE, ("v",), False),
        ("table", ObjectKind.TABLE, ("table",), False),
        ("SCHEMA a.b", ObjectKind.SCHEMA, ("a", "b"), False),
        ("DATABASE b", ObjectKind.SCHEMA, ("b",), False),
        ("CATALOG a", ObjectKind.CATALOG, ("a",), False),
        ("ALL TABLES IN SCHEMA a.b", ObjectKind.TABLE, ("a", "b", "*"), True),
        ("a.b.*", ObjectKind.TABLE, ("a", "b", "*"), True),
        ("a.b.emp_*", ObjectKind.TABLE, ("a", "b", "emp_*"), True),
        ("a.b.`emp_*`", ObjectKind.TABLE, ("a", "b", "emp_*"), True),
        ("a.b.*_old", ObjectKind.TABLE, ("a", "b", "*_old"), True),
        ("SCHEMA a.*", ObjectKind.SCHEMA, ("a", "*"), True),
    ],
)
def test_what_a_privilege_is_on(
    on: str, kind: ObjectKind, parts: tuple[str, ...], pattern: bool
) -> None:
    target = said(f"REVOKE ALL PRIVILEGES ON {on} FROM ann", Revoke).on
    assert (target.kind, target.name.parts, target.pattern) == (kind, parts, pattern)


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        ("EXECUTE ON PROCEDURE system.expire_snapshots", ObjectKind.PROCEDURE, 2),
        ("IMPERSONATE, VIEW QUERY, KILL QUERY ON USER bob", ObjectKind.USER, 1),
        ("VIEW QUERY ON USER *", ObjectKind.USER, 1),
        ("SET ON SESSION PROPERTY sqe.engine", ObjectKind.PROPERTY, 1),
        ("SET ON SESSION PROPERTY lake.x", ObjectKind.PROPERTY, 2),
        ("EXECUTE ON SYSTEM", ObjectKind.SYSTEM, 0),
    ],
)
def test_privileges_on_other_things(text: str, kind: ObjectKind, parts: int) -> None:
    target = said(f"DENY {text} TO ann", Deny).on
    assert (target.kind, len(target.name.parts)) == (kind, parts)


def test_a_named_table_is_a_reference_and_a_pattern_is_none() -> None:
    [reference] = parse("GRANT SELECT ON hr.emp TO ann").references
    assert (reference.parts, reference.access) == (("hr", "emp"), Access.DESCRIBE)
    assert not reference.if_exists
    assert parse("GRANT SELECT ON hr.* TO ann").references == ()
    assert parse("REVOKE SELECT ON hr.emp FROM ann").references[0].if_exists
    assert parse("DENY SELECT ON hr.emp TO ann").references[0].if_exists


def test_rows_and_columns_limit_a_grant() -> None:
    found = said(
        "GRANT SELECT ON t TO ROLE r ROWS WHERE (region = 'EU' AND (x > 1)) WITH CHECK"
        " COLUMNS (a, b MASKED WITH (NULL)) WITH GRANT OPTION",
        Grant,
    )
    assert found.rows.condition.sql == "region = 'EU' AND (x > 1)"
    assert found.rows.check
    assert [one.column.text for one in found.columns] == ["a", "b"]
    assert [one.mask and one.mask.mask for one in found.columns] == [None, NullMask()]
    assert found.grant_option


@pytest.mark.parametrize(
    ("text", "mask"),
    [
        ("NULL", NullMask()),
        ("'x'", ConstantMask("x")),
        ("0", ConstantMask("0")),
        ("-1.5", ConstantMask("-1.5")),
        ("HASH", HashMask()),
        ("HASH KEY k", HashMask("k")),
        ("PARTIAL(1, 4)", PartialMask(1, 4)),
        ("partial(0, 2, '#')", PartialMask(0, 2, "#")),
        ("TRUNCATE(month)", TruncateMask("month")),
        ("BUCKET(10)", BucketMask(10)),
        ("REGEX('\\\\d', 'x')", RegexMask("\\d", "x")),
        ("upper(a)", ExpressionMask("upper(a)")),
        ("(a)", ExpressionMask("a")),
        ("a || 'x'", ExpressionMask("a || 'x'")),
        ("hash(a)", ExpressionMask("hash(a)")),
        ("CASE WHEN a > 1 THEN a END", ExpressionMask("CASE WHEN a > 1 THEN a END")),
    ],
)
def test_masks(text: str, mask: object) -> None:
    [column] = said(f"GRANT SELECT ON t TO ann COLUMNS (a MASKED WITH ({text}))", Grant).columns
    assert column.mask.mask == mask


def test_columns_may_stand_before_rows() -> None:
    found = said("GRANT SELECT ON t TO ann COLUMNS (a) ROWS WHERE (a > 1)", Grant)
    assert (found.rows.condition.sql, len(found.columns)) == ("a > 1", 1)
    assert refused("GRANT SELECT ON t TO ann ROWS WHERE (a) COLUMNS (a) ROWS WHERE (b)").code is (
        ErrorCode.SYNTAX_ERROR
    )


def test_masks_need_no_brackets() -> None:
    text = (
        "GRANT SELECT ON t TO ann COLUMNS (a MASKED WITH HASH KEY k, b MASKED WITH PARTIAL(1, 0))"
    )
    assert [one.mask.mask for one in said(text, Grant).columns] == [HashMask("k"), PartialMask(1)]


def test_a_mask_may_be_one_by_name() -> None:
    [column] = said("GRANT SELECT ON t TO ann COLUMNS (a MASKED WITH (pii))", Grant).columns
    assert isinstance(column.mask.mask, Word)
    assert column.mask.mask.text == "pii"


def test_a_grant_may_end_at_a_moment() -> None:
    for text in ("'2030-01-31T18:00:00Z'", "TIMESTAMP '2030-01-31 19:00:00+01:00'"):
        assert said(f"GRANT SELECT ON t TO ann VALID UNTIL {text}", Grant).until == 1896112800.0
    for text in ("'2030-01-31 18:00:00'", "'tomorrow'", "'2030-01-31T18:00:00Z' WITH GRANT OPTION"):
        assert refused(f"GRANT SELECT ON t TO ann VALID UNTIL {text}").position is not None
    error = refused("GRANT SELECT ON t TO ann WITH GRANT OPTION VALID UNTIL '2030-01-31T18:00:00Z'")
    assert error.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("GRANT SELEC ON t TO ann", 7, "Expected a privilege"),
        ("GRANT SELECT ON t ann", 19, "Expected TO; found 'ann'"),
        ("GRANT SELECT t TO ann", 14, "Expected TO"),
        ("GRANT SELECT ON t TO", 21, "the statement ends here"),
        ("GRANT SELECT ON t TO ann ROWS (a)", 31, "Expected WHERE"),
        ("GRANT SELECT ON t TO ann ROWS WHERE ()", 38, "Expected a condition"),
        ("GRANT SELECT ON t TO ann ROWS WHERE (a", 39, "Expected )"),
        ("GRANT SELECT ON t TO ann COLUMNS (a MASKED (NULL))", 44, "Expected WITH"),
        ("GRANT SELECT ON t TO ann WITH ADMIN OPTION", 31, "Expected GRANT"),
        ("GRANT ROLE r TO ann WITH GRANT OPTION", 26, "Expected ADMIN"),
        ("GRANT SELECT ON t TO ann VALID '2030-01-31T18:00:00Z'", 32, "Expected UNTIL"),
        ("GRANT SELECT ON t TO ann x", 26, "Expected the end"),
        ("REVOKE SELECT ON t TO ann", 20, "Expected FROM"),
        ("DENY SELECT TO ann", 13, "Expected ON"),
        ("CREATE ROLE", 12, "Expected the role's name"),
        ("CREATE ROLE ''", 15, "not an empty name"),
        ("GRANT SELECT ON CATALOG a.b TO ann", 29, "one part"),
    ],
)
def test_mistakes_are_told_where_they_are(text: str, column: int, message: str) -> None:
    error = refused(text)
    assert error.code is ErrorCode.SYNTAX_ERROR
    assert error.position is not None
    assert message in error.message
    assert error.position.column == column


def test_a_privilege_that_does_not_fit_is_told_where_it_stands() -> None:
    error = refused("GRANT VIEW QUERY, SELECT ON USER bob TO ann")
    assert error.position is not None
    assert (error.position.column, error.position.fragment) == (19, "SELECT")


@pytest.mark.parametrize(
    "text",
    [
        "GRANT SELECT ON USER bob TO ann",
        "GRANT IMPERSONATE ON t TO ann",
        "GRANT INSERT ON t TO ann ROWS WHERE (a)",
        "GRANT SELECT ON SCHEMA s TO ann COLUMNS (a)",
        "GRANT SELECT ON t TO ann COLUMNS (a, A)",
        "GRANT SELECT ON t TO ann COLUMNS (a MASKED WITH (TRUNCATE(fortnight)))",
        "GRANT SELECT ON t TO ann COLUMNS (a MASKED WITH (BUCKET(0)))",
        "GRANT SELECT ON t TO ann COLUMNS (a MASKED WITH (PARTIAL(1, 1, 'ab')))",
    ],
)
def test_what_cannot_be_meant_is_refused(text: str) -> None:
    assert refused(text).code is ErrorCode.INVALID_ARGUMENT


def test_text_cannot_name_the_column_of_a_mask_by_its_private_sign() -> None:
    assert refused("GRANT SELECT ON t TO a ROWS WHERE (`\ue000` = 1)").code is (
        ErrorCode.SYNTAX_ERROR
    )
