"""A table of which one user sees some rows, for tests of what that user writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from sqe.errors import AccessError, ErrorCode, SqeError
from sqe.model.decision import Restrict, RowFilter
from tests.embedded.pipe.lake import Lake

_NUMBERS = count(1)
ROWS = [(1, "it", 10), (2, "hr", 0), (3, "it", 30), (4, None, 40)]
IT = RowFilter("dept = 'it'", check=True)
MINE = RowFilter("dept IN (SELECT d FROM lake.checks.mine)", check=True)
NEAR = RowFilter("EXISTS (SELECT 1 FROM lake.checks.mine AS m WHERE m.d = dept)", check=True)
TRINO = RowFilter("\"dept\" = 'it'", "trino", check=True)
BROKEN = RowFilter("CASE WHEN id = 2 THEN CAST(dept AS INT) > 0 ELSE dept = 'it' END", check=True)
PAID = RowFilter("dept = 'it' AND pay < 100", check=True)


def add_schema(ann: Lake) -> None:
    ann.all(
        "CREATE SCHEMA IF NOT EXISTS checks",
        "CREATE OR REPLACE TABLE checks.mine AS SELECT 'it' AS d",
    )


class Table:
    """A table of which ``bob`` sees the rows of one department; ``ann`` sees all."""

    def __init__(self, ann: Lake, bob: Lake, name: str) -> None:
        self._ann, self._bob, self.name = ann, bob, name

    def bob(self, sql: str) -> list[tuple[Any, ...]]:
        return self._bob.rows(sql.format(t=self.name))

    def affected(self, sql: str) -> Any:
        query = self._bob.submit(sql.format(t=self.name))
        with self._bob.server.gateway.fetch(query) as result:
            result.read_all()
        return self._bob.record(query).affected

    def error(self, sql: str) -> SqeError:
        return self._bob.fails(sql.format(t=self.name))

    def fails(self, sql: str) -> AccessError:
        error = self.error(sql)
        assert isinstance(error, AccessError), error
        assert error.code is ErrorCode.ACCESS_DENIED
        return error

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return self._ann.rows(f"SELECT * FROM {self.name} ORDER BY id, dept, pay")


@contextmanager
def limited_table(ann: Lake, limits: RowFilter | Restrict, mode: str) -> Iterator[Table]:
    name = f"checks.t{next(_NUMBERS)}"
    modes = ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in ("update", "delete", "merge"))
    ann.all(
        f"CREATE TABLE {name} (id INT, dept STRING, pay DECIMAL(10, 2)) TBLPROPERTIES ({modes})",
        f"INSERT INTO {name} VALUES (1, 'it', 10), (2, 'hr', 0), (3, 'it', 30), (4, NULL, 40)",
    )
    bob = ann.another_session("bob")
    if isinstance(limits, RowFilter):
        limits = Restrict("test", filters=(limits,))
    with ann.rules.on(f"lake.{name}", limits, "select", "bob"):
        yield Table(ann, bob, name)
    bob.close()
