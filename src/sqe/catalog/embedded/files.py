"""The warehouse folder: where tables may live, and their metadata files.

Locations are stored as plain absolute paths: Spark's Hadoop file system, PyIceberg and DuckDB all
read them as they are, without an opinion on how many slashes follow ``file:`` or what a percent
sign means.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path

from sqe.catalog.embedded.failures import corrupt, file_failures, invalid
from sqe.catalog.protocol import Ident, Json, Loaded

_UNUSUAL = re.compile(r"[^\w.-]")
_VERSION = re.compile(r"(\d+)-[^/]*\.metadata\.json[^/]*\Z")
_PATH_PROPERTIES = (
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)


def local_path(location: str) -> str | None:
    """The path of a local location, or None where it is on another file system."""
    if location.startswith("file:"):
        rest = location[len("file:") :]
        if rest.startswith("//"):
            host, slash, tail = rest[2:].partition("/")
            rest = slash + tail if host in ("", "localhost") else ""
        location = rest
    return location if location.startswith("/") and "\0" not in location else None


class Warehouse:
    """Every file the embedded catalog writes is inside this folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.path.abspath(folder)
        with file_failures("the warehouse folder"):
            os.makedirs(self._folder, exist_ok=True)

    def check_inside(self, location: object, what: str) -> str:
        """The location as given, with no slash at its end, once it is known to be inside."""
        if not isinstance(location, str) or not location:
            raise invalid(f"Invalid {what}: it must be a non-empty text.")
        path = local_path(location)
        if path is None or not self.holds(path):
            raise invalid(
                f"Invalid {what}: {location} is not inside the warehouse {self._folder}.",
                hint="Leave the location out, and the catalog chooses one.",
            )
        return location.rstrip("/")

    def holds(self, path: str) -> bool:
        root = os.path.realpath(self._folder)
        real = os.path.realpath(path)
        return real != root and os.path.commonpath((root, real)) == root

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
        """A folder for a new table or view that nobody has used, made at once to reserve it."""
        if namespace_location:
            base = self.check_inside(namespace_location, "location of the namespace")
        else:
            base = os.path.join(self._folder, *(_folder_name(level) for level in ident.namespace))
        wanted = f"{base}/{_folder_name(ident.name)}"
        path = local_path(wanted) or wanted
        with file_failures(f"a folder for {ident}"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                os.mkdir(path)
            except FileExistsError:
                suffix = "-" + uuid.uuid4().hex[:8]
                os.mkdir(path + suffix)
                return wanted + suffix
        return wanted

    def release_location(self, location: str) -> None:
        """Takes back a reserved folder, unless there is already something in it."""
        path = local_path(location)
        if path and self.holds(path):
            for folder in (os.path.join(path, "metadata"), path):
                try:
                    os.rmdir(folder)
                except OSError:
                    continue

    def remove_folder(self, location: str) -> None:
        """With all that is in it. What cannot be removed does no harm."""
        path = local_path(location)
        if path and self.holds(path):
            shutil.rmtree(path, ignore_errors=True)

    def read(self, ident: Ident, kind: str, metadata_location: str) -> Loaded:
        hint = "Restore the file, or drop the table and register an older metadata file of it."
        path = local_path(metadata_location)
        if path is None:
            raise corrupt(
                f"The {kind} {ident} points to {metadata_location}, which is not a local file.",
                hint="Open this catalog file with the program that made the entry.",
            )
        try:
            content = Path(path).read_bytes()
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
        return _loaded(content, metadata, metadata_location)

    def write(self, ident: Ident, metadata: Json, previous: str | None) -> Loaded:
        """A new metadata file, on the disk before this returns."""
        properties = metadata.get("properties") or {}
        folder = properties.get("write.metadata.path") or f"{metadata['location']}/metadata"
        folder = self.check_inside(folder, "metadata location")
        content = json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode()
        zipped = str(properties.get("write.metadata.compression-codec", "none")).lower() == "gzip"
        name = f"{_version(previous) + 1:05d}-{uuid.uuid4()}{'.gz' if zipped else ''}.metadata.json"
        location = f"{folder}/{name}"
        path = local_path(location) or location
        with file_failures(f"the metadata of {ident}"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            _write_durably(path, gzip.compress(content) if zipped else content)
        return _loaded(content, metadata, location)

    def remove_files(self, locations: Iterable[str]) -> None:
        """Removes files where they are, and are inside; a file that stays does no harm."""
        for location in locations:
            path = local_path(location)
            if path and self.holds(path):
                try:
                    os.unlink(path)
                except OSError:
                    continue


def staged(metadata: Json) -> Loaded:
    """Metadata that is in no file yet."""
    content = json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode()
    return _loaded(content, metadata, None)


def _loaded(content: bytes, metadata: Json, location: str | None) -> Loaded:
    loaded = Loaded(content, location)
    # Fills the cached property: who asked for the table would only parse the same bytes again.
    loaded.__dict__["metadata"] = metadata
    return loaded


def _write_durably(path: str, content: bytes) -> None:
    try:
        with open(path, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            os.fsync(folder)  # the file's name, too, must survive a power cut
        finally:
            os.close(folder)
    except BaseException:
        if os.path.exists(path):
            os.unlink(path)
        raise


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
