"""Functions of texts. Both sides count code points."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqe.model.trino_types import BIGINT, VARCHAR, TrinoType, varchar
from sqe.trino.dialect.coercion import LONGEST_CHAR
from sqe.trino.dialect.errors import Refused
from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null, unless_null
from sqe.trino.dialect.functions.signatures import UNBOUNDED, Bindings
from sqe.trino.dialect.typed import Typed, fail, string

# What Trino takes for blanks when it trims: Java's whitespace, which a no-break space is not.
_BLANKS = "\t\n\x0b\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008" \
          "\u2009\u200a\u2028\u2029\u205f\u3000"  # fmt: skip
_PRIVATE = "\U0010fffd"  # stands for a letter that must not be changed
INVALID = "INVALID_FUNCTION_ARGUMENT"


def varchar_of_length(length: int) -> TrinoType:
    return VARCHAR if length >= UNBOUNDED else varchar(length)


def length_of(kind: TrinoType) -> int:
    return kind.length if kind.length is not None else UNBOUNDED


def invalid(message: str) -> Refused:
    return Refused(INVALID, message, None)


# ----------------------------------------------------------------- concatenation

declare("concat", ["(varchar, ...) -> varchar"], lambda call: _concat(call),
        description="Concatenates given strings")  # fmt: skip
# Of a text and NULL Trino makes an array and its element.
declare("concat", ["(varchar(x), unknown) -> array(varchar(x))",
                   "(unknown, varchar(x)) -> array(varchar(x))"],
        "CAST(NULL AS array<string>)", hidden=True)  # fmt: skip
declare("concat", "(varbinary, ...) -> varbinary", lambda call: _concat(call))


def _concat(call: Bound) -> str:
    if len(call.arguments) < 2:
        raise invalid("There must be two or more concatenation arguments")
    if any(kind.constant is None for kind in call.arguments):
        raise call.refuse("NULL, of which Trino makes an array")
    return f"concat({', '.join(argument.sql for argument in call.arguments)})"


def _type_of_joined_chars(bound: Bindings, kinds: tuple[TrinoType, ...]) -> TrinoType:
    length = sum(min(length_of(kind), LONGEST_CHAR) for kind in kinds)
    if length > LONGEST_CHAR:
        raise Refused("TYPE_NOT_FOUND", f"Unknown type: char({length})")
    return TrinoType("char", (length,))


def _concat_chars(call: Bound) -> str:
    left = f"rpad({call.sql(0)}, {length_of(call.arguments[0].type)}, ' ')"
    return f"rtrim(concat({left}, {call.sql(1)}))"


declare("concat", "(char(x), char(y)) -> char(x)", _concat_chars, result=_type_of_joined_chars)
# A text beside a char becomes one, of as many characters as it may have.
declare("concat", ["(char(x), varchar(y)) -> char(x)", "(varchar(x), char(y)) -> char(y)"],
        _concat_chars, result=_type_of_joined_chars, hidden=True)  # fmt: skip


def _concat_ws(call: Bound) -> str:
    return f"concat_ws({', '.join(argument.sql for argument in call.arguments)})"


declare("concat_ws", ["(varchar, varchar, ...) -> varchar", "(varchar, array(varchar)) -> varchar"],
        _concat_ws, description="Concatenates elements using separator")  # fmt: skip

# ------------------------------------------------------------------ measures

declare("length", "(varchar) -> bigint", "CAST(length({0}) AS BIGINT)",
        description="Count of code points of the given string")  # fmt: skip
declare("length", "(varbinary) -> bigint", "CAST(octet_length({0}) AS BIGINT)")


def _length_of_char(call: Bound) -> str:
    return f"IF({call.sql(0)} IS NULL, NULL, {call.arguments[0].type.numbers[0]}L)"


declare("length", "(char(x)) -> bigint", _length_of_char)


def _soundex(call: Bound) -> str:
    """Of the letters alone; only those of English have a sound."""
    value = call.sql(0)
    message = string("Only English letters are mapped")
    error = fail(INVALID, message, call.returns, call.at)
    letters = f"regexp_replace({value}, '[^A-Za-z]', '')"
    return f"IF({value} RLIKE '[\\\\p{{L}}&&[^A-Za-z]]', {error}, soundex(upper({letters})))"


declare("soundex", "(varchar(x)) -> varchar(4)", _soundex)
declare("levenshtein_distance", "(varchar, varchar) -> bigint",
        "CAST(levenshtein({0}, {1}) AS BIGINT)")  # fmt: skip


def _write_hamming_distance(call: Bound) -> str:
    left, other = call.sql(0), call.sql(1)
    message = "The input strings to hamming_distance function must have the same length"
    error = fail(INVALID, string(message), BIGINT, call.at)
    differs = f"i -> substr({left}, i, 1) <> substr({other}, i, 1)"
    differs = f"size(filter(sequence(1, length({left})), {differs}))"
    return (
        f"CASE WHEN length({left}) <> length({other}) THEN {error} WHEN length({left}) = 0 THEN 0L "
        f"ELSE CAST({differs} AS BIGINT) END"
    )


declare("hamming_distance", "(varchar, varchar) -> bigint", null_for_null(_write_hamming_distance))
declare("luhn_check", "(varchar) -> boolean", null_for_null(lambda call: _luhn(call)))


def _luhn(call: Bound) -> str:
    value = call.sql(0)
    error = fail(INVALID, f"concat('Input string must only contain digits: ', {value})")
    return f"IF({value} RLIKE '^[0-9]+$', luhn_check({value}), CAST({error} AS BOOLEAN))"


# --------------------------------------------------------------------- case


def _lower(call: Bound) -> str:
    """Letter by letter, so the two that Java's lower() treats in their own way go first."""
    return f"lower(replace(replace({call.sql(0)}, 'İ', 'i'), 'Σ', 'σ'))"


