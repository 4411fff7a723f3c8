"""The catalogs as the translation of Trino's SQL sees them: as this user, through the pipe."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from sqe.access.functions import SqlFunctions
from sqe.access.relations import Relations, SeenRelation
from sqe.binding.bound import BoundTable, BoundTarget, BoundView
from sqe.binding.statement_cache import CatalogReader, read_catalog
from sqe.catalog.materialized import is_materialized
from sqe.catalog.protocol import Catalogs, Ident, Json, Loaded, Namespace
from sqe.catalog.redaction import Redaction, redact_metadata, show_all, without_query
from sqe.catalog.schemas import current_schema
from sqe.errors import ABSENT, AccessError, ErrorCode, SqeError, UserError
from sqe.model.decision import Restrict
from sqe.model.functions import TRINO_FUNCTION, SqlFunction
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import ClientState
from sqe.sessions.session import Session
from sqe.trino.dialect.context import Known, KnownColumn, KnownFunction
from sqe.trino.dialect.metadata import metadata_relation, metadata_table
from sqe.trino.dialect.metadata.relations import TrinoColumn, schemas_of
from sqe.trino.dialect.typed import quote_name
from sqe.trino.metadata.columns import trino_columns

_ABSENT = (*ABSENT, ErrorCode.CATALOG_NOT_FOUND)
_HIDDEN = (*_ABSENT, ErrorCode.ACCESS_DENIED)


class PipeLookup:
    """One statement's. What was looked up once is not asked for again."""

    def __init__(  # noqa: PLR0913  made in two places
        self,
        catalogs: Catalogs,
        session: Session,
        client: ClientState,
        relations: Relations,
        redaction: Redaction = show_all,
        functions: SqlFunctions | None = None,
    ) -> None:
        self._catalogs = catalogs
        self._session = session
        self._client = client
        self._relations = relations
        self._redaction = redaction
        self._functions = functions
        self._known: dict[tuple[str, str, str], Known | None] = {}

    def catalogs(self) -> Sequence[str]:
        return [*self._names, "system"]

    @cached_property
    def _names(self) -> list[str]:
        """Those that this user may know of."""
        return self._catalogs.names(self._session.identity)

    def schema_exists(self, catalog: str, schema: str) -> bool:
        if catalog in self.catalogs() and schema in schemas_of(catalog):
            return True
        return catalog in self._names and self._namespace(catalog, schema) is not None

    def schema_properties(self, catalog: str, schema: str) -> Mapping[str, str]:
        if catalog not in self._names or schema in schemas_of(catalog):
            return {}
        return self._namespace(catalog, schema) or {}

    def _namespace(self, catalog: str, schema: str) -> Mapping[str, str] | None:
        opened = read_catalog(self._catalogs, catalog, self._session.identity)
        path = tuple(schema.split("."))
        try:
            return opened.load_namespace(path)
        except SqeError as error:
            if error.code not in _HIDDEN:
                raise
            denied = error.code is ErrorCode.ACCESS_DENIED
        return {} if denied and _is_listed(opened, path) else None

    def relation(self, catalog: str, schema: str, name: str) -> Known | None:
        key = (catalog, schema, name)
        if key not in self._known:
            self._known[key] = self._find(*key)
        return self._known[key]

    def target(self, catalog: str, schema: str, name: str) -> Known | None:
        try:
            return self.relation(catalog, schema, name)
        except AccessError as denied:
            try:
                return self._load(catalog, schema, name, self._relations.change)
            except SqeError:
                raise denied from None

    def function(self, catalog: str, schema: str, name: str) -> KnownFunction | None:
        if self._functions is None or catalog not in self._names:
            return None
        function = self._functions.find((catalog, *schema.split("."), name), self._session)
        if function is None or function.name is None or function.is_table:
            return None
        return _describe_function(function)

    def functions(self, catalog: str, schema: str) -> Mapping[str, KnownFunction]:
        if self._functions is None or catalog not in self._names:
            return {}
        listed = self._functions.list_in(
            SchemaName(catalog, tuple(schema.split("."))), self._session.identity
        )
        return {
            function.short_name: _describe_function(function)
            for function in listed
            if not function.is_table
        }

    def _find(self, catalog: str, schema: str, name: str) -> Known | None:
        metadata = metadata_relation((catalog, schema, name), self._client)
        if metadata is not None:
            return Known(metadata.text, _metadata_columns(metadata.columns), "METADATA")
        if catalog not in self._names:
            return None
        relation = self._load(catalog, schema, name, self._relations.read)
        table, dollar, suffix = name.rpartition("$")
        if relation is not None or not dollar:
            return relation
        base = self._load(catalog, schema, table, self._relations.read)
        if base is None or base.kind == "VIEW":
            return None
        listed = metadata_table(base.text, base.metadata, suffix)
        if listed is None:
            return None
        return Known(listed.text, _metadata_columns(listed.columns), "METADATA")

    def _load(
        self, catalog: str, schema: str, name: str, look_up: Callable[[RelationName], SeenRelation]
    ) -> Known | None:
        try:
            seen = look_up(RelationName(SchemaName(catalog, tuple(schema.split("."))), name))
        except SqeError as error:
            broken = self._broken_view(catalog, schema, name, error)
            if broken is None and error.code not in _ABSENT:
                raise
            return broken
        try:
            return self._redact_definition(_describe_relation(seen), seen.target)
        except ValueError as error:  # a type that Trino does not have
            message = f"{catalog}.{schema}.{name}: {error}"
            raise UserError(ErrorCode.NOT_SUPPORTED, message) from None

    def _broken_view(self, catalog: str, schema: str, name: str, why: SqeError) -> Known | None:
        """A view that cannot be read is there all the same: it can be dropped or replaced."""
        if why.code is ErrorCode.ACCESS_DENIED:
            return None
        opened = read_catalog(self._catalogs, catalog, self._session.identity)
        try:
            loaded = opened.load_view(Ident(tuple(schema.split(".")), name))
        except SqeError:
            return None
        view = RelationName(SchemaName(catalog, tuple(schema.split("."))), name)
        metadata = self._of_view(view, loaded)
        return Known(_text(view), (), "VIEW", metadata, broken=why.message)

    def _redact_definition(self, known: Known | None, view: BoundTarget) -> Known | None:
        """Of a view that is read with its owner's rights, the query only to who has such."""
        if known is None or not isinstance(view, BoundView) or not view.definer:
            return known
        assert view.relation is not None  # noqa: S101  a temporary view has no owner
        loaded = Loaded(json.dumps(known.metadata).encode())
        metadata = self._of_view(view.relation, loaded)
        return replace(known, metadata=metadata, definer=view.definer)

    def _of_view(self, name: RelationName, loaded: Loaded) -> Json:
        seen = self._redaction(self._session.identity, name, loaded, True)
        return without_query(loaded.metadata) if seen is None else seen


