"""What is too young to be deleted, whatever a statement or a table's own settings say."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqe.errors import ErrorCode, UserError

Metadata = Mapping[str, Any]  # of a table, as in its metadata file
_MAX_AGE = "history.expire.max-snapshot-age-ms"
# Iceberg's own, where nothing is said.
_DEFAULT_AGE = datetime.timedelta(days=5)
_DEFAULT_ORPHAN_AGE = datetime.timedelta(days=3)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True, slots=True)
class Floors:
    """Younger snapshots and files stay: someone may be reading or writing them right now."""

    snapshots: datetime.timedelta = datetime.timedelta(hours=1)
    orphans: datetime.timedelta = datetime.timedelta(hours=24)


def check_expiry(
    metadata: Metadata,
    older_than: datetime.datetime | None,
    snapshot_ids: Sequence[int],
    floor: datetime.timedelta,
    now: datetime.datetime,
) -> None:
    """Refuses an expiry that could take a snapshot younger than the floor.

    Iceberg goes by ``older_than`` or the table's own age, by the age a branch has been given, and
    by the ids it is told; each of the three has to be old enough.
    """
    latest = now - floor
    if older_than is not None and older_than > latest:
        raise _too_young("older_than leaves an age of", now - older_than, floor)
    own_age = _own_age(metadata)
    if older_than is None and own_age < floor:
        raise _too_young(f"The table's {_MAX_AGE} is", own_age, floor)
    for name, reference in (metadata.get("refs") or {}).items():
        age = reference.get("max-snapshot-age-ms")
        if age is not None and _millis(age) < floor:
            raise _too_young(f"The snapshot retention of branch {name} is", _millis(age), floor)
    made = {s["snapshot-id"]: s["timestamp-ms"] for s in metadata.get("snapshots") or ()}
    for snapshot_id in snapshot_ids:
        if snapshot_id not in made:
            raise UserError(
                ErrorCode.SNAPSHOT_NOT_FOUND,
                f"The table has no snapshot {snapshot_id}.",
                hint="SELECT snapshot_id FROM <table>.snapshots lists them.",
            )
        age_now = now - (_EPOCH + _millis(made[snapshot_id]))
        if age_now < floor:
            raise _too_young(f"Snapshot {snapshot_id} is", age_now, floor)


def check_orphans(
    older_than: datetime.datetime | None, floor: datetime.timedelta, now: datetime.datetime
) -> None:
    """Refuses to look at files that a running write may still be about to commit."""
    if older_than is None:
        older_than = now - _DEFAULT_ORPHAN_AGE
    if older_than > now - floor:
        raise UserError(
            ErrorCode.INVALID_ARGUMENT,
            f"older_than leaves an age of {_in_words(now - older_than)}; files that no snapshot "
            f"knows are removed when they are older than {_in_words(floor)}.",
            hint="A write that is still running has such files. The setting is "
            "maintenance.min_orphan_age_s.",
        )


def _own_age(metadata: Metadata) -> datetime.timedelta:
    text = (metadata.get("properties") or {}).get(_MAX_AGE)
    try:
        return _DEFAULT_AGE if text is None else _millis(int(text))
    except ValueError:
        return _DEFAULT_AGE


def _millis(value: int) -> datetime.timedelta:
    return datetime.timedelta(milliseconds=min(int(value), 10**15))


def _too_young(what: str, age: datetime.timedelta, floor: datetime.timedelta) -> UserError:
    return UserError(
        ErrorCode.INVALID_ARGUMENT,
        f"{what} {_in_words(age)}; snapshots younger than {_in_words(floor)} are kept.",
        hint="Queries may still read them. The setting is maintenance.min_snapshot_age_s.",
    )


def _in_words(span: datetime.timedelta) -> str:
    seconds = span.total_seconds()
    if seconds < 1:
        return "nothing"
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size or seconds == size:
            return f"{seconds / size:.3g} {unit if seconds != size else unit.rstrip('s')}"
    return f"{seconds:.0f} seconds"
