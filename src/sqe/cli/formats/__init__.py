"""Results as text and files. Importing this imports nothing heavy; the writers do."""

from __future__ import annotations

from enum import Enum


class OutputFormat(Enum):
    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"
    VERTICAL = "vertical"

    @property
    def binary(self) -> bool:
        return self in (OutputFormat.PARQUET, OutputFormat.ARROW)
