"""Trino's own relations in a translated text: ``$trino.catalog.schema.table``."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.binding.bound import BoundMetadata
from sqe.errors import ErrorCode, UserError
from sqe.trino.dialect.metadata.relations import RESERVED, SYSTEM, carriers, columns_of
from sqe.trino.trino_dialect import TRINO

__all__ = ["RESERVED", "TrinoRelations"]


class TrinoRelations:
    """Implements ``binding.binder.ReservedRelations``."""

    exclusive = True

    def find(self, parts: Sequence[str], catalogs: Sequence[str]) -> BoundMetadata | None:
        if len(parts) != 3:
            return None
        catalog, schema, table = parts
        if catalog != SYSTEM and catalog not in (name.lower() for name in catalogs):
            raise UserError(ErrorCode.CATALOG_NOT_FOUND, f"Catalog '{catalog}' not found")
        columns = columns_of(catalog, schema, table)
        if columns is None:
            return None
        return BoundMetadata(catalog, table, carriers(columns), schema, provider=TRINO)