def _upper(call: Bound) -> str:
    """Letter by letter: what would become several letters stays, as ß does."""
    value = f"replace({call.sql(0)}, 'ß', '{_PRIVATE}')"
    changed = f"upper({value})"
    error = fail("NOT_SUPPORTED", string("upper() of a letter that has no single capital"))
    return (
        f"IF(length({changed}) = length({value}), replace({changed}, '{_PRIVATE}', 'ß'), "
        f"CAST({error} AS STRING))"
    )


for _name, _write in (("lower", _lower), ("upper", null_for_null(_upper))):
    declare(_name, ["(varchar(x)) -> varchar(x)", "(char(x)) -> char(x)"], _write)

# ------------------------------------------------------------------ trimming


def _trim(side: str) -> Callable[[Bound], str]:
    def write(call: Bound) -> str:
        value = call.sql(0)
        characters = string(_BLANKS)
        if len(call.arguments) > 1:
            wanted_characters = call.arguments[1].constant
            if not isinstance(wanted_characters, str):
                raise call.refuse("the characters must be constant")
            if not wanted_characters:
                return value
            characters = string(wanted_characters)
        return f"trim({side} {characters} FROM {value})"

    return write


for _name, _side in (("trim", "BOTH"), ("ltrim", "LEADING"), ("rtrim", "TRAILING")):
    declare(_name, ["(varchar(x)) -> varchar(x)", "(varchar(x), varchar(y)) -> varchar(x)",
                    "(char(x)) -> varchar(x)"], _trim(_side))  # fmt: skip


def _pad(side: str) -> Callable[[Bound], str]:
    def write(call: Bound) -> str:
        size, padding = call.arguments[1], call.arguments[2]
        written = f"{side}({call.sql(0)}, CAST({size.sql} AS INT), {padding.sql})"
        tests = []
        if padding.constant in ("", b""):
            raise invalid("Padding string must not be empty")
        if not padding.is_constant:
            empty = "Padding string must not be empty"
            tests.append(f"WHEN octet_length({padding.sql}) = 0 THEN "
                         f"{fail(INVALID, string(empty), call.returns, call.at)}")  # fmt: skip
        if isinstance(size.constant, int):
            if not 0 <= size.constant < UNBOUNDED:
                raise invalid("Target length must be in the range [0..2147483647]")
        elif size.constant is not None:
            beyond = "Target length must be in the range [0..2147483647]"
            tests.append(f"WHEN {size.sql} < 0 OR {size.sql} > 2147483647 THEN "
                         f"{fail(INVALID, string(beyond), call.returns, call.at)}")  # fmt: skip
        return f"CASE {' '.join(tests)} ELSE {written} END" if tests else written

    return write


