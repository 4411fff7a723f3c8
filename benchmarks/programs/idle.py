"""What ``sqe serve`` holds, after it answered coordinator queries; without Spark."""

from __future__ import annotations

import json
import sys

from benchmarks.memory import rss_mb
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import build
from sqe.server.health import health_app
from sqe.settings import load_settings

QUERIES = (
    "SHOW CATALOGS",
    "SHOW TABLES",
    "DESCRIBE t",
    "SHOW CREATE TABLE t",
    "SELECT table_schema, count(*) FROM information_schema.columns GROUP BY table_schema",
)
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "c", "required": False, "type": "long"}],
}


def main() -> None:
    server = build(load_settings())
    http = HttpThread(health_app(server))
    http.start()
    after_start = rss_mb()
    user = Identity("bench")
    server.catalogs.open("lake", user).create_table(("default",), {"name": "t", "schema": SCHEMA})
    session = server.gateway.open_session(user)
    for text in QUERIES:
        query_id = server.gateway.submit(QueryRequest(session.id, text))
        with server.gateway.fetch(query_id) as result:
            result.read_all()
    after_queries = rss_mb()
    http.stop()
    server.close()
    json.dump(
        {
            "rss_mb": round(after_queries, 1),
            "after_start_mb": round(after_start, 1),
            "queries": QUERIES,
            "pyspark_imported": "pyspark" in sys.modules,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
