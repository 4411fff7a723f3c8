"""What the client keeps: nothing is run for it."""

from __future__ import annotations

import pytest

from sqe.model.query import ClientChanges, ClientState
from tests.unit.trino.dialect.catalog import refusal, translated


@pytest.mark.parametrize(
    ("sql", "update_type", "changes"),
    [
        ("USE lake.s", "USE", ClientChanges(catalog="lake", schema="s")),
        ("USE s", "USE", ClientChanges(schema="s")),
        (
            "SET SESSION query_max_run_time = '5m'",
            "SET SESSION",
            ClientChanges(set_properties={"query_max_run_time": "5m"}),
        ),
        (
            "SET SESSION lake.compression_codec = 'snappy'",
            "SET SESSION",
            ClientChanges(set_properties={"lake.compression_codec": "snappy"}),
        ),
        (
            "SET SESSION lake.minimum_assigned_split_weight = 1",
            "SET SESSION",
            ClientChanges(set_properties={"lake.minimum_assigned_split_weight": "1.0"}),
        ),
        (
            "SET SESSION sqe.engine = 'spark'",
            "SET SESSION",
            ClientChanges(set_properties={"sqe.engine": "spark"}),
        ),
        (
            "RESET SESSION query_max_run_time",
            "RESET SESSION",
            ClientChanges(reset_properties=("query_max_run_time",)),
        ),
        (
            "SET TIME ZONE 'asia/tokyo'",
            "SET TIME ZONE",
            ClientChanges(set_properties={"time_zone_id": "Asia/Tokyo"}),
        ),
        (
            "SET TIME ZONE INTERVAL '-90' MINUTE",
            "SET TIME ZONE",
            ClientChanges(set_properties={"time_zone_id": "-01:30"}),
        ),
        (
            "SET TIME ZONE LOCAL",
            "SET TIME ZONE",
            ClientChanges(reset_properties=("time_zone_id",)),
        ),
        ("SET ROLE ALL", "SET ROLE", ClientChanges(role="ALL")),
    ],
)
def test_the_client_is_told(sql: str, update_type: str, changes: ClientChanges) -> None:
    made = translated(sql)
    assert (made.text, made.update_type, made.changes) == ("", update_type, changes)


@pytest.mark.parametrize(
    ("sql", "transaction"),
    [
        ("START TRANSACTION", "start"),
        ("START TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY", "start read only"),
        ("COMMIT WORK", "commit"),
        ("ROLLBACK", "rollback"),
    ],
)
def test_transactions_are_the_gateways(sql: str, transaction: str) -> None:
    assert translated(sql).transaction == transaction


def test_what_a_client_must_be_able_to_do() -> None:
    client = ClientState("lake", "s", capabilities=frozenset({"PATH", "SESSION_AUTHORIZATION"}))
    assert translated("SET PATH a, lake.b", client).changes.path == "a, lake.b"
    assert translated("SET SESSION AUTHORIZATION ann", client).changes.authorization_user == "ann"
    assert translated("RESET SESSION AUTHORIZATION", client).changes.reset_authorization_user
    assert refusal("SET SESSION AUTHORIZATION bob", client)[0] == "PERMISSION_DENIED"


@pytest.mark.parametrize(
    ("sql", "name", "message"),
    [
        ("USE nosuch", "NOT_FOUND", "Schema does not exist: lake.nosuch"),
        ("USE nosuch.x", "CATALOG_NOT_FOUND", "Catalog 'nosuch' not found"),
        (
            "SET SESSION nosuch = 1",
            "INVALID_SESSION_PROPERTY",
            "1:22: Session property 'nosuch' does not exist",
        ),
        (
            "SET SESSION lake.nosuch = 1",
            "INVALID_SESSION_PROPERTY",
            "1:27: Session property 'lake.nosuch' does not exist",
        ),
        (
            "SET SESSION system.compression_codec = 'ZSTD'",
            "INVALID_SESSION_PROPERTY",
            "1:40: Session property 'system.compression_codec' does not exist",
        ),
        ("SET SESSION nosuch.x = 1", "CATALOG_NOT_FOUND", "1:24: Catalog 'nosuch' not found"),
        (
            "SET SESSION query_max_run_time = 5",
            "INVALID_SESSION_PROPERTY",
            "Unable to set session property 'query_max_run_time' to '5': "
            "Cannot cast type integer to varchar",
        ),
        (
            "SET SESSION query_max_run_time = 'abc'",
            "INVALID_SESSION_PROPERTY",
            "1:34: duration is not a valid data duration string: abc",
        ),
        (
            "SET SESSION task_concurrency = 3",
            "INVALID_SESSION_PROPERTY",
            "1:32: task_concurrency must be a power of 2: 3",
        ),
        (
            "SET SESSION query_priority = 3000000000",
            "INVALID_SESSION_PROPERTY",
            "Unable to set session property 'query_priority' to '3000000000': "
            "Cannot cast type bigint to integer",
        ),
        (
            "SET SESSION join_distribution_type = 'FOO'",
            "INVALID_SESSION_PROPERTY",
            "1:38: Invalid value [FOO]. Valid values: [BROADCAST, PARTITIONED, AUTOMATIC]",
        ),
        (
            "RESET SESSION nosuch",
            "INVALID_SESSION_PROPERTY",
            "1:1: Session property 'nosuch' does not exist",
        ),
        ("SET TIME ZONE 'Nowhere'", "NOT_SUPPORTED", "Time zone not supported: Nowhere"),
        (
            "SET TIME ZONE 1",
            "TYPE_MISMATCH",
            "Expected expression of varchar or interval day-time type, but '1' has integer type",
        ),
        (
            "SET TIME ZONE INTERVAL '100' HOUR",
            "INVALID_FUNCTION_ARGUMENT",
            "Invalid offset minutes 6000",
        ),
        ("SET ROLE x", "ROLE_NOT_FOUND", "1:1: Role 'x' does not exist"),
        ("SET PATH x", "NOT_SUPPORTED", "SET PATH not supported by client"),
    ],
)
def test_mistakes_are_told_as_trino_tells_them(sql: str, name: str, message: str) -> None:
    assert refusal(sql) == (name, message)


