"""All figures, in the order they are measured: quick ones first, Spark's last.

A later issue adds a module with a function that measures, and a line here.
"""

from __future__ import annotations

from benchmarks.figure import Figure, Target
from benchmarks.figures.bind_10k_tables import bind_10k_tables
from benchmarks.figures.cli_help import cli_help
from benchmarks.figures.cold_query import cold_query
from benchmarks.figures.fair_insert import fair_small_insert
from benchmarks.figures.history import history_1m, history_emit
from benchmarks.figures.idle_rss import idle_rss
from benchmarks.figures.jdbc_metadata import jdbc_metadata
from benchmarks.figures.list_10k_tables import list_10k_tables
from benchmarks.figures.load_csv import load_csv
from benchmarks.figures.local_over_duckdb import (
    tpcds_local_over_duckdb,
    tpcds_local_share,
    tpch_local_over_duckdb,
    tpch_spark_over_local,
)
from benchmarks.figures.login_bearer import login_bearer
from benchmarks.figures.mixed_users import mixed_users
from benchmarks.figures.observing import observe_cpu_ratio, scrape_mb, scrape_ms
from benchmarks.figures.over_flight import (
    flight_over_inprocess,
    flight_over_json,
    flight_small_query,
)
from benchmarks.figures.policy import guarded_over_handwritten, policy_overhead
from benchmarks.figures.queued import queued_2000_mb
from benchmarks.figures.serve_ready import serve_ready
from benchmarks.figures.session_memory import session_mb
from benchmarks.figures.small_query import gateway_overhead, small_query, small_query_cpu
from benchmarks.figures.spark_boot_cds import spark_boot_cds
from benchmarks.figures.spark_overhead import spark_overhead
from benchmarks.figures.spark_session import spark_session
from benchmarks.figures.stack_users import new_session, users_p50, users_p99
from benchmarks.figures.stream_50m import stream_50m_growth, stream_50m_local, stream_50m_peak
from benchmarks.figures.tpch_over_direct import tpch_over_direct
from benchmarks.figures.trino_fetch import jdbc_fetch, trino_fetch