def _is_listed(catalog: CatalogReader, path: Namespace) -> bool:
    """Whether this user may know that the schema is there."""
    try:
        return path in catalog.list_namespaces(path[:-1])
    except SqeError as error:
        if error.code not in _HIDDEN:
            raise
        return False


def _metadata_columns(columns: Sequence[TrinoColumn]) -> tuple[KnownColumn, ...]:
    return tuple(KnownColumn(column.name, column.type, hidden=column.hidden) for column in columns)


def _describe_relation(seen: SeenRelation) -> Known | None:
    target = seen.target
    if isinstance(target, BoundTable):
        name, metadata = target.name, target.metadata
        kind = "MATERIALIZED VIEW" if is_materialized(metadata) else "TABLE"
    elif isinstance(target, BoundView) and target.relation is not None:
        name, metadata, kind = target.relation, target.metadata, "VIEW"
    else:
        return None
    restricted = isinstance(seen.decision, Restrict)
    if isinstance(seen.decision, Restrict):
        metadata = redact_metadata(metadata, seen.decision)
    fields = current_schema(metadata)["fields"]
    columns = tuple(
        KnownColumn(stored["name"], column.type, column.nullable, column.comment or "")
        for column, stored in zip(trino_columns(metadata), fields, strict=True)
    )
    tells_files = kind == "TABLE" and not restricted
    return Known(_text(name), columns, kind, metadata, tells_files=tells_files)


def _describe_function(function: SqlFunction) -> KnownFunction:
    return KnownFunction(
        _text(function.name) if function.name is not None else quote_name(function.short_name),
        tuple(parameter.name.lower() for parameter in function.parameters),
        tuple(parameter.type for parameter in function.parameters),
        function.returns,
        function.origin.get(TRINO_FUNCTION, ""),
        function.comment,
        function.deterministic is not False,
    )


def _text(name: RelationName) -> str:
    return ".".join(quote_name(part) for part in name.parts)
