"""A cache of catalog answers for the planning of one statement.

All stages of one statement see the same answers, and a remote catalog is asked once for each. The
cache ends with planning: execution asks the catalog again.
"""

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


class CatalogReader(Protocol):
    """The methods of a catalog that read."""

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]: ...
    def load_namespace(self, namespace: Namespace) -> dict[str, str]: ...
    def list_tables(self, namespace: Namespace) -> list[str]: ...
    def list_views(self, namespace: Namespace) -> list[str]: ...
    def load_table(self, ident: Ident) -> Loaded: ...
    def load_view(self, ident: Ident) -> Loaded: ...


# Not a parameter: it decides how often a catalog is asked, and not what the answer means. Who reads
# a catalog without it gets the same answer from the catalog itself.
_CACHE: ContextVar[dict[Hashable, Any] | None] = ContextVar("statement_cache", default=None)


@contextmanager
def statement_cache() -> Iterator[None]:
    """Opens the cache for the planning of one statement, on this thread."""
    if _CACHE.get() is not None:  # planning is nested
        yield
        return
    token = _CACHE.set({})
    try:
        yield
    finally:
        _CACHE.reset(token)


def read_catalog(catalogs: Catalogs, name: str, identity: Identity) -> CatalogReader:
    catalog = catalogs.open(name, identity)
    cache = _CACHE.get()
    # A full catalog and one cut to what a user may know of have different answers.
    owner = (name, identity, type(catalog))
    return catalog if cache is None else _CachedReader(name, catalog, cache, owner)


class _CachedReader:
    """Implements ``CatalogReader``. Absent and denied are cached as well."""

    def __init__(
        self, name: str, catalog: Catalog, cache: dict[Hashable, Any], owner: Hashable
    ) -> None:
        self._name = name
        self._catalog = catalog
        self._cache = cache
        self._owner = owner

    def list_namespaces(self, parent: Namespace = ()) -> list[Namespace]:
        return self._once("list_namespaces", self._catalog.list_namespaces, parent)

    def load_namespace(self, namespace: Namespace) -> dict[str, str]:
        return self._once("load_namespace", self._catalog.load_namespace, namespace)

    def list_tables(self, namespace: Namespace) -> list[str]:
        return self._once("list_tables", self._catalog.list_tables, namespace)

    def list_views(self, namespace: Namespace) -> list[str]:
        return self._once("list_views", self._catalog.list_views, namespace)

    def load_table(self, ident: Ident) -> Loaded:
        return self._once("load_table", self._catalog.load_table, ident)

    def load_view(self, ident: Ident) -> Loaded:
        return self._once("load_view", self._catalog.load_view, ident)

    def _once(self, name: str, ask: Callable[[Any], _T], what: Hashable) -> _T:
        key = (self._owner, name, what)
        if key not in self._cache:
            started = time.perf_counter()
            try:
                self._cache[key] = ask(what)
            except SqeError as error:
                if error.code not in _SETTLED:
                    raise
                self._cache[key] = error
            taken = (time.perf_counter() - started) * 1000
            _log.debug("catalog %s: %s %s took %.1f ms", self._name, name, what, taken)
        cached = self._cache[key]
        if isinstance(cached, SqeError):
            raise error_of(cached.code, cached.message, hint=cached.hint)
        answer: _T = cached
        return answer
