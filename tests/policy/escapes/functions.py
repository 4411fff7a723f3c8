"""Tricks with functions that the user has written."""

from __future__ import annotations

from tests.policy.escapes.row import SAME, TRINO, Escape, tricks

_TOP = "RETURNS STRING RETURN (SELECT max(ssn) FROM {s}.emp)"
_SAME_TEXT = "CREATE TEMPORARY FUNCTION f(x STRING) RETURNS STRING RETURN concat(x, '!', x)"
_FAILS = (
    "CREATE TEMPORARY FUNCTION f(x STRING) RETURNS INT "
    "RETURN IF(x LIKE '%row%', CAST(raise_error(x) AS INT), length(x))"
)

ESCAPES: list[Escape] = [
    *tricks(
        SAME,
        "to read in the body of a function what is not to be seen",
        (f"CREATE TEMPORARY FUNCTION f() {_TOP}", "SELECT f()"),
        (f"CREATE FUNCTION {{s}}.f() {_TOP}", "SELECT {s}.f() AS top, name FROM {s}.emp"),
        ("@open", f"CREATE FUNCTION {{s}}.f() {_TOP}", "@close", "SELECT {s}.f() AS opened"),
        (
            "@open",
            "CREATE FUNCTION {s}.f() RETURNS INT RETURN (SELECT max(x_hidden_pay) FROM {s}.emp)",
            "@close",
            "SELECT {s}.f() AS hidden",
        ),
        "CREATE FUNCTION {s}.f() RETURNS INT RETURN (SELECT sum(x_hidden_pay) FROM {s}.emp)",
        (
            "CREATE TEMPORARY FUNCTION f(d STRING) RETURNS TABLE (a STRING, b STRING) "
            "RETURN SELECT ssn, name FROM {s}.emp WHERE dept = d",
            "SELECT v.*, f.* FROM VALUES ('it'), ('hr') v(d), LATERAL f(v.d)",
        ),
        (
            "CREATE TEMPORARY FUNCTION f(k INT) RETURNS STRING "
            "RETURN (SELECT max(ssn) FROM {s}.emp WHERE id = k)",
            "CREATE TEMPORARY FUNCTION g(k INT) RETURNS STRING RETURN concat(f(k), f(k + 1))",
            "SELECT g(id) FROM {s}.emp WHERE f(id) IS NOT NULL",
        ),
        (
            "CREATE FUNCTION {s}.f() RETURNS BIGINT RETURN (SELECT count(*) FROM {s}.emp)",
            "CREATE VIEW {s}.v AS SELECT {s}.f() AS n",
            "SELECT n FROM {s}.v",
        ),
    ),
    *tricks(
        "ACCESS_DENIED",
        "to read in the body of a function what is denied",
        (
            "@open",
            "CREATE FUNCTION {s}.f() RETURNS STRING RETURN SELECT max(x) FROM {s}.vault",
            "@close",
            "SELECT {s}.f() AS vault",
        ),
        "CREATE TEMPORARY FUNCTION f() RETURNS STRING RETURN (SELECT max(x) FROM {s}.vault)",
        "CREATE TEMPORARY FUNCTION f() RETURNS STRING RETURN (SELECT max(x) FROM {s}.ghost)",
    ),
    *tricks(
        SAME,
        "to give a function what is not to be seen",
        (_SAME_TEXT, "SELECT f(ssn), f(name) FROM {s}.emp"),
        (_SAME_TEXT, "SELECT name FROM {s}.emp WHERE f(ssn) LIKE '%S3%'"),
        (_SAME_TEXT, "SELECT f(x_hidden_info.b) FROM {s}.emp"),
        (_SAME_TEXT, "SELECT dept, f(max(ssn)) FROM {s}.emp GROUP BY dept"),
        (_FAILS, "SELECT name FROM {s}.emp WHERE f(name) > 0"),
        (_FAILS, "SELECT sum(f(name)) FROM {s}.emp"),
    ),
    *tricks(
        SAME,
        "to give a function in Trino's SQL what is not to be seen",
        "WITH FUNCTION f(x varchar) RETURNS varchar RETURN x || x "
        "SELECT f(ssn), f(name) FROM {s}.emp",
        (
            "CREATE FUNCTION lake.{s}.f(x varchar) RETURNS varchar RETURN upper(x)",
            "SELECT lake.{s}.f(ssn) FROM {s}.emp WHERE lake.{s}.f(name) <> 'BOB'",
        ),
        dialect=TRINO,
    ),
    *tricks(
        "INVALID_ARGUMENT",
        "to take the place of a function that rules call",
        "CREATE TEMPORARY FUNCTION current_user() RETURNS STRING RETURN 'ann'",
        "CREATE FUNCTION concat(x STRING) RETURNS STRING RETURN 'GUARD-WORD'",
    ),
]
