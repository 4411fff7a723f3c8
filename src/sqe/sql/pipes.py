"""Pipe syntax, ``FROM t |> WHERE a > 1 |> SELECT b``, as the subqueries that it stands for.

The parser is given these, and Spark the text as it is. So they must have every name and every
expression of the text, each in a place where the same relations are in force, and need not give the
same rows: what they mean is Spark's business. Nothing else may read them: see ``InOtherWords``.

A step's words come first, those before it are a subquery in its FROM. What is not a step of Spark's
stays as it is, and the parser stumbles over it.
"""

from __future__ import annotations

from itertools import zip_longest

from sqlglot import Token, TokenType

_BEGINNINGS = ("SELECT", "FROM", "TABLE", "VALUES", "(")
_PLAIN_GROUPS = ("GROUPING SETS", "ROLLUP", "CUBE", "GROUPING", "ALL")
# Steps that are clauses behind FROM, too.
_CLAUSES = frozenset(
    {
        "ANTI", "AS", "CLUSTER BY", "CROSS", "DISTRIBUTE BY", "EXCEPT", "FULL", "INNER",
        "INTERSECT", "JOIN", "LATERAL", "LEFT", "LIMIT", "MINUS", "NATURAL", "OFFSET", "ORDER BY",
        "PIVOT", "RIGHT", "SEMI", "SORT BY", "TABLESAMPLE", "UNION", "UNPIVOT", "WHERE", "WINDOW",
    }
)  # fmt: skip
# Steps that are lists of expressions, by whether all columns go on.
_LISTS = {"SELECT": False, "EXTEND": True, "SET": True, "DROP": True}


def has_pipes(tokens: list[Token]) -> bool:
    return any(token.token_type is TokenType.PIPE_GT for token in tokens)


def without_pipes(tokens: list[Token]) -> list[Token]:
    """Plain SQL with the same names; what is SQE's own in it is words and signs, never a name."""
    return _unpipe(_without_inner_pipes(tokens))


def _without_inner_pipes(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        out.append(tokens[index])
        index += 1
        if out[-1].token_type is not TokenType.L_PAREN:
            continue
        end = _find_closing(tokens, index)
        out += without_pipes(tokens[index:end])
        index = end
    return out


def _find_closing(tokens: list[Token], start: int) -> int:
    """Where the parenthesis that was opened in front of ``start`` closes."""
    depth = 1
    for index in range(start, len(tokens)):
        depth += _step(tokens[index])
        if depth == 0:
            return index
    return len(tokens)


def _step(token: Token) -> int:
    kind = token.token_type
    return (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)


def _outside(tokens: list[Token]) -> list[int]:
    """The places of tokens that stand in no parentheses; an opening one stands outside."""
    depth, places = 0, []
    for index, token in enumerate(tokens):
        step = _step(token)
        if depth == 0 and step >= 0:
            places.append(index)
        depth += step
    return places


def _word(tokens: list[Token], index: int = 0) -> str:
    return tokens[index].text.upper() if index < len(tokens) else ""


def _unpipe(tokens: list[Token]) -> list[Token]:
    pipes = [i for i in _outside(tokens) if tokens[i].token_type is TokenType.PIPE_GT]
    if not pipes:
        return tokens
    start = _begin_query(tokens[: pipes[0]])
    query = _select_of(tokens[start : pipes[0]])
    for at, end in zip(pipes, [*pipes[1:], len(tokens)], strict=True):
        after_step = _after_step(query, tokens[at], tokens[at + 1 : end])
        if after_step is None:
            return tokens
        query = after_step
    return [*tokens[:start], *query]


def _begin_query(tokens: list[Token]) -> int:
    """Where the query begins that the first pipe is behind: behind WITH, INSERT INTO t, CREATE."""
    places = _outside(tokens)
    if _word(tokens) in ("CREATE", "REPLACE"):
        behind = next((place + 1 for place in places if _word(tokens, place) == "AS"), len(tokens))
        return behind + _begin_query(tokens[behind:])
    for place, following in zip_longest(places, places[1:], fillvalue=len(tokens)):
        word = _word(tokens, place)
        if word in _BEGINNINGS and not _is_in_front(tokens, place, following):
            return place
    return 0


def _is_in_front(tokens: list[Token], place: int, following: int) -> bool:
    """It belongs to the words in front of the query: INTO TABLE t, names of columns, CTEs."""
    if place == 0:
        return False
    if _word(tokens, place) == "TABLE":
        return _word(tokens, place - 1) in ("INTO", "OVERWRITE")
    if _word(tokens, place) != "(":
        return False
    if _word(tokens) == "INSERT" and _word(tokens, place + 1) not in (*_BEGINNINGS, "WITH"):
        return True
    return _word(tokens, following) in (",", "AS", *_BEGINNINGS)


def _select_of(tokens: list[Token]) -> list[Token]:
    first = _word(tokens)
    begun = [_word(tokens, place) for place in _outside(tokens)]
    if first == "TABLE":
        return [*_words(tokens[0], "SELECT", "*", "FROM"), *tokens[1:]]
    if first == "VALUES":
        return [*_words(tokens[0], "SELECT", "*", "FROM"), *tokens]
    if first == "FROM" and "SELECT" not in begun:
        return [*_words(tokens[0], "SELECT", "*"), *tokens]
    return tokens


def _after_step(query: list[Token], pipe: Token, step: list[Token]) -> list[Token] | None:
    source = [*_words(pipe, "FROM", "("), *query, *_words(pipe, ")")]
    word = _word(step)
    if word in _LISTS:
        items, windows = _split(step[1:], "WINDOW")
        every = _words(pipe, "*", ",") if _LISTS[word] else []
        return [*_words(pipe, "SELECT"), *every, *items, *source, *windows]
    if word == "AGGREGATE":
        return _aggregate(pipe, step[1:], source)
    if word in _CLAUSES:
        return [*_words(pipe, "SELECT", "*"), *source, *step]
    return None


def _aggregate(pipe: Token, step: list[Token], source: list[Token]) -> list[Token]:
    items, groups = _split(step, "GROUP BY")
    plain = _word(groups, 1) in _PLAIN_GROUPS or "WITH" in map(_word, [groups[-2:-1]])
    if plain:
        return [*_words(pipe, "SELECT"), *(items or _words(pipe, "*")), *source, *groups]
    comma = _words(pipe, ",") if items and groups else []  # groups may have names
    columns = [*items, *comma, *groups[1:]] or _words(pipe, "*")
    return [*_words(pipe, "SELECT"), *columns, *source]


def _split(tokens: list[Token], word: str) -> tuple[list[Token], list[Token]]:
    """In front of the word, and from it on."""
    for place in _outside(tokens):
        if _word(tokens, place) == word:
            return tokens[:place], tokens[place:]
    return tokens, []


_KINDS = {
    "SELECT": TokenType.SELECT,
    "FROM": TokenType.FROM,
    "*": TokenType.STAR,
    ",": TokenType.COMMA,
    "(": TokenType.L_PAREN,
    ")": TokenType.R_PAREN,
}


def _words(place: Token, *words: str) -> list[Token]:
    return [
        Token(_KINDS[word], word, place.line, place.col, place.start, place.end) for word in words
    ]
