"""sqlglot's Spark parser, taught to remember where in the text relations stand."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import TokenType, exp
from sqlglot.dialects.spark import Spark
from sqlglot.parsers.spark import SparkParser

from sqe.sql.words import prepare_tokens

# Keys in a node's ``meta``. Values are offsets of the text, the end not included.
SPAN = "sqe_span"
END = "sqe_end"
OPTIONS = "options"  # an argument of a table: WITH ('key' = 'value', …) behind its name
EVOLVES = "sqe_evolves"  # of MERGE: it says WITH SCHEMA EVOLUTION
MORE = "sqe_more"  # of a function: it has more arguments than sqlglot knows of
CALL = "sqe_call"  # of a function: its name as written starts here
MARKER = "sqe_marker"  # of a parameter marker: where its ? stands
_AROUND_CALLS = (exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def _is_plain(text: str | None, name: exp.Identifier) -> bool:
    start = name.meta.get("start")
    return bool(text) and start is not None and str(text)[start : start + 1].isidentifier()


class SpanParser(SparkParser):
    """Marks the clauses behind a table's name with their spans and ends."""

    STRICT_CAST = True  # '7'::int is CAST, not TRY_CAST
    SUPPORTS_TABLE_QUERY = True  # TABLE t
    VERSION_PHRASES: ClassVar[dict[tuple[str, ...], str]] = {
        (*start, word, "AS", "OF"): kind
        for start in (("FOR",), ())
        for word, kind in (
            ("VERSION", "VERSION"),
            ("SYSTEM_VERSION", "VERSION"),
            ("TIMESTAMP", "TIMESTAMP"),
            ("SYSTEM_TIME", "TIMESTAMP"),
        )
    }
    # database() and schema(); elsewhere they are names.
    FUNC_TOKENS: ClassVar[set[TokenType]] = {
        *SparkParser.FUNC_TOKENS, TokenType.DATABASE, TokenType.SCHEMA,
    }  # fmt: skip
    COLON_IS_VARIANT_EXTRACT = True  # v:a.b[0] of a variant

    def _parse(self, parse_method: Any, raw_tokens: Any, sql: str | None = None) -> Any:
        """Whatever is parsed, statements and conditions of policies, has its names."""
        trees = super()._parse(parse_method, prepare_tokens(raw_tokens, self.TYPE_TOKENS), sql)
        for tree in filter(None, trees):
            for name in tree.find_all(exp.Identifier):
                if name.quoted and _is_plain(sql, name):
                    name.set("quoted", False)  # a word that was given to sqlglot as a name
        return trees

    def _parse_version(self) -> exp.Version | None:
        first = self._curr
        version = super()._parse_version()
        if version is not None and first:
            version.meta[SPAN] = (first.start, self._prev.end + 1)
        return version

    def _parse_table_parts(
        self,
        schema: bool = False,
        is_db_reference: bool = False,
        wildcard: bool = False,
        fast: bool = False,
    ) -> Any:
        table = super()._parse_table_parts(schema, is_db_reference, wildcard, fast)
        if isinstance(table, exp.Table) and not schema and self._curr:
            first = self._curr
            if self._match_pair(TokenType.WITH, TokenType.L_PAREN):
                pairs = exp.WithTableHint(expressions=self._parse_csv(self._parse_option))
                self._match_r_paren()
                pairs.meta[SPAN] = (first.start, self._prev.end + 1)
                table.set(OPTIONS, pairs)
        return table

    def _parse_option(self) -> Any:
        """``'key' = 'value'`` in Spark's options behind a table's name; the key may be a name."""
        key = self._parse_string() or self._parse_id_var()
        self._match(TokenType.EQ)
        return self.expression(exp.EQ(this=key, expression=self._parse_primary()))

    def _parse_table_sample(self, as_modifier: bool = False) -> exp.TableSample | None:
        sample = super()._parse_table_sample(as_modifier=as_modifier)
        if sample is not None:
            sample.meta[END] = self._prev.end + 1
        return sample

    def _parse_merge(self) -> exp.Merge:
        evolves = self._match_text_seq("WITH", "SCHEMA", "EVOLUTION")
        merge = super()._parse_merge()
        if evolves:
            merge.meta[EVOLVES] = True
        return merge

    def _parse_function_call(self, *args: Any, **options: Any) -> Any:
        first = self._curr
        parsed = super()._parse_function_call(*args, **options)
        call = parsed
        while isinstance(call, _AROUND_CALLS):
            call = call.this
        if isinstance(call, exp.Expr) and first:
            if call.meta.get(MORE) and CALL not in call.meta:
                call.set("this", first.text)
                call.meta.update(start=first.start, end=first.end)
            call.meta.setdefault(CALL, first.start)
            call.meta.setdefault(END, self._prev.end + 1)
        return parsed

    def _parse_types(self, check_func: bool = False, *args: Any, **options: Any) -> Any:
        """Spark's VOID, the type of NULL, which sqlglot has under another name. Only where nothing
        but a type can stand (``check_func`` asks whether one does): it is a name elsewhere."""
        if not check_func and self._curr and self._curr.text.upper() == "VOID":
            self._advance()
            return exp.DataType(this=exp.DType.NULL)
        return super()._parse_types(check_func, *args, **options)

    def _parse_struct_types(self, type_required: bool = False) -> Any:
        """``name:VOID`` in a struct, whose type is no keyword of sqlglot's."""
        ahead = self._tokens[self._index + 1 : self._index + 3]
        if [token.text.upper() for token in ahead] == [":", "VOID"]:
            name = self._parse_id_var()
            self._match(TokenType.COLON)
            return self._parse_column_def(name)
        return super()._parse_struct_types(type_required)

    def _parse_placeholder(self) -> Any:
        first = self._curr
        placeholder = super()._parse_placeholder()
        if isinstance(placeholder, exp.Placeholder) and first.token_type is TokenType.PLACEHOLDER:
            placeholder.meta[MARKER] = first.start
        return placeholder

    def validate_expression(self, expression: Any, args: Any = None) -> Any:
        # Whether a function has the arguments it needs is Spark's to say: corr(DISTINCT x, y).
        if isinstance(expression, exp.Func) and len(args or ()) <= len(expression.arg_types):
            return expression
        if isinstance(expression, exp.Func) and args and not expression.is_var_len_args:
            called = exp.Anonymous(this=expression.sql_name(), expressions=args)
            called.meta[MORE] = True
            return called
        return super().validate_expression(expression, args)

    def _warn_unsupported(self) -> None:
        """Silent: SQE refuses a Command itself, with a message for the user."""


