"""Functions of XML take no option that names a file of the server."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, UserError
from sqe.sql.parse import parse


@pytest.mark.parametrize(
    "text",
    [
        "SELECT from_xml(a, 'b INT') FROM t",
        "SELECT from_xml(a, schema_of_xml('<p><b>1</b></p>'), map('mode', 'FAILFAST')) FROM t",
        "SELECT schema_of_xml('<p/>', map('rowTag', 'x', 'excludeAttribute', 'true'))",
        "SELECT from_xml(concat(a, ','), 'b STRUCT<c: INT, d: INT>'), `from_xml` FROM t",
        "SELECT 'from_xml(a, b, map(x, y))'",
    ],
)
def test_schemas_and_known_options_are_taken(text: str) -> None:
    assert parse(text).tree is not None


@pytest.mark.parametrize(
    "call",
    [
        "from_xml(a, 'b INT', map('rowValidationXSDPath', '/etc/passwd'))",
        "from_xml(a, 'b INT', map('mode', 'x', 'ROWVALIDATIONXSDPATH', '/etc/passwd'))",
        "`from_xml` (a, 'b INT', map('row' 'ValidationXSDPath', '/etc/passwd'))",
        r"from_xml(a, 'b INT', map('row\u0056alidationXSDPath', '/etc/passwd'))",
        "system.builtin.from_xml(a, 'b INT', map(concat('row', 'ValidationXSDPath'), '/x'))",
        "from_xml(a, 'b INT', map_from_arrays(array('rowValidationXSDPath'), array('/x')))",
        "from_xml(a, 'b INT', options => map('rowValidationXSDPath', '/x'))",
        "from_xml(options => map('rowValidationXSDPath', '/x'), xml => a, schema => 'b INT')",
        "from_xml(a, 'b INT', o)",
        "from_xml(a, 'b INT', map('mode'))",
        "from_xml(a, 'b INT', map(*))",
        "schema_of_xml('<a/>', map('rowValidationXSDPath', '/etc/passwd'))",
        "schema_of_xml('<a/>', ?)",
        "from_xml(a, schema_of_xml('<a/>', map('path', '/x')))",
    ],
)
def test_any_other_option_is_refused(call: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(f"SELECT {call} FROM t")
    assert raised.value.code is ErrorCode.NOT_SUPPORTED