FIGURES: tuple[Figure, ...] = (
    Figure(
        "cli_help_ms",
        "ms",
        Target("<", 300),
        "`sqe --help`, the whole process",
        cli_help,
    ),
    Figure(
        "idle_rss_mb",
        "MB",
        Target("<", 250),
        "resident memory of SQE without Spark, after coordinator queries",
        idle_rss,
    ),
    Figure(
        "session_mb",
        "MB",
        Target("<", 10),
        "memory of the server for each idle Flight SQL session, without Spark",
        session_mb,
    ),
    Figure(
        "observe_cpu_ratio",
        "ratio",
        Target("<=", 1.05),
        "processor time of a small query with metrics, audit log and history, over without",
        observe_cpu_ratio,
    ),
    Figure(
        "scrape_ms",
        "ms",
        Target("<", 100),
        "GET /metrics of a server that has seen 100,000 queries",
        scrape_ms,
    ),
    Figure("scrape_mb", "MB", Target("<", 1), "size of that answer", scrape_mb),
    Figure(
        "bind_10k_tables_ms",
        "ms",
        Target("<", 50),
        "parse and bind a single-table query in a catalog of 10,000 tables",
        bind_10k_tables,
    ),
    Figure(
        "list_10k_tables_ms",
        "ms",
        Target("<", 500),
        "SHOW TABLES of 10,000 tables through the gateway",
        list_10k_tables,
    ),
    Figure(
        "jdbc_metadata_10k_tables_s",
        "s",
        Target("<", 2),
        "JDBC's getTables and getColumns of one schema, in a catalog of 10,000 other tables",
        jdbc_metadata,
    ),
    Figure(
        "history_1m_ms",
        "ms",
        Target("<", 200),
        "one user's last hour of a history of a million queries, as SQL",
        history_1m,
    ),
    Figure(
        "history_emit_1000_ms",
        "ms",
        Target("<", 50),
        "what the history takes of the threads of 1,000 queries",
        history_emit,
    ),
    Figure(
        "queued_2000_mb",
        "MB",
        Target("<", 100),
        "memory of the server for 2,000 statements of Trino's clients that wait for their turn",
        queued_2000_mb,
    ),
    Figure(
        "login_bearer_ms",
        "ms",
        Target("<", 2),
        "what the check of a bearer token adds to a request, the issuer's keys known",
        login_bearer,
    ),
    Figure(
        "cold_small_query_s",
        "s",
        Target("<", 1.5),
        "`sqe sql` with a query of a small table, the whole process, without Java",
        cold_query,
    ),
    Figure(
        "small_query_p50_ms",
        "ms",
        Target("<=", 15),
        "a small warm query on the local engine, from its text to the last batch",
        small_query,
    ),
    Figure(
        "gateway_overhead_p50_ms",
        "ms",
        None,
        "SQE's own share of that: what plain DuckDB takes for the same text is taken off",
        gateway_overhead,
    ),
    Figure(
        "small_query_cpu_ms",
        "ms",
        Target("<=", 8),
        "processor time of the process for a small question that a user repeats, local engine",
        small_query_cpu,
    ),
    Figure(
        "mixed_20_p99_ms",
        "ms",
        None,
        "20 users with mixed small queries at once on the local engine",
        mixed_users,
    ),
    Figure(
        "flight_small_query_p50_ms",
        "ms",
        Target("<", 25),
        "a small warm query through ADBC, minus the same in process",
        flight_small_query,
    ),
    Figure(
        "flight_over_inprocess",
        "x",
        Target("<=", 1.5),
        "10 million rows of 8 columns to ADBC over loopback, over the same in process",
        flight_over_inprocess,
    ),
    Figure(
        "flight_over_json",
        "x",
        Target(">=", 10),
        "rows in a second over Flight SQL, over those of pages of JSON",
        flight_over_json,
    ),
    Figure(
        "trino_fetch_1m_ratio",
        "ratio",
        Target("<=", 1),
        "1 million rows of 8 columns to Trino's Python client, from SQE over from a real Trino",
        trino_fetch,
    ),
    Figure(
        "jdbc_fetch_1m_ratio",
        "ratio",
        Target("<=", 1),
        "a million rows to Trino's JDBC driver, from SQE over from a Trino",
        jdbc_fetch,
    ),
    Figure(
        "tpch_sf1_local_over_duckdb",
        "x",
        Target("<=", 1.3),
        "22 TPC-H queries on the local engine over plain DuckDB on the same files",
        tpch_local_over_duckdb,
    ),
    Figure(
        "tpcds_sf1_local_share",
        "ratio",
        Target(">=", 0.95),
        "how many of the 99 TPC-DS queries run on the local engine",
        tpcds_local_share,
    ),
    Figure(
        "tpcds_sf1_local_over_duckdb",
        "x",
        Target("<=", 1.3),
        "those on the local engine over plain DuckDB on the same files",
        tpcds_local_over_duckdb,
    ),
    Figure(
        "policy_overhead_p50_ms",
        "ms",
        Target("<", 50),
        "what it adds to parse, decide and guard a TPC-DS query that names 20 restricted tables",
        policy_overhead,
    ),
    Figure(
        "guarded_over_handwritten",
        "x",
        Target("<=", 1.3),
        "TPC-H over restricted tables on the local engine, over the same filters written by hand",
        guarded_over_handwritten,
    ),
    Figure(
        "stream_50m_local_peak_mb",
        "MB",
        Target("<", 500),
        "peak resident memory of SQE while the local engine streams 50 million rows",
        stream_50m_local,
    ),
    Figure(
        "new_session_ms",
        "ms",
        Target("<", 150),
        "a user with a token, from nothing to the first rows, on the stack's catalog and storage",
        new_session,
    ),
    Figure(
        "users_100_p50_ms",
        "ms",
        None,
        "100 users at once on the stack, each asking for their own rows: the median",
        users_p50,
    ),
    Figure(
        "users_100_p99_ms",
        "ms",
        None,
        "the same: the slowest in a hundred",
        users_p99,
    ),
    Figure(
        "spark_boot_cds_ratio",
        "ratio",
        Target("<=", 0.6),
        "Spark's start until SELECT 1 answers, with class data sharing over without",
        spark_boot_cds,
    ),
    Figure(
        "serve_ready_s",
        "s",
        Target("<", 2),
        "`sqe serve` until it says ready and answers, while Spark starts",
        serve_ready,
    ),
    Figure(
        "spark_overhead_p50_ms",
        "ms",
        Target("<", 120),
        "SQE's own share of a small warm Spark query",
        spark_overhead,
    ),
    Figure(
        "spark_session_ms",
        "ms",
        Target("<", 300),
        "the Spark session of a new user: what their first query on a warm Spark takes longer",
        spark_session,
    ),
    Figure(
        "load_csv_1m_ratio",
        "x",
        Target("<=", 1.5),
        "COPY INTO of a million rows of CSV over DuckDB's reading of them plus Spark's writing",
        load_csv,
    ),
    Figure(
        "fair_small_insert_ratio",
        "ratio",
        Target("<=", 4),
        "an INSERT of 1,000 rows beside another user's COPY of 1 GB of CSV, over the same alone",
        fair_small_insert,
    ),
    Figure(
        "tpch_sf1_spark_over_direct",
        "x",
        Target("<=", 1.15),
        "22 TPC-H queries through SQE over the same sent to Spark Connect directly",
        tpch_over_direct,
    ),
    Figure(
        "tpch_sf1_spark_over_local",
        "x",
        Target(">=", 10),
        "22 TPC-H queries through SQE on Spark over the same on the local engine",
        tpch_spark_over_local,
    ),
    Figure(
        "stream_50m_spark_peak_mb",
        "MB",
        Target("<", 300),
        "peak resident memory of SQE's own process while it streams 50 million rows",
        stream_50m_peak,
    ),
    Figure(
        "stream_50m_spark_growth_mb",
        "MB",
        Target("<", 50),
        "how much that memory grows after the first tenth of the rows",
        stream_50m_growth,
    ),
)
