"""Which upkeep a table needs and why. A pure function of what its metadata tables say."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from sqe.model.sizes import size_words

_MB = 1024 * 1024
# What Iceberg does where a table says nothing.
TARGET_FILE_BYTES = 512 * _MB
TARGET_MANIFEST_BYTES = 8 * _MB
SMALL = 0.75  # of the target; Iceberg rewrites files below this


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on something is worth doing."""

    small_files: int = 5  # in one partition
    delete_ratio: float = 0.1  # deleted rows to all rows
    delete_files: int = 20
    manifests: int = 20  # which could be fewer
    snapshot_age: datetime.timedelta = datetime.timedelta(days=5)
    orphans: bool = False  # look for files that no snapshot knows


@dataclass(frozen=True, slots=True)
class TableState:
    """A table as its metadata tables show it. Sizes in bytes."""

    data_files: int = 0
    data_bytes: int = 0
    rows: int = 0
    small_files: int = 0  # in partitions that have enough of them
    delete_files: int = 0
    deleted_rows: int = 0
    manifests: int = 0
    manifest_bytes: int = 0
    snapshots: int = 0
    old_snapshots: int = 0  # older than the threshold, and no branch's or tag's own
    target_file_bytes: int = TARGET_FILE_BYTES
    target_manifest_bytes: int = TARGET_MANIFEST_BYTES

    @property
    def needed_manifests(self) -> int:
        return max(1, -(-self.manifest_bytes // max(1, self.target_manifest_bytes)))


@dataclass(frozen=True, slots=True)
class Need:
    """One procedure to run, the reason in words, and its arguments besides the table."""

    procedure: str
    reason: str
    arguments: str = ""

    def call(self, table: str) -> str:
        """``table`` is a name as SQL has it."""
        literal = table.replace("\\", "\\\\").replace("'", "\\'")
        return f"CALL system.{self.procedure}(table => '{literal}'{self.arguments})"


def needs(
    state: TableState, thresholds: Thresholds, now: datetime.datetime | None = None
) -> list[Need]:
    """In the order in which they are to be done: what is rewritten first is expired last."""
    now = now or datetime.datetime.now(datetime.UTC)
    all_needs = [*_data_files(state, thresholds), *_delete_files(state, thresholds)]
    all_needs += [*_manifests(state, thresholds), *_snapshots(state, thresholds, now)]
    if thresholds.orphans:
        all_needs.append(
            Need("remove_orphan_files", "files that no snapshot knows, older than three days")
        )
    return all_needs


def _data_files(state: TableState, thresholds: Thresholds) -> list[Need]:
    reasons, options = [], []
    if state.small_files >= thresholds.small_files:
        least = size_words(int(state.target_file_bytes * SMALL))
        reasons.append(f"{state.small_files:,} of {state.data_files:,} files are below {least}")
        options += ["min-input-files", str(thresholds.small_files)]
    if state.rows and state.deleted_rows / state.rows >= thresholds.delete_ratio:
        share = state.deleted_rows / state.rows
        reasons.append(f"{share:.0%} of the rows are deleted and still in the files")
        options += ["delete-file-threshold", "1", "remove-dangling-deletes", "true"]
    if not reasons:
        return []
    pairs = ", ".join(f"'{option}'" for option in options)
    return [Need("rewrite_data_files", "; ".join(reasons), f", options => map({pairs})")]


def _delete_files(state: TableState, thresholds: Thresholds) -> list[Need]:
    if state.delete_files < thresholds.delete_files:
        return []
    return [
        Need(
            "rewrite_position_delete_files", f"{state.delete_files:,} delete files have to be read"
        )
    ]


def _manifests(state: TableState, thresholds: Thresholds) -> list[Need]:
    spare = state.manifests - state.needed_manifests
    if spare < thresholds.manifests:
        return []
    reason = f"{state.manifests:,} manifests, where {state.needed_manifests:,} would do"
    return [Need("rewrite_manifests", reason)]


def _snapshots(state: TableState, thresholds: Thresholds, now: datetime.datetime) -> list[Need]:
    if not state.old_snapshots:
        return []
    days = thresholds.snapshot_age / datetime.timedelta(days=1)
    age = f"{days:g} {'day' if days == 1 else 'days'}"
    moment = (now - thresholds.snapshot_age).astimezone(datetime.UTC).replace(tzinfo=None)
    return [
        Need(
            "expire_snapshots",
            f"{state.old_snapshots:,} of {state.snapshots:,} snapshots are older than {age}",
            # To the millisecond, as Iceberg counts: a whole second would spare newer snapshots.
            f", older_than => TIMESTAMP '{moment.isoformat(' ', 'milliseconds')}Z'",
        )
    ]
