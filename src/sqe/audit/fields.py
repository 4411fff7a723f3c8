"""The fields of the audit log's lines: one line for every change of a query's state and of the
rules, and for who comes, acts as somebody else, or kills."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from sqe.audit.events import QueryEvent, RuleEvent
from sqe.audit.redact import redact
from sqe.model.access_event import AccessEvent, AccessKind
from sqe.model.query import QueryRecord, RelationUse, WrittenSnapshot

_PROGRESS = "progress"
_TEXT = 100_000  # characters of a statement that are kept
_CLAIMED = 256  # characters of the name that somebody claims to have
_OWN_SECRET = re.compile(r"sqe_[A-Za-z0-9_-]{8,}")  # our tokens and keys, where a name should be


# What each field of a line means, for people who read them.
FIELDS = {
    "time": "when, in UTC",
    "event": "what happened: to a query `queued`, `planning`, `running`, `finished`, `failed`,"
    " `cancelled`; to the rules `rule_changed`; to the settings `settings_changed`; besides"
    " `login`, `login_failed`, `session_opened`,"
    " `session_refused`, `session_ended`, `impersonation`, `impersonation_refused`, `kill`,"
    " `kill_refused`, `credential_used`, `events_lost`, `file_continued`",
    "query_id": "the query, as clients and the summaries of snapshots name it (`sqe.query-id`)",
    "user": "whose query it is, or who does it; of `login_failed` as claimed, and empty where the"
    " credential does not tell; of `impersonation` as whom; `*`: too many to be named",
    "groups": "the user's groups, when it began",
    "principal": "who has logged in, where that is not the user (impersonation)",
    "protocol": "`flight`, `trino`, or `embedded`: the caller's own process",
    "address": "the client's, as the server sees it",
    "method": "of `credential_used`: `mapped`; of a login: `password`, `bearer` (a token),"
    " `certificate`, `nothing` (no credential), or `api_key`, of those accepted",
    "trace_id": "of the trace that the query is part of, where queries are traced",
    "key_id": "the API key that was shown, as `sqe apikey list` names it",
    "count": "how often it has happened again since the line before about the same, where that is"
    " more than once: repeats within a minute are one line; of `events_lost`: how many",
    "owner": "of `kill`: whose query it is",
    "credential": "of `credential_used`: the one that the user is mapped to, as `catalog.name`",
    "place": "of `credential_used`: the folders that it was used for",
    "source": "the client's name for itself",
    "resource_group": "the resource group it waited or runs in",
    "dialect": "what the statement is written in: `spark` or `trino`",
    "session_id": "the beginning of the session's id",
    "state": "the state that the query is in now",
    "kind": "the kind of statement",
    "text": "the statement, with stars for what looks like a secret; at most 100,000 characters",
    "engine": "`spark`, `local` or `coordinator`",
    "reason": "why this engine; of `login_failed`: `denied`, `unavailable` (the identity provider),"
    " `failed` (a defect); of `session_ended`: `closed` or `expired`",
    "relations": "each table and view that is touched: `name`, `access`, the `rule` that allowed"
    " it; of a read the `columns` and the `snapshot_id`; `as_user`, whose rights a view reads with",
    "copy_of": "of a statement that writes rows to a table or to files: the tables and views that"
    " it reads in part only. What it writes is a copy of restricted data, which their rules do not"
    " follow",
    "rows": "rows of the result",
    "bytes": "bytes of the result",
    "affected": "rows that a write has `inserted`, `updated`, `deleted`, where it is known exactly",
    "written": "each snapshot that the query has added to a table, and that is there: `table`,"
    " `snapshot_id`, Iceberg's `operation`. The statements of a transaction write nothing: its"
    " COMMIT does, and names the `query_id` of the statement that made the snapshot",
    "work": "what the engine did, as far as it tells: `files`, `bytes` and `rows` of its scans"
    " after pruning (Spark counts rows that came out, the local engine rows that the files hold);"
    " `bytes_read`, what Spark's tasks read of files; `spilled_bytes`. Of a write, Spark tells"
    " `bytes_read` alone",
    "seconds": "from the query's arrival to its end",
    "stages": "seconds of each stage of the pipe",
    "error_code": "the error's code",
    "error": "the error's text, with stars for what looks like a secret",
    "what": "of `rule_changed`: the change, in words; of `settings_changed`: the keys",
    "before": "of `file_continued`, the first line of a file that goes on after another: the last"
    " digest of that one",
    "cut": "of syslog in datagrams: this line was too long for one, and its text is shorter",
    "chain": "of files: a digest of the line and of the digest before it; see `sqe audit verify`",
}


def event_fields(event: QueryEvent) -> dict[str, Any]:
    """What is written of an event. Nothing in it is a secret: records hold no credential."""
    record = event.record
    fields: dict[str, Any] = {
        "time": _time(event.at),
        "event": event.name,
        "query_id": record.query_id,
        "user": record.user,
        "groups": list(record.groups),
        "protocol": record.origin.protocol,
        "address": record.origin.address,
        "source": record.source,
        "dialect": record.dialect,
        "session_id": record.session_id[:8],  # enough to tell sessions apart, not to take one over
        "state": record.state.value,
        "kind": record.kind,
        "text": redact(record.text)[:_TEXT],  # cut last: half a secret does not look like one
    }
    more = {
        "resource_group": record.resource_group,
        "principal": record.origin.principal,
        "trace_id": record.trace_id,
    }
    fields.update((name, text) for name, text in more.items() if text)
    if record.route is not None:
        fields["engine"] = record.route.engine.value
        fields["reason"] = record.route.reason
    if record.relations and event.name != "queued":
        fields["relations"] = [_relation_fields(relation) for relation in record.relations]
        if sources := _sources_of_copy(record):
            fields["copy_of"] = sources
    if record.state.ended:
        fields["rows"] = record.rows
        fields["bytes"] = record.bytes
        if record.affected is not None:
            fields["affected"] = record.affected.counts
        if record.written:
            fields["written"] = [_snapshot_fields(snapshot) for snapshot in record.written]
        if record.work.figures:
            fields["work"] = record.work.figures
        fields["seconds"] = round((record.ended or event.at) - record.created, 6)
        fields["stages"] = {name: round(s, 6) for name, s in record.stage_seconds.items()}
    if record.error_code:
        fields["error_code"] = record.error_code
        fields["error"] = redact(record.error_message)
    return fields


def _sources_of_copy(record: QueryRecord) -> list[str]:
    """A view keeps no rows. Rules do not follow rows into another table: who checks on copies
    begins here."""
    uses = record.relations
    writes = record.kind == "unload" or any(use.access in ("write", "create") for use in uses)
    if not writes or record.kind.endswith("view") or record.kind.startswith("explain"):
        return []
    return list(dict.fromkeys(use.name for use in uses if use.access == "read" and use.in_part))


def _relation_fields(use: RelationUse) -> dict[str, Any]:
    named: dict[str, Any] = {"name": use.name, "access": use.access, "rule": use.rule}
    if use.columns:
        named["columns"] = list(use.columns)
    if use.snapshot_id is not None:
        named["snapshot_id"] = use.snapshot_id
    if use.as_user:
        named["as_user"] = use.as_user
    return named


def _snapshot_fields(snapshot: WrittenSnapshot) -> dict[str, Any]:
    named: dict[str, Any] = {
        "table": snapshot.table,
        "snapshot_id": snapshot.snapshot_id,
        "operation": snapshot.operation,
    }
    if snapshot.query_id:
        named["query_id"] = snapshot.query_id
    return named


def rule_fields(event: RuleEvent) -> dict[str, Any]:
    return {
        "time": _time(event.at),
        "event": event.name,
        **({"user": event.user} if event.user else {}),
        "what": redact(event.what)[:_TEXT],
    }


def access_fields(event: AccessEvent) -> dict[str, Any]:
    fields: dict[str, Any] = {"time": _time(event.at), "event": event.kind.value}
    if event.kind is AccessKind.EVENTS_LOST:
        return {**fields, "count": event.count}
    fields |= {
        "user": _OWN_SECRET.sub("****", redact(event.user))[:_CLAIMED],
        "protocol": event.origin.protocol,
        "address": event.origin.address,
    }
    more: dict[str, Any] = {
        "principal": event.origin.principal,
        "method": event.method,
        "reason": event.reason,
        "key_id": event.key_id,
        "session_id": event.session_id[:8],
        "query_id": event.query_id,
        "owner": event.owner,
        "credential": event.credential,
        "place": event.place,
        "count": event.count if event.count > 1 else 0,
    }
    fields.update((name, value) for name, value in more.items() if value)
    return fields


def writes_line(event: QueryEvent) -> bool:
    return event.name != _PROGRESS


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
