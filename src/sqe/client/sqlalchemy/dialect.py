"""The dialect's two forms: a home in this process, and a server.

sqe://                                               the usual home
sqe:///relative/home, sqe:////absolute/home          another one; ?create=true makes it
sqe+flight://user:password@host:port/catalog/schema  a server; ?tls=true, tls_ca=…, plaintext=true
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from sqlalchemy import URL, exc

import sqe.client
from sqe.client.sqlalchemy.compiler import SqeCompiler, SqeDDLCompiler, SqeIdentifierPreparer
from sqe.client.sqlalchemy.reflection import Reflection
from sqe.client.sqlalchemy.types import SqeTypeCompiler

_GONE = ("SERVER_UNAVAILABLE", "SESSION_NOT_FOUND", "SESSION_EXPIRED")
_HERE = ("localhost", "127.0.0.1", "::1")
_QUERY = ("tls", "tls_ca", "tls_cert", "tls_key", "tls_host", "plaintext")


class SqeDialect(Reflection):
    name = "sqe"
    default_paramstyle = "qmark"
    supports_statement_cache = True
    supports_native_boolean = True
    supports_native_decimal = True
    supports_multivalues_insert = True
    supports_default_values = False
    supports_sequences = False
    supports_alter = False
    supports_comments = True
    inline_comments = True
    supports_sane_rowcount = False  # -1 where the engine does not count exactly
    supports_sane_multi_rowcount = False
    postfetch_lastrowid = False
    insert_returning = update_returning = delete_returning = False
    max_identifier_length = 255
    statement_compiler = SqeCompiler
    ddl_compiler = SqeDDLCompiler
    type_compiler_cls = SqeTypeCompiler
    preparer = SqeIdentifierPreparer  # type: ignore[assignment]

    @classmethod
    def import_dbapi(cls) -> ModuleType:
        return sqe.client

    def do_rollback(self, dbapi_connection: Any) -> None:
        """Nothing is open: every statement is committed when it has run."""

    def is_disconnect(self, e: Any, connection: Any, cursor: Any) -> bool:
        return getattr(e, "code", "") in _GONE

    def _get_default_schema_name(self, connection: Any) -> str:
        driver: sqe.client.Connection = connection.connection.driver_connection
        return ".".join(driver.transport.schema().path)


class EmbeddedDialect(SqeDialect):
    driver = "embedded"
    supports_statement_cache = True

    def create_connect_args(self, url: URL) -> Any:
        if url.host or url.username or url.password:
            raise exc.ArgumentError("A home is a path, sqe:///path; a server is sqe+flight://.")
        options: dict[str, Any] = dict(url.query)
        if "create" in options:
            options["create"] = _yes(options["create"])
        return ([url.database or None], options)


class FlightDialect(SqeDialect):
    driver = "flight"
    supports_statement_cache = True

    def create_connect_args(self, url: URL) -> Any:
        unknown = [name for name in url.query if name not in _QUERY]
        if unknown or not url.host:
            raise exc.ArgumentError(
                "The URL is sqe+flight://user:password@host:port/catalog/schema, and may say "
                f"{', '.join(_QUERY)} behind a question mark."
            )
        options: dict[str, Any] = {k: v for k, v in url.query.items() if k.startswith("tls_")}
        options["plaintext"] = _yes(url.query.get("plaintext", "false"))
        tls = _yes(url.query.get("tls", "false" if url.host in _HERE else "true"))
        host = f"[{url.host}]" if ":" in url.host else url.host
        port = f":{url.port}" if url.port else ""
        catalog, _, schema = (url.database or "").partition("/")
        options.update(
            user=url.username, password=url.password, catalog=catalog or None, schema=schema or None
        )
        return ([f"grpc+{'tls' if tls else 'tcp'}://{host}{port}"], options)


def _yes(value: Any) -> bool:
    if str(value).lower() in ("true", "1", "yes"):
        return True
    if str(value).lower() in ("false", "0", "no"):
        return False
    raise exc.ArgumentError("tls, plaintext and create are true or false.")
