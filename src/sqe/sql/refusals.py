"""Lock 1: what is not understood, or reaches outside the query, is refused by name."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Sequence

from sqlglot import Token, TokenType, exp

from sqe.errors import ErrorCode, UserError
from sqe.sql.dialect import CALL
from sqe.sql.functions import ALLOWED, DENIED, PARTITION_TRANSFORMS
from sqe.sql.read_options import is_table_changes
from sqe.sql.statement import FunctionCall, position_at
from sqe.sql.xml_options import refuse_xml_options

# Nodes of the tree that no statement may hold, with the name users know them by.
_NODES: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Command, "This statement"),
    (exp.QueryTransform, "TRANSFORM … USING"),
    (exp.MultitableInserts, "INSERT into several tables"),
    (exp.Directory, "INSERT OVERWRITE DIRECTORY"),
    (exp.Into, "SELECT … INTO"),
    (exp.Parameter, "A parameter in the text"),
    (exp.SessionParameter, "A session parameter"),
    (exp.Stream, "STREAM"),
)
_CREATE_PROPERTIES: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.LocationProperty, "LOCATION (the catalog chooses where a table lives)"),
    (exp.LikeProperty, "CREATE TABLE … LIKE"),
    (exp.ExternalProperty, "CREATE EXTERNAL TABLE"),
    (exp.TemporaryProperty, "CREATE TEMPORARY TABLE"),
    (exp.GlobalProperty, "CREATE GLOBAL …"),
)
# Valid Spark text that sqlglot does not take: what to look for once it has failed, and the name.
_GAPS: tuple[tuple[str, str], ...] = (
    (r"\|>", "This form of pipe syntax (|>)"),
    (r">>>", "The operator >>> (use shiftrightunsigned)"),
    (r"(?i)\binterval\s+[-+]?\d+\s+\w+\s+[-+]?\d+", "An interval of several signed parts"),
    (r"/\*/", "A comment that opens another one at once"),
    (r"(?i)\bclustered\s+by\b", "CLUSTERED BY (use bucket in PARTITIONED BY)"),
    (r"(?i)\bpivot\s*\(", "An expression over aggregates in PIVOT"),
    (r"(?i)^\s*insert\s+overwrite\s+(?:local\s+)?directory\b", "INSERT OVERWRITE DIRECTORY"),
    (r"(?i)^\s*begin\b", "SQL scripting"),
)
_FORMATS = frozenset({"iceberg", "parquet", "orc", "avro"})
# Statements that are Spark's or other databases', by their first words.
_STATEMENTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("EXECUTE",), "EXECUTE IMMEDIATE"),
    (("BEGIN",), "SQL scripting"),
    (("START",), "START TRANSACTION as a statement (clients begin one by autocommit off)"),
    (("COMMIT",), "COMMIT as a statement (use the client's own commit)"),
    (("ROLLBACK",), "ROLLBACK as a statement (use the client's own rollback)"),
    (("SAVEPOINT",), "SAVEPOINT"),
    (("SET",), "SET"),
    (("CACHE",), "CACHE TABLE"),
    (("UNCACHE",), "UNCACHE TABLE"),
    (("CLEAR", "CACHE"), "CLEAR CACHE"),
    (("REFRESH",), "REFRESH"),
    (("ADD",), "ADD JAR, FILE or ARCHIVE"),
    (("LIST",), "LIST"),
    (("LOAD",), "LOAD DATA"),
    (("CALL",), "CALL"),
    (("MSCK",), "MSCK REPAIR TABLE"),
    (("REPAIR",), "REPAIR TABLE"),
    (("DROP",), "This form of DROP"),
    (("ALTER",), "This form of ALTER"),
    (("CREATE",), "This form of CREATE"),
)

# For people: what is refused by name, and not some form of what is supported.
_SOME_FORMS = ("ALTER", "BEGIN", "CALL", "CREATE", "DROP", "EXECUTE", "REFRESH", "SET")
REFUSED_STATEMENTS = tuple(name for start, name in _STATEMENTS if start[0] not in _SOME_FORMS)
REFUSED_CLAUSES = tuple(name for _, name in (*_NODES[1:], *_CREATE_PROPERTIES, *_GAPS[:-1]))


def refusal_of_statement(text: str, tokens: list[Token]) -> UserError:
    """The refusal for a statement of a kind SQE does not know."""
    words = tuple(word for token in tokens[:3] for word in token.text.upper().split())
    name = next(
        (name for start, name in _STATEMENTS if words[: len(start)] == start),
        f"A statement that begins with {words[0][:40]}",
    )
    return UserError(
        ErrorCode.NOT_SUPPORTED,
        f"{name} is not supported.",
        position=position_at(text, tokens[0].start, tokens[0].text),
    )


def not_understood(text: str) -> UserError | None:
    """The refusal for valid Spark text that our parser is known not to take, or None."""
    for pattern, name in _GAPS:
        match = re.search(pattern, text)
        if match:
            return UserError(
                ErrorCode.NOT_SUPPORTED,
                f"{name} is not supported.",
                position=position_at(text, match.start(), match.group()),
            )
    return None


def refuse_functions(text: str, tokens: list[Token]) -> None:
    """Denied names in front of a parenthesis, however they are quoted or qualified."""
    for token, following in itertools.pairwise(tokens):
        if (
            following.token_type is TokenType.L_PAREN
            and token.token_type is not TokenType.STRING
            and token.text.lower() in DENIED
        ):
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"Function {token.text.lower()} is refused: {DENIED[token.text.lower()]}.",
                position=position_at(text, token.start, token.text),
            )
    refuse_xml_options(text, tokens)


def refuse_nodes(
    text: str, tree: exp.Expr, tokens: list[Token], calls: Sequence[FunctionCall] = ()
) -> None:
    """Constructs in the tree that SQE does not take, and functions Spark does not have; ``calls``
    are those that may be somebody's own."""
    own = {call.at for call in calls}
    for node in tree.walk():
        for kind, name in (*_NODES, *_CREATE_PROPERTIES):
            if isinstance(node, kind):
                if isinstance(node, exp.Command):
                    raise refusal_of_statement(text, tokens)
                raise UserError(
                    ErrorCode.NOT_SUPPORTED,
                    f"{name} is not supported.",
                    position=position_at(text, tokens[0].start, tokens[0].text),
                )
        if isinstance(node, exp.Property) and node.name.lower() in ("path", "location"):
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"The option {node.name} is not supported (the catalog chooses where a table"
                " lives).",
                position=position_at(text, tokens[0].start, tokens[0].text),
            )
        if isinstance(node, exp.FileFormatProperty) and node.name.lower() not in _FORMATS:
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                f"CREATE TABLE … USING {node.name} is not supported.",
                hint="Tables are Iceberg's: leave USING out, or name parquet, orc or avro files.",
            )
        if node.meta.get(CALL) in own:
            continue
        if isinstance(node, exp.Anonymous) and node.find_ancestor(exp.Hint) is None:
            if is_table_changes(node) and isinstance(node.parent, exp.Table):
                continue
            _check_function(text, node)


def _check_function(text: str, node: exp.Anonymous) -> None:
    name = node.name.lower()
    if name in ALLOWED or (name in PARTITION_TRANSFORMS and node.find_ancestor(exp.Properties)):
        return
    raise no_function(text, node.meta.get("start", 0), node.name)


def no_function(text: str, start: int, name: str) -> UserError:
    close = difflib.get_close_matches(name.lower(), ALLOWED, n=1)
    return UserError(
        ErrorCode.FUNCTION_NOT_FOUND,
        f"Function {name} does not exist.",
        hint=f"Did you mean {close[0]}?" if close else "SHOW FUNCTIONS lists them.",
        position=position_at(text, start, name),
    )
