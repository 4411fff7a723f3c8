"""The path language of SQL/JSON, as SQL over sequences of VARIANTs.

A sequence is an ``array<variant>``; NULL in its place is an error of the path (a structure that
strict mode does not find, a number that is none). ``JsonPath`` reads a path and writes that SQL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.json_path_words import PathWords
from sqe.trino.dialect.once import once
from sqe.trino.dialect.typed import string

_METHODS = ("size", "type", "abs", "ceiling", "floor", "double")
_TYPES = {"OBJECT%": "object", "ARRAY%": "array", "STRING": "string", "BOOLEAN": "boolean",
          "VOID": "null"}  # fmt: skip
_COMPARISONS = {"==": "=", "!=": "<>", "<>": "<>", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_STARTS = (
    "schema_of_variant(l) = 'STRING' AND schema_of_variant(r) = 'STRING' "
    "AND startswith(CAST(l AS STRING), CAST(r AS STRING))"
)
_IS_ARRAY = "schema_of_variant(v) LIKE 'ARRAY%'"
_ITEMS = "CAST(v AS ARRAY<VARIANT>)"


class JsonPath:
    """``variables`` are the VARIANTs of PASSING by name. ``reorders`` says that the answer depends
    on the order of members, which a VARIANT does not keep."""

    def __init__(self, text: str, at: int, variables: Mapping[str, str]) -> None:
        self._words = PathWords(text, at)
        self._variables = variables
        self._document = ""
        self.reorders = False
        mode = self._words.take()
        if mode not in ("lax", "strict"):
            raise self._words.syntax(mode)
        self._lax = mode == "lax"

    @property
    def is_lax(self) -> bool:
        return self._lax

    def evaluate(self, document: str) -> str:
        """The sequence that the path finds in a VARIANT."""
        self._document = f"array({document})"
        sequence = self._sum(None)
        if self._words.peek():
            raise self._words.syntax(self._words.peek())
        return sequence

    # ------------------------------------------------------- expressions

    def _sum(self, current: str | None) -> str:
        left = self._product(current)
        while self._words.peek() in ("+", "-"):
            operator = self._words.take()
            left = self._arithmetic(operator, left, self._product(current))
        return left

    def _product(self, current: str | None) -> str:
        left = self._parse_signed_value(current)
        while self._words.peek() in ("*", "/", "%"):
            operator = self._words.take()
            if operator != "*":
                raise self._words.refuse(f"operator {operator}")
            left = self._arithmetic(operator, left, self._parse_signed_value(current))
        return left

    def _parse_signed_value(self, current: str | None) -> str:
        if self._words.accept("-"):
            zero = "array(CAST(0L AS VARIANT))"
            return self._arithmetic("-", zero, self._parse_signed_value(current))
        if self._words.peek() == "+":
            raise self._words.refuse("a sign")
        return self._accessors(self._primary(current), current)

    def _arithmetic(self, operator: str, left: str, right: str) -> str:
        """Of two single numbers."""
        if self._lax:
            left, right = self._unwrap(left), self._unwrap(right)

        def body(a: str, b: str) -> str:
            whole = f"CAST({a}[0] AS BIGINT) {operator} CAST({b}[0] AS BIGINT)"
            double = f"CAST({a}[0] AS DOUBLE) {operator} CAST({b}[0] AS DOUBLE)"
            kinds = f"array(schema_of_variant({a}[0]), schema_of_variant({b}[0]))"
            return (
                f"CASE WHEN {a} IS NULL OR {b} IS NULL OR size({a}) <> 1 OR size({b}) <> 1 "
                f"THEN NULL WHEN {kinds} = array('BIGINT', 'BIGINT') "
                f"THEN array(CAST({whole} AS VARIANT)) "
                f"WHEN forall({kinds}, k -> k IN ('BIGINT', 'DOUBLE')) "
                f"THEN array(CAST({double} AS VARIANT)) END"
            )

        return once([left, right], body)

    def _primary(self, current: str | None) -> str:
        word = self._words.take()
        if word == "$":
            return self._document
        if word == "@" and current is not None:
            return f"array({current})"
        if word.startswith("$"):
            if word[1:] not in self._variables:
                message = f"no value passed for parameter {word[1:]}"
                raise Refused("INVALID_PATH", message, self._words.at)
            return f"array({self._variables[word[1:]]})"
        if word == "(":
            inside = self._sum(current)
            self._words.expect(")")
            return inside
        literal = self._literal(word)
        if literal is None:
            raise self._words.syntax(word)
        return f"array({literal})"

    def _literal(self, word: str) -> str | None:
        if word.isdigit():
            return f"CAST({word}L AS VARIANT)"
        if word[:1].isdigit():
            if "e" not in word.lower():
                raise self._words.refuse("a decimal literal")
            return f"CAST({word}D AS VARIANT)"
        if word.startswith('"'):
            return f"CAST({string(self._name(word))} AS VARIANT)"
        if word in ("true", "false"):
            return f"CAST({word} AS VARIANT)"
        return "parse_json('null')" if word == "null" else None

    def _name(self, word: str) -> str:
        if "\\" in word:
            raise self._words.refuse("escapes")
        return word[1:-1]

    # --------------------------------------------------------- accessors

    def _accessors(self, found: str, current: str | None) -> str:
        while True:
            if self._words.accept("."):
                found = self._member(found)
            elif self._words.accept("["):
                found = self._elements(found, current)
            elif self._words.accept("?"):
                self._words.expect("(")
                found = self._filter(found)
            else:
                return found

    def _unwrap(self, found: str) -> str:
        """Arrays replaced by their elements."""
        return f"flatten(transform({found}, v -> IF({_IS_ARRAY}, {_ITEMS}, array(v))))"

    def _all_or_error(self, found: str) -> str:
        """An error where an item has none."""
        return once([found], lambda r: f"IF(exists({r}, x -> x IS NULL), NULL, {r})")

    def _member(self, found: str) -> str:
        word = self._words.take()
        if word == "*":
            self.reorders = True
            values = "map_values(CAST(v AS MAP<STRING, VARIANT>))"
            if not self._lax:
                raise self._words.refuse("strict .*")
            test = "schema_of_variant(v) LIKE 'OBJECT%'"
            objects = f"filter({self._unwrap(found)}, v -> {test})"
            return f"flatten(transform({objects}, v -> {values}))"
        if word in _METHODS and self._words.peek() == "(":
            self._words.take()
            self._words.expect(")")
            return self._method(word, found)
        if not re.fullmatch(r'[A-Za-z_]\w*|".+"', word):
            raise self._words.syntax(word)
        name = self._name(word) if word.startswith('"') else word
        if re.search(r"""["'?]""", name):
            raise self._words.refuse(f"the member {name}")
        path = string(f'$["{name}"]')
        if self._lax:
            values = f"transform({self._unwrap(found)}, v -> try_variant_get(v, {path}, 'variant'))"
            return f"filter({values}, v -> v IS NOT NULL)"
        return self._all_or_error(f"transform({found}, v -> try_variant_get(v, {path}, 'variant'))")

    def _elements(self, found: str, current: str | None) -> str:
        if self._words.accept("*"):
            self._words.expect("]")
            if self._lax:
                return self._unwrap(found)
            items = f"transform({found}, v -> IF({_IS_ARRAY}, {_ITEMS}, NULL))"
            return f"flatten({self._all_or_error(items)})"
        ranges = [self._range()]
        while self._words.accept(","):
            ranges.append(self._range())
        self._words.expect("]")
        alone = "array(v)" if self._lax else "NULL"

        def choose(a: str) -> str:
            parts = []
            for low, high in ranges:
                first, last = (bound.replace("{}", a) for bound in (low, high))
                part = f"filter({a}, (x, i) -> i BETWEEN {first} AND {last})"
                if not self._lax:
                    part = (
                        f"IF({first} < 0 OR {last} >= size({a}) OR {first} > {last}, NULL, {part})"
                    )
                parts.append(part)
            return parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"

        picked = once([f"IF({_IS_ARRAY}, {_ITEMS}, {alone})"], choose)
        each = f"transform({found}, v -> {picked})"
        return f"flatten({each if self._lax else self._all_or_error(each)})"

    def _range(self) -> tuple[str, str]:
        low = self._subscript()
        return (low, self._subscript()) if self._words.accept("to") else (low, low)

    def _subscript(self) -> str:
        """A number, ``last``, ``last - n`` or a variable; ``{}`` stands for the array."""
        word = self._words.take()
        if word == "last":
            if self._words.accept("-"):
                return f"(size({{}}) - 1 - {self._subscript_number(self._words.take())})"
            return "(size({}) - 1)"
        if word.startswith("$") and word[1:] in self._variables:
            return f"CAST({self._variables[word[1:]]} AS INT)"
        return self._subscript_number(word)

    def _subscript_number(self, word: str) -> str:
        if not word.isdigit() or len(word) > 9:
            raise self._words.refuse(f"the subscript {word}")
        return word

    def _method(self, name: str, found: str) -> str:
        if name == "type":
            tests = " ".join(
                f"WHEN schema_of_variant(v) LIKE '{kind}' THEN '{word}'"
                for kind, word in _TYPES.items()
            )
            return f"transform({found}, v -> CAST(CASE {tests} ELSE 'number' END AS VARIANT))"
        if name == "size":
            alone = "1" if self._lax else "NULL"
            count = f"IF({_IS_ARRAY}, size({_ITEMS}), {alone})"
            return self._all_or_error(
                f"transform({found}, v -> CAST(CAST({count} AS BIGINT) AS VARIANT))"
            )
        spark = {"ceiling": "ceil"}.get(name, name)
        whole, double = "CAST(v AS BIGINT)", f"CAST({spark}(CAST(v AS DOUBLE)) AS DOUBLE)"
        text = "NULL"
        if name == "abs":
            whole = "abs(CAST(v AS BIGINT))"
        elif name == "double":
            whole = double = "CAST(v AS DOUBLE)"
            text = "CAST(try_cast(CAST(v AS STRING) AS DOUBLE) AS VARIANT)"
        if self._lax:
            found = self._unwrap(found)
        return self._all_or_error(
            f"transform({found}, v -> CASE schema_of_variant(v) "
            f"WHEN 'BIGINT' THEN CAST({whole} AS VARIANT) WHEN 'DOUBLE' THEN CAST({double} AS "
            f"VARIANT) WHEN 'STRING' THEN {text} END)"
        )

    # ------------------------------------------------------------ filters

    def _filter(self, found: str) -> str:
        if not self._lax:
            raise self._words.refuse("a filter in strict mode")
        test = self._either("f")
        self._words.expect(")")
        return f"filter({self._unwrap(found)}, f -> {test})"

    def _either(self, item: str) -> str:
        tests = [self._both(item)]
        while self._words.accept("||"):
            tests.append(self._both(item))
        return f"({' OR '.join(tests)})"

    def _both(self, item: str) -> str:
        tests = [self._predicate(item)]
        while self._words.accept("&&"):
            tests.append(self._predicate(item))
        return f"({' AND '.join(tests)})"

    def _predicate(self, item: str) -> str:
        """True, or anything else: nothing asks which."""
        if self._words.peek() == "!":
            raise self._words.refuse("a negation")
        if self._words.peek() == "exists" and self._words.peek(1) == "(":
            self._words.take()
            self._words.take()
            inside = self._sum(item)
            self._words.expect(")")
            return f"coalesce(size({inside}) > 0, false)"
        if self._words.peek() == "(":
            self._words.take()
            inside = self._either(item)
            self._words.expect(")")
            return inside
        left = self._unwrap(self._sum(item))
        operator = self._words.take()
        if operator == "like_regex":
            raise self._words.refuse(operator)
        if operator == "starts":
            self._words.expect("with")
            test = _STARTS
        elif operator in _COMPARISONS:
            test = _compare(_COMPARISONS[operator])
        else:
            raise self._words.syntax(operator)
        right = self._unwrap(self._sum(item))
        pairs = f"exists({left}, l -> exists({right}, r -> {test}))"
        return f"coalesce({pairs}, false)"


