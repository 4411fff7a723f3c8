"""The warehouse of a catalog to which other programs write: what they say is checked as well."""

from __future__ import annotations

from sqe.catalog.embedded.files import Warehouse
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.errors import AccessError, ErrorCode

_PLACES = ("write.data.path", "write.metadata.path", "write.object-storage.path")


class SharedWarehouse(Warehouse):
    """Nothing outside of it is read: a row or a metadata file that leads elsewhere could make SQE
    read what is only for itself."""

    def read(self, ident: Ident, kind: str, metadata_location: str) -> Loaded:
        self._require_inside(ident, metadata_location)
        loaded = super().read(ident, kind, metadata_location)
        for place in _places_of(loaded.metadata):
            self._require_inside(ident, place)
        return loaded

    def _require_inside(self, ident: Ident, place: str) -> None:
        if not self.disk.holds(place):
            raise AccessError(
                ErrorCode.ACCESS_DENIED,
                f"{ident} has files at {place}, outside of the warehouse {self.disk.root}.",
                hint="SQE reads a shared catalog's tables in its warehouse only.",
            )


def _places_of(metadata: Json) -> set[str]:
    """The table's folder, and whatever it says is elsewhere."""
    location = str(metadata.get("location", ""))
    properties = metadata.get("properties") or {}
    lists = [str(s.get("manifest-list") or "") for s in metadata.get("snapshots") or ()]
    below = location.rstrip("/") + "/"
    others = {one for one in lists if one and (not one.startswith(below) or "/.." in one)}
    return {location, *others, *(str(properties[key]) for key in _PLACES if key in properties)}
