"""Text to statement: one of the kinds SQE understands, or a refusal that says why."""

from __future__ import annotations

import difflib
import sys
from dataclasses import replace

from sqlglot import ErrorLevel, Token, exp
from sqlglot.errors import ParseError

from sqe.errors import ErrorCode, TextPosition, UserError
from sqe.sql.commands import parse_command
from sqe.sql.dialect import DIALECT, EVOLVES, SpanParser
from sqe.sql.forms import parse_form
from sqe.sql.functions import SESSION_FUNCTIONS
from sqe.sql.markers import check_markers, find_markers
from sqe.sql.other_words import (
    InOtherWords,
    has_pivot,
    with_pivot_calls,
    without_shifts,
    without_signs,
)
from sqe.sql.own_functions.calls import find_calls
from sqe.sql.pipes import has_pipes, without_pipes
from sqe.sql.references import find_qualifiers, find_references, find_session_functions
from sqe.sql.refusals import (
    not_understood,
    refusal_of_statement,
    refuse_functions,
    refuse_nodes,
)
from sqe.sql.statement import Access, Statement, StatementKind, position_at
from sqe.sql.text import TextLimits, tokenize, too_complex
from sqe.sql.words import MisplacedWordError

# sqlglot descends about 15 Python frames for each level of nesting.
_FRAMES = 8_000
_QUERIES = (exp.Query, exp.Values)
_WORDS = """
SELECT WITH FROM VALUES TABLE INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE SHOW
DESCRIBE DESC EXPLAIN USE SET RESET ANALYZE REFRESH CALL COMMENT GRANT REVOKE DENY APPLY REMOVE
"""
_BEGINNINGS = _WORDS.split()


def parse(text: str, limits: TextLimits | None = None, *, own_functions: bool = False) -> Statement:
    """Exactly one statement. Every failure is a UserError with a position where there is one.

    ``own_functions``: calls of functions that Spark does not have are no failure; whoever asks for
    this writes their bodies in place of ``Statement.calls`` before anything else is done with it.
    """
    limits = limits or TextLimits()
    try:
        return _parse(text, limits, own_functions)
    except RecursionError:
        raise too_complex(text, 0, limits.nesting) from None


def _parse(text: str, limits: TextLimits, own_functions: bool) -> Statement:
    tokens = tokenize(text, limits)
    text = text[: tokens[-1].end + 1]  # without the closing semicolon and what follows it
    markers = find_markers(text, tokens)
    form = parse_form(
        text,
        tokens,
        retokenize=lambda inner: tokenize(inner, limits),
        parse_inner=lambda inner: _parse(inner, limits, own_functions),
    )
    if form is not None:
        return form
    command = parse_command(text, tokens)
    if command is not None:
        return Statement(text, StatementKind.COMMAND, command[1], command=command[0])
    refuse_functions(text, tokens)
    tree, exact = _tree(text, tokens)
    kind, access, target = _classify(text, tokens, tree)
    if not exact and kind is StatementKind.QUERY:
        tree = InOtherWords(this=tree)
    calls = find_calls(text, tree, tokens) if own_functions else ()
    refuse_nodes(text, tree, tokens, calls)
    check_markers(text, tree, markers)
    has_session_function = any(token.text.lower() in SESSION_FUNCTIONS for token in tokens)
    references = find_references(text, tree, target, access)
    if tree.args.get("exists") or tree.args.get("replace"):
        references = [
            replace(reference, if_exists=reference.access is Access.CREATE)
            for reference in references
        ]
    if tree.meta.get(EVOLVES):  # it may also give the table new columns
        references += [replace(r, access=Access.ALTER) for r in references if r.access is access]
    return Statement(
        text=text,
        kind=kind,
        references=tuple(references),
        qualifiers=tuple(find_qualifiers(text, tokens, references)),
        session_functions=(
            tuple(find_session_functions(tree, tokens)) if has_session_function else ()
        ),
        tree=tree,
        markers=markers,
        calls=calls,
    )


def _tree(text: str, tokens: list[Token]) -> tuple[exp.Expr, bool]:
    """And whether it is of the text itself: else it only has the same names."""
    plain = without_pipes(tokens) if has_pipes(tokens) else tokens
    try:
        tree = _tree_of(text, plain)
    except UserError:
        others = without_shifts(without_signs(plain))
        if has_pivot(others):
            others = with_pivot_calls(others)
        if others is plain:
            raise
        of_others = _of_query(text, others)
        if of_others is None:
            raise
        return of_others, False
    # Spark reads one interval where the parser sees a difference with an alias.
    unsigned = without_signs(plain)
    query = _of_query(text, unsigned) if unsigned is not plain else None
    return tree if query is None else query, unsigned is tokens


