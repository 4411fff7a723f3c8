"""Bytes: encodings, digests, URLs."""

from __future__ import annotations

from collections.abc import Callable

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null
from sqe.trino.dialect.functions.signatures import UNBOUNDED, Bindings
from sqe.trino.dialect.functions.strings import INVALID, length_of, varchar_of_length
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import fail, string

declare("to_utf8", "(varchar) -> varbinary", "CAST({0} AS BINARY)")
declare("to_hex", "(varbinary) -> varchar", "hex({0})")
declare("to_base64", "(varbinary) -> varchar", "base64({0})")
declare("crc32", "(varbinary) -> bigint", "crc32({0})")
declare("md5", "(varbinary) -> varbinary", "unhex(md5({0}))")
declare("sha1", "(varbinary) -> varbinary", "unhex(sha1({0}))")
declare("sha256", "(varbinary) -> varbinary", "unhex(sha2({0}, 256))")
declare("sha512", "(varbinary) -> varbinary", "unhex(sha2({0}, 512))")
declare("to_big_endian_64", "(bigint) -> varbinary", "unhex(lpad(hex({0}), 16, '0'))")
declare("to_big_endian_32", "(integer) -> varbinary",
        "unhex(right(lpad(hex(CAST({0} AS BIGINT)), 16, '0'), 8))")  # fmt: skip
declare("uuid", "() -> uuid", "uuid()", deterministic=False)


def _from_hex(call: Bound) -> str:
    value = call.sql(0)
    if call.arguments[0].type.base == "varbinary":
        value = f"CAST({value} AS STRING)"
    error = fail(INVALID, string("Not a hexadecimal text"), call.returns, call.at)
    good = f"{value} RLIKE '^([0-9a-fA-F][0-9a-fA-F])*$'"
    return f"IF({good}, unhex({value}), {error})"


declare(
    "from_hex", ["(varchar(x)) -> varbinary", "(varbinary) -> varbinary"], null_for_null(_from_hex)
)


def _from_base64(digit: str, plain: str) -> Callable[[Bound], str]:
    """``digit`` matches one; ``plain`` makes those of base 64 of them."""

    def write(call: Bound) -> str:
        value = call.sql(0)
        if call.arguments[0].type.base == "varbinary":
            value = f"CAST({value} AS STRING)"
        error = fail(INVALID, string("Not a text in base 64"), call.returns, call.at)
        good = f"{value} RLIKE '^({digit}{{4}})*({digit}{{2}}(==)?|{digit}{{3}}=?)?$'"
        return f"IF({good}, unbase64({plain.format(value)}), {error})"

    return write


_TEXTS = ["(varchar(x)) -> varbinary", "(varbinary) -> varbinary"]
declare("from_base64", _TEXTS, null_for_null(_from_base64("[A-Za-z0-9+/]", "{}")))
declare(
    "from_base64url",
    _TEXTS,
    null_for_null(_from_base64("[A-Za-z0-9_-]", "translate({}, '-_', '+/')")),
)
declare("to_base64url", "(varbinary) -> varchar", "translate(base64({0}), '+/', '-_')")


def _hmac(digest: str, block: int) -> Callable[[Bound], str]:
    """RFC 2104, of digests whose blocks have that many bytes. No engine has one of its own."""

    def hash_bytes(value: str) -> str:
        return f"unhex({digest.format(value)})"

    def pad_key(key: str, pad: int) -> str:
        """The key, as hexadecimal text, with each byte XORed."""
        byte = f"CAST(conv(substr({key}, i, 2), 16, 10) AS INT) ^ {pad}"
        both = f"transform(sequence(1, {2 * block - 1}, 2), i -> lpad(hex({byte}), 2, '0'))"
        return f"unhex(array_join({both}, ''))"

    def hash_with_key(data: str, key: str) -> str:
        inner = hash_bytes(f"concat({pad_key(key, 0x36)}, {data})")
        return hash_bytes(f"concat({pad_key(key, 0x5C)}, {inner})")

    def write(call: Bound) -> str:
        data, key = call.sql(0), call.sql(1)
        error = fail(INVALID, string("Empty key"), call.returns, call.at)
        short = f"IF(octet_length({key}) > {block}, {hash_bytes(key)}, {key})"
        filled = f"rpad(hex({short}), {2 * block}, '0')"
        hashed = with_variable(filled, lambda one: hash_with_key(data, one))
        empty = f"WHEN octet_length({key}) = 0 THEN {error}"
        return f"CASE WHEN {key} IS NULL THEN NULL {empty} ELSE {hashed} END"

    return write


