"""Roles and privileges of Trino's dialect, where SQE keeps them."""

from __future__ import annotations

import pytest

from sqe.errors import SqeError
from sqe.model.query import ClientState
from sqe.sql.parse import parse
from sqe.trino.dialect.context import Context
from sqe.trino.dialect.parser import parse as parse_trino
from sqe.trino.dialect.show import rewrite_show
from sqe.trino.dialect.statements.session_nodes import Show
from sqe.trino.dialect.translate import translate
from sqe.trino.dialect.translated import Translated
from tests.unit.trino.dialect.catalog import NOW, Lake


def context(sql: str) -> Context:
    return Context(sql, ClientState("lake", "s"), "ann", Lake(), NOW, grants=True)


def managed(sql: str) -> Translated:
    return translate(context(sql))


def refused(sql: str) -> tuple[str, str]:
    with pytest.raises(SqeError) as caught:
        managed(sql)
    error = caught.value
    where = f"{error.position.line}:{error.position.column}: " if error.position else ""
    return error.subcode, f"{where}{error.message}"


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("CREATE ROLE R", "CREATE ROLE r"),
        ("CREATE ROLE r WITH ADMIN CURRENT_USER", "CREATE ROLE r"),
        ("DROP ROLE IF EXISTS r", "DROP ROLE IF EXISTS r"),
        ("GRANT a, B TO USER Bob, ROLE x", "GRANT ROLE a, b TO USER Bob, ROLE x"),
        ("GRANT a TO bob WITH ADMIN OPTION", "GRANT ROLE a TO USER bob WITH ADMIN OPTION"),
        ("REVOKE ADMIN OPTION FOR a FROM bob", "REVOKE ADMIN OPTION FOR ROLE a FROM USER bob"),
        ("REVOKE a FROM ROLE x GRANTED BY CURRENT_USER", "REVOKE ROLE a FROM ROLE x"),
        ("GRANT SELECT, update ON T TO bob",
         "GRANT SELECT, UPDATE ON TABLE `lake`.`s`.`t` TO USER bob"),
        ('GRANT ALL PRIVILEGES ON TABLE lake.b.c TO ROLE "X y" WITH GRANT OPTION',
         "GRANT ALL PRIVILEGES ON TABLE `lake`.`b`.`c` TO ROLE `x y` WITH GRANT OPTION"),
        ("GRANT SELECT ON t TO PUBLIC", "GRANT SELECT ON TABLE `lake`.`s`.`t` TO PUBLIC"),
        ('GRANT SELECT ON t TO "public"', "GRANT SELECT ON TABLE `lake`.`s`.`t` TO USER public"),
        ("REVOKE GRANT OPTION FOR SELECT ON t FROM ROLE r",
         "REVOKE GRANT OPTION FOR SELECT ON TABLE `lake`.`s`.`t` FROM ROLE r"),
        ("DENY DELETE ON t TO USER bob", "DENY DELETE ON TABLE `lake`.`s`.`t` TO USER bob"),
        ("GRANT CREATE ON SCHEMA s TO bob", "GRANT CREATE ON SCHEMA `lake`.`s` TO USER bob"),
        ("GRANT SELECT ON CATALOG lake TO bob", "GRANT SELECT ON CATALOG lake TO USER bob"),
        ("REVOKE ALL PRIVILEGES ON VIEW v FROM bob",
         "REVOKE ALL PRIVILEGES ON TABLE `lake`.`s`.`v` FROM USER bob"),
    ],
)  # fmt: skip
def test_they_become_sqes_own(sql: str, text: str) -> None:
    assert managed(sql).text == text
    parse(text)  # which SQE reads


@pytest.mark.parametrize(
    ("sql", "update_type"),
    [
        ("CREATE ROLE r", "CREATE ROLE"),
        ("DROP ROLE r", "DROP ROLE"),
        ("GRANT r TO bob", "GRANT"),
        ("REVOKE SELECT ON t FROM bob", "REVOKE"),
        ("DENY SELECT ON t TO bob", "DENY"),
        ("SET ROLE ALL", "SET ROLE"),
    ],
)
def test_clients_are_told_what_it_was(sql: str, update_type: str) -> None:
    assert managed(sql).update_type == update_type


@pytest.mark.parametrize(
    ("sql", "name", "message"),
    [
        ("GRANT foo ON t TO bob", "INVALID_PRIVILEGE", "1:7: Unknown privilege: 'foo'"),
        ("GRANT SELECT ON x.y.z TO bob", "CATALOG_NOT_FOUND", "1:1: Catalog 'x' not found"),
        (
            "GRANT SELECT ON BRANCH b TO bob",
            "NOT_SUPPORTED",
            "1:1: GRANT on a branch is not supported",
        ),
        ("CREATE ROLE r IN lake", "NOT_SUPPORTED", "This connector does not support roles"),
        ("DROP ROLE r IN nope", "CATALOG_NOT_FOUND", "1:16: Catalog 'nope' not found"),
        (
            "CREATE ROLE r WITH ADMIN USER bob",
            "NOT_SUPPORTED",
            "1:26: CREATE ROLE … WITH ADMIN of somebody else is not supported",
        ),
        (
            "GRANT r TO bob GRANTED BY USER eve",
            "NOT_SUPPORTED",
            "1:27: GRANTED BY somebody else is not supported",
        ),
        ("SET ROLE r", "NOT_SUPPORTED", "1:1: All roles of a user are in force in SQE"),
        ("SET ROLE NONE", "NOT_SUPPORTED", "1:1: All roles of a user are in force in SQE"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(sql: str, name: str, message: str) -> None:
    assert refused(sql) == (name, message)


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        (
            "SHOW ROLES",
            'SELECT role_name AS "Role" FROM "system".information_schema.roles ORDER BY role_name',
        ),
        (
            "SHOW CURRENT ROLES",
            'SELECT role_name AS "Role" FROM "system".information_schema.enabled_roles'
            " ORDER BY role_name",
        ),
        (
            "SHOW ROLE GRANTS",
            'SELECT role_name AS "Role Grants" FROM "system".information_schema.applicable_roles'
            " WHERE grantee = 'ann' ORDER BY role_name",
        ),
    ],
)
def test_roles_are_shown_from_the_information_schema(sql: str, query: str) -> None:
    node = parse_trino(sql)
    assert isinstance(node, Show)
    assert rewrite_show(node, context(sql)) == query
