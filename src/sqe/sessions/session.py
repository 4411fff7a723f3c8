"""One user's session."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.functions import SqlFunction
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.passport import login_expired
from sqe.model.query import EMBEDDED, Column, QueryOrigin
from sqe.model.variables import (
    MOST_VARIABLES,
    ScriptBlock,
    SessionVariable,
    Variables,
    variable_not_found,
)
from sqe.sessions.spark_settings import SPARK_SETTINGS, SparkSetting


@dataclass(frozen=True, slots=True)
class TemporaryView:
    """A view that lives in a session. SQE keeps its text and inlines it where it is named."""

    name: str
    text: str  # the query, as the user wrote it
    columns: tuple[Column, ...]  # as analysed when it was made; the names the view answers to
    schema: SchemaName | None  # what unqualified names in the text resolve against
    query_columns: tuple[str, ...] = ()  # the names the query itself gives its columns


# Session properties and the values they take; None is free text. The first value is the default.
# Beside them, a session has the settings of Spark that are in ``spark_settings``, by their names.
PROPERTIES: dict[str, tuple[str, ...] | None] = {
    "sqe.engine": ("auto", "local", "spark"),
    "sqe.partition_overwrite": ("static", "dynamic"),
    "sqe.result_cache": ("on", "off"),
    "sqe.time_zone": None,
    "sqe.wap_branch": None,
    "sqe.wap_id": None,
}
# Those of the script that this thread runs, the innermost last (decision 0046).
_BLOCKS: ContextVar[tuple[ScriptBlock, ...]] = ContextVar("blocks", default=())
_BY_ITSELF = (ErrorCode.SESSION_EXPIRED, ErrorCode.TOKEN_EXPIRED)
_DEFAULTS = {
    "sqe.engine": "auto",
    "sqe.partition_overwrite": "static",
    "sqe.result_cache": "on",
    "sqe.time_zone": "UTC",
    "sqe.wap_branch": "",
    "sqe.wap_id": "",
}


class Session:
    """Mutable, and safe to use from several threads: every change takes the lock."""

    def __init__(
        self,
        identity: Identity,
        schema: SchemaName,
        on_close: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        origin: QueryOrigin = EMBEDDED,
    ) -> None:
        self.id = secrets.token_urlsafe(18)
        self.origin = origin  # of statements that do not say theirs
        self._on_close = on_close
        self.identity = identity
        self._lock = threading.RLock()
        self._clock = clock
        self._opened = self._used = clock()
        self._busy = 0
        self._ending: SqeError | None = None
        self._login_over_since: float | None = None
        self._schema = schema
        self._properties: dict[str, str] = {}
        self._views: dict[str, TemporaryView] = {}
        self._variables: dict[str, SessionVariable] = {}
        self._functions: dict[str, SqlFunction] = {}

    def close(self) -> None:
        """Ends the session: its queries are cancelled, what engines hold for it is freed."""
        self._on_close(self.id)

    @property
    def ended(self) -> bool:
        """Closed, or expired."""
        return self._ending is not None

    @property
    def expiry(self) -> SqeError | None:
        """Why it ended by itself; None if it is open or somebody closed it."""
        by_itself = self._ending is not None and self._ending.code in _BY_ITSELF
        return self._ending if by_itself else None

    def check(self) -> None:
        """Raises if nothing can be done in it: TOKEN_EXPIRED, SESSION_EXPIRED or
        SESSION_NOT_FOUND."""
        if self._ending is not None:
            raise self._ending
        if self.login_over:
            raise login_expired()

    @property
    def login_over(self) -> bool:
        """What its user has shown is not good any more. A newer token may make it good again."""
        identity = self.identity
        if identity.passport is not None and identity.passport.expired:
            return True
        try:
            return identity.standing is not None and not identity.standing()
        except Exception:  # noqa: BLE001  who cannot be asked has not said yes
            return True

    def login_over_for(self) -> float | None:
        """Seconds since somebody first asked this while it was over; for ever, if nothing can make
        it good again; None while it is good."""
        with self._lock:
            if not self.login_over:
                self._login_over_since = None
                return None
            if self.identity.passport is None or self.identity.passport.ended:
                return float("inf")
            now = self._clock()
            if self._login_over_since is None:
                self._login_over_since = now
            return now - self._login_over_since

    def end(self, why: Callable[[Session], SqeError | None]) -> bool:
        """True for the call that ended it. ``why`` answers what to tell, or None to let it go on;
        it is asked while no query can begin. The store's to call: it frees what is held."""
        with self._lock:
            if self._ending is not None:
                return False
            self._ending = why(self)
            return self._ending is not None

    def begin(self) -> None:
        """A query begins: until its ``end_use`` the session is not idle."""
        with self._lock:
            self.check()
            self._busy += 1
            self._used = self._clock()

    def end_use(self) -> None:
        with self._lock:
            self._busy -= 1
            self._used = self._clock()

    @contextmanager
    def busy(self) -> Iterator[None]:
        self.begin()
        try:
            yield
        finally:
            self.end_use()

    @property
    def running(self) -> bool:
        """A query runs in it."""
        return self._busy > 0

    @property
    def age(self) -> float:
        """Seconds since it was opened."""
        return self._clock() - self._opened

    @property
    def idle(self) -> float:
        """Seconds since its last query ended; 0 while one runs."""
        with self._lock:
            return 0.0 if self._busy else self._clock() - self._used

    @property
    def schema(self) -> SchemaName:
        return self._schema

    def use(self, schema: SchemaName) -> None:
        with self._lock:
            self._schema = schema

    @property
    def variables(self) -> Variables:
        """As they are now; those of a script hide the session's."""
        with self._lock:
            variables = dict(self._variables)
        for block in _BLOCKS.get():
            variables |= block.visible()
        return variables

    @contextmanager
    def block_of_script(
        self, label: str, variables: Iterable[SessionVariable] = ()
    ) -> Iterator[None]:
        """What this thread declares meanwhile is gone behind it, and nobody else sees it."""
        token = _BLOCKS.set((*_BLOCKS.get(), ScriptBlock(label)))
        try:
            self.keep_variables(variables, replace=False, new=True)
            yield
        finally:
            _BLOCKS.reset(token)

    @property
    def spark_settings(self) -> dict[str, str]:
        """Those of Spark's settings that were set."""
        with self._lock:
            return {k: v for k, v in self._properties.items() if k not in PROPERTIES}

    @property
    def changed_answers(self) -> tuple[SparkSetting, ...]:
        """Settings that were set and may change what a query answers."""
        settings = (SPARK_SETTINGS[name.lower()] for name in sorted(self.spark_settings))
        return tuple(setting for setting in settings if setting.changes is not None)

    def property(self, name: str) -> str:
        """Of a setting of Spark's: empty, if the session has not set it."""
        with self._lock:
            return self._properties.get(name, _DEFAULTS.get(name, ""))

    def properties(self) -> dict[str, tuple[str, str]]:
        """name -> (value in force, default). Of Spark's settings, those that were set."""
        with self._lock:
            names = {*PROPERTIES, *self._properties}
            return {
                name: (self._properties.get(name, default), default)
                for name in names
                for default in [_DEFAULTS.get(name, "")]
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

    def keep_variables(
        self, variables: Iterable[SessionVariable], *, replace: bool, new: bool
    ) -> None:
        """All of them or none. ``new``: they are declared; else they must be there. A script
        declares in its innermost block."""
        kept = {variable.name.lower(): variable for variable in variables}
        blocks = _BLOCKS.get()
        if new and blocks:
            for name in kept.keys() & self._variables.keys():
                raise UserError(
                    ErrorCode.NOT_SUPPORTED,
                    f"A script's variable that hides the session's {name} is not supported.",
                    hint="Give it another name.",
                )
            blocks[-1].declare(kept)
            return
        for block in reversed(blocks):
            kept = block.change(kept)
        with self._lock:
            for name, variable in kept.items():
                if new and name in self._variables and not replace:
                    raise UserError(
                        ErrorCode.VARIABLE_ALREADY_EXISTS,
                        f"The session variable {variable.name} already exists.",
                        hint="Use DECLARE OR REPLACE VARIABLE, or SET VARIABLE.",
                    )
                if not new and name not in self._variables:
                    raise variable_not_found((variable.name,))
            if len(self._variables.keys() | kept.keys()) > MOST_VARIABLES:
                raise UserError(
                    ErrorCode.INVALID_ARGUMENT,
                    f"A session has at most {MOST_VARIABLES} variables.",
                )
            self._variables.update(kept)

    def forget_variable(self, name: str) -> bool:
        with self._lock:
            return self._variables.pop(name.lower(), None) is not None

    def temporary_function(self, name: str) -> SqlFunction | None:
        with self._lock:
            return self._functions.get(name.lower())

    def temporary_functions(self) -> list[SqlFunction]:
        with self._lock:
            return sorted(self._functions.values(), key=lambda function: function.short_name)

    def keep_function(self, function: SqlFunction, *, replace: bool) -> None:
        name = function.short_name
        with self._lock:
            if name.lower() in self._functions and not replace:
                raise UserError(
                    ErrorCode.FUNCTION_ALREADY_EXISTS,
                    f"Temporary function {name} already exists.",
                    hint="Use CREATE OR REPLACE TEMPORARY FUNCTION.",
                )
            self._functions[name.lower()] = function

    def forget_function(self, name: str) -> bool:
        with self._lock:
            return self._functions.pop(name.lower(), None) is not None
