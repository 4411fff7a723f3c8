"""BEGIN … END: a script of SQL statements, taken apart and never run here.

Its statements stay text. Each keeps its place in the script's, with blanks in front of it, so that
what is wrong with it is told where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import Token
from sqlglot.errors import TokenError

from sqe.errors import ErrorCode
from sqe.sql.cursor import TokenCursor, command_tokens
from sqe.sql.dialect import DIALECT
from sqe.sql.statement import blank
from sqe.sql.text import TextLimits, check_text
from sqe.sql.variables import select_before

_DEEPEST = 32
_LOOPS = ("WHILE", "REPEAT", "LOOP", "FOR", "BEGIN")
_QUERY_WORDS = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "(", "EXECUTE")


@dataclass(frozen=True)
class Sql:
    """``answers``: what it gives may be the answer of the script."""

    text: str
    answers: bool = False


@dataclass(frozen=True)
class Block:
    """``handler`` is for the errors of ``steps``; the block ends with it."""

    label: str
    declarations: tuple[str, ...]
    handler: tuple[Step, ...] | None
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Choice:
    """IF and CASE. ``branches``: a query of one boolean, and what follows if it is true."""

    branches: tuple[tuple[str, tuple[Step, ...]], ...]
    otherwise: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Loop:
    """LOOP, WHILE and REPEAT: before or behind the steps, a query of one boolean."""

    label: str
    steps: tuple[Step, ...]
    go_on_if: str = ""
    until: str = ""


@dataclass(frozen=True)
class ForEach:
    """FOR: once for each row; its columns are variables."""

    label: str
    row: str
    query: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Leave:
    label: str


@dataclass(frozen=True)
class Iterate:
    label: str


Step = Sql | Block | Choice | Loop | ForEach | Leave | Iterate


def parse_script(text: str, limits: TextLimits) -> Block | None:
    """None where it is no script: whatever else is wrong with it is said when it is parsed."""
    if "begin" not in text.lower():
        return None
    try:
        tokens = command_tokens(text, DIALECT.tokenize(text))
    except TokenError:
        return None
    words = [token.text.upper() for token in tokens[:2]]
    if words[:1] != ["BEGIN"] or words[1:] in ([], ["WORK"], ["TRANSACTION"]):
        return None
    check_text(text, limits)
    return _Script(text, tokens).read()


class _Script:
    def __init__(self, text: str, tokens: list[Token]) -> None:
        self._text = text
        self._cursor = TokenCursor(text, tokens)
        self._labels: list[tuple[str, bool]] = []  # and whether it is a loop's
        self._depth = 0

    def read(self) -> Block:
        self._cursor.expect("BEGIN")
        block = self._block("")
        self._cursor.expect_end()
        return block

    def _steps(self, *ends: str) -> tuple[Step, ...]:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._cursor.refuse(f"A script nested deeper than {_DEEPEST} levels")
        steps: list[Step] = []
        while not any(self._cursor.looking_at(end) for end in ends):
            if self._cursor.at_end():
                self._cursor.fail(f"Expected {ends[-1]}")
            steps.append(self._step())
            self._cursor.expect(";")
        self._depth -= 1
        return tuple(steps)

    def _step(self) -> Step:
        cursor = self._cursor
        if cursor.looking_at("IF") and not cursor.looking_at("IF", "EXISTS"):
            return self._if()
        if cursor.accept("CASE"):
            return self._case()
        for word, kind in (("LEAVE", Leave), ("ITERATE", Iterate)):
            if cursor.accept(word):
                return kind(self._find_label(loop=word == "ITERATE"))
        has_label = cursor.source(1) == ":" and cursor.source(2).upper() in _LOOPS
        if has_label or cursor.source().upper() in _LOOPS:
            return self._read_loop()
        if cursor.looking_at("DECLARE"):
            cursor.fail("DECLARE stands at the beginning of a block", ErrorCode.SYNTAX_ERROR)
        answers = cursor.source().upper() in _QUERY_WORDS
        return Sql(self._statement(), answers)

    def _statement(self) -> str:
        """Up to its semicolon. In a script, SET is of variables."""
        cursor, start = self._cursor, self._cursor.offset()
        sets = cursor.looking_at("SET") and cursor.source(1).upper() not in ("VAR", "VARIABLE")
        text = self._until(";")
        if sets:
            text = "SET VARIABLE" + text[len("SET") :]
        return blank(self._text[:start], start) + text

    def _until(self, *ends: str) -> str:
        """The text up to one of these words outside of parentheses and CASE … END."""
        cursor, start, depth = self._cursor, self._cursor.offset(), 0
        while not (depth == 0 and any(cursor.looking_at(end) for end in ends)):
            if cursor.at_end() or (cursor.looking_at(";") and depth == 0):
                cursor.fail(f"Expected {ends[0]}")
            depth += cursor.source().upper() in ("(", "[", "CASE") and cursor.source(-1) != "."
            depth -= cursor.source().upper() in (")", "]", "END") and cursor.source(-1) != "."
            cursor.skip()
        if cursor.offset() == start:
            cursor.fail("Expected an expression or a statement")
        return self._text[start : cursor.last_end()]

    def _condition(self, *ends: str, equal_to: str = "") -> str:
        start = self._cursor.offset()
        condition = self._until(*ends)
        value = f"({equal_to}\n) = ({condition}\n)" if equal_to else condition
        return f"{select_before(self._text, start)}({value}\n)"

    def _read_loop(self) -> Step:
        cursor, label = self._cursor, ""
        if cursor.source(1) == ":":
            label = cursor.identifier("a label").lower()
            cursor.skip()
            if any(label == known for known, _ in self._labels):
                cursor.fail(f"The label {label} is used twice")
        word = cursor.accept_one_of(*_LOOPS)
        if word is None:
            cursor.fail("Expected BEGIN or a loop")
        self._labels.append((label, word != "BEGIN"))
        step = _READ[word](self, label)
        self._labels.pop()
        if label and cursor.source().lower().strip("`") == label:
            cursor.skip()
        return step

    def _find_label(self, *, loop: bool) -> str:
        label = self._cursor.identifier("a label").lower()
        if (label, True) not in self._labels and (loop or (label, False) not in self._labels):
            self._cursor.fail(f"There is no {'loop' if loop else 'block or loop'} {label} here")
        return label

    def _block(self, label: str) -> Block:
        cursor = self._cursor
        cursor.accept("NOT", "ATOMIC")
        declarations: list[str] = []
        handler: tuple[Step, ...] | None = None
        while cursor.looking_at("DECLARE"):
            if cursor.source(2).upper() == "HANDLER" or cursor.source(2).upper() == "CONDITION":
                if handler is not None:
                    cursor.refuse("A second handler in a block")
                handler = self._handler()
            else:
                if handler is not None:
                    cursor.fail("Variables are declared before handlers")
                declarations.append(self._declaration())
            cursor.expect(";")
        steps = self._steps("END")
        cursor.expect("END")
        return Block(label, tuple(declarations), handler, steps)

    def _declaration(self) -> str:
        cursor, start = self._cursor, self._cursor.offset()
        if cursor.looking_at("DECLARE", "OR") or cursor.source(2) == ".":
            cursor.fail("A variable of a script has a plain name and is declared once")
        return blank(self._text[:start], start) + self._until(";")

    def _handler(self) -> tuple[Step, ...]:
        cursor = self._cursor
        cursor.expect("DECLARE")
        if not cursor.accept("EXIT", "HANDLER", "FOR", "SQLEXCEPTION"):
            cursor.refuse("This handler", "DECLARE EXIT HANDLER FOR SQLEXCEPTION is.")
        self._labels.append(("", False))
        step = self._step()
        self._labels.pop()
        return (step,)

    def _if(self) -> Choice:
        cursor = self._cursor
        branches = []
        while cursor.accept("IF") or cursor.accept("ELSEIF"):
            condition = self._condition("THEN")
            cursor.expect("THEN")
            branches.append((condition, self._steps("ELSEIF", "ELSE", "END")))
        otherwise = self._steps("END") if cursor.accept("ELSE") else ()
        cursor.expect("END", "IF")
        return Choice(tuple(branches), otherwise)

    def _case(self) -> Choice:
        cursor = self._cursor
        operand = "" if cursor.looking_at("WHEN") else self._until("WHEN")
        branches = []
        while cursor.accept("WHEN"):
            condition = self._condition("THEN", equal_to=operand)
            cursor.expect("THEN")
            branches.append((condition, self._steps("WHEN", "ELSE", "END")))
        otherwise = self._steps("END") if cursor.accept("ELSE") else ()
        cursor.expect("END", "CASE")
        return Choice(tuple(branches), otherwise)

    def _while(self, label: str) -> Loop:
        condition = self._condition("DO")
        self._cursor.expect("DO")
        steps = self._steps("END")
        self._cursor.expect("END", "WHILE")
        return Loop(label, steps, go_on_if=condition)

    def _repeat(self, label: str) -> Loop:
        steps = self._steps("UNTIL")
        self._cursor.expect("UNTIL")
        condition = self._condition("END")
        self._cursor.expect("END", "REPEAT")
        return Loop(label, steps, until=condition)

    def _loop(self, label: str) -> Loop:
        steps = self._steps("END")
        self._cursor.expect("END", "LOOP")
        return Loop(label, steps)

    def _for(self, label: str) -> ForEach:
        cursor, row = self._cursor, ""
        if cursor.source(1).upper() == "AS":
            row = cursor.identifier("the name of a row")
            cursor.skip()
        start = cursor.offset()
        query = blank(self._text[:start], start) + self._until("DO")
        cursor.expect("DO")
        steps = self._steps("END")
        cursor.expect("END", "FOR")
        return ForEach(label, row, query, steps)


_READ: dict[str, Callable[[_Script, str], Step]] = {
    "BEGIN": _Script._block,
    "WHILE": _Script._while,
    "REPEAT": _Script._repeat,
    "LOOP": _Script._loop,
    "FOR": _Script._for,
}
