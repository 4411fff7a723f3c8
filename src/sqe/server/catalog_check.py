"""Tries what a catalog is used for, step by step, as one user: which step fails, and why."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from sqe.auth.configured import AuthParts, authenticators
from sqe.auth.protocol import Bearer
from sqe.catalog.catalog_type import CatalogFacts
from sqe.catalog.configured import no_such_catalog
from sqe.catalog.protocol import Catalog, Ident, Json, Loaded, Namespace
from sqe.engines.local.table_trial import TableTrial
from sqe.errors import AccessError, ErrorCode, SqeError
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token
from sqe.server.attached import settings_with_attached
from sqe.server.catalogs import facts_of, make_catalog
from sqe.server.options import prepare_home
from sqe.settings import Settings

_SCHEMAS, _TABLES = 50, 10  # at most: it is a trial, not a tour
_NO_SCHEMA = ("sqe_probe",)
_LOGIN = (ErrorCode.AUTHENTICATION_FAILED, ErrorCode.TOKEN_EXPIRED, ErrorCode.ISSUER_UNAVAILABLE)
_ANSWERED = (ErrorCode.SCHEMA_NOT_FOUND, ErrorCode.ACCESS_DENIED)
_ABSENT = "it is not there"
_SCHEMA: Json = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "id", "type": "long", "required": False}],
}


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """``error``: why it failed. A step without one that is not ok could not be tried."""

    name: str
    state: Literal["ok", "warn", "fail"]
    text: str
    todo: str = ""
    error: SqeError | None = None


@dataclass(frozen=True, slots=True)
class CatalogTrial:
    """What to try, and as whom: the owner of the ``token``, or else ``user``. ``table`` instead of
    the first that is found; ``scratch``: the schema in which a table is made and dropped, if any.
    """

    name: str
    user: str
    token: Secret | None = None
    table: tuple[str, ...] | None = None
    scratch: Namespace | None = None

    @property
    def ident(self) -> Ident | None:
        return Ident(self.table[:-1], self.table[-1]) if self.table else None


class _Failed(Exception):
    """The steps after this one cannot be tried."""

    def __init__(self, step: str, error: SqeError) -> None:
        super().__init__(step)
        self.step = CheckedStep(step, "fail", error.message, error.hint, error)


def try_catalog(settings: Settings, trial: CatalogTrial) -> Iterator[CheckedStep]:
    """The steps in order; the first that fails is the last, but that the scratch table is tried
    whenever the user is let in. CATALOG_NOT_FOUND for a name that is not configured."""
    settings = settings_with_attached(settings)
    facts = facts_of(settings).get(trial.name)
    if facts is None:
        raise no_such_catalog(trial.name, settings.catalogs)
    try:
        with _step("reach"):
            prepare_home(settings.home)
            made = make_catalog(settings, trial.name)
        with closing(made), _login(settings, trial) as identity:
            if facts.takes_token and identity.passport is None:
                raise _Failed("login", _no_token())
            catalog = made.open(identity)
            yield from _enter(catalog, facts)
            try:
                yield from _read(catalog, trial.ident)
            except _Failed as failed:
                yield failed.step
            if trial.scratch is not None:
                yield from _write(catalog, trial.scratch)
    except _Failed as failed:
        yield failed.step


@contextmanager
def _step(name: str) -> Iterator[None]:
    try:
        yield
    except SqeError as error:
        raise _Failed(name, error) from None


@contextmanager
def _login(settings: Settings, trial: CatalogTrial) -> Iterator[Identity]:
    """Whose token it is, by the settings, as a server would find out; where they name no issuer
    the catalog alone judges it."""
    token = trial.token
    if token is None:
        yield Identity(trial.user)
        return
    if not settings.auth.oidc:
        yield Identity(trial.user, passport=Passport(Token(token), "sqe catalog test"))
        return
    from sqe.auth.oidc.oidc import Oidc

    with closing(Oidc(settings.auth.oidc)) as issuers:
        known = authenticators(settings.auth, AuthParts(settings.home, oidc=issuers))
        with _step("login"):
            identity = known.identify(Bearer(token))
        yield identity


def _no_token() -> AccessError:
    return AccessError(
        ErrorCode.AUTHENTICATION_FAILED,
        "The catalog must be shown a token of yours, and there is none.",
        hint="Give one of its identity provider with --token-file.",
    )


def _enter(catalog: Catalog, facts: CatalogFacts) -> Iterator[CheckedStep]:
    """One call: the error says how far it came."""
    where = facts.address or "in SQE itself"
    try:
        catalog.list_namespaces(_NO_SCHEMA)
    except SqeError as error:
        if error.code in _LOGIN:
            raise _Failed("login", error) from None
        if error.code not in _ANSWERED:
            raise _Failed("reach", error) from None
    yield CheckedStep("reach", "ok", where)
    yield CheckedStep("login", "ok", f"identity: {facts.identity}")


def _read(catalog: Catalog, wanted: Ident | None) -> Iterator[CheckedStep]:
    try:
        with _step("list"):
            namespaces = catalog.list_namespaces()
    except _Failed as failed:
        if wanted is None:
            raise
        yield failed.step  # who may not list may load all the same
    else:
        yield CheckedStep("list", "ok", f"{len(namespaces)} schemas")
        if wanted is None and not namespaces:
            yield _skip("load", "there is no schema that you may see")
            return
    with _step("load"):
        chosen = _choose(catalog, [wanted] if wanted else _idents(catalog, namespaces))
    if chosen is None:
        yield _skip("load", f"there is no table in the first {_SCHEMAS} schemas")
        return
    ident, loaded = chosen
    yield CheckedStep("load", "ok", str(ident))
    with closing(TableTrial(catalog, ident, loaded)) as files:
        if not files.possible:
            yield _skip("vend", f"files under {loaded.scheme}: are for Spark alone")
            return
        with _step("vend"):
            access = files.take_access()
        yield CheckedStep("vend", "ok", access)
        with _step("read"):
            file = files.read_byte()
    if file is None:
        yield _skip("read", f"{ident} has no data files")
    else:
        yield CheckedStep("read", "ok", f"the first byte of {file}")


def _skip(step: str, text: str) -> CheckedStep:
    return CheckedStep(step, "warn", f"not tried: {text}", "Name a table with rows with --table.")


def _idents(catalog: Catalog, namespaces: list[Namespace]) -> Iterator[Ident]:
    for namespace in namespaces[:_SCHEMAS]:
        try:
            names = catalog.list_tables(namespace)
        except SqeError as error:
            if error.code not in _ANSWERED:
                raise
            continue
        yield from (Ident(namespace, name) for name in names)


def _choose(catalog: Catalog, idents: Iterator[Ident] | list[Ident]) -> tuple[Ident, Loaded] | None:
    """The first with rows; else the first that can be loaded. Its error, if none can."""
    empty: tuple[Ident, Loaded] | None = None
    refusal: SqeError | None = None
    for ident in islice(idents, _TABLES):
        try:
            loaded = catalog.load_table(ident)
        except SqeError as error:
            refusal = refusal or error
            continue
        if loaded.metadata.get("current-snapshot-id") not in (None, -1):
            return ident, loaded
        empty = empty or (ident, loaded)
    if empty is None and refusal is not None:
        raise refusal
    return empty


def _write(catalog: Catalog, schema: Namespace) -> Iterator[CheckedStep]:
    """A table whose create failed may be there all the same: it is dropped, too."""
    ident = Ident(schema, f"sqe_test_{secrets.token_hex(4)}")
    try:
        with _step("create"):
            catalog.create_table(schema, {"name": ident.name, "schema": _SCHEMA})
    except _Failed as failed:
        error = failed.step.error
        if error is not None and error.code is ErrorCode.TABLE_ALREADY_EXISTS:
            yield failed.step  # somebody else's
            return
        left = _drop(catalog, ident)
        yield failed.step
        if left.state == "ok" and left.text == _ABSENT:
            return
        if not (
            isinstance(error, AccessError) and isinstance(left.error, AccessError)
        ):  # then nothing was made
            yield left
        return
    dropped = _drop(catalog, ident)  # before anything is told: who listens may be gone
    yield CheckedStep("create", "ok", str(ident))
    yield dropped


def _drop(catalog: Catalog, ident: Ident) -> CheckedStep:
    """With its files, where the catalog lets users remove them."""
    try:
        try:
            catalog.drop_table(ident, purge=True)
        except AccessError:
            catalog.drop_table(ident)
            return CheckedStep("drop", "ok", "the catalog keeps its metadata file")
    except SqeError as error:
        if error.code in (ErrorCode.TABLE_NOT_FOUND, ErrorCode.SCHEMA_NOT_FOUND):
            return CheckedStep("drop", "ok", _ABSENT)
        todo = f"{error.hint} Drop {ident} later.".strip()
        return CheckedStep("drop", "fail", error.message, todo, error)
    return CheckedStep("drop", "ok", "with its files")
