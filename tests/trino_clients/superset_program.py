"""What Superset does with a database, in its own environment: ``python superset_program.py URL``.

Each question that it reads, a line of JSON, is answered with a line of JSON. Superset's own
metadata is kept in the folder that it is started in.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_CONFIG = """
SECRET_KEY = "of a test that nobody else sees, and long"
SQLALCHEMY_DATABASE_URI = "sqlite:///superset.db"
"""


def _app() -> Any:
    config = Path("superset_config.py").absolute()
    config.write_text(_CONFIG)
    os.environ |= {"SUPERSET_HOME": str(config.parent), "SUPERSET_CONFIG_PATH": str(config)}
    from superset.app import create_app

    return create_app()


class Questions:
    """Named by what Superset calls it; every one goes through its engine spec for Trino."""

    def __init__(self, url: str) -> None:
        from superset.models.core import Database

        self._database = Database(database_name="sqe", sqlalchemy_uri=url)
        self._spec = self._database.db_engine_spec

    def engine(self) -> str:
        return str(self._spec.__name__)

    def catalogs(self) -> list[str]:
        return sorted(self._database.get_all_catalog_names())

    def schemas(self, catalog: str) -> list[str]:
        return sorted(self._database.get_all_schema_names(catalog=catalog))

    def tables(self, catalog: str, schema: str) -> list[str]:
        found = self._database.get_all_table_names_in_schema(catalog, schema)
        return sorted(one[0] for one in found)

    def views(self, catalog: str, schema: str) -> list[str]:
        found = self._database.get_all_view_names_in_schema(catalog, schema)
        return sorted(one[0] for one in found)

    def columns(self, catalog: str, schema: str, table: str) -> list[list[str]]:
        """Name, type, and what Superset takes it for."""
        found = self._database.get_columns(self._table(catalog, schema, table))
        kinds = [self._spec.get_column_spec(str(one["type"])) for one in found]
        return [
            [one["column_name"], str(one["type"]), kind.generic_type.name]
            for one, kind in zip(found, kinds, strict=True)
        ]

    def metadata(self, catalog: str, schema: str, table: str) -> Any:
        """The partitions and their latest, and the text of a view."""
        wanted = self._table(catalog, schema, table)
        return self._spec.get_extra_table_metadata(self._database, wanted)

    def partitions(self, catalog: str, schema: str, table: str, key: str) -> str:
        """The query that finds the latest partition by a key."""
        wanted = self._table(catalog, schema, table)
        order = [(key, True)]
        text = self._spec._partition_query(wanted, [], self._database, limit=1, order_by=order)
        return str(text)

    def star(self, catalog: str, schema: str, table: str) -> str:
        """The query of a preview."""
        return str(self._database.select_star(self._table(catalog, schema, table), limit=10))

    def functions(self) -> list[str]:
        return list(self._spec.get_function_names(self._database))

    def rows(self, sql: str) -> list[list[Any]]:
        """As a chart reads them: through pandas."""
        frame = self._database.get_df(sql)
        return [[_plain(value) for value in row] for row in frame.itertuples(index=False)]

    def grains(self, column: str) -> dict[str, str]:
        """The expressions of every time grain, by its ISO duration."""
        found = self._spec.get_time_grain_expressions()
        return {grain: text.format(col=column) for grain, text in found.items() if grain}

    def estimate(self, sql: str) -> Any:
        with self._database.get_raw_connection() as connection:
            cost = self._spec.estimate_statement_cost(self._database, sql, connection.cursor())
        return self._spec.query_cost_formatter([cost])

    def cancelled(self, sql: str) -> str:
        """A statement that is cancelled from a second connection: how it ended."""
        with self._database.get_raw_connection() as connection:
            cursor = connection.cursor()
            ended: list[str] = []

            def run() -> None:
                try:
                    cursor.execute(sql)
                    cursor.fetchall()
                    ended.append("it ended by itself")
                except Exception as error:  # noqa: BLE001  it is the answer
                    ended.append(str(error))

            thread = threading.Thread(target=run)
            thread.start()
            while not cursor.query_id and thread.is_alive():
                thread.join(0.05)
            with self._database.get_raw_connection() as other:
                done = self._spec.cancel_query(other.cursor(), None, cursor.query_id)
            thread.join()
        return ended[0] if done else "it was not cancelled"

    def _table(self, catalog: str, schema: str, table: str) -> Any:
        from superset.sql.parse import Table

        return Table(table, schema, catalog)


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def main() -> None:
    logging.disable(logging.CRITICAL)
    answers, sys.stdout = sys.stdout, sys.stderr  # Superset prints as it likes
    with _app().app_context():
        questions = Questions(sys.argv[1])
        for line in sys.stdin:
            name, *arguments = json.loads(line)
            ask: Callable[..., Any] = getattr(questions, name)
            try:
                answer = {"answer": ask(*arguments)}
            except Exception as error:  # noqa: BLE001  it is the answer
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer, default=str), file=answers, flush=True)


if __name__ == "__main__":
    main()
