"""Names for completion, asked through the gateway as the user and remembered for some seconds."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from sqe.errors import SqeError
from sqe.model.names import quote

if TYPE_CHECKING:
    from sqe.client.transport import Transport

_REMEMBER_S = 10.0
_TABLES_IN_TEXT = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+([\w.`]+)", re.IGNORECASE)


class Names:
    """Only statements that SQE answers by itself are sent, so typing never starts Spark."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._known: dict[str, tuple[float, list[str]]] = {}

    def relations(self) -> list[str]:
        """Catalogs, schemas of the current catalog, and its tables: bare where one may say so."""
        current = self._transport.schema()
        relations = [quote(name) for name in self._ask("SHOW CATALOGS", 0)]
        for schema in self._ask(f"SHOW SCHEMAS IN {quote(current.catalog)}", 0):
            relations.append(schema)
            relations.append(f"{quote(current.catalog)}.{schema}")
            for table in self.tables_in(f"{quote(current.catalog)}.{schema}"):
                relations.append(f"{schema}.{table}")
                relations.append(f"{quote(current.catalog)}.{schema}.{table}")
        relations += self.tables_in(str(current))
        return relations

    def tables_in(self, schema: str) -> list[str]:
        return [quote(name) for name in self._ask(f"SHOW TABLES IN {schema}", 1)]

    def columns_of_tables_in(self, text: str) -> list[str]:
        columns: list[str] = []
        for table in dict.fromkeys(_TABLES_IN_TEXT.findall(text)):
            columns += [quote(name) for name in self._ask(f"SHOW COLUMNS IN {table}", 0)]
        return columns

    def _ask(self, text: str, column: int) -> list[str]:
        """The texts of one column; nothing at all where the statement fails."""
        at, known = self._known.get(text, (0.0, []))
        if at and time.monotonic() - at < _REMEMBER_S:
            return known
        names: list[str] = []
        try:
            with self._transport.execute(text).result() as result:
                for batch in result:
                    # SHOW TABLES has the name second; a one-column answer has it first.
                    array = batch.column(min(column, batch.num_columns - 1))
                    names += [str(value) for value in array.to_pylist() if value is not None]
        except SqeError:
            names = []
        self._known[text] = (time.monotonic(), names)
        return names
