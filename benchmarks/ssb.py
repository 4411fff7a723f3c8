"""The Star Schema Benchmark: its tables derived from TPC-H's by SQL, and its 13 queries.

Regions, nations, parts and dates are TPC-H's own, so that nothing but SQL is needed to make them:
cities are nations with a digit, manufacturers and brands come from TPC-H's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb

from benchmarks.bench import Bench
from benchmarks.iceberg_tables import Tables, made_home
from benchmarks.tpc_extension import extended

SCHEMA = "ssb"
_PLACE = (
    "rpad(substr(n_name, 1, 9), 9, ' ') || CAST({key} % 10 AS varchar) AS {x}_city,"
    " n_name AS {x}_nation, r_name AS {x}_region"
)
_JOIN = "JOIN nation ON n_nationkey = {x}_nationkey JOIN region ON r_regionkey = n_regionkey"
_TABLES: Mapping[str, str] = {
    "customer": f"""SELECT c_custkey, c_name, c_address, c_phone, c_mktsegment,
        {_PLACE.format(key="c_custkey", x="c")} FROM customer {_JOIN.format(x="c")}""",
    "supplier": f"""SELECT s_suppkey, s_name, s_address, s_phone,
        {_PLACE.format(key="s_suppkey", x="s")} FROM supplier {_JOIN.format(x="s")}""",
    "part": """SELECT p_partkey, p_name, p_mfgr_of AS p_mfgr,
        p_mfgr_of || CAST(1 + p_partkey // 5 % 5 AS varchar) AS p_category,
        p_mfgr_of || CAST(1 + p_partkey // 5 % 5 AS varchar)
            || CAST(1 + p_partkey // 25 % 40 AS varchar) AS p_brand1,
        split_part(p_name, ' ', 1) AS p_color, p_type, p_size, p_container
        FROM (SELECT *, 'MFGR#' || CAST(1 + p_partkey % 5 AS varchar) AS p_mfgr_of FROM part)""",
    "dates": """SELECT CAST(strftime(d, '%Y%m%d') AS integer) AS d_datekey,
        CAST(d AS date) AS d_date,
        CAST(year(d) AS integer) AS d_year,
        CAST(year(d) * 100 + month(d) AS integer) AS d_yearmonthnum,
        strftime(d, '%b%Y') AS d_yearmonth, CAST(weekofyear(d) AS integer) AS d_weeknuminyear
        FROM range(TIMESTAMP '1992-01-01', TIMESTAMP '1999-01-01', INTERVAL 1 DAY) t(d)""",
    "lineorder": """SELECT l_orderkey AS lo_orderkey, l_linenumber AS lo_linenumber,
        o_custkey AS lo_custkey, l_partkey AS lo_partkey, l_suppkey AS lo_suppkey,
        CAST(strftime(o_orderdate, '%Y%m%d') AS integer) AS lo_orderdate,
        CAST(l_quantity AS integer) AS lo_quantity,
        CAST(l_extendedprice * 100 AS bigint) AS lo_extendedprice,
        CAST(l_discount * 100 AS integer) AS lo_discount,
        CAST(l_extendedprice * (1 - l_discount) * 100 AS bigint) AS lo_revenue,
        CAST(ps_supplycost * 100 AS bigint) AS lo_supplycost, l_shipmode AS lo_shipmode
        FROM lineitem JOIN orders ON o_orderkey = l_orderkey
        JOIN partsupp ON ps_partkey = l_partkey AND ps_suppkey = l_suppkey""",
}


def ssb_home(bench: Bench) -> Path:
    """The home whose catalog ``lake`` has the schema ``ssb``."""
    scale = bench.options.scale
    folder = bench.cache / f"ssb-sf{scale:g}"

    def make(_: Path) -> Tables:
        bench.note(f"making the Star Schema Benchmark at scale {scale:g} in {folder}, once")
        with extended("tpch") as connection:
            connection.execute(f"CALL dbgen(sf = {scale:g})")
            yield from tables_of(connection)

    return made_home(folder, SCHEMA, make)


def tables_of(connection: duckdb.DuckDBPyConnection) -> Tables:
    """From a database that has TPC-H's."""
    for name, text in _TABLES.items():
        yield name, connection.execute(text).to_arrow_table()


_FLIGHT_1 = (
    "SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder"
    " JOIN dates ON lo_orderdate = d_datekey WHERE {}"
)
_FLIGHT_2 = (
    "SELECT sum(lo_revenue) AS revenue, d_year, p_brand1 FROM lineorder"
    " JOIN dates ON lo_orderdate = d_datekey JOIN part ON lo_partkey = p_partkey"
    " JOIN supplier ON lo_suppkey = s_suppkey WHERE {}"
    " GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1"
)
_FLIGHT_3 = (
    "SELECT {0}, d_year, sum(lo_revenue) AS revenue FROM lineorder"
    " JOIN dates ON lo_orderdate = d_datekey JOIN customer ON lo_custkey = c_custkey"
    " JOIN supplier ON lo_suppkey = s_suppkey WHERE {1}"
    " GROUP BY {0}, d_year ORDER BY d_year, revenue DESC, {0}"
)
_FLIGHT_4 = (
    "SELECT {0}, sum(lo_revenue - lo_supplycost) AS profit FROM lineorder"
    " JOIN dates ON lo_orderdate = d_datekey JOIN customer ON lo_custkey = c_custkey"
    " JOIN supplier ON lo_suppkey = s_suppkey JOIN part ON lo_partkey = p_partkey"
    " WHERE {1} GROUP BY {0} ORDER BY {0}"
)
_CITIES = "('UNITED KI1', 'UNITED KI5')"
_AMERICA = "c_region = 'AMERICA' AND s_region = 'AMERICA'"
QUERIES: Mapping[str, str] = {
    "q1.1": _FLIGHT_1.format("d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25"),
    "q1.2": _FLIGHT_1.format(
        "d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35"
    ),
    "q1.3": _FLIGHT_1.format(
        "d_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7"
        " AND lo_quantity BETWEEN 26 AND 35"
    ),
    "q2.1": _FLIGHT_2.format("p_category = 'MFGR#12' AND s_region = 'AMERICA'"),
    "q2.2": _FLIGHT_2.format("p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'"),
    "q2.3": _FLIGHT_2.format("p_brand1 = 'MFGR#2221' AND s_region = 'EUROPE'"),
    "q3.1": _FLIGHT_3.format(
        "c_nation, s_nation",
        "c_region = 'ASIA' AND s_region = 'ASIA' AND d_year BETWEEN 1992 AND 1997",
    ),
    "q3.2": _FLIGHT_3.format(
        "c_city, s_city",
        "c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES'"
        " AND d_year BETWEEN 1992 AND 1997",
    ),
    "q3.3": _FLIGHT_3.format(
        "c_city, s_city",
        f"c_city IN {_CITIES} AND s_city IN {_CITIES} AND d_year BETWEEN 1992 AND 1997",
    ),
    "q3.4": _FLIGHT_3.format(
        "c_city, s_city",
        f"c_city IN {_CITIES} AND s_city IN {_CITIES} AND d_yearmonth = 'Dec1997'",
    ),
    "q4.1": _FLIGHT_4.format("d_year, c_nation", f"{_AMERICA} AND p_mfgr IN ('MFGR#1', 'MFGR#2')"),
    "q4.2": _FLIGHT_4.format(
        "d_year, s_nation, p_category",
        f"{_AMERICA} AND d_year IN (1997, 1998) AND p_mfgr IN ('MFGR#1', 'MFGR#2')",
    ),
    "q4.3": _FLIGHT_4.format(
        "d_year, s_city, p_brand1",
        "s_nation = 'UNITED STATES' AND c_region = 'AMERICA' AND d_year IN (1997, 1998)"
        " AND p_category = 'MFGR#14'",
    ),
}
