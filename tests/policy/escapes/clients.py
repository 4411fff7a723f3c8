"""Clients of both protocols, as whom they log in: what tricks over the wire are played with."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote_plus, urlsplit

import adbc_driver_flightsql.dbapi as adbc
import pyarrow as pa
import pyarrow.flight as pf
from google.protobuf.message import Message

from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.wire import pack
from sqe.server.build import Server

PASSWORDS = {"eve": "only a part", "root": "all of it"}
_CODE = re.compile(r"\b([A-Z][A-Z_]{4,}): ")
_CATALOG = "lake"
Mode = Literal["append", "create", "replace", "create_append"]


class Refused(Exception):
    """``code``: SQE's, Trino's name of the error, or HTTP's status."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def refusal(error: Exception) -> Refused:
    """What a driver makes of an error, with the code that the server has sent."""
    text = str(error)
    said = text.rpartition("[FlightSQL] ")[2]
    found = _CODE.search(said)
    return Refused(found[1] if found else "NO CODE", said)


@dataclass
class Flight:
    """One user's connections; closed by ``close``."""

    address: str
    user: str
    _open: list[Any] = field(default_factory=list)

    def connect(self) -> adbc.Connection:
        options = {"username": self.user, "password": PASSWORDS[self.user]}
        connection = adbc.connect(self.address, autocommit=True, db_kwargs=options)
        self._open.append(connection)
        return connection

    def raw(self, **more: str) -> tuple[pf.FlightClient, pf.FlightCallOptions]:
        """``more`` are headers."""
        client = pf.connect(self.address)
        self._open.append(client)
        bearer = client.authenticate_basic_token(self.user, PASSWORDS[self.user])
        extra = [(name.replace("_", "-").encode(), value.encode()) for name, value in more.items()]
        return client, pf.FlightCallOptions(headers=[bearer, *extra])

    def ask(self, text: str, values: Sequence[Any] | None = None) -> list[dict[str, Any]]:
        with self.connect().cursor() as cursor:
            cursor.execute(text, values)
            if cursor.description is None:
                return []
            table = cursor.fetch_arrow_table()
            return [{"": str(table.schema.remove_metadata())}, *table.to_pylist()]

    def prepared(self, text: str) -> tuple[str, str]:
        """The columns it would have, and the types of its markers."""
        request = sql.ActionCreatePreparedStatementRequest(query=text)
        client, options = self.raw()
        [body] = client.do_action(pf.Action("CreatePreparedStatement", pack(request)), options)
        answer = unpacked(body.body.to_pybytes(), sql.ActionCreatePreparedStatementResult())
        parts = (answer.dataset_schema, answer.parameter_schema)
        return tuple(str(pa.ipc.read_schema(pa.py_buffer(one))) if one else "" for one in parts)  # type: ignore[return-value]

    def many(self, text: str, rows: pa.RecordBatch) -> list[dict[str, Any]]:
        """Run once for each row."""
        with self.connect().cursor() as cursor:
            cursor.adbc_statement.set_sql_query(text)
            cursor.adbc_statement.prepare()
            cursor.adbc_statement.bind(rows)
            stream, _ = cursor.adbc_statement.execute_query()
            found = pa.RecordBatchReader._import_from_c(stream.address).read_all()
            return list(found.to_pylist())

    def changed(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        with self.connect().cursor() as cursor:
            cursor.executemany(text, rows)

    def load(self, table: str, rows: pa.Table, mode: Mode, schema: str) -> int:
        with self.connect().cursor() as cursor:
            return int(
                cursor.adbc_ingest(
                    table, rows, mode=mode, catalog_name=_CATALOG, db_schema_name=schema
                )
            )

    def told(self, message: Message) -> list[dict[str, Any]]:
        """What a question about metadata is answered with."""
        client, options = self.raw()
        info = client.get_flight_info(descriptor(message), options)
        rows = client.do_get(info.endpoints[0].ticket, options).read_all().to_pylist()
        for row in rows:
            if "table_schema" in row:
                row["table_schema"] = str(pa.ipc.read_schema(pa.py_buffer(row["table_schema"])))
        return list(rows)

    def close(self) -> None:
        while self._open:
            self._open.pop().close()


@dataclass
class Trino:
    address: str
    user: str
    stats: dict[str, Any] = field(default_factory=dict)  # of the last page

    def ask(self, text: str, **headers: str) -> list[Any]:
        page = self._page(self.request("POST", "/v1/statement", text, **headers))
        told: list[Any] = []
        while True:
            told += [[one["name"], one["type"]] for one in page.get("columns", ()) if not told]
            told += page.get("data") or []
            self.stats = page["stats"]
            if "nextUri" not in page:
                break
            page = self._page(self.request("GET", urlsplit(page["nextUri"]).path, **headers))
        if "error" in page:
            raise Refused(page["error"]["errorName"], page["error"]["message"])
        return told

    def executed(self, prepared: str, text: str = "EXECUTE p") -> list[Any]:
        """A statement that nobody has prepared but the client."""
        return self.ask(text, X_Trino_Prepared_Statement=f"p={quote_plus(prepared)}")

    def begun(self, text: str) -> dict[str, Any]:
        """The first page of a statement that is not read any further."""
        return self._page(self.request("POST", "/v1/statement", text))

    def request(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, bytes]:
        secret = base64.b64encode(f"{self.user}:{PASSWORDS[self.user]}".encode()).decode()
        sent = {
            "Authorization": f"Basic {secret}",
            "X-Trino-User": self.user,
            "X-Trino-Catalog": _CATALOG,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        connection = HTTPConnection(urlsplit(self.address).netloc, timeout=120)
        try:
            connection.request(method, path, body.encode(), sent)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def _page(self, answer: tuple[int, bytes]) -> dict[str, Any]:
        status, body = answer
        if status != 200:
            raise Refused(f"HTTP {status}", body.decode())
        page: dict[str, Any] = json.loads(body)
        return page


@dataclass(frozen=True)
class Wires:
    """``eve`` sees a part, ``root`` everything; ``loadable`` is a folder that COPY may read."""

    server: Server
    eve: Flight
    root: Flight
    eve_trino: Trino
    root_trino: Trino
    loadable: Path

    def placed(self, text: str, schema: str) -> str:
        """The text of a trick, about the tables of this schema."""
        files = self.server.settings.home / "warehouse" / schema / "emp" / "data"
        return text.format(s=schema, files=files, loadable=self.loadable)

    @classmethod
    @contextmanager
    def to(cls, server: Server, loadable: Path) -> Iterator[Wires]:
        flight, http = server.listen("127.0.0.1", 0), server.listen_trino("127.0.0.1", 0)
        eve, root = Flight(flight, "eve"), Flight(flight, "root")
        yield cls(server, eve, root, Trino(http, "eve"), Trino(http, "root"), loadable)
        eve.close()
        root.close()


def descriptor(message: Message) -> pf.FlightDescriptor:
    return pf.FlightDescriptor.for_command(pack(message))


def unpacked(body: bytes, message: Any) -> Any:
    from google.protobuf.any_pb2 import Any as Packed

    Packed.FromString(body).Unpack(message)
    return message


def options_of(given: Mapping[str, str]) -> Any:
    from sqe.flight_messages import Flight_pb2 as messages

    request = messages.SetSessionOptionsRequest()
    for name, value in given.items():
        request.session_options[name].string_value = value
    return request
