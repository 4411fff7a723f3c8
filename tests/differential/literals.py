"""Literals of each kind: ordinary ones, and those that engines get wrong."""

from __future__ import annotations

TAME: dict[str, tuple[str, ...]] = {
    "tinyint": ("1Y", "3Y", "0Y"),
    "smallint": ("2S", "10S", "0S"),
    "int": ("0", "1", "2", "7", "-3"),
    "bigint": ("1L", "5L", "-2L"),
    "float": ("0.5F", "2F"),
    "double": ("0.25D", "1.5D", "2D"),
    "decimal": ("1.5", "0.25", "2.00", "10"),
    "string": ("'a'", "'b'", "'pear'", "''"),
    "boolean": ("true", "false"),
    "date": ("DATE'2020-01-31'", "DATE'2024-02-29'"),
    "timestamp": ("TIMESTAMP'2020-01-31 10:00:00'", "TIMESTAMP'2024-03-31 12:00:00Z'"),
    "timestamp_ntz": ("TIMESTAMP_NTZ'2020-01-31 10:00:00'",),
    "binary": ("X'00FF'", "X''"),
    "array<int>": ("array(1, 2)", "array(3, NULL)"),
    "array<string>": ("array('a', 'b')",),
    "map<string,int>": ("map('x', 1)",),
    "struct<a:int,b:string>": ("named_struct('a', 1, 'b', 'z')",),
}
_WILD: dict[str, tuple[str, ...]] = {
    "tinyint": ("127Y", "-128Y"),
    "smallint": ("32767S", "-32768S"),
    "int": ("2147483647", "-2147483648", "1000000"),
    "bigint": ("9223372036854775807L", "-9223372036854775808L", "9007199254740993L"),
    "float": ("float('NaN')", "-0.0F", "float('Infinity')", "1E-40F", "3.4028235E38F"),
    "double": ("double('NaN')", "-0.0D", "double('-Infinity')", "1E308D", "4.9E-324D", "0.1D"),
    "decimal": (
        "99999999999999999999999999999999999999BD",
        "0.00000000000000000000000000000000000001BD",
        "-0.5",
        "123456789.987654321",
        "2.5",
    ),
    "string": ("'é'", "'😀'", "'ß'", "'İ'", "'%'", "' '", "'42'", "'x''y'", "'a\\\\b'"),
    "boolean": ("true",),
    "date": ("DATE'0001-01-01'", "DATE'9999-12-31'", "DATE'1969-12-31'"),
    "timestamp": ("TIMESTAMP'1969-12-31 23:59:59.999999Z'", "TIMESTAMP'2024-10-27 02:30:00'"),
    "timestamp_ntz": ("TIMESTAMP_NTZ'1969-12-31 23:59:59.5'",),
    "binary": ("X'C3'", "X'00'"),
    "array<int>": ("array(NULL, 2147483647)",),
    "array<string>": ("array(NULL, '')",),
    "map<string,int>": ("map('', NULL)",),
    "struct<a:int,b:string>": ("named_struct('a', cast(NULL as int), 'b', '')",),
}
NULL_TYPES: dict[str, str] = {"decimal": "decimal(10,2)"}


def null_of(kind: str) -> str:
    return f"cast(NULL as {NULL_TYPES.get(kind, kind)})"


# NULL of each kind is as wild as any.
WILD = {kind: (*texts, null_of(kind)) for kind, texts in _WILD.items()}
# What a shrunk expression ends as.
SIMPLEST: dict[str, str] = {kind: texts[0] for kind, texts in TAME.items()}
