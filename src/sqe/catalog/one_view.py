"""What a statement sees of the catalogs while it is planned: each thing once, so that all of its
stages see the same, and a catalog far away is asked once. What is run afterwards asks anew."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from sqe.catalog.protocol import Catalog, Catalogs, Ident, Loaded, Namespace
from sqe.errors import ABSENT, ErrorCode, SqeError, error_of
from sqe.model.identity import Identity

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_SETTLED = (*ABSENT, ErrorCode.ACCESS_DENIED)


class Looks(Protocol):
    """The part of a catalog that changes nothing."""

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]: ...
    def load_namespace(self, namespace: Namespace) -> dict[str, str]: ...
    def list_tables(self, namespace: Namespace) -> list[str]: ...
    def list_views(self, namespace: Namespace) -> list[str]: ...
    def load_table(self, ident: Ident) -> Loaded: ...
    def load_view(self, ident: Ident) -> Loaded: ...


_SEEN: ContextVar[dict[Hashable, Any] | None] = ContextVar("seen", default=None)


@contextmanager
def one_view() -> Iterator[None]:
    """Around the planning of one statement, on this thread."""
    if _SEEN.get() is not None:  # inside of one already
        yield
        return
    token = _SEEN.set({})
    try:
        yield
    finally:
        _SEEN.reset(token)


def look_into(catalogs: Catalogs, name: str, identity: Identity) -> Looks:
    catalog = catalogs.open(name, identity)
    seen = _SEEN.get()
    # Who sees all of a catalog and who sees a part of it must not hear each other's answers.
    whose = (name, identity, type(catalog))
    return catalog if seen is None else _Seen(name, catalog, seen, whose)


class _Seen:
    """Implements ``Looks``. That something is not there, or not this user's, is seen once, too."""

    def __init__(
        self, name: str, catalog: Catalog, seen: dict[Hashable, Any], whose: Hashable
    ) -> None:
        self._name = name
        self._catalog = catalog
        self._seen = seen
        self._whose = whose

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        return self._once(self._catalog.list_namespaces, parent)

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        return self._once(self._catalog.load_namespace, namespace)

    def list_tables(self, namespace: Namespace) -> list[str]:
        return self._once(self._catalog.list_tables, namespace)

    def list_views(self, namespace: Namespace) -> list[str]:
        return self._once(self._catalog.list_views, namespace)

    def load_table(self, ident: Ident) -> Loaded:
        return self._once(self._catalog.load_table, ident)

    def load_view(self, ident: Ident) -> Loaded:
        return self._once(self._catalog.load_view, ident)

    def _once(self, ask: Callable[[Any], _T], what: Hashable) -> _T:
        key = (self._whose, ask.__name__, what)
        if key not in self._seen:
            started = time.perf_counter()
            try:
                self._seen[key] = ask(what)
            except SqeError as error:
                if error.code not in _SETTLED:
                    raise
                self._seen[key] = error
            taken = (time.perf_counter() - started) * 1000
            _log.debug("catalog %s: %s %s took %.1f ms", self._name, ask.__name__, what, taken)
        found = self._seen[key]
        if isinstance(found, SqeError):
            raise error_of(found.code, found.message, hint=found.hint)
        answer: _T = found
        return answer
