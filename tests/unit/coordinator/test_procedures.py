"""SHOW PROCEDURES and register_table, which need no Spark."""

from __future__ import annotations

from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode
from tests.unit.coordinator.lake import Lake


def test_procedures_are_listed_with_their_arguments(lake: Lake) -> None:
    names = lake.column("SHOW PROCEDURES")
    assert names == sorted(names)
    assert {"expire_snapshots", "rewrite_data_files", "register_table"} <= set(names)
    assert not {"migrate", "add_files"} & set(names)
    [(_, usage, about)] = lake.rows("SHOW PROCEDURES IN system LIKE 'ancestors*'")
    assert usage == "CALL system.ancestors_of(table => string, [snapshot_id => bigint])"
    assert about


def metadata_file(lake: Lake, name: str) -> str:
    file = lake.lake.load_table(Ident(("sales",), name)).metadata_location
    assert file is not None
    return file


def test_a_dropped_table_is_registered_again(lake: Lake) -> None:
    file = metadata_file(lake, "orders")
    lake.run("DROP TABLE sales.orders")
    call = f"CALL lake.system.register_table('sales.found', '{file}')"
    assert lake.names(call) == [
        "current_snapshot_id",
        "total_records_count",
        "total_data_files_count",
    ]
    assert lake.lake.list_tables(("sales",)) == ["found"]


def test_two_tables_may_not_share_their_files(lake: Lake) -> None:
    error = lake.refusal(
        f"CALL system.register_table('sales.twin', '{metadata_file(lake, 'orders')}')"
    )
    assert error.code is ErrorCode.INVALID_ARGUMENT
    assert "belongs to the table sales.orders" in error.message
    assert lake.lake.list_tables(("sales",)) == ["orders"]


def test_a_file_outside_of_the_warehouse_is_refused(lake: Lake) -> None:
    for file in ("/etc/passwd", "s3://elsewhere/t/metadata/1.json", "../x.json"):
        error = lake.refusal(f"CALL system.register_table('sales.x', '{file}')")
        assert error.code is ErrorCode.INVALID_ARGUMENT
    assert lake.lake.list_tables(("sales",)) == ["orders"]


def test_the_name_must_be_free(lake: Lake) -> None:
    error = lake.refusal("CALL system.register_table('sales.orders', '/x/y.json')")
    assert error.code is ErrorCode.TABLE_ALREADY_EXISTS
