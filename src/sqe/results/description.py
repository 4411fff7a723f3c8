"""What is known of a statement before it runs."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from sqe.model.query import Column


@dataclass(frozen=True, slots=True)
class Description:
    """``schema`` is the one its batches will have. ``parameters`` are the types that fit its
    markers, in order and in Spark's spelling. ``changes``: it writes, and its answer is a count."""

    columns: tuple[Column, ...]
    schema: pa.Schema
    parameters: tuple[str, ...] = ()
    changes: bool = False
