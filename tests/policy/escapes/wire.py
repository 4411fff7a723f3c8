"""Tricks of clients: what the protocols have beside the text of a query."""

from __future__ import annotations

import pyarrow as pa

from sqe.flight_messages import FlightSql_pb2 as sql
from tests.policy.escapes.row import QUIET, SAME
from tests.policy.escapes.wire_moves import (
    cancel_roots,
    cancel_roots_query,
    changes,
    cookie,
    exchange,
    flights,
    forged,
    gets,
    kill_roots,
    loads,
    many,
    page_of_root,
    query_of_root,
    read_roots,
    read_twice,
    renew_roots,
    roots_prepared,
    roots_prepared_schema,
    roots_transaction,
    savepoint,
    schema_of,
    set_options,
    status_of_roots,
    substrait,
    told,
)
from tests.policy.escapes.wire_row import FLIGHT, HTTP, asked, played, prepared, sent

METADATA = [
    *played(
        SAME,
        "to be told of hidden columns by a driver's questions",
        FLIGHT,
        (
            "GetTables: emp, include_schema",
            told(
                lambda s: sql.CommandGetTables(
                    db_schema_filter_pattern=s, table_name_filter_pattern="emp", include_schema=True
                )
            ),
        ),
        (
            "GetPrimaryKeys: emp",
            told(lambda s: sql.CommandGetPrimaryKeys(db_schema=s, table="emp")),
        ),
        schema_of("SELECT * FROM {s}.emp"),
        schema_of("SELECT x_hidden_pay FROM {s}.emp"),
    ),
    *played(
        QUIET,
        "to be told of tables that are not shown by a driver's questions",
        FLIGHT,
        (
            "GetTables: all, include_schema",
            told(lambda s: sql.CommandGetTables(include_schema=True)),
        ),
        (
            "GetTables: va_lt",
            told(lambda s: sql.CommandGetTables(table_name_filter_pattern="va_lt")),
        ),
        ("GetDbSchemas", told(lambda s: sql.CommandGetDbSchemas())),
        ("GetCatalogs", told(lambda s: sql.CommandGetCatalogs())),
        ("GetExportedKeys: emp", told(lambda s: sql.CommandGetExportedKeys(table="emp"))),
        ("GetXdbcTypeInfo", told(lambda s: sql.CommandGetXdbcTypeInfo())),
        ("GetSqlInfo", told(lambda s: sql.CommandGetSqlInfo())),
        ("ListFlights", flights),
    ),
    *played(
        "ACCESS_DENIED",
        "to learn whether a table that is denied is there, by its schema",
        FLIGHT,
        schema_of("SELECT * FROM {s}.vault"),
        schema_of("SELECT * FROM {s}.ghost"),
    ),
]

