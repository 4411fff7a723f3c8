"""Bytes: encodings, digests, URLs."""

from __future__ import annotations

from collections.abc import Callable

from sqe.model.trino_types import TrinoType
from sqe.sql.trino.functions.registry import Bound, declare
from sqe.sql.trino.functions.signatures import UNBOUNDED, Bindings
from sqe.sql.trino.functions.strings import INVALID, bounded, length_of
from sqe.sql.trino.typed import raised, string

declare("to_utf8", "(varchar) -> varbinary", "CAST({0} AS BINARY)")
declare("from_utf8", "(varbinary) -> varchar", "make_valid_utf8(CAST({0} AS STRING))")
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
    error = raised(INVALID, string("Not a hexadecimal text"), call.returns, call.at)
    good = f"{value} RLIKE '^([0-9a-fA-F][0-9a-fA-F])*$'"
    return f"IF({good}, unhex({value}), {error})"


declare("from_hex", ["(varchar(x)) -> varbinary", "(varbinary) -> varbinary"], _from_hex)


def _from_base64(call: Bound) -> str:
    value = call.sql(0)
    if call.arguments[0].type.base == "varbinary":
        value = f"CAST({value} AS STRING)"
    error = raised(INVALID, string("Not a text in base 64"), call.returns, call.at)
    good = f"{value} RLIKE '^([A-Za-z0-9+/]{{4}})*([A-Za-z0-9+/]{{2}}(==)?|[A-Za-z0-9+/]{{3}}=?)?$'"
    return f"IF({good}, unbase64({value}), {error})"


declare("from_base64", ["(varchar(x)) -> varbinary", "(varbinary) -> varbinary"], _from_base64)


def _from_big_endian(size: int) -> Callable[[Bound], str]:
    def write(call: Bound) -> str:
        value = call.sql(0)
        message = f"expected {size}-byte input, but got instead"
        error = raised(INVALID, string(message), call.returns, call.at)
        written = f"hex({value})"
        if size == 4:  # with its sign, in eight bytes
            sign = f"IF({written} >= '8', 'FFFFFFFF', '')"
            number = f"CAST(conv(concat({sign}, {written}), 16, -10) AS INT)"
        else:
            number = f"CAST(conv({written}, 16, -10) AS BIGINT)"
        return f"IF(octet_length({value}) = {size}, {number}, {error})"

    return write


declare("from_big_endian_32", "(varbinary) -> integer", _from_big_endian(4))
declare("from_big_endian_64", "(varbinary) -> bigint", _from_big_endian(8))


# ------------------------------------------------------------------------ URLs


def _part(name: str, *, decoded: bool = False) -> Callable[[Bound], str]:
    def write(call: Bound) -> str:
        value = call.sql(0)
        found = f"try_parse_url({value}, '{name}')"
        if decoded:
            found = f"url_decode(replace({found}, '+', '%2B'))"
        return f"IF(try_parse_url({value}, 'PATH') IS NULL, NULL, coalesce({found}, ''))"

    return write


for _name, _spark, _decoded in (
    ("protocol", "PROTOCOL", False), ("host", "HOST", False), ("path", "PATH", True),
    ("query", "QUERY", False), ("fragment", "REF", True),
):  # fmt: skip
    declare(f"url_extract_{_name}", "(varchar(x)) -> varchar(x)", _part(_spark, decoded=_decoded))


def _encoded(bound: Bindings, kinds: tuple[TrinoType, ...]) -> TrinoType:
    return bounded(min(UNBOUNDED, length_of(kinds[0]) * 12))


declare("url_encode", "(varchar(x)) -> varchar(x)", "url_encode({0})", result=_encoded)


def _decoded_url(call: Bound) -> str:
    value = call.sql(0)
    error = raised(INVALID, string("Illegal hex characters in escape (%) pattern"), call.returns,
                   call.at)  # fmt: skip
    good = f"{value} RLIKE '^([^%]|%[0-9a-fA-F][0-9a-fA-F])*$'"
    return f"IF({good}, url_decode({value}), {error})"


declare("url_decode", "(varchar(x)) -> varchar(x)", _decoded_url)
