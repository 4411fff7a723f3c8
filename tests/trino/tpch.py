"""``tpch.tiny`` as the recorded answers have it: TPC-H at scale 0.01, as Iceberg tables.

The texts of comments differ from generator to generator; no recorded query shows one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sqe.gateway.gateway import Gateway
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest

V = "varchar({})"
TABLES: dict[str, dict[str, str]] = {
    "region": {"r_regionkey": "bigint", "r_name": V.format(25), "r_comment": V.format(152)},
    "nation": {
        "n_nationkey": "bigint", "n_name": V.format(25), "n_regionkey": "bigint",
        "n_comment": V.format(152),
    },
    "supplier": {
        "s_suppkey": "bigint", "s_name": V.format(25), "s_address": V.format(40),
        "s_nationkey": "bigint", "s_phone": V.format(15), "s_acctbal": "decimal(12,2)",
        "s_comment": V.format(101),
    },
    "customer": {
        "c_custkey": "bigint", "c_name": V.format(25), "c_address": V.format(40),
        "c_nationkey": "bigint", "c_phone": V.format(15), "c_acctbal": "decimal(12,2)",
        "c_mktsegment": V.format(10), "c_comment": V.format(117),
    },
    "part": {
        "p_partkey": "bigint", "p_name": V.format(55), "p_mfgr": V.format(25),
        "p_brand": V.format(10), "p_type": V.format(25), "p_size": "integer",
        "p_container": V.format(10), "p_retailprice": "decimal(12,2)", "p_comment": V.format(23),
    },
    "partsupp": {
        "ps_partkey": "bigint", "ps_suppkey": "bigint", "ps_availqty": "integer",
        "ps_supplycost": "decimal(12,2)", "ps_comment": V.format(199),
    },
    "orders": {
        "o_orderkey": "bigint", "o_custkey": "bigint", "o_orderstatus": V.format(1),
        "o_totalprice": "decimal(12,2)", "o_orderdate": "date", "o_orderpriority": V.format(15),
        "o_clerk": V.format(15), "o_shippriority": "integer", "o_comment": V.format(79),
    },
    "lineitem": {
        "l_orderkey": "bigint", "l_partkey": "bigint", "l_suppkey": "bigint",
        "l_linenumber": "integer", "l_quantity": "decimal(12,2)",
        "l_extendedprice": "decimal(12,2)", "l_discount": "decimal(12,2)", "l_tax": "decimal(12,2)",
        "l_returnflag": V.format(1), "l_linestatus": V.format(1), "l_shipdate": "date",
        "l_commitdate": "date", "l_receiptdate": "date", "l_shipinstruct": V.format(25),
        "l_shipmode": V.format(10), "l_comment": V.format(44),
    },
}  # fmt: skip


def make_tiny(gateway: Gateway, folder: Path) -> None:
    """``folder`` may be loaded from."""
    generator = Path(sys.executable).parent / "tpchgen-cli"
    command = [str(generator), "parquet", "-s", "0.01", "--output-dir", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    session = gateway.open_session(Identity("maker"))
    for sql in ("CREATE SCHEMA tpch.tiny", *_statements(folder)):
        with gateway.fetch(gateway.submit(QueryRequest(session.id, sql))) as result:
            result.read_all()
    session.close()


def _statements(folder: Path) -> Iterator[str]:
    for name, columns in TABLES.items():
        written = ", ".join(f"{one} {_stored(kind)} NOT NULL" for one, kind in columns.items())
        types = json.dumps(list(columns.values()))
        properties = f"TBLPROPERTIES ('trino.columns' = '{types}')"
        yield f"CREATE TABLE tpch.tiny.{name} ({written}) {properties}"
        file = folder / f"{name}.parquet"
        yield f"COPY INTO tpch.tiny.{name} FROM '{file}' FILEFORMAT = PARQUET"


def _stored(kind: str) -> str:
    return "string" if kind.startswith("varchar") else kind
