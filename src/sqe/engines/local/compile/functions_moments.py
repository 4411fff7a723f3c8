"""Moments as numbers and numbers as moments, as DuckDB writes them."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engines.local.compile.arithmetic import give_up
from sqe.engines.local.compile.built import Build, Built, need
from sqe.engines.local.compile.compiling import Compiling
from sqe.engines.local.compile.value import Value
from sqe.engines.local.types import BIGINT, TIMESTAMP, TIMESTAMP_NTZ

_FIRST, _LAST = -62_135_596_800, 253_402_300_799  # seconds: the years 1 to 9999
_SMALL_INTS = ("tinyint", "smallint", "int")


def since_epoch(micros: int) -> Build:
    """unix_micros, unix_millis, unix_seconds: of so many microseconds, towards the past."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 1 and values[0].type == TIMESTAMP, "this takes a timestamp")
        whole = f"epoch_us({values[0].sql})"
        sql = f"(({whole} - (({whole} % {micros}) + {micros}) % {micros}) // {micros})"
        return whole if micros == 1 else sql, BIGINT, values[0].nullable

    return build


def after_epoch(micros: int) -> Build:
    """timestamp_micros, timestamp_millis, timestamp_seconds: in years of four digits."""

    def build(here: Compiling, values: Sequence[Value]) -> Built:
        need(len(values) == 1 and values[0].type.is_integral, "this takes a whole number")
        number, parts = values[0].cast(BIGINT), 1_000_000 // micros
        far = give_up("a moment far away", TIMESTAMP)
        low, high = _FIRST * parts, _LAST * parts
        moment = f"CAST(make_timestamp({number} * {micros}) AS TIMESTAMPTZ)"
        sql = f"CASE WHEN {number} < {low} OR {number} > {high} THEN {far} ELSE {moment} END"
        return sql, TIMESTAMP, values[0].nullable

    return build


def try_make_midnight(here: Compiling, values: Sequence[Value]) -> Built:
    """try_make_timestamp_ntz of a year, a month, a day, and no time: NULL for no date."""
    need(len(values) == 6, "try_make_timestamp_ntz takes six numbers")
    need(all(value.type.name in _SMALL_INTS for value in values[:3]), "it takes ints")
    need(all(value.literal == 0 for value in values[3:]), "a computed time of the day is Spark's")
    year, month, day = (value.sql for value in values[:3])
    far = give_up("a year of other than four digits", TIMESTAMP_NTZ)
    last = f"date_part('day', last_day(make_date({year}, {month}, 1)))"
    midnight = f"CAST(make_date({year}, {month}, {day}) AS TIMESTAMP)"
    valid = f"CASE WHEN {day} BETWEEN 1 AND {last} THEN {midnight} END"
    known = f"CASE WHEN {month} BETWEEN 1 AND 12 THEN {valid} END"
    odd = f"{year} NOT BETWEEN 1 AND 9999"
    return f"CASE WHEN {odd} THEN {far} ELSE {known} END", TIMESTAMP_NTZ, True
