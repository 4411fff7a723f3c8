"""The rows of a page as a client wants them: in the page, or in a segment of Trino's spooled
protocol. Segments are always inline; what they bring is compression."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

_CODECS = {"json+zstd": "zstd", "json+lz4": "lz4_raw", "json": ""}
_WORTH_IT = 8 * 1024  # smaller segments are sent as they are, as Trino does


@dataclass(frozen=True, slots=True)
class Packing:
    """``encoding`` of segments; empty: rows are in the page itself."""

    encoding: str = ""

    def pack(self, text: bytes, rows: int, offset: int) -> bytes:
        """The page's ``data``, as JSON. ``text`` is rows without the brackets around them."""
        text = b"[" + text + b"]"
        if not self.encoding:
            return text
        metadata = {"rowOffset": offset, "rowsCount": rows}
        codec = _CODECS[self.encoding]
        if codec and len(text) >= _WORTH_IT:
            metadata["uncompressedSize"] = len(text)
            text = pa.compress(text, codec=codec, asbytes=True)
        metadata["segmentSize"] = len(text)
        head = f'{{"encoding":"{self.encoding}","metadata":{{}},"segments":[{{"type":"inline",'
        described = f'"metadata":{json.dumps(metadata)}}}]}}'
        return b"".join(
            (head.encode(), b'"data":"', base64.b64encode(text), b'",', described.encode())
        )


def choose_packing(asked: Sequence[str], allowed: Sequence[str]) -> Packing:
    """The first encoding of the client's list that is allowed here."""
    return Packing(
        next((encoding for encoding in asked if encoding in allowed and encoding in _CODECS), "")
    )
