"""Which snapshots of a table are read: Spark's options behind its name, and table_changes().

``t.changes WITH ('start-snapshot-id' = '5')`` is Spark's own; options stay with the name wherever
it goes, so that a guard is around what they read. ``table_changes('t', 5, 8)`` is the same in a
shorter form: the changes after snapshot 5, up to and with 8.
"""

from __future__ import annotations

import difflib
from typing import Any, NoReturn

from sqlglot import exp

from sqe.errors import ErrorCode, UserError
from sqe.sql.dialect import CALL, END
from sqe.sql.statement import Reference, Span, position_at
from sqe.sql.text_names import parts_of

READ_OPTIONS = ("start-snapshot-id", "end-snapshot-id", "start-timestamp", "end-timestamp")
_TABLE_CHANGES = "table_changes"


def options_text(text: str, options: exp.Expr, at: Span) -> str:
    """The options in one spelling. Only those that choose snapshots."""
    where = position_at(text, at.start, at.of(text))
    pairs = {}
    for option in options.expressions:
        name, value = option.this.name.lower(), option.expression
        if name not in READ_OPTIONS:
            close = difflib.get_close_matches(name, READ_OPTIONS, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"It takes {', '.join(READ_OPTIONS)}."
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"The option {option.this.name} of a table is not supported.",
                hint=hint,
                position=where,
            )
        if not isinstance(value, exp.Literal) or not str(value.this).isdecimal():
            what = "milliseconds since 1970" if "timestamp" in name else "a snapshot's number"
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, f"The option {name} is {what}.", position=where
            )
        pairs[name] = str(value.this)
    return _with(pairs)


def _with(pairs: dict[str, str]) -> str:
    listed = ", ".join(f"'{name}' = '{pairs[name]}'" for name in READ_OPTIONS if name in pairs)
    return f" WITH ({listed})" if listed else ""


def is_table_changes(node: Any) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() == _TABLE_CHANGES


def read_table_changes(text: str, table: exp.Table) -> Reference:
    """The function as a reference to the table's ``changes``, with the options it stands for."""
    call = table.this
    span = Span(call.meta[CALL], call.meta[END])
    arguments = call.expressions
    if table.args.get("db") or not 1 <= len(arguments) <= 3:
        _refuse(text, span)
    name, *numbers = arguments
    if not isinstance(name, exp.Literal) or not name.is_string:
        _refuse(text, span)
    pairs = {}
    for option, number in zip(READ_OPTIONS[:2], numbers, strict=False):
        if not isinstance(number, exp.Literal) or not str(number.this).isdecimal():
            _refuse(text, span)
        pairs[option] = str(number.this)
    alias = table.args.get("alias")
    return Reference(
        parts=(*parts_of(str(name.this), text, span), "changes"),
        span=span,
        alias=alias.name if alias is not None and alias.this is not None else None,
        alias_at=span.end,
        options=_with(pairs),
    )


def _refuse(text: str, span: Span) -> NoReturn:
    raise UserError(
        ErrorCode.INVALID_ARGUMENT,
        "table_changes takes a table's name in quotes and up to two numbers of snapshots.",
        hint="table_changes('schema.table', 5, 8) gives what changed after 5, up to and with 8.",
        position=position_at(text, span.start, span.of(text)[:40]),
    )