def test_names_need_a_catalog_and_a_schema() -> None:
    assert refusal("DROP TABLE t", ClientState("lake")) == (
        "MISSING_SCHEMA_NAME",
        "1:1: Schema must be specified when session schema is not set",
    )
    assert refusal("CREATE SCHEMA x", ClientState()) == (
        "MISSING_CATALOG_NAME",
        "1:1: Catalog must be specified when session catalog is not set",
    )


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("GRANT SELECT, INSERT ON TABLE t TO USER bob WITH GRANT OPTION", "GRANT"),
        ("GRANT ALL PRIVILEGES ON SCHEMA s TO bob", "GRANT"),
        ("GRANT admin, dev TO USER bob, ROLE x WITH ADMIN OPTION GRANTED BY CURRENT_USER", "GRANT"),
        ("REVOKE GRANT OPTION FOR SELECT ON t FROM ROLE r", "REVOKE"),
        ("REVOKE ADMIN OPTION FOR dev FROM USER bob IN lake", "REVOKE"),
        ("REVOKE dev FROM bob", "REVOKE"),
        ("REVOKE ALL PRIVILEGES ON t FROM bob", "REVOKE"),
        ("GRANT all TO bob", "GRANT"),
        ("DENY ALL PRIVILEGES ON TABLE t TO ROLE r", "DENY"),
        ("CREATE ROLE r WITH ADMIN CURRENT_ROLE", "CREATE ROLE"),
        ("DENY DELETE ON t TO bob", "DENY"),
        ("CREATE ROLE r WITH ADMIN USER ann IN lake", "CREATE ROLE"),
        ("DROP ROLE IF EXISTS r", "DROP ROLE"),
    ],
)
def test_access_is_read_to_its_end_and_refused(sql: str, what: str) -> None:
    """Where no rules are made with SQL."""
    assert refusal(sql) == (
        "NOT_SUPPORTED",
        "1:1: SQE does not manage grants and roles (the setting policy.sql is off):"
        f" {what} is not supported",
    )


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("GRANT SELECT ON t bob", "1:22"),
        ("GRANT ALL PRIVILEGES TO bob", "1:22"),
        ("REVOKE ALL PRIVILEGES FROM bob", "1:23"),
        ("REVOKE GRANT OPTION FOR dev FROM bob", "1:29"),
        ("DENY SELECT TO bob", "1:13"),
        ("CREATE ROLE r WITH OPTION", "1:20"),
        ("SHOW ROLES LIKE 'x'", "1:12"),
        ("SHOW ROLES FROM a.b", "1:18"),
        ("SHOW SCHEMAS FROM a.b", "1:20"),
        ("DROP TABLE", "1:11"),
        ("INSERT INTO", "1:12"),
        ("DELETE t", "1:8"),
        ("ALTER TABLE t ADD a integer", "1:19"),
        ("TRUNCATE t", "1:10"),
        ("MERGE INTO t", "1:13"),
        ("MERGE INTO t USING one o ON true", "1:33"),
        ("CREATE TABLE n ()", "1:17"),
        ("CREATE VIEW n (x) AS SELECT 1", "1:15"),
        ("EXPLAIN (TYPE NOSUCH) SELECT 1", "1:15"),
        ("SHOW NOSUCH", "1:6"),
        ("CALL p", "1:7"),
        ("START TRANSACTION READ", "1:23"),
        ("SET SESSION x", "1:14"),
    ],
)
def test_mistakes_in_the_grammar_are_where_trino_finds_them(sql: str, place: str) -> None:
    name, message = refusal(sql)
    assert (name, message.split(": ")[0]) == ("SYNTAX_ERROR", place)
