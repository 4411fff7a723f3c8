"""What is sent to a catalog, and what is made of what comes back."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from sqe.catalog.protocol import Ident
from sqe.errors import ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from tests.unit.catalog.remote.serving import (
    Reply,
    Script,
    error,
    lake,
    person,
)

ANN = person("ann")
EMP = Ident(("hr", "eu"), "emp")
TABLE = b'{"metadata-location": "s3://w/1.json", "metadata": {"location": "s3://w/t"}}'


def reply(body: object, **headers: str) -> Reply:
    return Reply(200, json.dumps(body).encode(), headers)


def plain(method: str, path: str) -> Reply:
    return Reply(200, TABLE)


def test_the_configuration_says_how_to_ask() -> None:
    config = {
        "defaults": {"prefix": "not this one", "namespace-separator": "%1F"},
        "overrides": {"prefix": "main|lake", "namespace-separator": "%2E"},
    }
    with lake(plain, ANN, reply(config), warehouse="my lake") as (there, catalog):
        catalog.load_table(EMP)
    paths = [path for _, path, _ in there.seen]
    assert paths == [
        "/v1/config?warehouse=my+lake",
        "/v1/main%7Clake/namespaces/hr.eu/tables/emp",
    ]


def test_nothing_else_of_the_configuration_has_an_effect() -> None:
    """It could send tokens elsewhere, or lend everyone the same keys."""
    elsewhere = {"uri": "http://elsewhere.test", "token": "root", "s3.access-key-id": "AK"}
    config = {"defaults": elsewhere, "overrides": {**elsewhere, "header.X-Who": "root"}}
    with lake(plain, ANN, reply(config)) as (there, catalog):
        loaded = catalog.load_table(EMP)
    assert loaded.config == {} and loaded.storage_credentials == ()
    _, path, headers = there.seen[-1]
    assert path.startswith("/v1/namespaces/") and headers["authorization"] == "Bearer ann"
    assert "x-who" not in headers


def test_headers_and_delegation_are_sent() -> None:
    realm = {"Polaris-Realm": Secret("eu")}
    delegation = "vended-credentials"
    with lake(plain, ANN, headers=realm, delegation=delegation) as (there, catalog):
        catalog.load_table(EMP)
        catalog.create_table(("hr",), {"name": "x"})
    assert {headers["polaris-realm"] for _, _, headers in there.seen} == {"eu"}
    asked = [headers.get("x-iceberg-access-delegation") for _, _, headers in there.seen]
    # The configuration, the table, the place of the schema, the new table.
    assert asked == [None, "vended-credentials", None, "vended-credentials"]


@pytest.mark.parametrize("location", ["file:///etc", "/etc", "", "FILE:/etc"])
def test_a_table_on_this_machines_disk_is_not_one_of_a_remote_catalog(location: str) -> None:
    """Whoever can give a table a location could read and write SQE's own files."""
    answer = reply({"metadata-location": "s3://w/1.json", "metadata": {"location": location}})
    with lake(lambda *_: answer, ANN, delegation="vended-credentials") as (_, catalog):
        with pytest.raises(SqeError) as refused:
            catalog.load_table(EMP)
        with pytest.raises(SqeError) as also:
            catalog.create_table(("hr",), {"name": "x", "location": location})
    codes = (refused.value.code, also.value.code)
    assert codes == (ErrorCode.ACCESS_DENIED, ErrorCode.ACCESS_DENIED)


def test_the_token_is_exchanged_for_the_catalogs_audience() -> None:
    def exchange(token: Token, audience: str) -> Token:
        return Token(Secret(f"{token.value.reveal()} for {audience}"))

    ann = Identity("ann", passport=Passport(Token(Secret("hers")), "monday", exchange))
    with lake(plain, ann, audience="polaris") as (there, catalog):
        catalog.load_table(EMP)
    assert {headers["authorization"] for _, _, headers in there.seen} == {"Bearer hers for polaris"}


def test_metadata_are_the_catalogs_own_bytes() -> None:
    metadata = '{ "location" : "s3://w/ü", "n": 1e2, "big": 123456789012345678901, "unknown": [ ] }'
    body = f' {{"config": {{"a": "b"}}, "metadata" : {metadata} ,"x": null}} '
    with lake(lambda method, path: Reply(200, body.encode()), ANN) as (_, catalog):
        loaded = catalog.load_table(EMP)
    assert loaded.metadata_json == metadata.encode()
    assert loaded.metadata == json.loads(metadata)
    assert loaded.config == {"a": "b"} and loaded.metadata_location is None


def test_keys_do_not_show() -> None:
    body = {
        "metadata": {},
        "config": {"s3.secret-access-key": "hunter2"},
        "storage-credentials": [{"prefix": "s3://w", "config": {"s3.session-token": "hunter2"}}],
    }
    with lake(lambda method, path: reply(body), ANN) as (_, catalog):
        loaded = catalog.load_table(EMP)
    assert loaded.config["s3.secret-access-key"] == "hunter2"
    assert "hunter2" not in repr(loaded)