_PLAIN_STEP = r"""\s*\.\s*(?:[A-Za-z_]\w*|"[^"'?\\]+")|\s*\[\s*\d+\s*\]"""
_PLAIN = re.compile(rf"\s*lax\s*\$((?:{_PLAIN_STEP})*)\s*")
_WORD = re.compile(r"""\.\s*([A-Za-z_]\w*)|\.\s*"([^"]+)"|\[\s*(\d+)""")


def plain_path(text: str) -> str | None:
    """The steps of a lax path of members and numbers only, as Spark's get_json_object writes
    them."""
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    return "".join(
        f"[{number}]" if number else f"['{word or quoted}']"
        for word, quoted, number in _WORD.findall(match[1])
    )


def _compare(operator: str) -> str:
    """Items ``l`` and ``r``; what cannot be compared is not true."""
    left, right = "schema_of_variant(l)", "schema_of_variant(r)"
    tests = [
        f"WHEN {left} = 'BIGINT' AND {right} = 'BIGINT' "
        f"THEN CAST(l AS BIGINT) {operator} CAST(r AS BIGINT)",
        f"WHEN {left} IN ('BIGINT', 'DOUBLE') AND {right} IN ('BIGINT', 'DOUBLE') "
        f"THEN CAST(l AS DOUBLE) {operator} CAST(r AS DOUBLE)",
        f"WHEN {left} = 'STRING' AND {right} = 'STRING' "
        f"THEN CAST(l AS STRING) {operator} CAST(r AS STRING)",
        f"WHEN {left} = 'BOOLEAN' AND {right} = 'BOOLEAN' "
        f"THEN CAST(l AS BOOLEAN) {operator} CAST(r AS BOOLEAN)",
    ]
    if operator in ("=", "<>", "<=", ">="):
        same = "false" if operator == "<>" else "true"
        tests.append(f"WHEN {left} = 'VOID' AND {right} = 'VOID' THEN {same}")
    if operator == "<>":
        tests.append(f"WHEN {left} = 'VOID' OR {right} = 'VOID' THEN true")
    return f"coalesce(CASE {' '.join(tests)} END, false)"
