"""Loads of tables: what is kept is shown to its owner again only if the catalog says it holds."""

from __future__ import annotations

import time

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.remote.answers import loaded_of, object_of
from sqe.catalog.remote.asking import Build, ask
from sqe.catalog.remote.caller import CatalogClient, Request
from sqe.catalog.remote.errors import Act
from sqe.catalog.remote.keys import credentials_of, good_until
from sqe.catalog.remote.paths import Paths
from sqe.catalog.remote.service import KeptTable
from sqe.errors import AccessError, ErrorCode, SqeError
from sqe.http.client import Answer
from sqe.model.observer import CredentialsOutcome

_SHORTEST_S = 300.0  # keys with less to live are not given to another statement
# What catalogs say that do not have the address at all.
_NO_SUCH_ADDRESS = (
    ErrorCode.INVALID_ARGUMENT,
    ErrorCode.NOT_SUPPORTED,
    ErrorCode.SCHEMA_NOT_FOUND,
    ErrorCode.TABLE_NOT_FOUND,
)


def elsewhere(caller: CatalogClient, loaded: Loaded) -> Loaded:
    """The table, if it is not on a disk: ``file:`` would be this machine's, and whoever can give a
    table a location could read and write there. Open catalogs in tests say ``none``."""
    if loaded.on_disk and caller.service.options.delegation:
        raise AccessError(
            ErrorCode.ACCESS_DENIED,
            "The catalog says that the table is on a disk of this machine; SQE reads none there.",
            hint="Its location must be in a store whose keys the catalog gives out, as s3:.",
        )
    return loaded


def delegation(caller: CatalogClient) -> dict[str, str]:
    mode = caller.service.options.delegation
    return {"x-iceberg-access-delegation": mode} if mode else {}


def load_table(caller: CatalogClient, ident: Ident, *, anew: bool = False) -> Loaded:
    """The table of this moment. A catalog that names states of tables (ETag) is asked whether the
    one that is kept for this user still is the table; its rights are checked by that, too.
    ``anew``: with new keys."""
    tables, key = caller.service.tables, (caller.who, ident)
    kept = None if anew else tables.get(key)
    if kept is not None and not _keys_last(kept, caller.service.options.cache_s):
        kept = None
    headers = delegation(caller)
    if kept is not None:
        headers["if-none-match"] = kept.etag

    def read(answer: Answer) -> Loaded:
        if answer.status == 304:
            if kept is None:
                raise ValueError("a table that was never sent")
            return kept.loaded
        loaded = elsewhere(caller, loaded_of(answer))
        _note_credentials(caller, loaded)
        etag = answer.headers.get("etag")
        if etag:
            tables.put(key, KeptTable(etag, loaded, time.time()))
        return loaded

    return ask(
        caller, _load(ident), lambda p: Request("GET", p.table(ident), headers=headers), read
    )


def _load(ident: Ident) -> Act:
    return Act(f"load {ident}", *_names(ident), absent=ErrorCode.TABLE_NOT_FOUND, looks=True)


def _names(ident: Ident) -> tuple[tuple[str, ...], str]:
    return ident.namespace, ident.name


def _keys_last(kept: KeptTable, unknown_s: float) -> bool:
    """Whether the keys that came with the table are good for a while: "not modified" brings no
    new ones."""
    end = good_until(kept.loaded, kept.since + unknown_s + _SHORTEST_S)
    return end is None or end - time.time() > _SHORTEST_S


def load_credentials(caller: CatalogClient, ident: Ident) -> tuple[Json, ...]:
    """New keys. A catalog that has no address for that sends some with the table."""
    act = Act(f"renew the keys to {ident}", *_names(ident), absent=ErrorCode.TABLE_NOT_FOUND)

    def address(paths: Paths) -> Request:
        return Request("GET", f"{paths.table(ident)}/credentials")

    outcome = CredentialsOutcome.REFUSED
    try:
        credentials = _ask_for_new(caller, act, address, ident)
        if credentials:
            outcome = CredentialsOutcome.RENEWED
        return credentials
    finally:
        caller.service.observer.note_credentials(outcome)


def _ask_for_new(caller: CatalogClient, act: Act, address: Build, ident: Ident) -> tuple[Json, ...]:
    try:
        return ask(caller, act, address, _credentials)
    except SqeError as error:
        if error.code not in _NO_SUCH_ADDRESS:
            raise
    return credentials_of(load_table(caller, ident, anew=True))


def _note_credentials(caller: CatalogClient, loaded: Loaded) -> None:
    """Of a table that came anew, from a catalog that was asked for keys to its files."""
    if caller.service.options.delegation:
        has_keys = good_until(loaded, unknown=0.0) is not None
        outcome = CredentialsOutcome.VENDED if has_keys else CredentialsOutcome.REFUSED
        caller.service.observer.note_credentials(outcome)


def _credentials(answer: Answer) -> tuple[Json, ...]:
    credentials = object_of(answer).get("storage-credentials") or []
    if not isinstance(credentials, list) or not all(
        isinstance(credential, dict) for credential in credentials
    ):
        raise ValueError("no list of credentials")
    return tuple(credentials)
