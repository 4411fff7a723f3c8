"""The addresses of the Iceberg REST specification."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from sqe.catalog.protocol import Ident, Namespace

LIST_VIEWS = "GET /v1/{prefix}/namespaces/{namespace}/views"
LOAD_VIEW = "GET /v1/{prefix}/namespaces/{namespace}/views/{view}"
COMMIT_TRANSACTION = "POST /v1/{prefix}/transactions/commit"


class Unnameable(Exception):
    """Nothing in the catalog can have this name: its address would be another one's."""


@dataclass(frozen=True, slots=True)
class Paths:
    """``root`` is the catalog's address with ``/v1`` and the prefix that the catalog wants."""

    root: str
    separator: str

    def namespaces(self) -> str:
        return f"{self.root}/namespaces"

    def namespace(self, namespace: Namespace) -> str:
        return f"{self.root}/namespaces/{quote(self.join(namespace), safe='')}"

    def tables(self, namespace: Namespace) -> str:
        return f"{self.namespace(namespace)}/tables"

    def table(self, ident: Ident) -> str:
        return f"{self.tables(ident.namespace)}/{_segment(ident.name)}"

    def views(self, namespace: Namespace) -> str:
        return f"{self.namespace(namespace)}/views"

    def view(self, ident: Ident) -> str:
        return f"{self.views(ident.namespace)}/{_segment(ident.name)}"

    def join(self, namespace: Namespace) -> str:
        """All levels as one text, which is one segment of a path or a value of a query."""
        whole = self.separator.join(namespace)
        if not all(namespace) or whole in ("", *_DOTS):
            raise Unnameable
        if any(self.separator in level for level in namespace):
            raise Unnameable
        return whole


_DOTS = (".", "..")  # steps in a path, not names


def _segment(name: str) -> str:
    if not name or name in _DOTS:
        raise Unnameable
    return quote(name, safe="")
