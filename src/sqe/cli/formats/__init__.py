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


class Expanded(Enum):
    """When the rows of a table are written as one line per column."""

    OFF = "off"
    ON = "on"
    AUTO = "auto"  # where a row would not fit the terminal
