"""The moves that tricks over the wire are made of: each is done as eve, in one schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.flight as pf

from sqe.flight_messages import Flight_pb2 as messages
from sqe.flight_messages import FlightSql_pb2 as sql
from sqe.protocols.flight_sql.wire import pack
from tests.policy.escapes.clients import Mode, Refused, Wires, descriptor, options_of, unpacked

Move = tuple[str, Callable[[Wires, str], object]]  # as it stands on the page, and what is done
_ROW = pa.table({"id": pa.array([9], pa.int32()), "name": ["x"]})
_TAG = "a" * 32


def told(make: Callable[[str], Any]) -> Callable[[Wires, str], object]:
    return lambda wires, schema: wires.eve.told(make(schema))


def loads(table: str, mode: Mode, rows: pa.Table = _ROW, below: str = "") -> Move:
    shown = f"CommandStatementIngest: {mode} {{s}}{below}.{table} ({', '.join(rows.schema.names)})"
    return shown, lambda wires, schema: wires.eve.load(table, rows, mode, schema + below)


def schema_of(text: str) -> Move:
    def ask(wires: Wires, schema: str) -> object:
        client, options = wires.eve.raw()
        query = sql.CommandStatementQuery(query=text.format(s=schema))
        return str(client.get_schema(descriptor(query), options).schema)

    return f"GetSchema: {text}", ask


def _act(wires: Wires, name: str, body: bytes, **headers: str) -> list[bytes]:
    client, options = wires.eve.raw(**headers)
    return [one.body.to_pybytes() for one in client.do_action(pf.Action(name, body), options)]


def _roots_query(wires: Wires, schema: str) -> tuple[pf.FlightInfo, messages.FlightInfo]:
    client, options = wires.root.raw(x_sqe_query_tag=_TAG)
    query = sql.CommandStatementQuery(query=f"SELECT * FROM {schema}.emp")
    info = client.get_flight_info(descriptor(query), options)
    return info, messages.FlightInfo.FromString(info.serialize())


def read_roots(wires: Wires, schema: str) -> object:
    client, options = wires.eve.raw()
    info, _ = _roots_query(wires, schema)
    return client.do_get(info.endpoints[0].ticket, options).read_all().to_pylist()


def read_twice(wires: Wires, schema: str) -> object:
    client, options = wires.eve.raw()
    query = sql.CommandStatementQuery(query=f"SELECT * FROM {schema}.emp")
    ticket = client.get_flight_info(descriptor(query), options).endpoints[0].ticket
    client.do_get(ticket, options).read_all()
    return client.do_get(ticket, options).read_all().to_pylist()


def cancel_roots(wires: Wires, schema: str) -> object:
    _, info = _roots_query(wires, schema)
    request = messages.CancelFlightInfoRequest(info=info)
    return _act(wires, "CancelFlightInfo", request.SerializeToString())


def cancel_roots_query(wires: Wires, schema: str) -> object:
    _, info = _roots_query(wires, schema)
    request = sql.ActionCancelQueryRequest(info=info.SerializeToString())
    return _act(wires, "CancelQuery", pack(request))


def renew_roots(wires: Wires, schema: str) -> object:
    _, info = _roots_query(wires, schema)
    request = messages.RenewFlightEndpointRequest(endpoint=info.endpoint[0])
    return _act(wires, "RenewFlightEndpoint", request.SerializeToString())


def status_of_roots(wires: Wires, schema: str) -> object:
    _roots_query(wires, schema)
    return _act(wires, "sqe.QueryStatus", _TAG.encode())


def _roots_handle(wires: Wires, schema: str) -> bytes:
    request = sql.ActionCreatePreparedStatementRequest(query=f"SELECT * FROM {schema}.emp")
    client, options = wires.root.raw()
    [body] = client.do_action(pf.Action("CreatePreparedStatement", pack(request)), options)
    answer = unpacked(body.body.to_pybytes(), sql.ActionCreatePreparedStatementResult())
    return bytes(answer.prepared_statement_handle)


def roots_prepared(wires: Wires, schema: str) -> object:
    handle = _roots_handle(wires, schema)
    client, options = wires.eve.raw()
    query = sql.CommandPreparedStatementQuery(prepared_statement_handle=handle)
    return client.get_flight_info(descriptor(query), options).schema


def roots_prepared_schema(wires: Wires, schema: str) -> object:
    handle = _roots_handle(wires, schema)
    client, options = wires.eve.raw()
    query = sql.CommandPreparedStatementQuery(prepared_statement_handle=handle)
    return client.get_schema(descriptor(query), options).schema


def roots_transaction(wires: Wires, schema: str) -> object:
    client, options = wires.root.raw()
    begin = pf.Action("BeginTransaction", pack(sql.ActionBeginTransactionRequest()))
    [body] = client.do_action(begin, options)
    number = unpacked(body.body.to_pybytes(), sql.ActionBeginTransactionResult()).transaction_id
    mine, own = wires.eve.raw()
    query = sql.CommandStatementQuery(query="SELECT 1", transaction_id=number)
    return mine.get_flight_info(descriptor(query), own).schema


def set_options(wires: Wires, schema: str) -> object:
    names = ("user", "role", "roles", "groups", "sqe.user", "spark.sql.runSQLOnFiles", "sqe.admin")
    request = options_of(dict.fromkeys(names, "root"))
    [body] = _act(wires, "SetSessionOptions", request.SerializeToString())
    refused = messages.SetSessionOptionsResult.FromString(body).errors
    assert set(refused) == set(names), refused
    return wires.eve.ask(f"SELECT current_user() = 'eve', count(*) FROM {schema}.emp")


def cookie(wires: Wires, schema: str) -> object:
    """The cookie of a session is no credential."""
    return _act(wires, "sqe.WhoAmI", b"", cookie="arrow_flight_session_id=of-root")


def substrait(wires: Wires, schema: str) -> object:
    client, options = wires.eve.raw()
    plan = sql.SubstraitPlan(plan=b"x", version="0")
    return client.get_flight_info(descriptor(sql.CommandStatementSubstraitPlan(plan=plan)), options)


def savepoint(wires: Wires, schema: str) -> object:
    return _act(wires, "BeginSavepoint", b"")


def exchange(wires: Wires, schema: str) -> object:
    client, options = wires.eve.raw()
    query = descriptor(sql.CommandStatementQuery(query=f"SELECT * FROM {schema}.emp"))
    writer, reader = client.do_exchange(query, options)
    with writer:
        return reader.read_all()


def flights(wires: Wires, schema: str) -> object:
    client, options = wires.eve.raw()
    return list(client.list_flights(b"", options))


def many(text: str, *columns: list[Any]) -> Move:
    def run(wires: Wires, schema: str) -> object:
        names = [f"p{number}" for number in range(len(columns))]
        rows = pa.record_batch([pa.array(one) for one in columns], names=names)
        return wires.eve.many(text.format(s=schema), rows)

    return f"{text} -- for each row of {columns}", run


def changes(text: str, *rows: tuple[Any, ...]) -> Move:
    shown = f"executeUpdate: {text} -- for each of {rows}"
    return shown, lambda wires, schema: wires.eve.changed(text.format(s=schema), rows)


def page_of_root(method: str) -> Callable[[Wires, str], object]:
    def steal(wires: Wires, schema: str) -> object:
        page = wires.root_trino.begun(f"SELECT * FROM {schema}.emp")
        path = page["nextUri"].split("/v1/", 1)[1]
        return _answered(*wires.eve_trino.request(method, f"/v1/{path}"))

    return steal


def query_of_root(method: str) -> Callable[[Wires, str], object]:
    def look(wires: Wires, schema: str) -> object:
        page = wires.root_trino.begun(f"SELECT * FROM {schema}.emp")
        return _answered(*wires.eve_trino.request(method, f"/v1/query/{page['id']}"))

    return look


def kill_roots(wires: Wires, schema: str) -> object:
    page = wires.root_trino.begun(f"SELECT * FROM {schema}.emp")
    text = f"CALL system.runtime.kill_query(query_id => '{page['id']}', message => '')"
    return wires.eve_trino.ask(text)


def _answered(status: int, body: bytes) -> str:
    if status != 200:
        raise Refused(f"HTTP {status}", body.decode())
    return body.decode()


def gets(path: str) -> Move:
    """What eve has asked herself she may hear again."""

    def get(wires: Wires, schema: str) -> object:
        wires.root_trino.begun(f"SELECT 'S3CR3T' AS of_root FROM {schema}.emp")
        found = json.loads(_answered(*wires.eve_trino.request("GET", path)))
        if isinstance(found, list):
            found = [one for one in found if one["session"]["user"] != wires.eve.user]
        return found

    return f"GET {path}", get


def forged(text: str, execute: str = "EXECUTE p") -> Move:
    shown = f"X-Trino-Prepared-Statement: p={text} | {execute}"
    return shown, lambda wires, schema: wires.eve_trino.executed(text.format(s=schema), execute)
