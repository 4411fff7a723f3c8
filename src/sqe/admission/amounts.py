"""Sizes and durations as Trino's files spell them: ``80%``, ``10GB``, ``1.5h``."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h|d)\s*")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|TB|PB)\s*")
_BYTES = {"B": 1, "kB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40, "PB": 2**50}
_PERCENT = re.compile(r"\s*\d{1,3}(?:\.\d+)?%\s*")


def seconds_of(text: Any) -> float:
    """ValueError: it is not a duration."""
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError('a duration in quotes belongs here, e.g. "1h" or "30s"')
    return float(match[1]) * _SECONDS[match[2]]


def bytes_of(text: Any) -> float:
    """ValueError: it is not a size."""
    match = _SIZE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError('a size in quotes belongs here, e.g. "10GB"')
    return float(match[1]) * _BYTES[match[2]]


def _memory(text: Any) -> Any:
    if not (isinstance(text, str) and _PERCENT.fullmatch(text)):
        bytes_of(text)
    return text


Duration = Annotated[float, BeforeValidator(seconds_of)]
Size = Annotated[float, BeforeValidator(bytes_of)]
Memory = Annotated[str, BeforeValidator(_memory)]
