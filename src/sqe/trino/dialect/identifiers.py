"""UUIDs and addresses: texts in one spelling."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from sqe.model.trino_types import IPADDRESS, UUID, TrinoType
from sqe.trino.dialect.casts import cast_failure, casts
from sqe.trino.dialect.errors import mismatch
from sqe.trino.dialect.literals import literal_of
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, string

if TYPE_CHECKING:
    from sqe.trino.dialect.context import Context

_SHAPE = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_STARTS = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))  # of the parts among the digits


@literal_of("uuid")
def _literal(value: str, at: int, context: Context) -> Typed:
    if re.fullmatch(_SHAPE, value) is None:
        raise ValueError(value)
    return Typed(UUID, string(value.lower()), value.lower())


@literal_of("ipaddress")
def _address(value: str, at: int, context: Context) -> Typed:
    address = ipaddress.ip_address(value)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return Typed(IPADDRESS, string(str(address)), str(address))


@casts("varchar", "uuid")
def _from_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    def write(sql: str) -> str:
        message = f"concat('Cannot cast value to UUID: ', {sql})"
        error = cast_failure(message, target, at, safe=safe)
        return f"IF({sql} RLIKE '^{_SHAPE}$' OR {sql} IS NULL, lower({sql}), {error})"

    return with_variable(value.sql, write)


@casts("uuid ipaddress", "varchar")
def _to_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    if target.length is not None:  # Trino has only the one to a varchar without a length
        raise mismatch(f"Cannot cast {value.type} to {target.display}", at)
    return value.sql


@casts("uuid", "varbinary")
def _to_bytes(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    return f"unhex(replace({value.sql}, '-', ''))"


@casts("varbinary", "uuid")
def _from_bytes(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    def write(sql: str) -> str:
        message = f"concat('Invalid UUID binary length: ', octet_length({sql}))"
        error = cast_failure(message, target, at, safe=safe)
        parts = (f"substring(hex({sql}), {start}, {length})" for start, length in _STARTS)
        text = f"lower(concat_ws('-', {', '.join(parts)}))"
        wrong = f"WHEN {sql} IS NOT NULL THEN {error}"
        return f"CASE WHEN octet_length({sql}) = 16 THEN {text} {wrong} END"

    return with_variable(value.sql, write)