# Without a parenthesis Spark takes these for columns first: they must keep their place in the text.
_PLAIN_WORDS = ("CURRENT_USER", "SESSION_USER", "CURRENT_CATALOG", "CURRENT_SCHEMA")
# sqlglot makes one string of everything behind this word.
_COMMAND_WORDS = ("CALL",)
# Operators of other databases: here a marker and what stands behind it.
_WITH_MARKERS = ("?::", "??")
# Words of other databases' grammars. They are names in Spark, and some are functions.
_OTHERS_WORDS = (
    "ASOF", "GLOB", "ISNULL", "NOTNULL", "OVERLAPS", "RETURNING", "STRAIGHT_JOIN", "XOR",
)  # fmt: skip


class SpanDialect(Spark):
    """Spark's SQL, parsed by ``SpanParser``."""

    # It would make ALL of t.all and of 'all' too: a name alone is left for its reader to judge.
    SUPPORTS_ORDER_BY_ALL = False

    class Tokenizer(Spark.Tokenizer):
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: kind
            for word, kind in Spark.Tokenizer.KEYWORDS.items()
            if word not in (*_PLAIN_WORDS, *_COMMAND_WORDS, *_WITH_MARKERS, *_OTHERS_WORDS)
        }

    Parser = SpanParser


DIALECT = SpanDialect()
