"""Catalogs that are attached with SQL: the settings of sqe.toml, from names and texts.

A statement comes from somebody who administers SQE, but who need not be allowed to read whatever
its process can read. So a secret is a reference to what was put there for this purpose: a variable
``CATALOG_…`` of the environment, or a file in the folder ``secrets`` of SQE's home.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sqe.errors import ErrorCode, UserError
from sqe.settings.catalogs import (
    CatalogSettings,
    FilesCatalogSettings,
    GlueCatalogSettings,
    HiveCatalogSettings,
    JdbcCatalogSettings,
    RestCatalogSettings,
)
from sqe.settings.load import validate_catalog
from sqe.settings.rest_services import SERVICES
from sqe.settings.secrets import is_reference, secret_settings

VARIABLES = "CATALOG_"
FOLDER = "secrets"
_PUBLIC = frozenset({"headers.polaris-realm"})  # told to whoever asks Polaris for anything
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_TYPES: Mapping[str, type[BaseModel]] = {
    "rest": RestCatalogSettings,
    "jdbc": JdbcCatalogSettings,
    "files": FilesCatalogSettings,
    "hive": HiveCatalogSettings,
    "glue": GlueCatalogSettings,
    **dict.fromkeys(SERVICES, RestCatalogSettings),
}


def settings_of_attached(
    name: str, kind: str, properties: Mapping[str, str], home: Path
) -> CatalogSettings:
    """``kind``: a type of catalog, or a service that speaks Iceberg REST. INVALID_ARGUMENT and
    INVALID_SETTINGS say what is wrong, and never repeat a secret."""
    if not _NAME.fullmatch(name):
        raise _invalid(
            f"{name} cannot be the name of a catalog.",
            "It begins with a small letter; small letters, digits and _ follow.",
        )
    model = _TYPES.get(kind)
    if model is None:
        raise _invalid(f"There is no type of catalog {kind}.", f"It is one of {', '.join(_TYPES)}.")
    values: dict[str, Any] = {"type": kind}
    if kind in SERVICES:
        values = {"type": "rest", "service": kind}
    for key, value in properties.items():
        if key in ("type", "service"):
            raise _invalid(f"The property {key} is said by USING.")
        first, dot, rest = key.partition(".")
        if first in secret_settings(model):
            value = _reference(key, value, home)
        if dot:
            values.setdefault(first, {})[rest] = value
        else:
            values[first] = value
    return validate_catalog(name, values, "the properties of the catalog")


def _reference(key: str, value: str, home: Path) -> str:
    """Of a secret: to what statements may refer to."""
    if key.lower() in _PUBLIC:
        return value
    advice = f"Write 'env:{VARIABLES}…', or 'file:NAME' of a file in {FOLDER} in SQE's home."
    if not is_reference(value):
        raise _invalid(f"The property {key} may be a secret: it is not taken as a text.", advice)
    kind, _, where = value.partition(":")
    if kind == "env":
        if not where.startswith(VARIABLES):
            raise _invalid(f"The property {key} refers to a variable for other things.", advice)
        return value
    folder = (home / FOLDER).resolve()
    path = (folder / where).resolve()
    if folder not in path.parents:
        raise _invalid(f"The property {key} refers to a file for other things.", advice)
    return f"file:{path}"


def _invalid(message: str, hint: str = "") -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, message, hint=hint)
