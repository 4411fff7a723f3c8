"""Imports every module that declares functions, casts, literals or operators."""

from __future__ import annotations

from importlib import import_module

MODULES = (
    "casts_containers",
    "casts_json",
    "casts_numbers",
    "casts_text",
    "functions.tries",
    "identifiers",
    "special_forms",
    "temporal_literals",
    "casts_temporal",
    "casts_temporal_text",
    "operators_temporal",
    "functions.aggregates",
    "functions.datetime_fields",
    "functions.datetime_units",
    "functions.datetime_iso",
    "functions.datetime_parse",
    "functions.datetime_print",
    "functions.datetime_sequences",
    "functions.datetime_zones",
    "functions.session",
    "functions.aggregates_lists",
    "functions.binaries",
    "functions.hashes",
    "functions.encodings",
    "functions.normal_forms",
    "functions.networks",
    "functions.distributions",
    "functions.ranking",
    "functions.regexps",
    "functions.strings",
    "functions.arrays",
    "functions.array_makers",
    "functions.array_parts",
    "functions.maps",
    "functions.lambdas",
    "functions.vectors",
    "functions.split_maps",
    "functions.json",
    "functions.bitwise",
    "functions.conditional",
    "functions.math",
    "functions.rounding",
    "functions.printf",
    "functions.units",
)


def load() -> None:
    for name in MODULES:
        import_module(f"sqe.trino.dialect.{name}")
