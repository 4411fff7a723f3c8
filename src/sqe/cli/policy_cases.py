"""Cases of policies: somebody, a query, and what they should see."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.errors import ErrorCode, SqeError, UserError
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest

if TYPE_CHECKING:
    from sqe.cli.invocation import Invocation, ServerGateway

_KEYS = {"name", "user", "groups", "roles", "claims", "query", "expect"}
_EXPECTED = {"rows", "columns", "count", "denied"}
_DENIED = "denied"


@dataclass(frozen=True)
class Case:
    """``place``: of the case, so that two of one name are two."""

    place: str
    name: str
    identity: Identity
    query: str
    expect: Mapping[str, Any]

    @property
    def user(self) -> str:
        return self.identity.user


def read_cases(file: Path) -> list[Case]:
    """INVALID_ARGUMENT says which case is wrong, and how. A misspelled word is one, too: what it
    was to check would not be checked."""
    import yaml

    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise _case_error(str(file), f"it cannot be read ({type(error).__name__})") from None
    except yaml.YAMLError as error:
        raise _case_error(str(file), f"it is not YAML: {' '.join(str(error).split())}") from None
    cases = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(cases, list) or not cases or set(document) != {"cases"}:
        raise _case_error(str(file), "it has a list of `cases`, and nothing else")
    return [_case(f"{file}, case {number}", case) for number, case in enumerate(cases, 1)]


def failures(invocation: Invocation, cases: Sequence[Case]) -> dict[str, str]:
    """What is wrong with the answers, by the case's place."""
    problems: dict[str, str] = {}
    with invocation.session() as (gateway, _):
        for case in cases:
            problem = _problem(gateway, case)
            if problem:
                problems[case.place] = problem
    return problems


def _case(place: str, found: Any) -> Case:
    if not isinstance(found, dict) or not {"user", "query", "expect"} <= set(found) <= _KEYS:
        raise _case_error(place, f"it has user, query, expect; it may have {_join_names(_KEYS)}")
    user, query = found["user"], found["query"]
    if not isinstance(user, str) or not isinstance(query, str) or not user or not query:
        raise _case_error(place, "user and query are texts")
    claims = found.get("claims") or {}
    if not isinstance(claims, dict):
        raise _case_error(place, "claims have names and values")
    identity = Identity(
        user,
        _names(place, found.get("groups")),
        _names(place, found.get("roles")),
        claims=tuple((str(name), str(value)) for name, value in claims.items()),
    )
    name = str(found.get("name") or query)
    return Case(place, name, identity, query, _read_expectation(place, found["expect"]))


def _read_expectation(place: str, found: Any) -> Mapping[str, Any]:
    if found == _DENIED:
        return {_DENIED: True}
    if not isinstance(found, dict) or not found or set(found) - _EXPECTED:
        raise _case_error(place, f"expect is `denied`, or has some of {_join_names(_EXPECTED)}")
    if _DENIED in found and (found[_DENIED] is not True or len(found) > 1):
        raise _case_error(place, "who is denied sees nothing else")
    rows, columns, count = found.get("rows", []), found.get("columns", []), found.get("count", 0)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise _case_error(place, "rows is a list of lists")
    if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
        raise _case_error(place, "columns is a list of names")
    if not isinstance(count, int) or isinstance(count, bool):
        raise _case_error(place, "count is a number")
    return found


def _names(place: str, found: Any) -> frozenset[str]:
    if found is None:
        return frozenset()
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise _case_error(place, "groups and roles are lists of names")
    return frozenset(found)


def _problem(gateway: ServerGateway, case: Case) -> str:
    session = gateway.open_session(case.identity)
    try:
        request = QueryRequest(session.id, case.query, source="sqe-policy-test")
        with gateway.fetch(gateway.submit(request)) as result:
            columns = list(result.schema.names)
            rows = [row for batch in result for row in _rows(batch)]
    except SqeError as error:
        if error.code is ErrorCode.ACCESS_DENIED and _DENIED in case.expect:
            return ""
        return f"refused, {error.code.name}: {error.message}"
    finally:
        session.close()
    if _DENIED in case.expect:
        return f"not denied: {len(rows)} rows of {', '.join(columns)}"
    return "\n".join(_differences(case, columns, rows))


def _rows(batch: Any) -> Iterator[list[Any]]:
    """By place, not by name: two columns may have the same."""
    columns = [column.to_pylist() for column in batch.columns]
    for row in range(batch.num_rows):
        yield [column[row] for column in columns]


def _differences(case: Case, columns: list[str], rows: list[list[Any]]) -> Iterator[str]:
    expect = case.expect
    if "columns" in expect and expect["columns"] != columns:
        yield f"columns: expected {', '.join(expect['columns'])}; seen {', '.join(columns)}"
    if "count" in expect and expect["count"] != len(rows):
        yield f"count: expected {expect['count']}; seen {len(rows)}"
    if "rows" in expect:
        wanted, seen = [_line(row) for row in expect["rows"]], [_line(row) for row in rows]
        if "order by" not in case.query.lower():
            wanted, seen = sorted(wanted), sorted(seen)
        if wanted != seen:
            yield "rows (- expected, + seen):"
            for line in difflib.ndiff(wanted, seen):
                if not line.startswith("?"):
                    yield line


def _line(row: Sequence[Any]) -> str:
    return ", ".join(map(_text, row))


def _text(value: Any) -> str:
    """The same for what YAML and Arrow call differently: 1.50 is 1.5, a date is its text."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int | float | Decimal):
        number = Decimal(str(value))
        return f"{number.normalize():f}" if number else "0"
    if isinstance(value, list):
        return f"[{_line(value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(item)}" for key, item in value.items()) + "}"
    return repr(str(value))


def _join_names(names: set[str]) -> str:
    return ", ".join(sorted(names))


def _case_error(place: str, why: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"{place}: {why}.")
