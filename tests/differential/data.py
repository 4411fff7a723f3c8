"""The suite's tables: every supported type, and in each the values that engines get wrong."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "d"


@dataclass(frozen=True)
class ColumnSpec:
    """``tame`` values are few, small and exact: sums of them do not depend on the order."""

    name: str
    type: str
    tame: bool = False


@dataclass(frozen=True)
class TableSpec:
    """``key`` is unique and never NULL, or empty: then no order of the rows is total."""

    name: str
    columns: tuple[ColumnSpec, ...]
    rows: tuple[str, ...]  # each the inside of a VALUES row, in Spark SQL
    key: str = "id"

    def statements(self) -> list[str]:
        columns = ", ".join(f"{column.name} {column.type}" for column in self.columns)
        made = [f"CREATE TABLE {self.name} ({columns})"]
        if self.rows:
            values = ", ".join(f"({row})" for row in self.rows)
            names = ", ".join(column.name for column in self.columns)
            made.append(
                f"INSERT INTO {self.name} SELECT {self._casts()} FROM VALUES {values} AS v({names})"
            )
        return made

    def _casts(self) -> str:
        """VALUES gives its rows one type, in which a decimal of scale 38 loses its digits."""
        return ", ".join(
            f"cast({column.name} as {column.type})"
            if column.type == "decimal(38,38)"
            else column.name
            for column in self.columns
        )


def columns(text: str) -> tuple[ColumnSpec, ...]:
    """``name type`` pairs, one per line; a star marks the tame ones."""
    specs = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, kind = line.removesuffix("*").split(maxsplit=1)
        specs.append(ColumnSpec(name, kind.strip(), line.endswith("*")))
    return tuple(specs)


# Extremes of every number type. Sums of these overflow, and are meant to.
NUMBERS = TableSpec(
    "numbers",
    columns(
        """
        id int*
        ti tinyint
        si smallint
        i int
        bi bigint
        f float
        db double
        d5 decimal(5,2)
        d18 decimal(18,6)
        d38 decimal(38,0)
        d3810 decimal(38,10)
        d3838 decimal(38,38)
        b boolean
        """
    ),
    (
        "1, 0, 0, 0, 0, 0.0, 0.0D, 0, 0, 0, 0, '0', true",
        "2, -128Y, -32768S, -2147483648, -9223372036854775808L, float('-Infinity'), "
        "double('-Infinity'), -999.99, -999999999999.999999, "
        "-99999999999999999999999999999999999999BD, -9999999999999999999999999999.9999999999BD, "
        "'-0.99999999999999999999999999999999999999', false",
        "3, 127Y, 32767S, 2147483647, 9223372036854775807L, float('Infinity'), "
        "double('Infinity'), 999.99, 999999999999.999999, "
        "99999999999999999999999999999999999999BD, 9999999999999999999999999999.9999999999BD, "
        "'0.99999999999999999999999999999999999999', true",
        "4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
        "5, 1, 1, 1, 1, float('NaN'), double('NaN'), 0.01, 0.000001, 1, 0.0000000001, "
        "'0.00000000000000000000000000000000000001', NULL",
        "6, -1, -1, -1, -1, float('-0.0'), double('-0.0'), -0.01, -0.000001, -1, "
        "-0.0000000001, '-0.00000000000000000000000000000000000001', false",
        "7, 2, 2, 2, 2, 0.5, 0.5D, 0.5, 0.5, 10, 2.5, '0.5', true",
        "8, 10, 100, 1000, 10000000000L, float('1.17549435E-38'), 2.2250738585072014E-308D, "
        "1.25, 1.005, 12345678901234567890, 1234567890.0123456789, '0.125', true",
        "9, -7, -7, -7, -7, float('3.4028235E38'), 1.7976931348623157E308D, -2.5, -2.5, "
        "-7, -1.5, '-0.25', false",
        "10, 100, 10000, 1000000, 1000000000000L, float('-1.5'), -1.5D, 1.5, 2.675, "
        "50000000000000000000, 0.5, '0.33333333333333333333333333333333333333', NULL",
        "11, 3, 3, 3, 9007199254740993L, 16777216.0, 9007199254740992D, 3.45, 3.4549995, "
        "9007199254740993, 3.3333333333, '0.1', true",
        "12, 7, 255, 65536, 4294967296L, 0.1, 0.1D, 100.1, 0.1, 7, 0.1, '0.01', false",
    ),
)

# Small numbers for everything that must not overflow: joins, sums, windows, arithmetic.
TAME = TableSpec(
    "tame",
    columns(
        """
        id int*
        k int*
        g string*
        ti tinyint*
        si smallint*
        i int*
        bi bigint*
        f float*
        db double*
        d2 decimal(10,2)*
        d4 decimal(18,4)*
        b boolean*
        s string
        dt date
        ts timestamp
        """
    ),
    tuple(
        f"{n}, {k}, {g}, {n % 5}Y, {n * 7 % 11}S, {i}, {n * n - 20}L, "
        f"{n * 0.25 - 1}, {db}, {n * 13 % 7}.{n % 4}5, {n * 101 - 500}.{n % 10}25, {b}, {s}, "
        f"{dt}, {ts}"
        for n, (k, g, i, db, b, s, dt, ts) in enumerate(
            [
                ("1", "'a'", "1", "1.5D", "true", "'apple'", "DATE'2020-01-31'",
                 "TIMESTAMP'2020-01-31 10:00:00Z'"),
                ("1", "'a'", "2", "2.25D", "false", "'Apple'", "DATE'2020-02-29'",
                 "TIMESTAMP'2020-02-29 23:59:59.999999Z'"),
                ("1", "'b'", "2", "NULL", "NULL", "''", "DATE'2021-12-31'",
                 "TIMESTAMP'2021-12-31 00:00:00Z'"),
                ("2", "'b'", "-3", "0.5D", "true", "'pear'", "DATE'1999-12-31'",
                 "TIMESTAMP'1999-12-31 23:00:00Z'"),
                ("2", "'c'", "NULL", "-4D", "true", "'été'", "NULL", "NULL"),
                ("2", "NULL", "5", "8D", "false", "NULL", "DATE'1970-01-01'",
                 "TIMESTAMP'1970-01-01 00:00:00Z'"),
                ("3", "NULL", "0", "0D", "false", "'zoë'", "DATE'1969-12-31'",
                 "TIMESTAMP'1969-12-31 23:59:59Z'"),
                ("NULL", "'c'", "7", "1.5D", "true", "'x_y%z'", "DATE'2024-03-31'",
                 "TIMESTAMP'2024-03-31 01:30:00Z'"),
                ("NULL", "''", "7", "3.75D", "false", "'  pad '", "DATE'2024-10-27'",
                 "TIMESTAMP'2024-10-27 00:30:00Z'"),
                ("4", "''", "-1", "12.125D", "NULL", "'12'", "DATE'2020-01-31'",
                 "TIMESTAMP'2020-01-31 10:00:00Z'"),
                ("4", "'d'", "9", "2.25D", "true", "'pear'", "DATE'2023-01-01'",
                 "TIMESTAMP'2023-01-01 12:34:56.789Z'"),
                ("5", "'d'", "4", "100D", "false", "'Straße'", "DATE'2024-12-30'",
                 "TIMESTAMP'2024-12-30 06:00:00Z'"),
            ],
            start=1,
        )
    ),
)  # fmt: skip

# Letters of special case, marks that combine, signs beyond the first plane, numbers as text.
TEXTS = TableSpec(
    "texts",
    columns(
        """
        id int*
        s string
        t string
        n int*
        bin binary
        """
    ),
    (
        "1, '', '', 0, X''",
        "2, NULL, NULL, NULL, NULL",
        "3, 'Hello World', 'o', 3, X'00FF10'",
        "4, 'héllo', 'é', 2, X'C3A9'",
        "5, 'he\u0301llo', '\u0301', 1, X'65CC81'",
        "6, '😀a😀b', '😀', 4, X'F09F9880'",
        "7, 'Straße', 'ß', -1, X'FF'",
        "8, 'İstanbul \u0131i', 'i', 5, X'00'",
        "9, 'ΑΣ ΌΔΟΣ', 'Σ', -3, X'0000'",
        "10, 'ŉ ﬁ ǆ', 'ﬁ', 100, X'61'",
        "11, '  two  spaces ', ' ', 6, X'6162'",
        "12, '100%_\\\\x', '%', 2, X'5C'",
        "13, '42', '4', 10, X'3432'",
        "14, ' -7 ', '-', 1, X'2D37'",
        "15, '1.5e2', 'e', 0, X'31'",
        "16, '2020-02-30', '-', 4, NULL",
        "17, '2020-02-29', '2', 3, X'FFFFFFFFFFFFFFFF'",
        "18, 'true', 'T', -2, X'74727565'",
        "19, 'a\\tb\\nc', '\\n', 3, X'0A'",
        "20, 'abcabcabc', 'abc', 7, X'616263'",
        "21, 'NaN', 'N', 2, X'4E'",
        "22, '99999999999999999999', '9', 20, X'39'",
    ),
)

# Before 1970, leap days, and both sides of the clock changes of Europe and New York.
TIMES = TableSpec(
    "times",
    columns(
        """
        id int*
        dt date
        ts timestamp
        ntz timestamp_ntz
        n int*
        """
    ),
    (
        "1, DATE'1970-01-01', TIMESTAMP'1970-01-01 00:00:00Z', "
        "TIMESTAMP_NTZ'1970-01-01 00:00:00', 0",
        "2, NULL, NULL, NULL, NULL",
        "3, DATE'0001-01-01', TIMESTAMP'0001-01-03 00:00:00Z', "
        "TIMESTAMP_NTZ'0001-01-01 00:00:00', 1",
        "4, DATE'9999-12-31', TIMESTAMP'9999-12-30 23:59:59.999999Z', "
        "TIMESTAMP_NTZ'9999-12-31 23:59:59.999999', -1",
        "5, DATE'1969-12-31', TIMESTAMP'1969-12-31 23:59:59.999999Z', "
        "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', 31",
        "6, DATE'2024-02-29', TIMESTAMP'2024-02-29 12:00:00.5Z', "
        "TIMESTAMP_NTZ'2024-02-29 12:00:00.5', 12",
        "7, DATE'2024-03-31', TIMESTAMP'2024-03-31 00:59:59Z', "
        "TIMESTAMP_NTZ'2024-03-31 02:30:00', -12",
        "8, DATE'2024-03-31', TIMESTAMP'2024-03-31 01:00:00Z', "
        "TIMESTAMP_NTZ'2024-03-31 03:00:00', 7",
        "9, DATE'2024-10-27', TIMESTAMP'2024-10-27 00:30:00Z', "
        "TIMESTAMP_NTZ'2024-10-27 02:30:00', 100",
        "10, DATE'2024-10-27', TIMESTAMP'2024-10-27 01:30:00Z', "
        "TIMESTAMP_NTZ'2024-10-27 02:30:00', -100",
        "11, DATE'2024-03-10', TIMESTAMP'2024-03-10 07:00:00Z', "
        "TIMESTAMP_NTZ'2024-03-10 02:30:00', 365",
        "12, DATE'1582-10-15', TIMESTAMP'1582-10-15 00:00:00Z', "
        "TIMESTAMP_NTZ'1582-10-15 00:00:00', 1000",
        "13, DATE'1900-03-01', TIMESTAMP'1883-11-18 17:00:00Z', "
        "TIMESTAMP_NTZ'1900-02-28 23:59:59', 2",
        "14, DATE'2023-12-31', TIMESTAMP'2023-12-31 23:59:59Z', "
        "TIMESTAMP_NTZ'2024-12-30 00:00:00', 53",
        "15, DATE'2000-01-31', TIMESTAMP'2000-01-31 00:00:00.000001Z', "
        "TIMESTAMP_NTZ'2000-01-31 00:00:00.000001', 1",
    ),
)

NESTED = TableSpec(
    "nested",
    columns(
        """
        id int*
        ai array<int>
        at array<string>
        m map<string,int>
        st struct<a:int,b:string>
        ast array<struct<x:int,y:string>>
        """
    ),
    (
        "1, array(1, 2, 3), array('a', 'b'), map('x', 1, 'y', 2), "
        "named_struct('a', 1, 'b', 'one'), array(named_struct('x', 1, 'y', 'p'))",
        "2, NULL, NULL, NULL, NULL, NULL",
        "3, array(), array(), map(), named_struct('a', NULL, 'b', NULL), array()",
        "4, array(3, NULL, 1), array(NULL, '', 'é'), map('x', NULL), "
        "named_struct('a', 2, 'b', NULL), array(NULL, named_struct('x', NULL, 'y', 'q'))",
        "5, array(1, 2, 3), array('b', 'a', 'a'), map('', 0, 'é', -1), "
        "named_struct('a', 1, 'b', 'one'), array(named_struct('x', 2, 'y', NULL))",
    ),
)

# Rows that occur more than once, also with NULL in them: joins and set operations count them.
DUPLICATES = TableSpec(
    "dup",
    columns("a int*\nb string*\nc decimal(10,2)*"),
    (
        "1, 'x', 1.00", "1, 'x', 1.00", "1, 'x', 1.00", "NULL, NULL, NULL", "NULL, NULL, NULL",
        "2, 'y', 2.50", "2, NULL, 2.50", "NULL, 'x', 0.00", "3, '', -1.25", "3, '', -1.25",
    ),
    key="",
)  # fmt: skip

DIMENSION = TableSpec(
    "dim",
    columns("k int*\nlabel string*\nweight double*\nsince date"),
    (
        "1, 'one', 1.5D, DATE'2020-01-31'", "2, 'two', NULL, DATE'1970-01-01'",
        "3, NULL, 0.25D, NULL", "6, 'six', 4D, DATE'2024-03-31'",
    ),
    key="k",
)  # fmt: skip

EMPTY = TableSpec("nobody", TAME.columns, ())
ONE = TableSpec("one", columns("id int*\nx int*\ny string*"), ("1, 42, 'only'",))

BASIC = (NUMBERS, TAME, TEXTS, TIMES, NESTED, DUPLICATES, DIMENSION, EMPTY, ONE)
