"""One statement of every kind, and one for every command."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import sqe.sql
from sqe.sql.access.commands import AccessChange, AccessCommand, AccessLook
from sqe.sql.statement import Command, Details, NamedCommand, StatementKind

# What commands have in common, and are not commands by themselves.
BASES = (Command, NamedCommand, Details, AccessCommand, AccessChange, AccessLook)

KINDS = {
    StatementKind.QUERY: "SELECT 1",
    StatementKind.INSERT: "INSERT INTO t VALUES (1)",
    StatementKind.DELETE: "DELETE FROM t",
    StatementKind.UPDATE: "UPDATE t SET a = 1",
    StatementKind.MERGE: "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
    StatementKind.CREATE_TABLE: "CREATE TABLE t (a INT)",
    StatementKind.CREATE_TABLE_AS: "CREATE TABLE t AS SELECT 1 AS a",
    StatementKind.ALTER_TABLE: "ALTER TABLE t ADD COLUMN b INT",
    StatementKind.TRUNCATE_TABLE: "TRUNCATE TABLE t",
    StatementKind.COPY: "COPY INTO t FROM '/data' FILEFORMAT = PARQUET",
    StatementKind.CREATE_VIEW: "CREATE VIEW v AS SELECT 1 AS a",
    StatementKind.CREATE_TEMPORARY_VIEW: "CREATE TEMPORARY VIEW v AS SELECT 1 AS a",
    StatementKind.CALL: "CALL system.expire_snapshots('t')",
    StatementKind.EXPLAIN: "EXPLAIN SELECT 1",
    StatementKind.EXPLAIN_ANALYZE: "EXPLAIN ANALYZE SELECT 1",
    StatementKind.COMMAND: "SHOW TABLES",
}
COMMANDS = {
    "AddRowFilter": "ALTER TABLE t ADD ROW FILTER f",
    "AlterCatalog": "ALTER CATALOG c SET PROPERTIES uri = 'https://c.test'",
    "AlterColumnDefault": "ALTER TABLE t ALTER COLUMN a SET DEFAULT 1",
    "AlterSchema": "ALTER SCHEMA s SET PROPERTIES ('a' = 'b')",
    "AlterViewProperties": "ALTER VIEW v SET TBLPROPERTIES ('a' = 'b')",
    "AnalyzeTable": "ANALYZE TABLE t COMPUTE STATISTICS",
    "ApplyToTag": "APPLY COLUMN MASK m TO TAG g",
    "ColumnsWithDefaults": "CREATE TABLE t (a INT DEFAULT 1)",
    "CommentOn": "COMMENT ON TABLE t IS 'x'",
    "CommentOnSchema": "COMMENT ON SCHEMA s IS 'x'",
    "CreateCatalog": "CREATE CATALOG c USING rest WITH (uri = 'https://c.test')",
    "CreateColumnMask": "CREATE COLUMN MASK m AS NULL",
    "CreateFunction": "CREATE FUNCTION f(a INT) RETURNS INT RETURN a",
    "CreateMaterializedView": "CREATE MATERIALIZED VIEW m AS SELECT 1 AS a",
    "CreateRole": "CREATE ROLE r",
    "CreateRowFilter": "CREATE ROW FILTER f AS (a = 1)",
    "CreateSchema": "CREATE SCHEMA s",
    "CreateTableLike": "CREATE TABLE t LIKE s",
    "CreateTemporaryFunction": "CREATE TEMPORARY FUNCTION f(a INT) RETURNS INT RETURN a",
    "DeclareVariable": "DECLARE x INT = 1",
    "Deny": "DENY SELECT ON t TO ann",
    "DescribeFunction": "DESCRIBE FUNCTION f",
    "DescribeQuery": "DESCRIBE QUERY SELECT 1",
    "DescribeSchema": "DESCRIBE SCHEMA s",
    "DescribeTable": "DESCRIBE t",
    "DropCatalog": "DROP CATALOG c",
    "DropColumnMask": "DROP COLUMN MASK m",
    "DropFunction": "DROP FUNCTION f",
    "DropMaterializedView": "DROP MATERIALIZED VIEW m",
    "DropRole": "DROP ROLE r",
    "DropRowFilter": "DROP ROW FILTER f",
    "DropSchema": "DROP SCHEMA s",
    "DropTable": "DROP TABLE t",
    "DropTemporaryFunction": "DROP TEMPORARY FUNCTION f",
    "DropVariable": "DROP TEMPORARY VARIABLE x",
    "DropView": "DROP VIEW v",
    "ExplainPolicy": "EXPLAIN POLICY SELECT 1",
    "Grant": "GRANT SELECT ON t TO ann",
    "GrantRole": "GRANT ROLE r TO ann",
    "KillQuery": "KILL QUERY 'q1' MESSAGE 'enough'",
    "RefreshMaterializedView": "REFRESH MATERIALIZED VIEW m",
    "RegisterTable": "CALL system.register_table('t', '/m.json')",
    "RemoveFromTag": "REMOVE COLUMN MASK m FROM TAG g",
    "RemoveRowFilter": "ALTER TABLE t DROP ROW FILTER f",
    "RenameTable": "ALTER TABLE t RENAME TO u",
    "ResetSession": "RESET SESSION sqe.engine",
    "ShowSetting": "SET spark.sql.shuffle.partitions",
    "Revoke": "REVOKE SELECT ON t FROM ann",
    "RevokeRole": "REVOKE ROLE r FROM ann",
    "SetColumnMask": "ALTER TABLE t ALTER COLUMN a SET MASK m",
    "SetSession": "SET SESSION sqe.engine = 'local'",
    "SetTag": "ALTER TABLE t SET TAG g",
    "SetVariable": "SET VARIABLE x = 1",
    "ShowCatalogs": "SHOW CATALOGS",
    "ShowCatalogsExtended": "SHOW CATALOGS EXTENDED",
    "ShowColumnMasks": "SHOW COLUMN MASKS",
    "ShowColumns": "SHOW COLUMNS FROM t",
    "ShowCreate": "SHOW CREATE TABLE t",
    "ShowCreateCatalog": "SHOW CREATE CATALOG c",
    "ShowCreateFunction": "SHOW CREATE FUNCTION f",
    "ShowCreateMaterializedView": "SHOW CREATE MATERIALIZED VIEW m",
    "ShowCreateSchema": "SHOW CREATE SCHEMA s",
    "ShowCurrentRoles": "SHOW CURRENT ROLES",
    "ShowEffectivePolicy": "SHOW EFFECTIVE POLICY ON t",
    "ShowFunctions": "SHOW FUNCTIONS",
    "ShowGrants": "SHOW GRANTS",
    "ShowMaintenance": "SHOW MAINTENANCE FOR t",
    "ShowMaterializedViews": "SHOW MATERIALIZED VIEWS",
    "ShowProcedures": "SHOW PROCEDURES",
    "ShowRoleGrants": "SHOW ROLE GRANTS",
    "ShowRoles": "SHOW ROLES",
    "ShowRowFilters": "SHOW ROW FILTERS",
    "ShowSchemas": "SHOW SCHEMAS IN other",
    "ShowCurrentSchema": "SHOW CURRENT SCHEMA",
    "ShowSession": "SHOW SESSION",
    "ShowStats": "SHOW STATS FOR t",
    "ShowTableExtended": "SHOW TABLE EXTENDED LIKE 't*'",
    "ShowTableProperties": "SHOW TBLPROPERTIES t",
    "ShowTables": "SHOW TABLES",
    "ShowTags": "SHOW TAGS",
    "ShowViews": "SHOW VIEWS",
    "Unload": "COPY (SELECT 1 AS a) TO 'out.csv'",
    "UnsetColumnMask": "ALTER TABLE t ALTER COLUMN a DROP MASK",
    "UnsetTag": "ALTER TABLE t UNSET TAG g",
    "UseSchema": "USE s",
}
STATEMENTS = tuple(dict.fromkeys([*KINDS.values(), *COMMANDS.values()]))


def all_commands() -> list[type[Command]]:
    """Every class that derives from ``Command``, except for the bases."""
    for module in pkgutil.walk_packages(sqe.sql.__path__, "sqe.sql."):
        importlib.import_module(module.name)
    found = (one for one in _below(Command) if one.__module__.startswith("sqe."))
    return sorted({one for one in found if one not in BASES}, key=lambda one: one.__name__)


def is_details(command: type[Command]) -> bool:
    """It belongs to a statement of another kind, which has the traits."""
    return Details in command.__bases__


def _below(command: type[Command]) -> Iterator[type[Command]]:
    for one in command.__subclasses__():
        yield one
        yield from _below(one)
