"""OPA as a source of decisions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sqe.errors import ErrorCode
from sqe.http.client import Http, HttpOptions
from sqe.model.decision import Allow, Decision, Deny, Restrict, RowFilter, TableFacts
from sqe.model.identity import Identity
from sqe.model.masks import ExpressionMask
from sqe.model.rules import Object, ObjectKind, Privilege
from sqe.policy.opa import resources
from sqe.policy.opa.asking import WHAT, Asking
from sqe.policy.opa.operations import (
    Question,
    on_other,
    on_table,
    on_view,
    own_schema,
    own_table,
    question_of_listing,
)
from sqe.settings.policy import OpaSettings

# In these, nothing can be done by who may not enter the catalog.
_IN_CATALOGS = (ObjectKind.CATALOG, ObjectKind.SCHEMA, ObjectKind.TABLE, ObjectKind.PROCEDURE)
_LISTED_IN_CATALOGS = (ObjectKind.SCHEMA, ObjectKind.TABLE, ObjectKind.FUNCTION)
_ON_QUERIES = (Privilege.VIEW_QUERY, Privilege.KILL_QUERY)
_OWNING = (Privilege.OWN, Privilege.ALTER)  # of a schema, Trino has no word for the second


class OpaSource:
    """Rules change in OPA without SQE being told: an answer is good for as long as ``Policy``
    keeps it. Thread-safe."""

    name = "opa"

    def __init__(self, settings: OpaSettings) -> None:
        self._settings = settings
        limit = settings.timeout_s
        self._http = Http(
            HttpOptions(WHAT, ErrorCode.POLICY_UNAVAILABLE, connect_s=limit, total_s=limit)
        )

    def version(self) -> Hashable:
        return 0

    def close(self) -> None:
        self._http.close()

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        asking = Asking(self._http, self._settings, identity)
        if table.privilege is Privilege.SELECT:
            entered = _answer(asking, [_catalog_question(table.name.catalog)])
            return entered if isinstance(entered, Deny) else _decide_select(asking, table)
        questions = _about(identity, table)
        return _answer(
            asking, [_catalog_question(table.name.catalog), *questions] if questions else []
        )

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        asking = Asking(self._http, self._settings, identity)
        if privilege in _ON_QUERIES and on == Object.user(identity.user):
            return Allow("it is the user's own query")
        if privilege in _OWNING and on.kind is ObjectKind.SCHEMA:
            question: Question | None = own_schema(on.parts, identity.user)
        else:
            question = on_other(on.kind, privilege, on.parts)
        if question is None:
            return _answer(asking, [])
        entering = [_catalog_question(on.parts[0])] if on.kind in _IN_CATALOGS else []
        return _answer(asking, [*entering, question])

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        """Lists are asked as Trino does it: of each catalog by itself, and first whether the
        catalog is shown."""
        asking = Asking(self._http, self._settings, identity)
        answers = [False] * len(objects)
        groups: dict[tuple[str, str], list[tuple[int, resources.Resource]]] = {}
        for place, object_ in enumerate(objects):
            question = question_of_listing(object_.kind, object_.parts)
            if question is not None:
                catalog = object_.parts[0].lower() if object_.kind in _LISTED_IN_CATALOGS else ""
                asked = groups.setdefault((question.operation, catalog), [])
                asked.append((place, question.resource))
        shown = self._filter_catalogs(asking, sorted({catalog for _, catalog in groups if catalog}))
        for (operation, catalog), group in groups.items():
            if catalog and catalog not in shown:
                continue
            for chosen in asking.which(operation, [resource for _, resource in group]):
                answers[group[chosen][0]] = True
        return answers

    def _filter_catalogs(self, asking: Asking, catalogs: Sequence[str]) -> set[str]:
        if not catalogs:
            return set()
        asked = [resources.catalog(name) for name in catalogs]
        return {catalogs[place] for place in asking.which("FilterCatalogs", asked)}


def _catalog_question(catalog: str) -> Question:
    return Question("AccessCatalog", resources.catalog(catalog))


def _about(identity: Identity, table: TableFacts) -> list[Question]:
    """What is to be done with it, other than reading."""
    parts = table.name.parts
    if table.privilege is Privilege.OWN:
        return [own_table(parts, identity.user, table.view)]
    columns = [column.name for column in table.columns]
    ask = on_view if table.view else on_table
    return ask(table.privilege, parts, columns)


def _answer(asking: Asking, questions: Sequence[Question]) -> Allow | Deny:
    """Yes, if it is yes to all of them."""
    if not questions:
        return Deny("Trino has no operation for this that OPA could be asked about")
    for question in questions:
        if not asking.yes(question):
            return Deny(f"OPA does not allow {question.operation}")
    return Allow(f"OPA allows {', '.join(question.operation for question in questions)}")


def _decide_select(asking: Asking, table: TableFacts) -> Decision:
    """Which columns a query uses is not known yet: those that are not shown are hidden, and it
    must be allowed to read all others."""
    parts, columns = table.name.parts, table.columns
    names = [column.name for column in columns]
    shown = asking.which_columns(parts, names) if columns else set()
    if columns and not shown:
        return Deny("OPA's FilterColumns leaves no column")
    hidden = frozenset(name.lower() for place, name in enumerate(names) if place not in shown)
    visible = [column for column in columns if column.name.lower() not in hidden]
    readable = resources.table(parts, [column.name for column in visible])
    if not asking.yes(Question("SelectFromColumns", readable)):
        return Deny("OPA does not allow SelectFromColumns")
    filters = tuple(RowFilter(text, "trino", check=True) for text in asking.row_filters(parts))
    mask_answers = asking.masks(parts, visible)
    masks = {name.lower(): ExpressionMask(text, "trino") for name, text in mask_answers.items()}
    if not (filters or masks or hidden):
        return Allow("OPA allows SelectFromColumns")
    return Restrict("OPA allows part of it", filters, masks, hidden)
