"""The views of the embedded catalog."""

from __future__ import annotations

from sqe.catalog.commit.requirements import check_view
from sqe.catalog.commit.view_updates import apply_view_updates, new_view
from sqe.catalog.embedded.commits import Change
from sqe.catalog.embedded.relations import Relations
from sqe.catalog.protocol import Ident, Json, Loaded


class Views(Relations):
    kind = "view"
    needed = ("view-uuid", "current-version-id", "location")

    def _new_metadata(self, request: Json, location: str) -> Json:
        return new_view(request, location)

    def replace(self, ident: Ident, request: Json) -> Loaded:
        changes = self._commits.retry(lambda: self._prepare(ident, request))
        return changes[0].new if changes else self.load(ident)

    def _prepare(self, ident: Ident, request: Json) -> list[Change]:
        base = self.load(ident)
        check_view(base.metadata, request.get("requirements") or [])
        metadata = apply_view_updates(base.metadata, request.get("updates") or [])
        if metadata is None:
            return []
        self._warehouse.check_metadata(metadata)
        loaded = self._warehouse.write(ident, metadata, base.metadata_location)
        return [Change(ident, loaded, base, is_view=True)]

    def drop(self, ident: Ident) -> None:
        with self._store.write() as db:
            self._pointer(db, ident)
            self._rows.remove(db, ident)
