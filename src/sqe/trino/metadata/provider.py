"""The rows of Trino's own relations, for whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from sqe.binding.bound import BoundMetadata
from sqe.catalog.listing import ListingFilter
from sqe.catalog.protocol import Catalogs
from sqe.catalog.redaction import Redaction, show_all
from sqe.model.identity import Identity
from sqe.trino.metadata.access import AccessRules
from sqe.trino.metadata.rows import trino_rows
from sqe.trino.metadata.runtime import NO_RUNTIME, Runtime
from sqe.trino.metadata.viewer import Viewer


@dataclass(frozen=True)
class TrinoMetadata:
    """Implements ``engines.metadata.MetadataProvider``. ``rules`` are those made with SQL."""

    catalogs: Catalogs
    runtime: Runtime = NO_RUNTIME
    redaction: Redaction = show_all
    rules: AccessRules | None = None

    def rows(
        self,
        relation: BoundMetadata,
        wanted: ListingFilter,
        identity: Identity,
        check: Callable[[], None],
    ) -> pa.Table:
        viewer = Viewer(self.catalogs, identity, self.runtime, check, self.redaction, self.rules)
        return trino_rows(viewer, relation.catalog, relation.schema, relation.table, wanted)