for _name in ("lpad", "rpad"):
    declare(_name, ["(varchar, bigint, varchar) -> varchar",
                    "(varbinary, bigint, varbinary) -> varbinary"],
            null_for_null(_pad(_name)))  # fmt: skip

# ---------------------------------------------------------------------- parts


def _substr(call: Bound) -> str:
    """Places count from 1, from the end if negative; beyond the text there is nothing."""
    value = call.sql(0)
    if call.arguments[0].type.base == "char":
        value = f"rpad({value}, {call.arguments[0].type.numbers[0]}, ' ')"
    binary = call.arguments[0].type.base == "varbinary"
    size = f"octet_length({value})" if binary else f"length({value})"
    start = call.arguments[1]
    nothing = "X''" if binary else "''"
    parts = [value, f"CAST({start.sql} AS INT)"]
    tests = []
    if len(call.arguments) > 2:
        count = call.arguments[2]
        if not (isinstance(count.constant, int) and count.constant > 0):
            tests.append(f"{count.sql} <= 0")
        parts.append(f"CAST(least({count.sql}, 2147483647L) AS INT)")
    if isinstance(start.constant, int):
        if not -UNBOUNDED <= start.constant <= UNBOUNDED:
            raise call.refuse("the start must fit in an integer")
        parts[1] = str(start.constant)
        if start.constant == 0:
            return unless_null(call, nothing)
        if start.constant < 0:
            tests.append(f"{-start.constant} > {size}")
    else:
        tests.append(f"{start.sql} = 0 OR - {start.sql} > {size}")
    written = f"substring({', '.join(parts)})"
    if not tests:
        return written
    return unless_null(call, f"IF({' OR '.join(tests)}, {nothing}, {written})")


for _name in ("substr", "substring"):
    declare(_name, ["(varchar(x), bigint) -> varchar(x)",
                    "(varchar(x), bigint, bigint) -> varchar(x)",
                    "(char(x), bigint) -> varchar(x)", "(char(x), bigint, bigint) -> varchar(x)"],
            _substr)  # fmt: skip
declare("substr", ["(varbinary, bigint) -> varbinary", "(varbinary, bigint, bigint) -> varbinary"],
        _substr)  # fmt: skip


def _strpos(call: Bound) -> str:
    if len(call.arguments) > 2:
        instance = call.arguments[2].constant
        if instance == 0:
            raise invalid("'instance' must not be a positive or negative number.")
        if not isinstance(instance, int):
            raise call.refuse("the instance must be constant")
        if instance != 1:
            return _nth(call.sql(0), call.sql(1), instance)
    return f"CAST(instr({call.sql(0)}, {call.sql(1)}) AS BIGINT)"


def _nth(text: str, wanted: str, instance: int) -> str:
    """Occurrences may overlap; of a negative instance they count from the end."""
    last = f"length({text}) - length({wanted}) + 1"
    places = f"filter(sequence(1, {last}), i -> substr({text}, i, length({wanted})) = {wanted})"
    ordered = places if instance > 0 else f"reverse({places})"
    return (
        f"CASE WHEN {text} IS NULL OR {wanted} IS NULL THEN NULL WHEN {wanted} = '' THEN 1L "
        f"WHEN {last} < 1 THEN 0L ELSE CAST(coalesce(get({ordered}, {abs(instance) - 1}), 0) "
        "AS BIGINT) END"
    )


declare("strpos", ["(varchar, varchar) -> bigint", "(varchar, varchar, bigint) -> bigint"], _strpos)
declare("position", "(varchar, varchar) -> bigint", "CAST(instr({1}, {0}) AS BIGINT)", hidden=True)
declare("starts_with", "(varchar, varchar) -> boolean", "startswith({0}, {1})")
declare("reverse", "(varchar(x)) -> varchar(x)", "reverse({0})")
declare("reverse", "(varbinary) -> varbinary",
        "unhex(regexp_replace(reverse(hex({0})), '(.)(.)', '$2$1'))")  # fmt: skip
