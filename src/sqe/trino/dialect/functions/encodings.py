"""Bytes as text: base 32, and UTF-8 with a replacement of one's own."""

from __future__ import annotations

from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null
from sqe.trino.dialect.functions.strings import INVALID, invalid
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import fail, string

# Five bytes are eight digits. ``conv`` has its own digits for base 32.
_CONV, _BASE32 = "0123456789ABCDEFGHIJKLMNOPQRSTUV", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def _to_base32(call: Bound) -> str:
    def write(text: str) -> str:
        """``text`` has two characters for each byte."""
        block = f"rpad(substring({text}, i, 10), 10, '0')"
        digits = f"lpad(conv({block}, 16, 32), 8, '0')"
        starts = f"sequence(1, length({text}), 10)"
        joined = f"array_join(transform({starts}, i -> {digits}), '')"
        count = f"CAST(ceil(length({text}) * 4 / 5) AS INT)"
        there = f"substring(translate({joined}, '{_CONV}', '{_BASE32}'), 1, {count})"
        padded = f"rpad({there}, CAST(ceil(length({text}) / 10) * 8 AS INT), '=')"
        return f"IF({text} = '', '', {padded})"

    return with_variable(f"hex({call.sql(0)})", write)


def _from_base32(call: Bound) -> str:
    value = call.sql(0)
    if call.arguments[0].type.base == "varbinary":
        value = f"CAST({value} AS STRING)"
    bare = f"regexp_replace({value}, '=+$', '')"
    wrong_length = fail(
        INVALID, f"concat('Invalid input length ', length({bare}))", call.returns, call.at
    )
    odd = f"regexp_extract({bare}, '[^A-Z2-7]', 0)"
    shown = f"IF({odd} RLIKE '[!-~]', {odd}, concat('0x', lower(hex(ascii({odd})))))"
    wrong = fail(INVALID, f"concat('Unrecognized character: ', {shown})", call.returns, call.at)

    def write(text: str) -> str:
        block = f"rpad(substring({text}, i, 8), 8, '0')"
        digits = f"lpad(conv({block}, 32, 16), 10, '0')"
        joined = f"array_join(transform(sequence(1, length({text}), 8), i -> {digits}), '')"
        bytes_ = f"CAST(floor(length({text}) * 5 / 8) AS INT)"
        decoded = f"unhex(substring({joined}, 1, 2 * {bytes_}))"
        return (
            f"CASE WHEN {text} = '' THEN X'' "
            f"WHEN length({text}) % 8 NOT IN (0, 2, 4, 5, 7) THEN {wrong_length} "
            f"WHEN {text} NOT RLIKE '^[0-9A-V]*$' THEN {wrong} ELSE {decoded} END"
        )

    # What is no digit becomes one that ``conv`` has no more of either.
    digits = f"translate(regexp_replace({bare}, '[^A-Z2-7]', '!'), '{_BASE32}', '{_CONV}')"
    return with_variable(digits, write)


declare("to_base32", "(varbinary) -> varchar", null_for_null(_to_base32))
declare("from_base32", ["(varchar(x)) -> varbinary", "(varbinary) -> varbinary"],
        null_for_null(_from_base32))  # fmt: skip


# What Trino takes for one wrong character, and Java for as many as it has bytes: what is longer
# than it need be, halves of surrogates, and what is beyond the last character.
_WRONG = (
    "C[01] [89AB].", "E0 [89].( [89AB].)?", "ED [AB].( [89AB].)?", "F0 8.( [89AB].){0,2}",
    "F4 [9AB].( [89AB].){0,2}", "F[5-7]( [89AB].){0,3}", "F[89AB]( [89AB].){0,4}",
    "F[CD]( [89AB].){0,5}",
)  # fmt: skip


def _valid_text(value: str) -> str:
    """The text of bytes, with U+FFFD for each wrong character."""
    spaced = f"regexp_replace(hex({value}), '(..)', '$1 ')"
    bytes_ = f"unhex(replace(regexp_replace({spaced}, '{'|'.join(_WRONG)}', 'FF'), ' ', ''))"
    text = f"CAST({value} AS STRING)"
    made = f"make_valid_utf8(CAST({bytes_} AS STRING))"
    return f"IF(is_valid_utf8({text}), {text}, {made})"


def _from_utf8(call: Bound) -> str:
    return with_variable(call.sql(0), _valid_text)


declare("from_utf8", "(varbinary) -> varchar", _from_utf8)


def _from_utf8_with(call: Bound) -> str:
    """What is no UTF-8 becomes the replacement."""
    value, new = call.sql(0), call.arguments[1].constant
    if new is None:
        return "CAST(NULL AS STRING)"
    if isinstance(new, int) and not isinstance(new, bool):
        if not 0 <= new <= 0x10FFFF or 0xD800 <= new <= 0xDFFF:
            raise invalid("Invalid replacement character")
        new = chr(new)
    if not isinstance(new, str) or new == "\0":
        raise call.refuse("the replacement must be constant")
    if len(new) > 1:
        raise invalid("Replacement character string must empty or a single character")
    mark = "'\ufffd'"
    spaced = f"regexp_replace(hex({value}), '(..)', '$1 ')"
    message = "from_utf8 with a replacement of bytes that hold U+FFFD themselves is not supported"
    both = fail("NOT_SUPPORTED", string(message), call.returns, call.at)
    replaced = f"replace({_valid_text(value)}, {mark}, {string(new)})"
    return (
        f"CASE WHEN is_valid_utf8(CAST({value} AS STRING)) THEN CAST({value} AS STRING) "
        f"WHEN {spaced} LIKE '%EF BF BD %' THEN {both} ELSE {replaced} END"
    )


declare("from_utf8", ["(varbinary, varchar(x)) -> varchar", "(varbinary, bigint) -> varchar"],
        null_for_null(_from_utf8_with))  # fmt: skip
