"""One user's session."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqe.errors import ErrorCode, UserError
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Column


@dataclass(frozen=True, slots=True)
class TemporaryView:
    """A view that lives in a session. SQE keeps its text and inlines it where it is named."""

    name: str
    text: str  # the query, as the user wrote it
    columns: tuple[Column, ...]  # as analysed when it was made; the names the view answers to
    schema: SchemaName | None  # what unqualified names in the text resolve against
    query_columns: tuple[str, ...] = ()  # the names the query itself gives its columns


# Session properties and the values they take; None is free text. The first value is the default.
PROPERTIES: dict[str, tuple[str, ...] | None] = {
    "sqe.engine": ("auto", "local", "spark"),
    "sqe.partition_overwrite": ("static", "dynamic"),
    "sqe.time_zone": None,
    "sqe.wap_branch": None,
    "sqe.wap_id": None,
}
_DEFAULTS = {
    "sqe.engine": "auto",
    "sqe.partition_overwrite": "static",
    "sqe.time_zone": "UTC",
    "sqe.wap_branch": "",
    "sqe.wap_id": "",
}


class Session:
    """Mutable, and safe to use from several threads: every change takes the lock."""

    def __init__(
        self, identity: Identity, schema: SchemaName, on_close: Callable[[str], None]
    ) -> None:
        self.id = secrets.token_urlsafe(18)
        self._on_close = on_close
        self.identity = identity
        self.created = time.time()
        self.last_used = self.created
        self._lock = threading.RLock()
        self._schema = schema
        self._properties: dict[str, str] = {}
        self._views: dict[str, TemporaryView] = {}

    def close(self) -> None:
        """Ends the session: its queries are cancelled, what engines hold for it is freed."""
        self._on_close(self.id)

    @property
    def schema(self) -> SchemaName:
        return self._schema

    def use(self, schema: SchemaName) -> None:
        with self._lock:
            self._schema = schema

    def property(self, name: str) -> str:
        with self._lock:
            return self._properties.get(name, _DEFAULTS[name])

    def properties(self) -> dict[str, tuple[str, str]]:
        """name -> (value in force, default)."""
        with self._lock:
            return {
                name: (self._properties.get(name, _DEFAULTS[name]), _DEFAULTS[name])
                for name in PROPERTIES
            }

    def set_property(self, name: str, value: str | None) -> None:
        """None resets it. The caller has checked the value."""
        with self._lock:
            if value is None:
                self._properties.pop(name, None)
            else:
                self._properties[name] = value

    def temporary_view(self, name: str) -> TemporaryView | None:
        with self._lock:
            return self._views.get(name.lower())

    def temporary_views(self) -> list[TemporaryView]:
        with self._lock:
            return sorted(self._views.values(), key=lambda view: view.name)

    def keep_view(self, view: TemporaryView, *, replace: bool) -> None:
        with self._lock:
            if view.name.lower() in self._views and not replace:
                raise UserError(
                    ErrorCode.TABLE_ALREADY_EXISTS,
                    f"Temporary view {view.name} already exists.",
                    hint="Use CREATE OR REPLACE TEMPORARY VIEW.",
                )
            self._views[view.name.lower()] = view

    def forget_view(self, name: str) -> bool:
        with self._lock:
            return self._views.pop(name.lower(), None) is not None
