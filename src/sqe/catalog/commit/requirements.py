"""The requirements of a commit: what the client saw must still be so."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqe.catalog.commit.draft import MAIN
from sqe.catalog.commit.failures import check, conflict, invalid, need, shape_failures
from sqe.catalog.protocol import Json


def is_create(requirements: Iterable[Json]) -> bool:
    """True for a commit that makes the table; such a commit can require nothing else."""
    kinds = [requirement.get("type") for requirement in requirements]
    if "assert-create" not in kinds:
        return False
    others = [kind for kind in kinds if kind != "assert-create"]
    check(not others, f"Invalid create requirements: {others}")
    return True


def check_table(base: Json, requirements: Iterable[Json]) -> None:
    """COMMIT_CONFLICT where a requirement fails."""
    for requirement in requirements:
        kind = requirement.get("type")
        checker = TABLE_REQUIREMENTS.get(str(kind))
        if checker is None:
            raise invalid(f"Cannot check the requirement {kind!r} against a table.")
        with shape_failures(f"requirement {kind}"):
            checker(base, requirement)


def check_view(base: Json, requirements: Iterable[Json]) -> None:
    """COMMIT_CONFLICT where a requirement fails."""
    for requirement in requirements:
        kind = requirement.get("type")
        if kind != "assert-view-uuid":
            raise invalid(f"Cannot check the requirement {kind!r} against a view.")
        _same_uuid("view UUID", base.get("view-uuid"), requirement)


def _same_uuid(what: str, found: object, requirement: Json) -> None:
    expected = need(requirement.get("uuid"), "Invalid required UUID: null")
    if str(found).lower() != str(expected).lower():
        raise conflict(f"Requirement failed: {what} does not match: expected {expected} != {found}")


def _table_uuid(base: Json, requirement: Json) -> None:
    _same_uuid("UUID", base.get("table-uuid"), requirement)


def _must_not_exist(base: Json, requirement: Json) -> None:
    raise conflict("Requirement failed: table already exists")


def _ref_snapshot(base: Json, requirement: Json) -> None:
    name = need(requirement.get("ref"), "Invalid requirement: no ref.")
    expected = requirement.get("snapshot-id")
    ref = _refs(base).get(name)
    if ref is None:
        if expected is not None:
            raise conflict(
                f"Requirement failed: branch or tag {name} is missing, expected {expected}"
            )
        return
    kind = ref.get("type", "branch")
    if expected is None:
        raise conflict(f"Requirement failed: {kind} {name} was created concurrently")
    if expected != ref["snapshot-id"]:
        raise conflict(
            f"Requirement failed: {kind} {name} has changed:"
            f" expected id {expected} != {ref['snapshot-id']}"
        )


def _refs(base: Json) -> dict[str, Json]:
    refs: dict[str, Json] = dict(base.get("refs") or {})
    current = base.get("current-snapshot-id")
    if current not in (None, -1):
        refs.setdefault(MAIN, {"snapshot-id": current, "type": "branch"})
    return refs


def _same_number(key: str, required: str, what: str) -> Callable[[Json, Json], None]:
    def checker(base: Json, requirement: Json) -> None:
        expected = need(requirement.get(required), f"Invalid requirement: no {required}.")
        # Old V1 files leave these out while nothing but the first version exists.
        actual = base.get(key, 999 if key == "last-partition-id" else 0)
        if expected != actual:
            raise conflict(
                f"Requirement failed: {what} changed: expected id {expected} != {actual}"
            )

    return checker


TABLE_REQUIREMENTS: dict[str, Callable[[Json, Json], None]] = {
    "assert-create": _must_not_exist,
    "assert-table-uuid": _table_uuid,
    "assert-ref-snapshot-id": _ref_snapshot,
    "assert-last-assigned-field-id": _same_number(
        "last-column-id", "last-assigned-field-id", "last assigned field id"
    ),
    "assert-current-schema-id": _same_number(
        "current-schema-id", "current-schema-id", "current schema"
    ),
    "assert-last-assigned-partition-id": _same_number(
        "last-partition-id", "last-assigned-partition-id", "last assigned partition id"
    ),
    "assert-default-spec-id": _same_number(
        "default-spec-id", "default-spec-id", "default partition spec"
    ),
    "assert-default-sort-order-id": _same_number(
        "default-sort-order-id", "default-sort-order-id", "default sort order"
    ),
}
