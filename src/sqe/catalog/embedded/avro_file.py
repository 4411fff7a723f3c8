"""Avro files, block by block, with every value as it stands in the file.

PyIceberg and others read manifests into the newest form that they know. Who copies one with a
change needs the form that the file has: no field of a later version may be lost, and the header
stays as it is, byte for byte.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pyiceberg.avro.codecs import KNOWN_CODECS
from pyiceberg.avro.decoder import BinaryDecoder, new_decoder
from pyiceberg.avro.encoder import BinaryEncoder

_MAGIC = b"Obj\x01"
_SYNC = 16
_FIXED_SIZES = {"float": 4, "double": 8, "boolean": 1}
Row = dict[str, Any]


class AvroFile:
    """ValueError for what is not an Avro file that can be read."""

    def __init__(self, content: bytes) -> None:
        if not content.startswith(_MAGIC):
            raise ValueError("it is not an Avro file")
        self._content = content
        decoder = new_decoder(content[len(_MAGIC) :])
        meta = dict(_read_pairs(decoder))
        self._sync = decoder.read(_SYNC)
        self._begin = len(_MAGIC) + decoder.tell()
        codec = meta.get("avro.codec", b"null").decode()
        if codec not in KNOWN_CODECS:
            raise ValueError(f"Avro files of codec {codec} are not read")
        self._codec = KNOWN_CODECS[codec]
        self._schema = json.loads(meta["avro.schema"])
        self._named: dict[str, Any] = {}
        _collect_named(self._schema, self._named)

    def rows(self) -> Iterator[Row]:
        for count, block in self._blocks():
            decoder = new_decoder(block)
            for _ in range(count):
                yield self._read(decoder, self._schema)

    def rewrite(self, change: Callable[[Row], None]) -> bytes:
        """The same file after ``change`` of each of its rows."""
        written = io.BytesIO()
        written.write(self._content[: self._begin])
        for count, block in self._blocks():
            decoder, rows = new_decoder(block), io.BytesIO()
            encoder = BinaryEncoder(rows)
            for _ in range(count):
                row = self._read(decoder, self._schema)
                change(row)
                self._write(encoder, self._schema, row)
            packed = self._pack(rows.getvalue())
            head = BinaryEncoder(written)
            head.write_int(count)
            head.write_bytes(packed)
            head.write(self._sync)
        return written.getvalue()

    def _pack(self, block: bytes) -> bytes:
        return self._codec.compress(block)[0] if self._codec is not None else block

    def _unpack(self, block: bytes) -> bytes:
        if self._codec is None:
            return block
        try:
            return self._codec.decompress(block)
        except Exception as error:
            raise ValueError("a block of the Avro file cannot be unpacked") from error

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        decoder = new_decoder(self._content[self._begin :])
        end = len(self._content) - self._begin
        while decoder.tell() < end:
            count, block = decoder.read_int(), decoder.read_bytes()
            if decoder.read(_SYNC) != self._sync:
                raise ValueError("a block of the Avro file does not end where it should")
            yield count, self._unpack(block)

    def _read(self, decoder: BinaryDecoder, schema: Any) -> Any:
        kind, schema = self._kind_of(schema)
        if kind == "union":
            place = decoder.read_int()
            return place, self._read(decoder, schema[place])
        if kind == "record":
            return {f["name"]: self._read(decoder, f["type"]) for f in schema["fields"]}
        if kind == "array":
            return _read_items(decoder, lambda: self._read(decoder, schema["items"]))
        if kind == "map":
            values = schema["values"]
            return _read_items(decoder, lambda: (decoder.read_bytes(), self._read(decoder, values)))
        return _read_primitive(decoder, kind, schema)

    def _write(self, encoder: BinaryEncoder, schema: Any, value: Any) -> None:
        kind, schema = self._kind_of(schema)
        if kind == "union":
            encoder.write_int(value[0])
            self._write(encoder, schema[value[0]], value[1])
        elif kind == "record":
            for field in schema["fields"]:
                self._write(encoder, field["type"], value[field["name"]])
        elif kind in ("array", "map"):
            self._write_items(encoder, kind, schema, value)
        else:
            _write_primitive(encoder, kind, value)

    def _write_items(self, encoder: BinaryEncoder, kind: str, schema: Any, items: Any) -> None:
        if items:
            encoder.write_int(len(items))
        for item in items:
            if kind == "map":
                encoder.write_bytes(item[0])
                self._write(encoder, schema["values"], item[1])
            else:
                self._write(encoder, schema["items"], item)
        encoder.write_int(0)

    def _kind_of(self, schema: Any) -> tuple[str, Any]:
        if isinstance(schema, str):
            schema = self._named.get(schema, schema)
        if isinstance(schema, list):
            return "union", schema
        if isinstance(schema, str):
            return schema, schema
        if isinstance(schema["type"], str) and schema["type"] not in self._named:
            return schema["type"], schema
        return self._kind_of(schema["type"])


def value_of(value: Any) -> Any:
    """Without the number of the member, where a field may be null."""
    return value[1] if isinstance(value, tuple) else value


def with_value(old: Any, value: Any) -> Any:
    """``value`` in place of the old one, of the same member."""
    return (old[0], value) if isinstance(old, tuple) else value


def _read_items(decoder: BinaryDecoder, read: Callable[[], Any]) -> list[Any]:
    items = []
    while count := decoder.read_int():
        if count < 0:  # then the size of the block in bytes follows
            count = -count
            decoder.read_int()
        items += [read() for _ in range(count)]
    return items


def _read_pairs(decoder: BinaryDecoder) -> list[tuple[str, bytes]]:
    return _read_items(decoder, lambda: (decoder.read_bytes().decode(), decoder.read_bytes()))


def _read_primitive(decoder: BinaryDecoder, kind: str, schema: Any) -> Any:
    if kind in ("int", "long", "enum"):
        return decoder.read_int()
    if kind in ("bytes", "string"):
        return decoder.read_bytes()
    if kind == "null":
        return None
    if kind == "fixed":
        return _Raw(decoder.read(int(schema["size"])))
    if kind in _FIXED_SIZES:
        return _Raw(decoder.read(_FIXED_SIZES[kind]))
    raise ValueError(f"the Avro type {kind} is not known")


def _write_primitive(encoder: BinaryEncoder, kind: str, value: Any) -> None:
    if kind in ("int", "long", "enum"):
        encoder.write_int(value)
    elif kind in ("bytes", "string"):
        encoder.write_bytes(value)
    elif kind != "null":
        encoder.write(value)


class _Raw(bytes):
    """Bytes without their number in front."""


def _collect_named(schema: Any, named: dict[str, Any]) -> None:
    if isinstance(schema, list):
        for member in schema:
            _collect_named(member, named)
    if not isinstance(schema, Mapping):
        return
    if schema.get("type") in ("record", "fixed", "enum") and "name" in schema:
        named[schema["name"]] = schema
        if "namespace" in schema:
            named[f"{schema['namespace']}.{schema['name']}"] = schema
    for below in ("type", "items", "values", "fields"):
        _collect_named(schema.get(below), named)