def test_lists_come_in_pages() -> None:
    def script(method: str, path: str) -> Reply:
        page = int(parse_qs(urlsplit(path).query).get("pageToken", ["0"])[0])
        names = [{"namespace": ["hr"], "name": f"t{page}"}]
        return reply({"identifiers": names, "next-page-token": str(page + 1) if page < 3 else None})

    with lake(script, ANN) as (_, catalog):
        assert catalog.list_tables(("hr",)) == ["t0", "t1", "t2", "t3"]


def test_a_list_that_turns_in_circles_ends() -> None:
    body = {"identifiers": [{"namespace": [], "name": "t"}], "next-page-token": "again"}
    with lake(lambda method, path: reply(body), ANN) as (_, catalog):
        assert catalog.list_tables(("hr",)) == ["t", "t"]


def test_of_namespaces_only_the_next_level_is_listed() -> None:
    found = {"namespaces": [["hr"], ["hr", "eu"], ["hr", "eu", "x"], ["it", "eu"]]}
    with lake(lambda method, path: reply(found), ANN) as (there, catalog):
        assert catalog.list_namespaces(("hr",)) == [("hr", "eu")]
        assert catalog.list_namespaces() == [("hr",)]
    assert parse_qs(urlsplit(there.seen[1][1]).query)["parent"] == ["hr"]


def test_what_a_catalog_does_not_have_is_not_asked_for() -> None:
    config = {"endpoints": ["GET /v1/{prefix}/namespaces"]}
    with lake(lambda method, path: Reply(500), ANN, reply(config)) as (there, catalog):
        assert catalog.list_views(("hr",)) == []
        with pytest.raises(SqeError) as view:
            catalog.load_view(EMP)
        with pytest.raises(SqeError) as several:
            catalog.commit_transaction({"table-changes": []})
    assert view.value.code is ErrorCode.VIEW_NOT_FOUND
    assert several.value.code is ErrorCode.NOT_SUPPORTED
    assert len(there.seen) == 1


def keyed(keys: object) -> Script:
    """A catalog without views, and without an address for credentials unless ``keys`` are some."""

    def script(method: str, path: str) -> Reply:
        if not path.endswith("/credentials"):
            config = {"s3.access-key-id": "AK", "s3.secret-access-key": "SK", "x": "y"}
            return reply({"metadata": {"location": "s3://w/t"}, "config": config}, etag='"1"')
        return reply({"storage-credentials": keys}) if keys else error(404, "NotFoundException")

    return script


def test_keys_are_renewed_where_the_catalog_says() -> None:
    new = [{"prefix": "s3://w/t", "config": {"s3.access-key-id": "new"}}]
    with lake(keyed(new), ANN) as (_, catalog):
        assert catalog.load_credentials(EMP) == tuple(new)


def test_or_with_the_table_which_is_then_loaded_anew() -> None:
    with lake(keyed(None), ANN) as (there, catalog):
        catalog.load_table(EMP)
        [found] = catalog.load_credentials(EMP)
    assert found["prefix"] == "s3://w/t"
    assert found["config"] == {"s3.access-key-id": "AK", "s3.secret-access-key": "SK"}
    assert "if-none-match" not in there.seen[-1][2]


SIGNER = {"s3.signer.uri": "", "s3.signer.endpoint": "v1/sign/emp"}


def test_a_request_is_signed_with_the_users_token() -> None:
    answer = reply(
        {"uri": "https://s3.test/w/1", "headers": {"Authorization": ["AWS4"], "X": ["a", "b"]}},
        cache_control="private",
    )
    with lake(lambda method, path: answer, ANN) as (there, catalog):
        signed = catalog.sign(EMP, SIGNER, {"method": "GET"})
    assert (signed.uri, signed.reusable) == ("https://s3.test/w/1", True)
    assert signed.headers == {"Authorization": "AWS4", "X": "a,b"}
    method, path, headers = there.seen[-1]
    assert (method, path) == ("POST", "/v1/sign/emp")
    assert headers["authorization"] == "Bearer ann"


@pytest.mark.parametrize(
    "signer",
    [
        {"s3.signer.uri": "http://elsewhere.test"},
        {"s3.signer.endpoint": "//elsewhere.test/sign"},
        {"s3.signer.endpoint": "https://elsewhere.test/sign"},
        {"s3.signer.uri": "http://127.0.0.1:1"},
        {"s3.signer.endpoint": ""},
    ],
)
def test_a_table_cannot_send_tokens_elsewhere(signer: dict[str, str]) -> None:
    with lake(plain, ANN) as (there, catalog), pytest.raises(SqeError) as refused:
        catalog.sign(EMP, {**SIGNER, **signer}, {"method": "GET"})
    assert refused.value.code in (ErrorCode.ACCESS_DENIED, ErrorCode.NOT_SUPPORTED)
    assert there.seen == []
