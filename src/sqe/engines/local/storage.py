"""Where a table's files are and how they are read: as its catalog allows it, never as SQE."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Catalog, Catalogs, Ident, Json, Loaded, Signed
from sqe.catalog.s3_place import S3Credentials, place_of, s3_url
from sqe.engines.local.keys import TableKeys, keys_for
from sqe.engines.local.objects import Objects
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.signing import CatalogSigner, KeySigner, Signer
from sqe.model.identity import Identity

# DuckDB takes each path of a list for a pattern, and has no way to say otherwise.
_PATTERN_SIGNS = frozenset("*?[")
_UNREADABLE = frozenset(("", ".", ".."))  # parts of a path that some would leave out


def local_path(location: str) -> str | None:
    """The path of a file on this machine; None for one that is elsewhere."""
    if location.startswith("/"):
        return location
    if location.startswith("file:"):
        path = location.removeprefix("file:")
        if path.startswith("//"):
            path = path[2:]
            if not path.startswith("/"):  # file://host/…
                return None
        return path if path.startswith("/") else None
    return None


@dataclass(frozen=True)
class TableSource:
    """The table's catalog, opened as the user: it is asked when keys end, and for signatures."""

    catalog: Catalog = field(repr=False)
    ident: Ident

    @classmethod
    def of(cls, table: BoundTable, catalogs: Catalogs, identity: Identity) -> TableSource:
        return cls(catalogs.open(table.name.schema.catalog, identity), table.ident)

    def credentials(self) -> tuple[Json, ...]:
        return self.catalog.load_credentials(self.ident)

    def signer(self, loaded: Loaded) -> CatalogSigner:
        def ask(request: Json) -> Signed:
            return self.catalog.sign(self.ident, loaded.config, request)

        return CatalogSigner(place_of("s3://", loaded.config), ask)


@dataclass(frozen=True)
class Remote:
    """How a table's objects are reached. ``keys`` is None where the catalog signs each request."""

    signer: Signer = field(repr=False)
    objects: Objects = field(repr=False)
    keys: TableKeys | None = None


@dataclass(frozen=True)
class Storage:
    """A table's files. ``remote``: in S3; otherwise on this machine. ``door`` is None of a table
    whose files are only spoken of."""

    remote: bool
    door: Remote | None = field(default=None, compare=False)

    @property
    def keys(self) -> tuple[S3Credentials, ...]:
        """For whoever signs himself; none where the catalog does it."""
        if self.door is None or self.door.keys is None:
            return ()
        return self.door.keys.current()

    def ends_within(self, seconds: float) -> bool:
        """Whether who reads with the keys himself may lose them in that time; always where there
        are none, and the catalog signs."""
        if self.door is None or self.door.keys is None:
            return self.door is not None
        self.door.keys.current()
        return self.door.keys.ends_in < seconds

    def renew(self, used: tuple[S3Credentials, ...]) -> bool:
        """After a refusal: whether there are other keys now."""
        keys = self.door.keys if self.door is not None else None
        return keys is not None and keys.renew(used)

    def path(self, location: str) -> str:
        """The location as DuckDB spells it. A table's files are all where the table is: what a
        manifest in a bucket says must not make SQE read its own disk."""
        path = s3_url(location) if self.remote else local_path(location)
        if path is None:
            raise NotLocal("a file is not where its table is")
        if _PATTERN_SIGNS & set(path):
            raise NotLocal("a file's name has pattern signs in it")
        if self.remote and _UNREADABLE & set(path.removeprefix("s3://").split("/")):
            raise NotLocal("a file's name is not read the same by all")
        if self.door is not None and self.door.keys is not None:
            keys_for(self.keys, path)
        return path

    def read(self, location: str) -> bytes:
        """A whole small file: a manifest."""
        path = self.path(location)
        if self.door is not None:
            return self.door.objects.read(self.door.signer, path)
        with open(path, "rb") as file:
            return file.read()

    def read_range(self, location: str, offset: int, size: int) -> bytes:
        path = self.path(location)
        if self.door is not None:
            return self.door.objects.read(self.door.signer, path, (offset, size))
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read(size)


def storage_of(loaded: Loaded, objects: Objects, source: TableSource | None = None) -> Storage:
    """From what the catalog sent with the table. NotLocal where that is not enough."""
    location = str(loaded.metadata.get("location", ""))
    if local_path(location) is not None:
        return Storage(remote=False)
    if s3_url(location) is None:
        raise NotLocal(f"tables under {location.partition(':')[0]}: are not read locally")
    signs = loaded.config.get("s3.remote-signing-enabled", "").lower() == "true"
    if signs and source is not None:  # before its keys, as Iceberg's own readers do it
        return Storage(True, Remote(source.signer(loaded), objects))
    keys = TableKeys(loaded, source.credentials if source is not None else None)
    if keys.current():
        return Storage(True, Remote(KeySigner(keys), objects, keys))
    raise NotLocal("the catalog gave no storage credentials for the table")
