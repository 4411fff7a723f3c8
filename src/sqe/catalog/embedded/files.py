"""The warehouse: where tables may live, and their metadata files."""

from __future__ import annotations

import gzip
import json
import re
import uuid
from collections.abc import Iterable

from sqe.catalog.commit.failures import corrupt, file_failures, invalid
from sqe.catalog.embedded.disks import Disk
from sqe.catalog.protocol import Ident, Json, Loaded

_UNUSUAL = re.compile(r"[^\w.-]")
_VERSION = re.compile(r"(\d+)-[^/]*\.metadata\.json[^/]*\Z")
_PATH_PROPERTIES = (
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)


class Warehouse:
    """Every file the embedded catalog writes is inside the root of its disk."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def check_inside(self, location: object, what: str) -> str:
        """The location as given, with no slash at its end, once it is known to be inside."""
        if not isinstance(location, str) or not location:
            raise invalid(f"Invalid {what}: it must be a non-empty text.")
        if not self.disk.holds(location):
            raise invalid(
                f"Invalid {what}: {location} is not inside the warehouse {self.disk.root}.",
                hint="Leave the location out, and the catalog chooses one.",
            )
        return location.rstrip("/")

    def check_metadata(self, metadata: Json, known_snapshots: Iterable[int] = ()) -> None:
        """Everything in the metadata that says where to read or write must be inside."""
        self.check_inside(metadata.get("location"), "location")
        properties = metadata.get("properties") or {}
        for key in _PATH_PROPERTIES:
            if key in properties:
                self.check_inside(properties[key], key)
        known = set(known_snapshots)
        for snapshot in metadata.get("snapshots") or ():
            if snapshot["snapshot-id"] in known:
                continue
            for manifest in (snapshot.get("manifest-list"), *(snapshot.get("manifests") or ())):
                if manifest is not None:
                    self.check_inside(manifest, "manifest list")

    def new_location(self, ident: Ident, namespace_location: str | None) -> str:
        """A folder for a new table or view that nobody has used, reserved at once."""
        if namespace_location:
            base = self.check_inside(namespace_location, "location of the namespace")
        else:
            levels = (_folder_name(level) for level in ident.namespace)
            base = "/".join((self.disk.root, *levels))
        with file_failures(f"a folder for {ident}"):
            return self.disk.reserve(f"{base}/{_folder_name(ident.name)}")

    def read(self, ident: Ident, kind: str, metadata_location: str) -> Loaded:
        hint = "Restore the file, or drop the table and register an older metadata file of it."
        try:
            content = self._content(ident, kind, metadata_location)
            if content[:2] == b"\x1f\x8b":
                content = gzip.decompress(content)
            metadata = json.loads(content)
        except (OSError, EOFError, ValueError) as error:
            missing = isinstance(error, FileNotFoundError)
            state = "is missing" if missing else "cannot be read as JSON"
            raise corrupt(
                f"The metadata file of the {kind} {ident} {state}: {metadata_location}.", hint=hint
            ) from error
        if not isinstance(metadata, dict) or "format-version" not in metadata:
            raise corrupt(
                f"The metadata file of the {kind} {ident} is not Iceberg metadata:"
                f" {metadata_location}.",
                hint=hint,
            )
        return self._make_loaded(content, metadata, metadata_location)

    def _content(self, ident: Ident, kind: str, metadata_location: str) -> bytes:
        if not self.disk.reads(metadata_location):
            raise corrupt(
                f"The {kind} {ident} points to {metadata_location}, which the warehouse"
                f" {self.disk.root} cannot read.",
                hint="Open this catalog file with the program that made the entry.",
            )
        return self.disk.read(metadata_location)

    def write(self, ident: Ident, metadata: Json, previous: str | None) -> Loaded:
        """A new metadata file, on the disk before this returns."""
        properties = metadata.get("properties") or {}
        folder = properties.get("write.metadata.path") or f"{metadata['location']}/metadata"
        folder = self.check_inside(folder, "metadata location")
        content = json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode()
        zipped = str(properties.get("write.metadata.compression-codec", "none")).lower() == "gzip"
        name = f"{_version(previous) + 1:05d}-{uuid.uuid4()}{'.gz' if zipped else ''}.metadata.json"
        location = f"{folder}/{name}"
        with file_failures(f"the metadata of {ident}"):
            self.disk.write(location, gzip.compress(content) if zipped else content)
        return self._make_loaded(content, metadata, location)

    def stage(self, metadata: Json) -> Loaded:
        """Metadata that is in no file yet."""
        content = json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode()
        return self._make_loaded(content, metadata, None)

    def _make_loaded(self, content: bytes, metadata: Json, location: str | None) -> Loaded:
        loaded = Loaded(content, location, self.disk.config_of(metadata))
        # Fills the cached property: who asked for the table would only parse the same bytes again.
        loaded.__dict__["metadata"] = metadata
        return loaded

    def remove_files(self, locations: Iterable[str]) -> None:
        """Removes files where they are, and are inside; a file that stays does no harm."""
        for location in locations:
            if self.disk.holds(location):
                try:
                    self.disk.remove(location)
                except OSError:
                    continue


def _version(metadata_location: str | None) -> int:
    """The number in front of a metadata file's name; -1 before the first."""
    if metadata_location is None:
        return -1
    match = _VERSION.search(metadata_location)
    return int(match.group(1)) if match else -1


def _folder_name(name: str) -> str:
    """A name that is one visible, harmless path segment. It need not be unique."""
    text = _UNUSUAL.sub("_", name).encode()[:120].decode(errors="ignore")
    # Hadoop hides files whose names begin with these.
    return text if text[0] not in "._" else "t" + text
