"""Text for JSON from Arrow's buffers: escapes, base64, and numbers as Java writes them."""

from __future__ import annotations

import binascii

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_QUOTE, _BACKSLASH, _SPACE = 0x22, 0x5C, 0x20
_SHORT = {0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r", _QUOTE: '"', _BACKSLASH: "\\"}


def _escapes() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """For each byte: how many it becomes, and which (six at most)."""
    lengths = np.ones(256, np.int64)
    written = np.zeros((256, 6), np.uint8)
    written[:, 0] = np.arange(256)
    for byte in (*range(_SPACE), _QUOTE, _BACKSLASH):
        text = "\\" + _SHORT[byte] if byte in _SHORT else f"\\u{byte:04x}"
        lengths[byte] = len(text)
        written[byte, : len(text)] = list(text.encode())
    return lengths, written


_LENGTHS, _WRITTEN = _escapes()


def escape(array: pa.StringArray) -> pa.StringArray:
    """As it stands between the quotes of a JSON string. UTF-8 stays as it is."""
    offsets, data = _parts(array)
    dirty = (data < _SPACE) | (data == _QUOTE) | (data == _BACKSLASH)
    if not dirty.any():
        return array
    lengths = _LENGTHS[data]
    starts = np.zeros(len(data) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    out = np.empty(int(starts[-1]), np.uint8)
    out[starts[:-1]] = _WRITTEN[data, 0]
    places, bytes_ = starts[:-1][dirty], data[dirty]
    for nth in range(1, 6):
        longer = _LENGTHS[bytes_] > nth
        out[places[longer] + nth] = _WRITTEN[bytes_[longer], nth]
    return _strings(array, starts[offsets], out)


def base64_text(array: pa.BinaryArray) -> pa.StringArray:
    """Each value padded to whole groups of three bytes, all of them encoded in one go."""
    offsets, data = _parts(array)
    lengths = np.diff(offsets)
    groups = -(-lengths // 3)
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(groups, out=starts[1:])
    padded = np.zeros(int(starts[-1]) * 3, np.uint8)
    padded[np.arange(len(data)) + np.repeat(starts[:-1] * 3 - offsets[:-1], lengths)] = data
    out = np.frombuffer(binascii.b2a_base64(padded.tobytes(), newline=False), np.uint8).copy()
    ends = starts[1:] * 4
    out[ends[lengths % 3 != 0] - 1] = ord("=")
    out[ends[lengths % 3 == 1] - 2] = ord("=")
    return _strings(array, starts * 4, out)


def java_number(value: float, text: str) -> str:
    """Double.toString or Float.toString, from the shortest digits that mean the number."""
    if value != value or value in (float("inf"), float("-inf")):
        return text
    sign = "-" if text.startswith("-") else ""
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return f"{sign}0.0"
    # The place of the point, counted from the first digit that is not 0.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if 1e-3 <= abs(value) < 1e7:
        digits = digits.ljust(point, "0") if point > 0 else "0" * (1 - point) + digits
        point = max(point, 1)
        return f"{sign}{digits[:point]}.{digits[point:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def _parts(array: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Offsets from 0, and the bytes they are in."""
    _, places, data = array.buffers()
    if len(array) == 0 or places is None:
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    offsets = np.frombuffer(places, np.int32)[array.offset : array.offset + len(array) + 1]
    offsets = offsets.astype(np.int64)
    if data is None:
        return offsets - offsets[0], np.empty(0, np.uint8)
    content = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
    return offsets - offsets[0], content


def _strings(
    like: pa.Array, offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]
) -> pa.StringArray:
    """Strings in these bytes, NULL where ``like`` is."""
    if offsets[-1] > np.iinfo(np.int32).max:
        raise OverflowError("a value is too long to be sent")
    places = pa.py_buffer(np.ascontiguousarray(offsets.astype(np.int32)))
    if not like.null_count:
        return pa.StringArray.from_buffers(len(like), places, pa.py_buffer(data))
    mask = np.packbits(like.is_valid().to_numpy(zero_copy_only=False), bitorder="little")
    return pa.StringArray.from_buffers(
        len(like), places, pa.py_buffer(data), pa.py_buffer(mask), like.null_count
    )
