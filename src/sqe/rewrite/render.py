"""The text an engine gets: the user's own, with every relation replaced by what may be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqe.binding.bound import (
    BoundAbsent,
    BoundMetadata,
    BoundReference,
    BoundStatement,
    BoundTable,
    BoundView,
    Guard,
)
from sqe.errors import ErrorCode, InternalError
from sqe.model.identity import Secret
from sqe.model.names import RelationName, SchemaName, quote, string_literal
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.writes import write_edits
from sqe.sql.splice import Edit, Spliced, splice
from sqe.sql.statement import Span, Statement

_WORD = re.compile(r"\w")
_PLAIN_TYPE = re.compile(
    r"(?:boolean|tinyint|smallint|int|bigint|float|double|string|binary|date|timestamp"
    r"|timestamp_ntz|decimal\(\d+,\d+\))\Z"
)


GUARD = "sqe_guard"


def _no_keys(key: Secret) -> str:
    raise InternalError(ErrorCode.INTERNAL_ERROR, "This engine takes no keys of hash masks.")


@dataclass(frozen=True)
class Names:
    """How an engine spells things: a table's name, a metadata relation's rows, the session."""

    table: Callable[[RelationName], tuple[str, ...]]
    metadata: Callable[[BoundMetadata], str]
    session_schema: SchemaName
    user: str
    # The name of a guard, given it and its text; the marker for a key of a hash mask.
    guard: Callable[[BoundView, str], str] = lambda view, text: GUARD
    key: Callable[[Secret], str] = _no_keys
    # Told of each condition that a write to a table is held to.
    check: Callable[[RelationName, str], None] = lambda name, text: None


def render(
    guarded: GuardedStatement, names: Names, changes: Sequence[Edit] = (), *, checked: bool = True
) -> Spliced:
    """``changes`` make another statement of it; where they are, nothing else is replaced. Not
    ``checked``: without what a write is held to, for an engine to say what is wrong with it."""
    return _render(guarded.bound, guarded, names, changes, checked=checked)


def _render(
    bound: BoundStatement,
    guarded: GuardedStatement,
    names: Names,
    changes: Sequence[Edit] = (),
    *,
    checked: bool = True,
) -> Spliced:
    statement = bound.statement
    edits: list[Edit] = []
    for reference in bound.references:
        edits += _replace(statement, reference, guarded, names)
    taken = [edit.span for edit in edits]
    others = [*_qualifiers(bound, names), *_session_functions(bound, names)]
    # Time travel of a guarded table is part of the guard, with all that is in it.
    edits += [one for one in others if not any(_inside(one.span, span) for span in taken)]
    kept = [edit for edit in edits if not any(_inside(edit.span, c.span) for c in changes)]
    found = [*kept, *changes]
    if checked:
        found += write_edits(
            replace(guarded, bound=bound),
            found,
            lambda written, edits: _check(written, guarded, names, edits),
        )
    # A place may be named twice, once for each thing that is done with the table there.
    return splice(statement.text, dict.fromkeys(_apart(statement.text, one) for one in found))


def _apart(text: str, edit: Edit) -> Edit:
    """Behind a name in back quotes, or a parenthesis, a word may follow at once; behind a plain
    name or a word it may not."""
    start, end = edit.span.start, edit.span.end
    follows = start > 0 and _WORD.match(text, start - 1) and _WORD.match(edit.text)
    before = " " if follows and start == end else ""
    ended = text[:end].endswith("`") or (start == end and _WORD.match(edit.text[-1:]))
    behind = " " if ended and _WORD.match(text, end) else ""
    return Edit(edit.span, f"{before}{edit.text}{behind}")


def _check(
    written: BoundReference, guarded: GuardedStatement, names: Names, edits: Sequence[Edit]
) -> str:
    text = ""
    if written.check is not None and written.relation is not None:
        text = _render(written.check, guarded, names, edits).text.strip()
        names.check(written.relation, text)
    return text


def _inside(span: Span, other: Span) -> bool:
    return other.start <= span.start and span.end <= other.end and other.start < other.end


def _replace(
    statement: Statement, bound: BoundReference, guarded: GuardedStatement, names: Names
) -> list[Edit]:
    reference, target = bound.reference, bound.target
    if isinstance(target, BoundAbsent):
        return [Edit(reference.span, dotted(names.table(target.name)))]
    if isinstance(target, BoundTable):
        name = dotted((*names.table(target.name), *target.suffix))
        if reference.literal:
            return [Edit(reference.span, string_literal(name))]
        options = "" if reference.temporal else reference.options
        return [Edit(reference.span, name + options)]
    if isinstance(target, BoundView) and target.guard is not None:
        derived = _guarded(target, target.guard, guarded, names)
        # What stood behind the name is inside the guard now.
        end = reference.temporal.end if reference.temporal else reference.span.end
        return _derived(statement, bound, derived, Span(reference.span.start, end))
    if isinstance(target, BoundView):
        return _derived(statement, bound, _view(target, guarded, names), reference.span)
    return _derived(statement, bound, f"({names.metadata(target)})", reference.span)


def _derived(statement: Statement, bound: BoundReference, text: str, span: Span) -> list[Edit]:
    """A derived table in place of a name, under the name the user's text knows it by."""
    reference = bound.reference
    if reference.table_word is not None:
        # TABLE takes only a name. In front of a pipe the alias must stay visible.
        piped = statement.text[span.end :].lstrip().startswith("|>")
        query = f"{'FROM' if piped else 'SELECT * FROM'} {text} AS {quote(reference.parts[-1])}"
        return [Edit(Span(reference.table_word, span.end), query)]
    if reference.alias is not None:
        return [Edit(span, text)]
    alias = f" AS {quote(reference.parts[-1])}"
    if reference.alias_at <= span.end:
        return [Edit(span, text + alias)]
    return [Edit(span, text), Edit(Span(reference.alias_at, reference.alias_at), alias)]


