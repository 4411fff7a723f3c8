"""What clients keep of their session, read and written."""

from __future__ import annotations

import base64
from urllib.parse import unquote_plus

import pyarrow as pa
import pytest
from starlette.datastructures import Headers

from sqe.model.query import ClientChanges
from sqe.trino.http.errors import Refusal
from sqe.trino.http.headers import Client, change_headers, client_of

LIMIT = 100_000


def read(*headers: tuple[str, str]) -> Client:
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    return client_of(Headers(raw=raw), LIMIT)


def test_without_headers_everything_is_empty() -> None:
    client = read()
    assert client.state.time_zone == "UTC" and client.state.properties == {}
    assert (client.transaction, client.encodings, client.source) == ("", (), "")


def test_lists_may_be_one_header_or_several() -> None:
    client = read(
        ("X-Trino-Session", "a=1, b=x%2Cy"),
        ("X-Trino-Session", "c=%C3%BC+%3D"),
        ("X-Trino-Client-Capabilities", "path,PARAMETRIC_DATETIME"),
        ("X-Trino-Query-Data-Encoding", "json+zstd, json"),
    )
    assert client.state.properties == {"a": "1", "b": "x,y", "c": "ü ="}
    assert client.state.capabilities == {"PATH", "PARAMETRIC_DATETIME"}
    assert client.encodings == ("json+zstd", "json")


def test_an_empty_session_header_is_no_property() -> None:
    assert read(("X-Trino-Session", "")).state.properties == {}


def test_the_role_is_that_of_the_system() -> None:
    client = read(("X-Trino-Role", "system=ROLE%7Badmin%7D,hive=ALL"))
    assert client.state.role == "ROLE{admin}"


@pytest.mark.parametrize(("sent", "meant"), [("NONE", ""), ("none", ""), ("abc-1", "abc-1")])
def test_a_transaction_is_named_or_none(sent: str, meant: str) -> None:
    assert read(("X-Trino-Transaction-Id", sent)).transaction == meant


@pytest.mark.parametrize(
    "header",
    [
        ("X-Trino-Session", "novalue"),
        ("X-Trino-Session", "=x"),
        ("X-Trino-Session", "a=%FF%FE"),
        ("X-Trino-Prepared-Statement", "p"),
        ("X-Trino-Prepared-Statement", "p=%24zstd%3Anonsense"),
        ("X-Trino-Prepared-Statement", "p=%24zstd%3AAAAA"),
    ],
)
def test_what_is_not_understood_is_refused(header: tuple[str, str]) -> None:
    with pytest.raises(Refusal) as raised:
        read(header)
    assert raised.value.status == 400 and header[0] in raised.value.text


def test_names_in_utf8_are_understood() -> None:
    sent = "größe".encode().decode("latin-1")
    assert read(("X-Trino-Schema", sent)).state.schema == "größe"


def test_every_change_has_its_header() -> None:
    changes = ClientChanges(
        catalog="lake",
        schema="größe",
        path="a.b",
        role="ROLE{admin}",
        set_properties={"query_max_run_time": "10 m~*"},
        reset_properties=("x",),
        added_prepared={"p 1": "SELECT *\nFROM t"},
        dropped_prepared=("q",),
        started_transaction="t1",
        ended_transaction=True,
        authorization_user="bob",
        reset_authorization_user=True,
    )
    assert dict(change_headers(changes)) == {
        "X-Trino-Set-Catalog": "lake",
        "X-Trino-Set-Schema": "gr%C3%B6%C3%9Fe",
        "X-Trino-Set-Path": "a.b",
        "X-Trino-Set-Role": "system=ROLE%7Badmin%7D",
        "X-Trino-Set-Session": "query_max_run_time=10+m%7E*",
        "X-Trino-Clear-Session": "x",
        "X-Trino-Added-Prepare": "p+1=SELECT+*%0AFROM+t",
        "X-Trino-Deallocated-Prepare": "q",
        "X-Trino-Started-Transaction-Id": "t1",
        "X-Trino-Clear-Transaction-Id": "true",
        "X-Trino-Set-Authorization-User": "bob",
        "X-Trino-Reset-Authorization-User": "true",
    }
    assert change_headers(ClientChanges()) == []


def test_a_long_prepared_statement_travels_compressed() -> None:
    text = "SELECT '" + "x" * 50_000 + "'"
    [(name, value)] = change_headers(ClientChanges(added_prepared={"p": text}))
    assert name == "X-Trino-Added-Prepare" and len(value) < 1_000
    assert unquote_plus(value).startswith("p=$zstd:")
    assert read(("X-Trino-Prepared-Statement", value)).state.prepared == {"p": text}


def test_a_bomb_is_not_unpacked() -> None:
    raw = pa.compress(b"x" * 50_000_000, codec="zstd", asbytes=True)
    sent = "p=%24zstd%3A" + base64.b64encode(raw).decode().replace("+", "%2B")
    with pytest.raises(Refusal):
        read(("X-Trino-Prepared-Statement", sent))
