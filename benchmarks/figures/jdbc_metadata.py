"""How long a tool waits for one schema's tables and columns, in a catalog with 10,000 others."""

from __future__ import annotations

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.many_tables import COUNT, ManyTables, many_tables
from benchmarks.timing import p50, timed
from sqe.model.query import ClientState, QueryRequest

_SCHEMA = "reports"
_TABLES = 25
_COLUMNS = 20
# What trino-jdbc sends for getTables and getColumns of a schema.
_WHERE = rf"WHERE TABLE_CAT = 'lake' AND TABLE_SCHEM LIKE '{_SCHEMA}' ESCAPE '\'"
_GET_TABLES = rf"""SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, TABLE_TYPE, REMARKS,
  TYPE_CAT, TYPE_SCHEM, TYPE_NAME, SELF_REFERENCING_COL_NAME, REF_GENERATION
FROM system.jdbc.tables
{_WHERE} AND TABLE_NAME LIKE '%' ESCAPE '\' AND TABLE_TYPE IN ('TABLE', 'VIEW')
ORDER BY TABLE_TYPE, TABLE_CAT, TABLE_SCHEM, TABLE_NAME"""
_GET_COLUMNS = rf"""SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, DATA_TYPE,
  TYPE_NAME, COLUMN_SIZE, BUFFER_LENGTH, DECIMAL_DIGITS, NUM_PREC_RADIX,
  NULLABLE, REMARKS, COLUMN_DEF, SQL_DATA_TYPE, SQL_DATETIME_SUB,
  CHAR_OCTET_LENGTH, ORDINAL_POSITION, IS_NULLABLE, SCOPE_CATALOG, SCOPE_SCHEMA, SCOPE_TABLE,
  SOURCE_DATA_TYPE, IS_AUTOINCREMENT, IS_GENERATEDCOLUMN
FROM system.jdbc.columns
{_WHERE} AND TABLE_NAME LIKE '%' ESCAPE '\' AND COLUMN_NAME LIKE '%' ESCAPE '\'
ORDER BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION"""


def jdbc_metadata(bench: Bench) -> Measured:
    many = bench.once(many_tables)
    _add_schema(many)

    def run() -> None:
        _expect(many, _GET_TABLES, _TABLES)
        _expect(many, _GET_COLUMNS, _TABLES * _COLUMNS)

    run()
    samples = [round(timed(run)[0], 3) for _ in range(bench.repeats(10, 3))]
    return Measured(p50(samples), {"samples_s": samples, "other_tables": COUNT})


def _add_schema(many: ManyTables) -> None:
    catalog = many.server.catalogs.open("lake", many.session.identity)
    catalog.create_namespace((_SCHEMA,), {})
    fields = [
        {"id": number, "name": f"c{number}", "required": False, "type": "string"}
        for number in range(1, _COLUMNS + 1)
    ]
    schema = {"type": "struct", "schema-id": 0, "fields": fields}
    for number in range(_TABLES):
        catalog.create_table((_SCHEMA,), {"name": f"r{number:02d}", "schema": schema})


def _expect(many: ManyTables, text: str, count: int) -> None:
    gateway = many.server.gateway
    request = QueryRequest(many.session.id, text, client=ClientState(catalog="lake"))
    with gateway.fetch(gateway.submit(request)) as result:
        rows = sum(batch.num_rows for batch in result)
    if rows != count:
        raise AssertionError(f"{rows} rows, not {count}: {text}")
