"""The endpoints of tables: found first, then allowed, then done."""

from __future__ import annotations

from datetime import UTC, datetime

from starlette.responses import Response

from sqe.catalog.commit.table_updates import TABLE_UPDATES
from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.catalog.rest.wire import ident_of, json_answer, no_content
from sqe.testing.answers import (
    PolarisError,
    bad_request,
    check_snapshots,
    not_modified,
    table_answer,
)
from sqe.testing.delegation import beside, credentials, load_operation
from sqe.testing.namespaces import under
from sqe.testing.places import check_location, check_overlap, new_location, table_folder
from sqe.testing.privileges import OTHER_UPDATE, UPDATES, Privilege
from sqe.testing.visit import (
    Visit,
    check_name,
    check_properties,
    check_purge,
    refuse_unknown_changes,
)

_ASSERT_CREATE = "assert-create"


def list_tables(visit: Visit) -> Response:
    visit.require("LIST_TABLES", (Privilege.TABLE_LIST, under(visit)))
    return identifiers(visit, visit.lake.catalog.list_tables(visit.call.namespace))


def identifiers(visit: Visit, names: list[str]) -> Response:
    """Everything in the namespace: one check of it, none of its entries."""
    shown, token = visit.page(names)
    namespace = list(visit.call.namespace)
    body: Json = {"identifiers": [{"namespace": namespace, "name": name} for name in shown]}
    return json_answer({**body, "next-page-token": token})


def create_table(visit: Visit) -> Response:
    body = visit.call.body
    check_name(body.get("name"))
    check_properties(body.get("properties"))
    ident = Ident(visit.call.namespace, str(body.get("name")))
    target = under(visit)
    kind = "STAGED" if body.get("stage-create") else "DIRECT"
    if visit.delegation:
        needs = ((Privilege.TABLE_CREATE, target), (Privilege.TABLE_WRITE_DATA, target))
        visit.require(f"CREATE_TABLE_{kind}_WITH_WRITE_DELEGATION", *needs)
    else:
        visit.require(f"CREATE_TABLE_{kind}", (Privilege.TABLE_CREATE, target))
    check_location(visit, ident, body.get("location"))
    body = {**body, "location": new_location(visit, ident, body.get("location"))}
    if kind == "DIRECT" and visit.lake.was_done(ident, visit.idempotency_key):
        loaded = visit.lake.catalog.load_table(ident)
    else:
        loaded = visit.lake.catalog.create_table(visit.call.namespace, _with_time(body))
        if kind == "DIRECT" and visit.idempotency_key:
            visit.lake.note_key(ident, visit.idempotency_key)
    return table_answer(loaded, more=beside(visit, ident, loaded, write=True))


def _with_time(body: Json) -> Json:
    created = {"created-at": datetime.now(UTC).isoformat()}
    return {**body, "properties": {**created, **(body.get("properties") or {})}}


def register_table(visit: Visit) -> Response:
    body = visit.call.body
    check_name(body.get("name"))
    ident = Ident(visit.call.namespace, str(body.get("name")))
    target = under(visit)
    pointer = visit.lake.catalog.find(ident) if body.get("overwrite") else None
    if pointer is not None and not pointer.is_view:
        table = visit.target(ident)
        visit.require("REGISTER_TABLE_OVERWRITE", (Privilege.TABLE_FULL_METADATA, table))
    else:
        visit.require("REGISTER_TABLE", (Privilege.TABLE_CREATE, target))
    write = load_operation(visit, ident) if visit.delegation else False
    check_overlap(visit, ident, table_folder(str(body.get("metadata-location"))))
    loaded = visit.lake.catalog.register_table(visit.call.namespace, body)
    return table_answer(loaded, more=beside(visit, ident, loaded, write=write))


def load_table(visit: Visit) -> Response:
    refs = check_snapshots(visit.call)
    ident = visit.call.table
    pointer = visit.table(ident)
    write = load_operation(visit, ident)
    # A tag is of the metadata alone, and would tell nothing of restrictions that change.
    tagged = visit.lake.restrictions(ident, visit.caller.name) is None
    if tagged and not_modified(visit.call, pointer.metadata_location):
        return Response(status_code=304)
    loaded = visit.lake.catalog.load_table(ident)
    more = beside(visit, ident, loaded, write=write)
    return table_answer(loaded, refs=refs, tagged=tagged, more=more)


def load_credentials(visit: Visit) -> Response:
    ident = visit.call.table
    visit.table(ident)
    write = load_operation(visit, ident, delegated=True)
    loaded = visit.lake.catalog.load_table(ident)
    return json_answer(credentials(visit, ident, loaded, write=write))


def table_exists(visit: Visit) -> Response:
    visit.table(visit.call.table)
    visit.require("TABLE_EXISTS", (Privilege.TABLE_LIST, visit.target(visit.call.table)))
    return no_content()


