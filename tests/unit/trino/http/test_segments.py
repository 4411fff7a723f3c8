"""Rows in segments of the spooled protocol, as clients unpack them."""

from __future__ import annotations

import base64
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from sqe.trino.http.options import TrinoOptions
from sqe.trino.http.segments import Packing, choose_packing
from tests.unit.trino.http.serving import follow, rows, serving

ROWS = b",".join(b'[%d,"text"]' % number for number in range(2000))


def _lz4(raw: bytes, size: int) -> bytes:
    """As the Python client does it, whose library has no types."""
    decompress: Callable[..., bytes] = importlib.import_module("lz4.block").decompress
    return decompress(raw, uncompressed_size=size)


UNPACK: dict[str, Callable[[bytes, int], bytes]] = {
    "json": lambda raw, size: raw,
    "json+zstd": lambda raw, size: zstandard.ZstdDecompressor().decompress(raw),
    "json+lz4": _lz4,
}


def segment(packed: bytes) -> tuple[bytes, dict[str, Any]]:
    data = json.loads(packed)
    [found] = data["segments"]
    assert found["type"] == "inline"
    return base64.b64decode(found["data"]), found["metadata"]


@pytest.mark.parametrize("encoding", UNPACK)
def test_a_segment_is_what_it_says(encoding: str) -> None:
    raw, metadata = segment(Packing(encoding).pack(ROWS, 2000, 500))
    size = metadata.get("uncompressedSize", len(raw))
    assert UNPACK[encoding](raw, size) == b"[" + ROWS + b"]"
    assert metadata["segmentSize"] == len(raw) and size == len(ROWS) + 2
    assert (metadata["rowOffset"], metadata["rowsCount"]) == (500, 2000)
    assert ("uncompressedSize" in metadata) == (encoding != "json")


def test_a_small_segment_is_not_compressed() -> None:
    raw, metadata = segment(Packing("json+zstd").pack(b"[1]", 1, 0))
    assert raw == b"[[1]]" and "uncompressedSize" not in metadata


def test_without_an_encoding_rows_are_in_the_page() -> None:
    assert Packing().pack(b"[1],[2]", 2, 0) == b"[[1],[2]]"


@pytest.mark.parametrize(
    ("asked", "allowed", "found"),
    [
        (("json+lz4", "json+zstd"), ("json+zstd", "json+lz4"), "json+lz4"),
        (("arrow", "json"), ("json+zstd", "json"), "json"),
        (("json+zstd",), (), ""),
        ((), ("json",), ""),
        (("json+brotli",), ("json+brotli",), ""),
    ],
)
def test_the_first_that_both_know(
    asked: tuple[str, ...], allowed: tuple[str, ...], found: str
) -> None:
    assert choose_packing(asked, allowed).encoding == found


def test_offsets_go_on_from_page_to_page(tmp_path: Path) -> None:
    many = rows(*[(number, "x" * 50) for number in range(1000)], batches=4)
    headers = {"X-Trino-Query-Data-Encoding": "json+zstd,json"}
    with (
        serving(tmp_path, {"many": many}, TrinoOptions(page_bytes=8 * 1024)) as served,
        served.client() as client,
    ):
        found = follow(client, "many", headers)
    assert found.headers["x-trino-query-data-encoding"] == "json+zstd"
    pages = [page["data"] for page in found.pages if "data" in page]
    assert len(pages) > 4 and {page["encoding"] for page in pages} == {"json+zstd"}
    seen: list[int] = []
    for page in pages:
        raw, metadata = segment(json.dumps(page).encode())
        assert metadata["rowOffset"] == len(seen)
        if "uncompressedSize" in metadata:
            raw = UNPACK["json+zstd"](raw, 0)
        seen += [row[0] for row in json.loads(raw)]
    assert seen == list(range(1000)) * 4
