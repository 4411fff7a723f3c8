"""Trino's reserved words, and how it writes names and texts."""

from __future__ import annotations

import re

_WORDS = """alter and as auto between by case cast constraint create cross cube current_catalog
    current_date current_path current_role current_schema current_time current_timestamp
    current_user deallocate delete describe distinct drop else end escape except exists extract
    false for from full group grouping having in inner insert intersect into is join json_array
    json_exists json_object json_query json_table json_value left like listagg localtime
    localtimestamp natural normalize not null on or order outer prepare recursive right rollup
    select skip table then trim true uescape union unnest using values when where with"""
RESERVED = frozenset(_WORDS.split())
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def quote_name(name: str) -> str:
    """As a delimited identifier."""
    return '"' + name.replace('"', '""') + '"'


def print_name(name: str) -> str:
    """As Trino prints a row's field to clients: in quotes only where the name needs them."""
    if _PLAIN.fullmatch(name) and name.lower() not in RESERVED:
        return name
    return quote_name(name)


def literal(value: str) -> str:
    """A text as Trino's SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
