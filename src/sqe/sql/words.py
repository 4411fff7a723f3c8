"""Keywords that stand where only a name can stand.

In Spark nearly every keyword is a name where a name fits: ``SELECT all, city``, ``GROUP BY
distinct``. sqlglot takes some of them for keywords there, and its tree then lacks a column that
Spark reads. So a keyword that is a whole operand by its neighbors is given to it as a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import Token, TokenType
from sqlglot.errors import ParseError

_CLAUSES = {
    TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY, TokenType.SORT_BY,
    TokenType.CLUSTER_BY, TokenType.DISTRIBUTE_BY,
}  # fmt: skip
_COMPARISONS = {
    TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.GT, TokenType.LTE, TokenType.GTE,
    TokenType.NULLSAFE_EQ,
}  # fmt: skip
# Behind these an operand begins, and behind those that follow too, unless they are names.
_SURELY_BEFORE = (
    _CLAUSES
    | _COMPARISONS
    | {
        TokenType.SELECT, TokenType.COMMA, TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.PLUS,
        TokenType.DASH, TokenType.SLASH, TokenType.MOD, TokenType.DPIPE, TokenType.AND,
        TokenType.OR, TokenType.PARTITION_BY,
    }
)  # fmt: skip
_BEFORE = _SURELY_BEFORE | {
    TokenType.DISTINCT, TokenType.ALL, TokenType.DIV, TokenType.NOT, TokenType.ON, TokenType.CASE,
    TokenType.WHEN, TokenType.THEN, TokenType.ELSE, TokenType.BETWEEN, TokenType.LIKE,
    TokenType.ARROW, TokenType.SET,
}  # fmt: skip
# In front of these an operand has ended, whatever it is.
_BEHIND = _COMPARISONS | {
    TokenType.COMMA, TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.L_BRACKET, TokenType.SLASH,
    TokenType.MOD, TokenType.DPIPE, TokenType.DIV, TokenType.DCOLON, TokenType.AND, TokenType.OR,
    TokenType.IS, TokenType.IN, TokenType.LIKE, TokenType.ALIAS, TokenType.ASC, TokenType.DESC,
    TokenType.ARROW, TokenType.WHEN, TokenType.THEN, TokenType.ELSE, TokenType.END, TokenType.NOT,
}  # fmt: skip
# Neither can these begin an operand; but ``SELECT ALL FROM t`` is the column ``from``.
_CLAUSES_BEHIND = _CLAUSES | {
    TokenType.FROM, TokenType.LIMIT, TokenType.UNION, TokenType.BETWEEN,
}  # fmt: skip
# An operand can begin behind these, and be a word like the operators above.
_PREFIXES = {TokenType.SELECT, TokenType.NOT, TokenType.CASE, TokenType.WHERE, TokenType.FROM}
_QUANTIFIERS = {TokenType.ALL, TokenType.DISTINCT}
_QUANTIFIED = {TokenType.SELECT, TokenType.L_PAREN}
_VALUES = {
    TokenType.NULL, TokenType.TRUE, TokenType.FALSE, TokenType.DEFAULT, TokenType.CURRENT_DATE,
    TokenType.CURRENT_TIMESTAMP,
}  # fmt: skip
# Operators between two operands, and clauses that have something in front of them.
_OPERATORS = {
    TokenType.AND, TokenType.OR, TokenType.IN, TokenType.LIKE, TokenType.ILIKE, TokenType.RLIKE,
    TokenType.DIV, TokenType.IS, TokenType.BETWEEN, TokenType.ALIAS,
}  # fmt: skip
# Functions too.
_CALLED = {TokenType.LIKE, TokenType.ILIKE, TokenType.RLIKE, TokenType.DIV}
_NEED_FRONT = _OPERATORS | {
    TokenType.FROM, TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.JOIN,
    TokenType.FETCH, TokenType.TABLE_SAMPLE, TokenType.USING, TokenType.ON,
}  # fmt: skip
_NOTHING_BEHIND = (_CLAUSES - {TokenType.WHERE}) | {
    TokenType.COMMA, TokenType.R_PAREN, TokenType.FROM, TokenType.WHERE, *_OPERATORS,
}  # fmt: skip
# These mean what they say there: frames of windows, what MERGE does.
_BETWEEN_FRAMES = {TokenType.ROWS, TokenType.RANGE}
_ACTIONS = {TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE}
# sqlglot takes them for constraints in a list of columns, and for the first word in TRIM.
_TAKEN = {"check", "constraint", "exclude", "foreign", "like", "period", "primary", "unique"} | {
    "both", "leading", "trailing",
}  # fmt: skip


class MisplacedWordError(ParseError):
    """A word of the grammar has nothing to stand between. Spark takes it for a name, sqlglot for
    something that is missing: ``SELECT a, FROM t`` is two columns to Spark."""

    def __init__(self, token: Token) -> None:
        super().__init__(f"{token.text} stands where a name or a value is expected")
        self.token = token


def prepare_tokens(tokens: list[Token], types: set[TokenType]) -> list[Token]:
    """What sqlglot is given. Everything that is parsed goes through here."""
    refuse_bare_filters(tokens)
    named = name_words(without_levels(tokens), types)
    misplaced = find_misplaced_word(named)
    if misplaced is not None:
        raise MisplacedWordError(misplaced)
    return named


def refuse_bare_filters(tokens: list[Token]) -> None:
    """``sum(a) FILTER (b > 1)`` lacks its WHERE, which sqlglot does not miss."""
    for before, word, opening, first in zip(
        tokens, tokens[1:], tokens[2:], tokens[3:], strict=False
    ):
        kinds = (before.token_type, word.token_type, opening.token_type)
        bare = kinds == (TokenType.R_PAREN, TokenType.FILTER, TokenType.L_PAREN)
        if bare and first.token_type is not TokenType.WHERE:
            raise ParseError.new(
                "FILTER takes WHERE and a condition",
                line=opening.line,
                col=opening.col,
                highlight=opening.text,
            )


def name_words(tokens: list[Token], types: set[TokenType]) -> list[Token]:
    """The tokens, with keywords that are whole operands as names. ``types``: words of types, which
    sqlglot takes for names where they are."""
    return list(_list_names(tokens, types))


def _list_names(tokens: list[Token], types: set[TokenType]) -> Iterator[Token]:
    before: Token | None = None
    for index, token in enumerate(tokens):
        behind = tokens[index + 1] if index + 1 < len(tokens) else None
        named = _may_be_name(token, types) and _is_operand(token, before, behind)
        is_type = before is not None and before.token_type is TokenType.DCOLON  # 5L is 5::BIGINT
        if named or (not is_type and _is_compared(tokens[index : index + 3], types)):
            token = Token(
                TokenType.IDENTIFIER, token.text, token.line, token.col, token.start, token.end,
                token.comments,
            )  # fmt: skip
        yield token
        before = token


def _is_compared(tokens: list[Token], types: set[TokenType]) -> bool:
    """``map < 1``, which is not the beginning of a type."""
    kinds = [token.token_type for token in tokens]
    compared = kinds[1:] in ([TokenType.LT, TokenType.NUMBER], [TokenType.LT, TokenType.STRING])
    return compared and kinds[0] in types


def _may_be_name(token: Token, types: set[TokenType]) -> bool:
    kind = token.token_type
    if kind is TokenType.VAR:
        return token.text.lower() in _TAKEN
    if kind in _VALUES or (kind in types and kind is not TokenType.INTERVAL):
        return False
    written = token.end - token.start + 1 == len(token.text)  # not between quotes
    return written and kind is not TokenType.IDENTIFIER and _is_word(token)


def _is_operand(token: Token, before: Token | None, behind: Token | None) -> bool:
    kind = token.token_type
    follows = behind.token_type if behind is not None else None
    if follows is TokenType.DOT:
        return kind not in _PREFIXES
    if before is None:  # a condition by itself
        return follows in _COMPARISONS | {TokenType.IS, TokenType.IN, TokenType.LIKE}
    if before.token_type not in _BEFORE | {TokenType.DOT}:
        return False
    precedes = before.token_type
    if precedes is TokenType.DOT:
        return follows is not TokenType.L_PAREN
    if kind is TokenType.VAR or (precedes is TokenType.GROUP_BY and kind is TokenType.ALL):
        # GROUP BY ALL is by every column, unless there is one of that name: the tree says ALL.
        return follows in _BEHIND
    if precedes is TokenType.THEN and kind in _ACTIONS:
        return False  # of MERGE
    if follows is None or follows in _BEHIND:
        return not _means_itself(kind, precedes, behind)
    if kind in _QUANTIFIERS:  # IS NOT DISTINCT FROM
        return precedes not in _QUANTIFIED | {TokenType.NOT} and follows in _CLAUSES_BEHIND
    return kind not in _BEFORE | _PREFIXES | _BETWEEN_FRAMES and follows in _CLAUSES_BEHIND


def _means_itself(kind: TokenType, precedes: TokenType, behind: Token | None) -> bool:
    """Although it stands between two tokens that a name could stand between."""
    if precedes is TokenType.LT and behind is not None and behind.token_type is TokenType.GT:
        return True  # ARRAY<INTERVAL>
    prefix = kind in _PREFIXES or kind in _BEFORE
    if kind in _QUANTIFIERS:
        prefix = precedes in _QUANTIFIED
    return prefix and _is_word(behind)


def find_misplaced_word(tokens: list[Token]) -> Token | None:
    """See ``MisplacedWordError``."""
    if tokens[:1] and tokens[0].token_type is TokenType.CREATE:  # with names in front of types
        return None
    for index, token in enumerate(tokens):
        kind = token.token_type
        before = tokens[index - 1].token_type if index else None
        behind = tokens[index + 1].token_type if index + 1 < len(tokens) else None
        if before in (TokenType.DOT, TokenType.ALIAS):
            continue
        if kind in _CALLED and behind is TokenType.L_PAREN:
            continue
        if kind in _NEED_FRONT and _begins_operand(before, kind):
            return token
        if kind is TokenType.ALIAS and _is_quantified(tokens[max(0, index - 2) : index]):
            return token  # SELECT all AS x: Spark reads the column "as"
        if kind in _OPERATORS and (behind is None or behind in _kinds_at_end(kind)):
            return token
    return None


def _kinds_at_end(kind: TokenType) -> set[TokenType]:
    return _NOTHING_BEHIND - _OPERATORS if kind is TokenType.ALIAS else _NOTHING_BEHIND


def _is_quantified(tokens: list[Token]) -> bool:
    last = [token.token_type for token in tokens[-2:]]
    return last[:1] == [TokenType.SELECT] and last[-1] in _QUANTIFIERS


def _begins_operand(before: TokenType | None, kind: TokenType) -> bool:
    if kind is TokenType.FROM and before is TokenType.L_PAREN:
        return False  # (FROM t SELECT a)
    return before in _SURELY_BEFORE


def without_levels(tokens: list[Token]) -> list[Token]:
    """Without MAX RECURSION LEVEL 5 of a CTE, which sqlglot does not know. Spark reads it."""
    kept: list[Token] = []
    skip = 0
    for index, token in enumerate(tokens):
        ahead = [one.text.upper() for one in tokens[index : index + 3]]
        number = tokens[index + 3 : index + 4]
        levels = bool(number) and number[0].token_type is TokenType.NUMBER
        if ahead == ["MAX", "RECURSION", "LEVEL"] and levels:
            skip = 4
        if skip:
            skip -= 1
        else:
            kept.append(token)
    return kept


def _is_word(token: Token | None) -> bool:
    return token is not None and token.text.isidentifier()
