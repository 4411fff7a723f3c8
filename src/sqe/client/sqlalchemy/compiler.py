"""SQLAlchemy's statements in Spark's SQL."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import exc
from sqlalchemy.sql import compiler, elements

# What SQL reserves. Spark takes most of these as names; quoting them is right in any case.
_WORDS = """
    all and anti any as authorization between both by case cast check collate column constraint
    create cross cube current_date current_time current_timestamp current_user delete desc describe
    distinct drop else end escape except exists false fetch filter for foreign from full grant group
    grouping having in inner insert intersect interval into is join lateral leading left like limit
    minus natural not null nulls of offset on only or order outer over overlaps partition pivot
    primary qualify references right rollup select semi session_user set some table tablesample then
    time to trailing true union unique unknown unpivot update user using values when where window
    with within
"""


class SqeIdentifierPreparer(compiler.IdentifierPreparer):
    """Back quotes. A schema of several levels is dotted, and each level quoted by itself."""

    legal_characters = re.compile(r"^[A-Z0-9_]+$", re.IGNORECASE)

    def __init__(self, dialect: Any) -> None:
        super().__init__(dialect, initial_quote="`", final_quote="`", escape_quote="`")
        self.reserved_words = set(_WORDS.split())

    def quote_schema(self, schema: str, force: Any = None) -> str:
        return ".".join(self.quote(level) for level in schema.split("."))


class SqeCompiler(compiler.SQLCompiler):
    def limit_clause(self, select: Any, **kw: Any) -> str:
        """The numbers are written out: Spark takes nothing else there."""
        text = ""
        for word, clause in (("LIMIT", select._limit_clause), ("OFFSET", select._offset_clause)):
            if clause is not None:
                if isinstance(clause, elements.BindParameter):
                    clause = clause.render_literal_execute()
                text += f"\n {word} {self.process(clause, **kw)}"
        return text

    def for_update_clause(self, select: Any, **kw: Any) -> str:
        """Readers take no locks: they see one snapshot."""
        return ""

    def visit_empty_set_expr(self, element_types: Any, **kw: Any) -> str:
        nulls = ", ".join("NULL" for _ in element_types) or "NULL"
        return f"SELECT {nulls} WHERE 1 = 0"

    def render_literal_value(self, value: Any, type_: Any) -> str:
        if isinstance(value, str):
            return literal(value)
        return super().render_literal_value(value, type_)


def literal(text: str) -> str:
    """A string as Spark reads it: the backslash escapes, a doubled quote does not."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


class SqeDDLCompiler(compiler.DDLCompiler):
    def create_table_constraints(self, table: Any, *args: Any, **kw: Any) -> str:
        """Iceberg keeps no keys; a model that declares some can still have its table made."""
        return ""

    def get_column_specification(self, column: Any, **kwargs: Any) -> str:
        text = super().get_column_specification(column, **kwargs)
        if column.comment is not None:
            text += f" COMMENT {literal(column.comment)}"
        return text

    def post_create_table(self, table: Any) -> str:
        return f" COMMENT {literal(table.comment)}" if table.comment else ""

    def visit_create_index(self, create: Any, *args: Any, **kw: Any) -> str:
        raise exc.CompileError("There are no indexes in SQE; pandas: to_sql(..., index=False).")
