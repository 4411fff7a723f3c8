"""Addresses of the internet: those of version 4 are numbers, those of version 6 only constants."""

from __future__ import annotations

import ipaddress

from sqe.model.trino_types import TrinoType
from sqe.trino.dialect.casts import cast_failure, casts
from sqe.trino.dialect.errors import not_supported
from sqe.trino.dialect.functions.registry import Bound, declare, null_for_null
from sqe.trino.dialect.functions.strings import INVALID
from sqe.trino.dialect.once import once
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.typed import Typed, fail, string

_PART = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_ADDRESS = rf"{_PART}(\\.{_PART}){{3}}"


def _six(kind: TrinoType | None, at: int) -> str:
    message = string("An address that is not of version 4, and not constant, is not supported")
    return fail("NOT_SUPPORTED", message, kind, at)


@casts("varchar", "ipaddress")
def _from_text(value: Typed, target: TrinoType, safe: bool, at: int) -> str:
    if isinstance(value.constant, str) and ":" in value.constant:
        if "%" in value.constant:
            raise not_supported("An address with a zone", at)
        text = _text_of(value.constant)
        if text is not None:
            return string(text)

    def write(sql: str) -> str:
        message = f"concat('Cannot cast value to IPADDRESS: ', {sql})"
        error = cast_failure(message, target, at, safe=safe)
        # Digits of other scripts are digits to Trino, too.
        odd = f"{sql} RLIKE '[^\\\\x00-\\\\x7F]'"
        odd += "" if value.is_constant else f" OR {sql} LIKE '%:%'"
        return (
            f"CASE WHEN {sql} IS NULL OR {sql} RLIKE '^{_ADDRESS}$' THEN {sql} "
            f"WHEN {odd} THEN {_six(target, at)} ELSE {error} END"
        )

    return with_variable(value.sql, write)


def _text_of(text: str) -> str | None:
    """Of an address of version 6, as Trino prints it."""
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return None
    return str(address.ipv4_mapped or address)


def _number(address: str) -> str:
    """Of an address of version 4."""
    return f"aggregate(split({address}, '\\\\.'), 0L, (s, p) -> s * 256L + CAST(p AS BIGINT))"


def _contains(call: Bound) -> str:
    """Whether an address is in a network: they have the bits of its prefix in common, and the
    network has no others."""
    network, address = call.arguments
    wrong, no_base, no_prefix = (
        fail(INVALID, string(message), call.returns, call.at)
        for message in ("Invalid CIDR", "Invalid network IP address", "Invalid prefix length")
    )

    def write(cidr: str, ip: str, base: str, length: str) -> str:
        def prefix(number: str) -> str:
            return f"shiftright({number}, 32 - CAST({length} AS INT))"

        number = _number(base)
        rest = f"{number} % shiftleft(1L, 32 - CAST({length} AS INT))"
        return (
            f"CASE WHEN {cidr} LIKE '%:%' THEN {_six(call.returns, call.at)} "
            f"WHEN {cidr} NOT LIKE '%/%' THEN {wrong} "
            f"WHEN {base} NOT RLIKE '^{_ADDRESS}$' THEN {no_base} "
            f"WHEN {length} NOT RLIKE '^[0-9]{{1,9}}$' THEN {no_prefix} "
            f"WHEN CAST({length} AS INT) > 32 OR {rest} <> 0 THEN {wrong} "
            f"WHEN {ip} LIKE '%:%' THEN false ELSE {prefix(_number(ip))} = {prefix(number)} END"
        )

    slash = f"instr({network.sql}, '/')"
    parts = [
        f"substring({network.sql}, 1, {slash} - 1)", f"substring({network.sql}, {slash} + 1)",
    ]  # fmt: skip
    return once([network.sql, address.sql, *parts], write)


declare("contains", "(varchar, ipaddress) -> boolean", null_for_null(_contains),
        description="Determines whether given IP address exists in the CIDR")  # fmt: skip