PARAMETERS = [
    *asked(
        SAME,
        "to ask with values that are bound later",
        ("SELECT * FROM {s}.emp WHERE id = ?", (3,)),
        ("SELECT name FROM {s}.emp WHERE ssn = ?", ("S3CR3T-1",)),
        ("SELECT name FROM {s}.emp WHERE ssn LIKE ?", ("S3CR3T%",)),
        ("SELECT name FROM {s}.emp ORDER BY id LIMIT ?", (4,)),
        ("SELECT name FROM {s}.emp ORDER BY id LIMIT 1 OFFSET ?", (2,)),
        ("SELECT id, 10 % (id - ?) AS x FROM {s}.emp ORDER BY id", (3,)),
        ("SELECT count(*) FROM {s}.emp WHERE 10 % (id - ?) >= 0", (4,)),
        ("SELECT max(?) FROM {s}.emp WHERE dept = ?", ("a", "hr")),
        (
            "SELECT count(*) FROM {s}.note n WHERE n.id IN (SELECT id FROM {s}.emp WHERE id > ?)",
            (2,),
        ),
    ),
    *played(
        SAME,
        "to guess with many rows of values at once",
        FLIGHT,
        many("SELECT ? AS guess, name FROM {s}.emp WHERE id = ?", [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
        many("SELECT count(*) AS n FROM {s}.emp WHERE ssn = ?", ["S3CR3T-1", "S3CR3T-3"]),
    ),
    *prepared(
        SAME,
        "to be told types by preparing a statement",
        "SELECT * FROM {s}.emp WHERE ssn = ? AND born < ? AND id = ?",
        "SELECT x_hidden_pay FROM {s}.emp WHERE id = ?",
        "SELECT name FROM {s}.emp WHERE x_hidden_pay = ?",
    ),
    *prepared(
        "ACCESS_DENIED",
        "to be told types by preparing a write",
        "INSERT INTO {s}.emp VALUES (?, ?, ?, ?, ?, ?, ?)",
        "INSERT INTO {s}.emp (id, x_hidden_pay) VALUES (?, ?)",
        "UPDATE {s}.emp SET x_hidden_pay = ?",
        "DELETE FROM {s}.emp WHERE born < ?",
        "INSERT INTO {s}.vault VALUES (?)",
        "INSERT INTO {s}.ghost VALUES (?)",
    ),
    *prepared(
        "NOT_SUPPORTED",
        "to name a table by a value",
        "SELECT * FROM IDENTIFIER(?)",
        "EXECUTE IMMEDIATE ?",
    ),
    *played(
        "ACCESS_DENIED",
        "to write with values that are bound later",
        FLIGHT,
        changes("INSERT INTO {s}.emp (id, name) VALUES (?, ?)", (9, "x"), (10, "y")),
        changes("UPDATE {s}.emp SET name = ? WHERE id = ?", ("x", 3), ("y", 1)),
        changes("DELETE FROM {s}.emp WHERE id = ?", (3,), (4,)),
        changes("INSERT INTO {s}.vault VALUES (?)", ("x",)),
    ),
]

LOADS = [
    *played(
        "ACCESS_DENIED",
        "to load rows into a table that is seen in part, or not at all",
        FLIGHT,
        *(loads("emp", mode) for mode in ("append", "replace", "create_append")),
        *(loads(name, mode) for name in ("vault", "ghost") for mode in ("append", "create")),
        *(
            loads(name, mode)
            for name in ("vault", "ghost")
            for mode in ("replace", "create_append")
        ),
        loads("emp", "append", pa.table({"x_hidden_pay": pa.array([1], pa.int32())})),
        loads("emp", "append", pa.table({"no_such_column": pa.array([1], pa.int32())})),
        loads("emp", "append", pa.table({"ssn": ["x"]})),
        loads("branch_main", "append", below=".emp"),
        loads("files", "append", below=".emp"),
    ),
    *played(
        "NOT_SUPPORTED",
        "to be told by a column without a type whether there is one of its name, or to load a view",
        FLIGHT,
        loads("emp", "append", pa.table({"x_hidden_pay": pa.nulls(1)})),
        loads("emp", "append", pa.table({"no_such_column": pa.nulls(1)})),
        loads("emp_view", "append"),
    ),
    *played(
        "TABLE_ALREADY_EXISTS",
        "to put a table in the place of a view",
        FLIGHT,
        loads("emp_view", "replace"),
        loads("emp_view", "create"),
    ),
    *asked(
        "ACCESS_DENIED",
        "to read the table's files as if they were the user's, or to copy into what is hidden",
        "COPY INTO {s}.note FROM '{files}' FILEFORMAT = PARQUET",
        "COPY INTO {s}.taken FROM '{files}' FILEFORMAT = PARQUET COPY_OPTIONS ('create' = 'true')",
        "COPY INTO {s}.note FROM '{loadable}/../warehouse' FILEFORMAT = PARQUET",
        "COPY INTO {s}.note FROM '{loadable}/link.parquet' FILEFORMAT = PARQUET",
        "COPY INTO {s}.note FROM '/etc/passwd' FILEFORMAT = CSV",
        "COPY INTO {s}.emp FROM '{loadable}/rows.csv' FILEFORMAT = CSV",
        "COPY INTO {s}.emp (id, x_hidden_pay) FROM '{loadable}/rows.csv' FILEFORMAT = CSV",
        "COPY INTO {s}.vault FROM '{loadable}/rows.csv' FILEFORMAT = CSV",
        "COPY INTO {s}.ghost FROM '{loadable}/none.csv' FILEFORMAT = CSV",
    ),
    *asked(
        "ACCESS_DENIED",
        "to write the table's rows into a file where nobody allowed it",
        "COPY (SELECT * FROM {s}.emp) TO '/tmp/x.csv'",
        "COPY (SELECT * FROM {s}.emp) TO '{files}/x.parquet'",
        "COPY (SELECT * FROM {s}.emp) TO '{loadable}/x.parquet' (OVERWRITE)",
        "UNLOAD (SELECT * FROM {s}.emp) TO '/tmp/x' WITH (FORMAT = 'CSV')",
    ),
    *asked(
        "SYNTAX_ERROR",
        "to copy the table out in the words of other engines",
        "COPY INTO '/tmp/x' FROM (SELECT * FROM {s}.emp)",
        "COPY {s}.emp TO '/tmp/x'",
        "EXPORT DATA OPTIONS (uri = '/tmp/x') AS SELECT * FROM {s}.emp",
    ),
    *asked(
        "NOT_SUPPORTED",
        "to make a table of the user's own lie where the other one does",
        "CREATE TABLE {s}.near (id INT) LOCATION '{files}'",
        "CREATE TABLE {s}.near (id INT) TBLPROPERTIES ('write.data.path' = '{files}')",
        "ALTER TABLE {s}.note SET TBLPROPERTIES ('write.metadata.path' = '{files}')",
        "ALTER TABLE {s}.note SET TBLPROPERTIES ('write.object-storage.path' = '{files}')",
        "ALTER TABLE {s}.note SET LOCATION '{files}'",
    ),
    *asked(
        "INVALID_ARGUMENT",
        "to have the other table's files listed, or taken for the user's own",
        "CALL lake.system.remove_orphan_files(table => '{s}.note', location => '{files}',"
        " dry_run => true)",
        "CALL lake.system.register_table(table => '{s}.again', metadata_file =>"
        " '{files}/../metadata/x.metadata.json')",
    ),
]

OTHERS = [
    *played(
        "QUERY_NOT_FOUND",
        "to use what was given to another user, or used up",
        FLIGHT,
        ("DoGet with the ticket of root's query", read_roots),
        ("DoGet with one's own ticket, again", read_twice),
        ("CancelFlightInfo of root's query", cancel_roots),
        ("CancelQuery of root's query", cancel_roots_query),
        ("RenewFlightEndpoint of root's query", renew_roots),
        ("sqe.QueryStatus of root's query, by its tag", status_of_roots),
        ("root's prepared statement, run", roots_prepared),
        ("root's prepared statement, described", roots_prepared_schema),
    ),
    *played(
        "TRANSACTION_NOT_FOUND",
        "to look into another user's transaction",
        FLIGHT,
        ("CommandStatementQuery with the id of root's transaction", roots_transaction),
    ),
    *played(
        SAME,
        "to become someone else by setting an option",
        FLIGHT,
        ("SetSessionOptions: user, role, roles, groups, sqe.user, spark.*", set_options),
        ("Cookie: arrow_flight_session_id=…", cookie),
    ),
    *played(
        "NOT_SUPPORTED",
        "to come by a message that nobody has thought of",
        FLIGHT,
        ("CommandStatementSubstraitPlan", substrait),
        ("DoExchange", exchange),
        ("BeginSavepoint", savepoint),
    ),
]

TRINO = [
    *sent(
        "HTTP 403",
        "to be someone else by saying so",
        "SELECT * FROM {s}.emp",
        X_Trino_User="root",
    ),
    *sent(
        "HTTP 403",
        "to be someone else by saying so",
        "SELECT * FROM {s}.emp",
        X_Trino_Original_User="root",
    ),
    *sent(
        "PERMISSION_DENIED",
        "to be someone else by a statement, from a client that can",
        "SET SESSION AUTHORIZATION root",
        X_Trino_Client_Capabilities="SESSION_AUTHORIZATION",
    ),
    *(
        one
        for headers in (
            {"X_Trino_Role": "system=ROLE{{admin}},lake=ALL"},
            {"X_Trino_Extra_Credential": "user=root,password=x"},
            {"X_Trino_Session": "spark.sql.runSQLOnFiles=true"},
            {"X_Trino_Session": "sqe.user=root"},
            {"X_Trino_Session": "sqe.wap_branch=main"},
            {"X_Trino_Session": "sqe.engine=spark"},
            {"X_Trino_Time_Zone": "Pacific/Kiritimati"},
            {"X_Trino_Schema": "{s}"},
        )
        for one in sent(
            SAME, "to have more by a header", "SELECT count(*), max(ssn) FROM {s}.emp", **headers
        )
    ),
    *sent(
        "UNKNOWN_TRANSACTION",
        "to name another's transaction",
        "SELECT 1",
        X_Trino_Transaction_Id="00000000-0000-0000-0000-000000000000",
    ),
    *played(
        SAME,
        "to forge what the client says it has prepared",
        HTTP,
        forged("SELECT * FROM {s}.emp WHERE id = 3"),
        forged("SELECT name FROM {s}.emp WHERE ssn = ?", "EXECUTE p USING 'S3CR3T-1'"),
        forged("SELECT x_hidden_pay FROM {s}.emp"),
        forged("SELECT * FROM {s}.emp", "DESCRIBE OUTPUT p"),
        forged("SELECT * FROM {s}.emp WHERE x_hidden_pay = ?", "DESCRIBE INPUT p"),
        forged("EXECUTE p"),
    ),
    *sent(
        SAME,
        "to hide the query in a text",
        "EXECUTE IMMEDIATE 'SELECT * FROM {s}.emp WHERE id = ?' USING 3",
        "EXECUTE IMMEDIATE 'SELECT ssn FROM {s}.emp'",
    ),
    *played(
        "PERMISSION_DENIED",
        "to write, or learn what is there, with a forged one",
        HTTP,
        forged("DELETE FROM {s}.emp"),
        forged("INSERT INTO {s}.emp (id) VALUES (?)", "EXECUTE p USING 9"),
        forged("SELECT * FROM {s}.vault", "DESCRIBE OUTPUT p"),
        forged("SELECT * FROM {s}.ghost", "DESCRIBE OUTPUT p"),
    ),
    *played(
        "HTTP 404",
        "to read, or end, another's query by its address",
        HTTP,
        ("GET nextUri of root's query", page_of_root("GET")),
        ("DELETE nextUri of root's query", page_of_root("DELETE")),
    ),
    *played(
        "HTTP 410",
        "to look at another's query",
        HTTP,
        ("GET /v1/query/… of root's", query_of_root("GET")),
    ),
    *played("NOT_FOUND", "to end another's query", HTTP, ("CALL kill_query of root's", kill_roots)),
    *played(
        QUIET,
        "to be told of other people's queries",
        HTTP,
        gets("/v1/query"),
        gets("/v1/query?state=RUNNING"),
        gets("/v1/info"),
    ),
    *sent(
        QUIET,
        "to be told of other people's queries and rules in tables",
        'SELECT "user", query FROM system.runtime.queries WHERE "user" <> \'eve\'',
        "SELECT * FROM system.runtime.transactions",
        "SELECT * FROM system.runtime.tasks",
        "SELECT * FROM lake.information_schema.table_privileges",
        "SELECT * FROM lake.information_schema.views",
        "SELECT * FROM lake.information_schema.tables",
        "SELECT * FROM lake.information_schema.columns",
        "SELECT * FROM lake.system.iceberg_tables",
        "SELECT * FROM system.jdbc.tables",
        "SELECT * FROM system.metadata.materialized_views",
        'SHOW COLUMNS FROM lake.{s}."emp$partitions"',
        'SHOW COLUMNS FROM lake.{s}."emp$files"',
    ),
]

WIRE_ESCAPES = (*METADATA, *PARAMETERS, *LOADS, *OTHERS, *TRINO)
