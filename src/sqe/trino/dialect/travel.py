"""FOR VERSION AS OF and FOR TIMESTAMP AS OF: a table as it was."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from sqe.model.trino_types import BIGINT, DATE, TIMESTAMP, TIMESTAMP_TZ, UNKNOWN, TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.casts import cast
from sqe.trino.dialect.context import Known
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.typed import Typed, string
from sqe.trino.dialect.zones import session_zone

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

_MOMENT = TrinoType(TIMESTAMP_TZ, (6,))


def travel(analyzer: Analyzer, node: nodes.TableRef, known: Known) -> str:
    """What stands behind the table's name in Spark's text."""
    if node.version is not None:
        _check_columns(analyzer, node, known)
        return _version(analyzer.expression(node.version, Scope()), node.version.at)
    if node.moment is not None:
        _check_columns(analyzer, node, known)
        return _moment(analyzer, analyzer.expression(node.moment, Scope()), node)
    return ""


def _check_columns(analyzer: Analyzer, node: nodes.TableRef, known: Known) -> None:
    """What is read of the past has the columns of then; only those of now are known here."""
    metadata = known.metadata
    if len(metadata.get("schemas", ())) < 2:
        return
    wanted = None
    if node.version is not None:
        version = analyzer.expression(node.version, Scope()).constant
        ref = (metadata.get("refs") or {}).get(version, {})
        if ref.get("type") == "branch":
            return
        wanted = ref.get("snapshot-id", version)
    for snapshot in metadata.get("snapshots", ()):
        if snapshot["snapshot-id"] == wanted:
            if snapshot.get("schema-id") == metadata.get("current-schema-id"):
                return
            break
    raise not_supported("Reading a version whose columns were others", node.at)


def _version(value: Typed, at: int) -> str:
    if value.type == BIGINT and isinstance(value.constant, int):
        return f" VERSION AS OF {value.constant}"
    if value.type.base == "varchar" and isinstance(value.constant, str):
        return f" VERSION AS OF {string(value.constant)}"
    raise Refused("NOT_SUPPORTED", f"Unsupported type for table version: {value.type}", at)


def _moment(analyzer: Analyzer, value: Typed, node: nodes.TableRef) -> str:
    """It must be in the past: of a moment that is calculated, Spark is told so."""
    at = node.travel_at
    if value.constant is None or value.type == UNKNOWN:
        raise Refused("INVALID_ARGUMENTS", "Pointer value cannot be NULL", at)
    if value.type != DATE and value.type.base not in (TIMESTAMP, TIMESTAMP_TZ):
        message = (
            f"Type {value.type} invalid. Temporal pointers must be of type Timestamp, "
            "Timestamp with Time Zone, or Date."
        )
        raise mismatch(message, at)
    sql = cast(value, _MOMENT, at).sql
    now = analyzer.context.now
    if value.is_constant:
        if _instant(value, at) >= now:
            message = f"Pointer value '{_show(value)}' is not in the past"
            raise Refused("INVALID_ARGUMENTS", message, at)
        return f" TIMESTAMP AS OF {sql}"
    limit = f"TIMESTAMP'{now.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S.%f}+00:00'"
    return f" TIMESTAMP AS OF IF({sql} < {limit}, {sql}, NULL)"


def _instant(value: Typed, at: int) -> datetime.datetime:
    """Of a constant: a date and a timestamp are those of the session's zone."""
    constant = value.constant
    if value.type.base == TIMESTAMP_TZ and isinstance(constant, datetime.datetime):
        return constant.replace(tzinfo=datetime.UTC)
    zone = ZoneInfo(session_zone(at))
    if isinstance(constant, datetime.datetime):
        return constant.replace(tzinfo=zone)
    if isinstance(constant, datetime.date):
        return datetime.datetime(constant.year, constant.month, constant.day, tzinfo=zone)
    raise not_supported(f"FOR TIMESTAMP AS OF a {value.type}", at)


def _show(value: Typed) -> str:
    constant, digits = value.constant, value.type.numbers[0] if value.type.numbers else 0
    if not isinstance(constant, datetime.datetime):
        return str(constant)
    text = f"{constant:%Y-%m-%d %H:%M:%S}"
    if digits:
        text += f".{constant.microsecond:06d}"[: digits + 1]
    return text + (" UTC" if value.type.base == TIMESTAMP_TZ else "")
