"""PyIceberg's reader of Avro files, for manifests.

Its own way to ask for a file's codec imports all of PyIceberg, which takes as long as the rest of a
cold query.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TypeVar

from pyiceberg.avro.codecs import AVRO_CODEC_KEY, KNOWN_CODECS
from pyiceberg.avro.codecs.codec import Codec
from pyiceberg.avro.file import META_SCHEMA, AvroFile, AvroFileHeader
from pyiceberg.avro.resolver import construct_reader
from pyiceberg.io import InputFile, InputStream
from pyiceberg.manifest import (
    DEFAULT_READ_VERSION,
    MANIFEST_ENTRY_SCHEMAS,
    MANIFEST_LIST_FILE_SCHEMAS,
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    PartitionFieldSummary,
)
from pyiceberg.typedef import StructProtocol

D = TypeVar("D", bound=StructProtocol)


def manifests_of_list(location: str, content: bytes) -> Iterator[ManifestFile]:
    """The manifests that a manifest list names."""
    with _Reader[ManifestFile](
        _Bytes(location, content),
        MANIFEST_LIST_FILE_SCHEMAS[DEFAULT_READ_VERSION],
        read_types={-1: ManifestFile, 508: PartitionFieldSummary},
        read_enums={517: ManifestContent},
    ) as reader:
        yield from reader


def manifest_entries(location: str, content: bytes) -> Iterator[ManifestEntry]:
    """The files that a manifest names, with those that were removed."""
    with _Reader[ManifestEntry](
        _Bytes(location, content),
        MANIFEST_ENTRY_SCHEMAS[3],
        read_types={-1: ManifestEntry, 2: DataFile},
        read_enums={0: ManifestEntryStatus, 101: FileFormat, 134: DataFileContent},
    ) as reader:
        yield from reader


class _Header(AvroFileHeader):
    def compression_codec(self) -> type[Codec] | None:
        name = self.meta.get(AVRO_CODEC_KEY, "null")
        if name not in KNOWN_CODECS:
            raise ValueError(f"Avro files of codec {name} are not read")
        return KNOWN_CODECS[name]


class _Reader(AvroFile[D]):
    def _read_header(self) -> AvroFileHeader:
        header: AvroFileHeader = construct_reader(META_SCHEMA, {-1: _Header}).read(self.decoder)
        return header


class _Bytes(InputFile):
    """A file that has been read already."""

    def __init__(self, location: str, content: bytes) -> None:
        super().__init__(location)
        self._content = content

    def __len__(self) -> int:
        return len(self._content)

    def exists(self) -> bool:
        return True

    def open(self, seekable: bool = True) -> InputStream:
        return io.BytesIO(self._content)