def _view(view: BoundView, guarded: GuardedStatement, names: Names) -> str:
    """The view's query under its own column names. The line end keeps a closing comment closed."""
    text = _render(view.inner, guarded, names).text.strip()
    wanted = [column.name for column in view.columns]
    given = list(view.query_columns) or wanted
    if not wanted:
        return f"({text}\n)"
    if len({name.lower() for name in given}) == len(given):
        types = view.types or [""] * len(given)
        items = ", ".join(
            _view_column(old, new, kind)
            for old, new, kind in zip(given, wanted, types, strict=True)
        )
        return f"(SELECT {items} FROM ({text}\n))"  # noqa: S608  names are quoted
    listed = ", ".join(quote(name) for name in wanted)
    return f"(SELECT * FROM ({text}\n) AS {quote(view.name)}({listed}))"  # noqa: S608  names are quoted, the rest is the policy's or the view's own SQL


def _view_column(given: str, wanted: str, kind: str) -> str:
    """A column of a view. Cast to the type it had when the view was made: the same, as a rule."""
    if _PLAIN_TYPE.match(kind):
        return f"CAST({quote(given)} AS {kind}) AS {quote(wanted)}"
    return quote(given) if given == wanted else f"{quote(given)} AS {quote(wanted)}"


def _guarded(view: BoundView, guard: Guard, guarded: GuardedStatement, names: Names) -> str:
    """The guard's query under a name that nobody can guess: the engine looks for it in the plan.

    A sample of all rows is a barrier: Spark moves no filter, join or expression through it, and
    unlike a random condition it is allowed wherever a query is.
    """
    markers = zip(view.inner.statement.markers, guard.keys, strict=True)
    keys = [Edit(span, f" {names.key(key)} ") for span, key in markers]
    text = _render(view.inner, guarded, names, keys).text.strip()
    barrier = " TABLESAMPLE (100 PERCENT)" if guard.barrier else ""
    alias = quote(names.guard(view, text))
    return f"(SELECT * FROM ({text}\n){barrier} AS {alias})"  # noqa: S608  names are quoted, the rest is the policy's own SQL


def _qualifiers(bound: BoundStatement, names: Names) -> list[Edit]:
    edits = []
    for qualifier in bound.statement.qualifiers:
        # The longest prefix that names a relation here; a single part needs no change.
        for count in range(len(qualifier.parts), 1, -1):
            spelled = _spelled(bound, qualifier.parts[:count], names)
            if spelled is not None:
                edits.append(Edit(qualifier.spans[count - 1], spelled))
                break
    return edits


def _spelled(bound: BoundStatement, parts: tuple[str, ...], names: Names) -> str | None:
    """``hr.emp`` of ``hr.emp.salary`` as the engine knows it, if a relation here is meant by it."""
    wanted = tuple(part.lower() for part in parts)
    for reference in bound.references:
        target, relation = reference.target, reference.relation
        if reference.reference.alias is not None or relation is None:
            continue
        stored = reference.stored
        suffix = stored.suffix if isinstance(stored, BoundTable) else ()
        full = tuple(part.lower() for part in (*relation.parts, *suffix))
        if full[-len(wanted) :] != wanted:
            continue
        if isinstance(target, BoundTable):
            return dotted((*names.table(target.name), *suffix)[-len(wanted) :])
        return quote(reference.reference.parts[-1])
    return None


def _session_functions(bound: BoundStatement, names: Names) -> list[Edit]:
    schema = names.session_schema
    values = {
        "current_catalog": schema.catalog,
        "current_database": ".".join(schema.path),
        "current_schema": ".".join(schema.path),
    }
    edits = []
    for function in bound.session_functions:
        value = values.get(function.name, names.user)
        alias = "" if function.aliased else f" AS `{function.name}()`"
        edits.append(Edit(function.span, string_literal(value) + alias))
    return edits


def dotted(parts: tuple[str, ...]) -> str:
    return ".".join(quote(part) for part in parts)
