"""A folder of tables, read with SQL."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from sqe.errors import ErrorCode
from sqe.settings import Settings
from tests.unit.server.test_jdbc_catalog import ask

ROWS = pa.table({"id": [1, 2, 3]})


def test_tables_of_pyiceberg_are_read_and_not_changed(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    writer = SqlCatalog("x", uri=f"sqlite:///{tmp_path}/gone.db", warehouse=f"file://{folder}")
    writer.create_namespace("hr")
    table = writer.create_table("hr.emp", ROWS.schema)
    table.append(ROWS)
    table.append(ROWS)
    writer.close()
    (tmp_path / "gone.db").unlink()
    archive = {"type": "files", "warehouse": folder, "auth": "shared"}
    settings = Settings.model_validate(
        {"home": tmp_path / "home", "catalogs": {"lake": {}, "archive": archive}}
    )
    tables, rows, dropped, made = ask(
        settings,
        "ann",
        "SHOW TABLES IN archive.hr",
        "SELECT count(*) AS n, sum(id) AS s FROM archive.hr.emp",
        "DROP TABLE archive.hr.emp",
        "CREATE SCHEMA archive.more",
    )
    assert [row["tableName"] for row in tables] == ["emp"]
    assert rows == [{"n": 6, "s": 12}]
    assert (dropped, made) == (ErrorCode.NOT_SUPPORTED, ErrorCode.NOT_SUPPORTED)