declare("translate", "(varchar, varchar, varchar) -> varchar", "translate({0}, {1}, {2})")


def _type_of_replaced(bound: Bindings, kinds: tuple[TrinoType, ...]) -> TrinoType:
    if len(kinds) == 2:
        return varchar_of_length(length_of(kinds[0]))
    old, new = length_of(kinds[0]), length_of(kinds[2])
    return varchar_of_length(min(UNBOUNDED, old + new * (old + 1)))


def _replace(call: Bound) -> str:
    wanted = call.arguments[1]
    new = call.sql(2) if len(call.arguments) > 2 else "''"
    written = f"replace({call.sql(0)}, {wanted.sql}, {new})"
    if isinstance(wanted.constant, str) and wanted.constant:
        return written
    if wanted.constant == "":
        raise call.refuse("an empty text to be replaced")
    error = fail("NOT_SUPPORTED", string("replace() of an empty text"), call.returns, call.at)
    return unless_null(call, f"IF({wanted.sql} = '', {error}, {written})")


declare("replace", ["(varchar(x), varchar(y)) -> varchar(x)",
                    "(varchar(x), varchar(y), varchar(z)) -> varchar(x)"],
        _replace, result=_type_of_replaced)  # fmt: skip

# ------------------------------------------------------------------- splitting


def _delimiter(call: Bound, index: int) -> str:
    """A constant one, as a pattern that matches just it."""
    delimiter = call.arguments[index].constant
    if not isinstance(delimiter, str):
        raise call.refuse("the delimiter must be constant")
    if not delimiter:
        raise invalid("The delimiter may not be the empty string")
    return string(re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", delimiter))


def _split(call: Bound) -> str:
    limit = "-1"
    delimiter = _delimiter(call, 1)
    if len(call.arguments) > 2:
        wanted_limit = call.arguments[2].constant
        if not isinstance(wanted_limit, int):
            raise call.refuse("the limit must be constant")
        if not 0 < wanted_limit <= UNBOUNDED:
            raise invalid("Limit must be positive")
        limit = str(wanted_limit)
    return f"split({call.sql(0)}, {delimiter}, {limit})"


declare("split", ["(varchar(x), varchar(y)) -> array(varchar(x))",
                  "(varchar(x), varchar(y), bigint) -> array(varchar(x))"], _split)  # fmt: skip


def _split_part(call: Bound) -> str:
    """Without a delimiter, the parts are the letters."""
    index = call.arguments[2]
    if call.arguments[1].constant == "":
        parts = f"filter(split({call.sql(0)}, ''), one -> one <> '')"
    else:
        parts = f"split({call.sql(0)}, {_delimiter(call, 1)}, -1)"
    if isinstance(index.constant, int):
        if index.constant < 1:
            raise invalid("Index must be greater than zero")
        return f"get({parts}, {index.constant - 1})"
    error = fail(INVALID, string("Index must be greater than zero"), call.returns, call.at)
    split_text = f"get({parts}, CAST({index.sql} - 1 AS INT))"
    return f"IF({index.sql} < 1, {error}, {split_text})"


declare("split_part", "(varchar(x), varchar(y), bigint) -> varchar(x)", null_for_null(_split_part))


def _chr(call: Bound) -> Typed:
    number = call.arguments[0].constant
    if not isinstance(number, int):
        raise call.refuse("the code point must be constant")
    if not 0 <= number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise invalid(f"Not a valid Unicode code point: {number}")
    if number == 0:
        raise call.refuse("the character NUL")
    return Typed(varchar(1), string(chr(number)), chr(number))


declare("chr", "(bigint) -> varchar(1)", _chr)


def _codepoint(call: Bound) -> str:
    value = call.sql(0)
    error = fail(INVALID, string("Input string must be a single character string"))
    return f"IF(length({value}) = 1, ascii({value}), CAST({error} AS INT))"


declare("codepoint", "(varchar(1)) -> integer", null_for_null(_codepoint))