for _name, _digest, _block in (
    ("md5", "md5({})", 64), ("sha1", "sha1({})", 64), ("sha256", "sha2({}, 256)", 64),
    ("sha512", "sha2({}, 512)", 128),
):  # fmt: skip
    declare(
        f"hmac_{_name}",
        "(varbinary, varbinary) -> varbinary",
        null_for_null(_hmac(_digest, _block)),
    )


def _from_big_endian(size: int) -> Callable[[Bound], str]:
    def write(call: Bound) -> str:
        value = call.sql(0)
        message = f"expected {size}-byte input, but got instead"
        error = fail(INVALID, string(message), call.returns, call.at)
        written = f"hex({value})"
        if size == 4:  # with its sign, in eight bytes
            sign = f"IF({written} >= '8', 'FFFFFFFF', '')"
            number = f"CAST(conv(concat({sign}, {written}), 16, -10) AS INT)"
        else:
            number = f"CAST(conv({written}, 16, -10) AS BIGINT)"
        return f"IF(octet_length({value}) = {size}, {number}, {error})"

    return write


declare("from_big_endian_32", "(varbinary) -> integer", null_for_null(_from_big_endian(4)))
declare("from_big_endian_64", "(varbinary) -> bigint", null_for_null(_from_big_endian(8)))


# ------------------------------------------------------------------------ URLs


def _part(name: str, *, decoded: bool = False) -> Callable[[Bound], str]:
    def write(call: Bound) -> str:
        value = call.sql(0)
        url_part = f"try_parse_url({value}, '{name}')"
        if decoded:
            url_part = f"url_decode(replace({url_part}, '+', '%2B'))"
        # Each has a path or a scheme: ``mailto:`` has no path.
        good = f"coalesce(try_parse_url({value}, 'PATH'), try_parse_url({value}, 'PROTOCOL'))"
        return f"IF({good} IS NULL, NULL, coalesce({url_part}, ''))"

    return write


for _part_name, _spark, _decoded in (
    ("protocol", "PROTOCOL", False), ("host", "HOST", False), ("path", "PATH", True),
    ("query", "QUERY", False), ("fragment", "REF", True),
):  # fmt: skip
    declare(f"url_extract_{_part_name}", "(varchar(x)) -> varchar(x)",
            _part(_spark, decoded=_decoded))  # fmt: skip


def _port(call: Bound) -> str:
    """Only beside a host: an authority that is no server has none."""
    value = call.sql(0)
    port = f"regexp_extract(try_parse_url({value}, 'AUTHORITY'), ':([0-9]+)$', 1)"
    return f"IF(try_parse_url({value}, 'HOST') IS NULL, NULL, CAST(nullif({port}, '') AS BIGINT))"


def _parameter(call: Bound) -> str:
    """The first of that name; only its value is decoded."""
    pairs = f"split(try_parse_url({call.sql(0)}, 'QUERY'), '&', -1)"
    first = f"get(filter({pairs}, p -> substring_index(p, '=', 1) = {call.sql(1)}), 0)"

    def value(pair: str) -> str:
        behind = f"url_decode(substr({pair}, instr({pair}, '=') + 1))"
        return f"IF(instr({pair}, '=') = 0, '', {behind})"

    return with_variable(first, lambda pair: f"IF({pair} IS NULL, NULL, {value(pair)})")


declare("url_extract_port", "(varchar(x)) -> bigint", _port)
declare("url_extract_parameter", "(varchar(x), varchar(y)) -> varchar(x)", _parameter)


def _type_of_encoded(bound: Bindings, kinds: tuple[TrinoType, ...]) -> TrinoType:
    return varchar_of_length(min(UNBOUNDED, length_of(kinds[0]) * 12))


declare("url_encode", "(varchar(x)) -> varchar(x)", "url_encode({0})", result=_type_of_encoded)


def _decode_url(call: Bound) -> str:
    value = call.sql(0)
    error = fail(INVALID, string("Illegal hex characters in escape (%) pattern"), call.returns,
                   call.at)  # fmt: skip
    good = f"{value} RLIKE '^([^%]|%[0-9a-fA-F][0-9a-fA-F])*$'"
    return f"IF({good}, url_decode({value}), {error})"


declare("url_decode", "(varchar(x)) -> varchar(x)", null_for_null(_decode_url))
