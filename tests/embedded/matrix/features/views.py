"""Schemas, views and materialized views."""

from __future__ import annotations

from sqe.errors import ErrorCode
from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Area

AREA = Area("Schemas and views")


def _table(bench: Bench) -> None:
    bench.create("id INT, name STRING")
    bench.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")


@AREA.feature("CREATE, ALTER and DROP SCHEMA")
def schema(bench: Bench) -> None:
    name = f"{bench.schema}_x"
    bench.run(f"CREATE SCHEMA {name} COMMENT 'mine' WITH DBPROPERTIES ('team' = 'a')")
    bench.run(f"ALTER SCHEMA {name} SET DBPROPERTIES ('team' = 'b')")
    assert "b" in str(bench.rows(f"DESCRIBE SCHEMA EXTENDED {name}"))
    bench.run(f"DROP SCHEMA {name}")
    assert (name,) not in bench.rows("SHOW SCHEMAS")


@AREA.feature("DROP SCHEMA CASCADE")
def cascade(bench: Bench) -> None:
    name = f"{bench.schema}_x"
    bench.run(f"CREATE SCHEMA {name}", f"CREATE TABLE {name}.u (a INT)")
    bench.fails(f"DROP SCHEMA {name}", ErrorCode.SCHEMA_NOT_EMPTY)
    bench.run(f"DROP SCHEMA {name} CASCADE")


@AREA.feature("CREATE VIEW")
def view(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE VIEW v (key COMMENT 'k', title) AS SELECT id, name FROM t WHERE id > 1")
    bench.reads("SELECT key, title FROM v", [(2, "b")])


@AREA.feature("CREATE OR REPLACE VIEW")
def replace(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE VIEW v AS SELECT id FROM t", "CREATE OR REPLACE VIEW v AS SELECT name FROM t")
    bench.reads("SELECT * FROM v", [("a",), ("b",)])


@AREA.feature("views of views")
def nested(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE VIEW v AS SELECT id FROM t", "CREATE VIEW w AS SELECT id + 1 AS i FROM v")
    bench.reads("SELECT i FROM w", [(2,), (3,)])


@AREA.feature("ALTER VIEW: query, properties, name")
def alter(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE VIEW v AS SELECT id FROM t", "ALTER VIEW v AS SELECT name FROM t")
    bench.run("ALTER VIEW v SET TBLPROPERTIES ('team' = 'a')", "ALTER VIEW v RENAME TO w")
    bench.reads("SELECT * FROM w", [("a",), ("b",)])


@AREA.feature("SHOW CREATE VIEW makes the view again")
def show_create(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE VIEW v AS SELECT id AS key FROM t")
    text = bench.value("SHOW CREATE VIEW v")
    bench.run("DROP VIEW v", text)
    bench.reads("SELECT key FROM v", [(1,), (2,)])


@AREA.feature("temporary views")
def temporary(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE TEMPORARY VIEW v AS SELECT id FROM t")
    assert bench.rows("SELECT id FROM v ORDER BY id") == [(1,), (2,)]


@AREA.feature("CREATE MATERIALIZED VIEW")
def materialized(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM t")
    bench.run("INSERT INTO t VALUES (3, 'c')")
    bench.reads("SELECT n FROM v", [(2,)])


@AREA.feature("REFRESH MATERIALIZED VIEW, full")
def refresh(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM t")
    bench.run("INSERT INTO t VALUES (3, 'c')")
    assert bench.rows("REFRESH MATERIALIZED VIEW v")[0][0] == "full"
    bench.reads("SELECT n FROM v", [(3,)])


@AREA.feature("REFRESH MATERIALIZED VIEW, incremental")
def refresh_incremental(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE MATERIALIZED VIEW v AS SELECT id, upper(name) AS name FROM t WHERE id > 1")
    bench.run("INSERT INTO t VALUES (3, 'c')")
    assert bench.rows("REFRESH MATERIALIZED VIEW v")[0][0] == "incremental"
    bench.reads("SELECT * FROM v", [(2, "B"), (3, "C")])


@AREA.feature("freshness of materialized views")
def freshness(bench: Bench) -> None:
    _table(bench)
    bench.run("CREATE MATERIALIZED VIEW v AS SELECT id FROM t")
    assert "fresh" in str(bench.rows("SHOW MATERIALIZED VIEWS"))
    bench.run("INSERT INTO t VALUES (3, 'c')")
    assert "stale" in str(bench.rows("SHOW MATERIALIZED VIEWS"))
    bench.run("DROP MATERIALIZED VIEW v")
    assert bench.rows("SHOW MATERIALIZED VIEWS") == []