def _of_query(text: str, tokens: list[Token]) -> exp.Expr | None:
    """None for anything else: some writes are put together anew, of their trees."""
    try:
        tree = _tree_of(text, tokens)
    except UserError:
        return None
    return tree if isinstance(tree, _QUERIES) else None


def _tree_of(text: str, tokens: list[Token]) -> exp.Expr:
    # Raised once and left so: it is the process's limit, and lowering it could hit other threads.
    if sys.getrecursionlimit() < _FRAMES:
        sys.setrecursionlimit(_FRAMES)
    try:
        parser = SpanParser(dialect=DIALECT, error_level=ErrorLevel.RAISE)
        trees = parser.parse(tokens, text)
    except MisplacedWordError as error:
        raise _needs_backticks(text, error.token.start, error.token.text) from None
    except ParseError as error:
        raise not_understood(text) or _syntax_error(text, tokens, error) from None
    except RecursionError:
        raise
    except Exception as error:
        # sqlglot lets other exceptions out on some inputs; whatever is not understood is refused.
        raise not_understood(text) or UserError(
            ErrorCode.SYNTAX_ERROR,
            "The statement could not be understood.",
            position=position_at(text, tokens[0].start, tokens[0].text),
        ) from error
    if len(trees) != 1 or trees[0] is None:
        raise UserError(ErrorCode.SYNTAX_ERROR, "The statement could not be understood.")
    return trees[0]


def _needs_backticks(text: str, start: int, word: str) -> UserError:
    return UserError(
        ErrorCode.SYNTAX_ERROR,
        f"{word} stands where a name or a value is expected.",
        hint=f"If it is a name, write `{word}`.",
        position=position_at(text, start, word),
    )


def _syntax_error(text: str, tokens: list[Token], error: ParseError) -> UserError:
    beginning = tokens[0].text.upper()
    if beginning.isalpha() and beginning not in _BEGINNINGS:
        close = difflib.get_close_matches(beginning, _BEGINNINGS, n=1)
        return UserError(
            ErrorCode.SYNTAX_ERROR,
            f"No statement begins with {tokens[0].text}.",
            hint=f"Did you mean {close[0]}?" if close else "",
            position=position_at(text, tokens[0].start, tokens[0].text),
        )
    first = error.errors[0] if error.errors else {}
    piece = str(first.get("highlight") or "")
    line, end = first.get("line"), first.get("col")
    if line is None or end is None:
        return UserError(ErrorCode.SYNTAX_ERROR, "The statement could not be understood.")
    column = max(1, int(end) - len(piece) + 1)
    if piece and piece != tokens[-1].text:
        message = f"Syntax error at or near '{piece}'."
    else:
        message = f"Syntax error at or near the end of the statement, '{tokens[-1].text}'."
    return UserError(
        ErrorCode.SYNTAX_ERROR, message, position=TextPosition(int(line), column, piece)
    )


def _classify(
    text: str, tokens: list[Token], tree: exp.Expr
) -> tuple[StatementKind, Access, exp.Expr | None]:
    """The kind, what it does with its target, and the target's node."""
    if isinstance(tree, _QUERIES):
        return StatementKind.QUERY, Access.READ, None
    if isinstance(tree, exp.Insert):
        return StatementKind.INSERT, Access.WRITE, _target(text, tree)
    if isinstance(tree, exp.Delete):
        return StatementKind.DELETE, Access.WRITE, _target(text, tree)
    if isinstance(tree, exp.Update):
        return StatementKind.UPDATE, Access.WRITE, _target(text, tree)
    if isinstance(tree, exp.Merge):
        return StatementKind.MERGE, Access.WRITE, _target(text, tree)
    if isinstance(tree, exp.Create) and tree.kind == "TABLE":
        kind = StatementKind.CREATE_TABLE_AS if tree.expression else StatementKind.CREATE_TABLE
        return kind, Access.CREATE, _target(text, tree)
    raise refusal_of_statement(text, tokens)


def _target(text: str, tree: exp.Expr) -> exp.Table:
    target = tree.this
    while isinstance(target, exp.Schema):
        target = target.this
    if not isinstance(target, exp.Table):
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"{tree.key.upper()} takes the name of a table.",
            position=position_at(text, 0),
        )
    return target
