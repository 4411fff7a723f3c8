"""Where a commit of somebody else's engine may point to: into the table's own folder.

SQE opens files on its own disk with the rights of its own process, and a manifest can name any
file. A commit that names another table's files would show them to whoever may read this one.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqe.catalog.commit.failures import shape_failures
from sqe.catalog.embedded.disks import local_path
from sqe.catalog.embedded.references import list_manifests, list_references
from sqe.catalog.overlaps import inside
from sqe.catalog.protocol import Json, Loaded, snapshots_of_commit
from sqe.errors import AccessError, ErrorCode, UserError

_PLACES = (
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)
_OWN = "sqe."  # properties that SQE reads as its own
_FOREIGN_WRITER = "write.location-provider.impl"  # a class that would choose the places


def check_new_properties(properties: object, location: str | None = None) -> None:
    """Of a table or view that is made, or changed at ``location``."""
    if not isinstance(properties, dict):
        return
    for key, value in properties.items():
        if str(key).lower().startswith(_OWN) or key == _FOREIGN_WRITER:
            raise _refusal(f"The property {key} cannot be set from outside.")
        if key in _PLACES and (location is None or not _within(value, location)):
            raise _refusal(f"{key} must be inside the table's own location.")


def check_commit(location: str, request: Json, base: Loaded | None) -> None:
    """``location``: the table's. ``base``: as it is; None for one that is being made.
    ACCESS_DENIED for what leads elsewhere."""
    with shape_failures("commit"):
        for update in request.get("updates") or ():
            _check_update(update, location)
        for snapshot in snapshots_of_commit(request):
            int(snapshot["snapshot-id"])
            dict(snapshot.get("summary") or {})
    if local_path(location) is not None:
        _check_files(location, request, base)


def _check_update(update: Json, location: str) -> None:
    action = update.get("action")
    if action == "set-location" and not _same(update.get("location"), location):
        raise _refusal("The location of a table cannot be chosen from outside.")
    if action == "set-properties":
        check_new_properties(update.get("updates"), location)
    if action == "remove-properties":
        check_new_properties(dict.fromkeys(update.get("removals") or (), location), location)
    for place in _places_of(update):
        if not _within(place, location):
            raise _refusal("A commit may name only files of the table's own location.")


def _places_of(update: Json) -> Iterator[object]:
    snapshot = update.get("snapshot")
    if isinstance(snapshot, dict):
        if snapshot.get("manifest-list") is not None:
            yield snapshot["manifest-list"]
        yield from snapshot.get("manifests") or ()
    statistics = update.get("statistics", update.get("partition-statistics"))
    if isinstance(statistics, dict):
        yield statistics.get("statistics-path")


def _check_files(location: str, request: Json, base: Loaded | None) -> None:
    """What new manifests name. Those that the table has already were checked when they came, or
    are SQE's own. Each place is checked before it is opened."""
    snapshots = list(snapshots_of_commit(request))
    if not snapshots:
        return
    try:
        known = {m for head in _heads(base) for m in list_manifests(head, _read)}
        for place in list_references({"snapshots": snapshots}, _read, known):
            if place not in known and not _within(place, location):
                raise _refusal("A manifest of the commit names a file of another place.")
    except (OSError, ValueError, EOFError, KeyError, TypeError) as error:
        message = "A manifest of the table or of the commit cannot be read."
        raise UserError(ErrorCode.INVALID_ARGUMENT, message) from error


def _heads(base: Loaded | None) -> list[Json]:
    """The newest snapshot of each branch and tag."""
    metadata = base.metadata if base is not None else {}
    heads = {ref.get("snapshot-id") for ref in (metadata.get("refs") or {}).values()}
    heads.add(metadata.get("current-snapshot-id"))
    return [one for one in metadata.get("snapshots") or () if one["snapshot-id"] in heads]


def _read(location: str) -> bytes:
    path = local_path(location)
    if path is None:
        raise ValueError(location)
    with open(path, "rb") as file:
        return file.read()


def _same(place: object, location: str) -> bool:
    return _within(place, location) and inside(location, str(place))


def _within(place: object, location: str) -> bool:
    """By name, whatever dots and slashes it is written with."""
    if not isinstance(place, str) or not place or "\0" in place:
        return False
    return inside(place, location)


def _refusal(message: str) -> AccessError:
    return AccessError(ErrorCode.ACCESS_DENIED, message)
