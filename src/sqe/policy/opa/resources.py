"""What is asked about, in the shapes of Trino's plugin. Names are in lower case, as Trino has
them: rules compare them as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Resource = dict[str, Any]


def catalog(name: str) -> Resource:
    return {"catalog": {"name": name.lower()}}


def schema(parts: Sequence[str]) -> Resource:
    """Of (catalog, level, …)."""
    return {"schema": _schema(parts)}


def new_schema(parts: Sequence[str]) -> Resource:
    return {"schema": {**_schema(parts), "properties": {}}}


def table(parts: Sequence[str], columns: Sequence[str] | None = None) -> Resource:
    """Of (catalog, level, …, name)."""
    resource = {**_schema(parts[:-1]), "tableName": parts[-1].lower()}
    if columns is not None:
        resource["columns"] = [name.lower() for name in columns]
    return {"table": resource}


def new_table(parts: Sequence[str]) -> Resource:
    """Which properties it is to have is not known where it is asked."""
    return {"table": {**table(parts)["table"], "properties": {}}}


def column(parts: Sequence[str], name: str, kind: str) -> Resource:
    resource = {**table(parts)["table"], "columnName": name.lower(), "columnType": kind}
    return {"column": resource}


def function(parts: Sequence[str]) -> Resource:
    """Or a procedure."""
    return {"function": {**_schema(parts[:-1]), "functionName": parts[-1].lower()}}


def user(name: str) -> Resource:
    return {"user": {"user": name}}


def owner(name: str) -> Resource:
    """Of a query. Only of who asks are the groups known."""
    return {"user": {"user": name, "groups": []}}


def session_property(parts: Sequence[str]) -> Resource:
    """Of the session, or of a catalog in it."""
    if len(parts) == 1:
        return {"systemSessionProperty": {"name": parts[0]}}
    catalog_name, name = parts
    return {"catalogSessionProperty": {"catalogName": catalog_name.lower(), "propertyName": name}}


def _schema(parts: Sequence[str]) -> dict[str, Any]:
    first, *levels = parts
    return {"catalogName": first.lower(), "schemaName": ".".join(levels).lower()}