def update_table(visit: Visit) -> Response:
    ident, body = visit.call.table, refuse_unknown_changes(visit.call.body, TABLE_UPDATES)
    requirements = [entry.get("type") for entry in body.get("requirements") or ()]
    creates = _ASSERT_CREATE in requirements
    if creates:
        if {*requirements} != {_ASSERT_CREATE}:
            raise bad_request("Invalid create requirements")
        visit.require("CREATE_TABLE_STAGED", (Privilege.TABLE_CREATE, under(visit)))
        there = visit.lake.catalog.find(ident)
        if there is not None and not there.is_view:
            message = "Requirement failed: table already exists"
            raise PolarisError(409, "CommitFailedException", message)
    else:
        visit.table(ident)
        _require_updates(visit, ident, body)
    _check_move(visit, ident, body)
    if visit.lake.was_done(ident, visit.idempotency_key):
        loaded = visit.lake.catalog.load_table(ident)
    else:
        loaded = visit.lake.catalog.commit_table(ident, body)
        if visit.idempotency_key:
            visit.lake.note_key(ident, visit.idempotency_key)
    return _commit_answer(loaded)


def _check_move(visit: Visit, ident: Ident, body: Json) -> None:
    for update in body.get("updates") or ():
        if update.get("action") == "set-location":
            check_location(visit, ident, update.get("location"))
            check_overlap(visit, ident, str(update.get("location")))


def _commit_answer(loaded: Loaded) -> Response:
    """No config, no credentials, no tag."""
    return table_answer(loaded, tagged=False)


def _require_updates(visit: Visit, ident: Ident, body: Json) -> None:
    updates = [str(update.get("action")) for update in body.get("updates") or ()]
    if not visit.options.fine_grained_updates or not updates:
        updates = [""]
    for action in updates:
        operation, privilege = UPDATES.get(action, OTHER_UPDATE)
        visit.require(operation, (privilege, visit.target(ident)))


def drop_table(visit: Visit) -> Response:
    ident, purge = visit.call.table, visit.call.flag("purgeRequested")
    visit.table(ident)
    target = visit.target(ident)
    if purge:
        needs = ((Privilege.TABLE_DROP, target), (Privilege.TABLE_WRITE_DATA, target))
        visit.require("DROP_TABLE_WITH_PURGE", *needs)
        check_purge(visit, ident)
    else:
        visit.require("DROP_TABLE_WITHOUT_PURGE", (Privilege.TABLE_DROP, target))
    visit.lake.catalog.drop_table(ident, purge=purge)
    return no_content()


def rename_table(visit: Visit) -> Response:
    return rename(visit, is_view=False)


def rename(visit: Visit, *, is_view: bool) -> Response:
    """An occupied target is told before anything is checked, even where it is the source."""
    kind = "VIEW" if is_view else "TABLE"
    body = visit.call.body
    source, target = ident_of(body.get("source")), ident_of(body.get("destination"))
    check_name(target.name)
    if is_view:
        visit.view(source)
    else:
        visit.table(source)
    place = visit.namespace(target.namespace)
    there = visit.lake.catalog.find(target)
    if there is not None:
        what = "View" if there.is_view else "Table"
        message = f"Cannot rename {source} to {target}. {what} already exists"
        raise PolarisError(409, "AlreadyExistsException", message)
    visit.require(
        f"RENAME_{kind}",
        (Privilege[f"{kind}_DROP"], visit.target(source, is_view=is_view)),
        (Privilege[f"{kind}_LIST"], place),
        (Privilege[f"{kind}_CREATE"], place),
    )
    if is_view:
        visit.lake.catalog.rename_view(source, target)
    else:
        visit.lake.catalog.rename_table(source, target)
    return no_content()


def report_metrics(visit: Visit) -> Response:
    if not visit.call.body.get("table-name"):
        raise bad_request("Invalid table name: null")
    visit.table(visit.call.table)
    target = visit.target(visit.call.table)
    if visit.call.body.get("report-type") == "commit-report":
        visit.require("REPORT_WRITE_METRICS", (Privilege.TABLE_WRITE_DATA, target))
    else:
        visit.require("REPORT_READ_METRICS", (Privilege.TABLE_READ_DATA, target))
    return no_content()


def commit_transaction(visit: Visit) -> Response:
    merged: dict[Ident, Json] = {}
    for change in visit.call.body.get("table-changes") or ():
        ident = ident_of(change.get("identifier") if isinstance(change, dict) else None)
        refuse_unknown_changes(change, TABLE_UPDATES)
        entry = merged.setdefault(
            ident, {"identifier": change["identifier"], "requirements": [], "updates": []}
        )
        entry["requirements"] += change.get("requirements") or []
        entry["updates"] += change.get("updates") or []
    if not merged:
        raise bad_request("Invalid table changes: empty")
    for ident, change in merged.items():
        visit.table(ident)
        _check_in_transaction(change)
    needs = [
        (privilege, visit.target(ident))
        for ident in merged
        for privilege in (Privilege.TABLE_WRITE_PROPERTIES, Privilege.TABLE_CREATE)
    ]
    visit.require("COMMIT_TRANSACTION", *needs)
    visit.lake.catalog.commit_transaction({"table-changes": list(merged.values())})
    return no_content()


def _check_in_transaction(change: Json) -> None:
    requirements = [entry.get("type") for entry in change.get("requirements") or ()]
    if _ASSERT_CREATE in requirements:
        raise bad_request(
            "Unsupported operation: commitTranaction with updateForStagedCreate: "
            f"{change.get('identifier')}"
        )
    if any(update.get("action") == "set-location" for update in change.get("updates") or ()):
        raise bad_request("Unsupported operation: commitTransaction containing SetLocation")
