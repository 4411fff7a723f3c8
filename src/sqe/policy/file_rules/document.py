"""The form of ``rules.json``. Whatever is not known here breaks the file: a key that is left out
could be the one that restricts a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    StrictBool,
    StrictStr,
    model_validator,
)

from sqe.model.identity import Identity
from sqe.model.java_regex import java_regex
from sqe.policy.file_rules.template import Template
from sqe.settings.strict import Strict, read_json

_NAME = re.compile(r"(?:\w|\\\W)+\Z")  # a pattern that is the name itself


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a regular expression in quotes belongs here")
    return value


def _mode(value: Any) -> Any:
    """Trino still reads the booleans of its first versions."""
    if isinstance(value, bool):
        return "all" if value else "none"
    return value.lower() if isinstance(value, str) else value


def _lower(value: Any) -> Any:
    if isinstance(value, list):
        return [name.lower() if isinstance(name, str) else name for name in value]
    return value


Regex = Annotated[re.Pattern[str], BeforeValidator(lambda value: java_regex(_text(value)))]
# Trino's names of things are in lower case; SQE's are as their makers wrote them.
NameRegex = Annotated[
    re.Pattern[str], BeforeValidator(lambda value: java_regex(_text(value), ignore_case=True))
]
Mode = Annotated[Literal["owner", "all", "read-only", "none"], BeforeValidator(_mode)]
TablePrivilege = Literal["SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP", "GRANT_SELECT"]
FunctionPrivilege = Literal["EXECUTE", "GRANT_EXECUTE", "OWNERSHIP"]
ProcedurePrivilege = Literal["EXECUTE", "GRANT_EXECUTE"]
QueryAccess = Literal["execute", "view", "kill"]
SystemAccess = Literal["read", "write"]


def fits(pattern: re.Pattern[str] | None, name: str) -> bool:
    """Without a pattern, everything does."""
    return pattern is None or pattern.fullmatch(name) is not None


def fits_name(pattern: re.Pattern[str] | None, name: str) -> bool:
    """Of a thing: as it is written, or as Trino would have it."""
    return fits(pattern, name) or fits(pattern, name.lower())


def fits_any(pattern: re.Pattern[str] | None, names: frozenset[str]) -> bool:
    return pattern is None or any(pattern.fullmatch(name) for name in names)


class ForSomebody(Strict):
    """Whom a rule is for: all three fit."""

    user: Regex | None = None
    role: Regex | None = None
    group: Regex | None = None

    def is_for(self, identity: Identity) -> bool:
        return (
            fits(self.user, identity.user)
            and fits_any(self.role, identity.roles)
            and fits_any(self.group, identity.groups)
        )


class InCatalog(ForSomebody):
    catalog: NameRegex | None = None

    def fits(self, identity: Identity, catalog: str) -> bool:
        return self.is_for(identity) and fits_name(self.catalog, catalog)


class InSchema(InCatalog):
    schema_: NameRegex | None = Field(None, alias="schema")

    def fits_schema(self, identity: Identity, catalog: str, schema: str) -> bool:
        return self.fits(identity, catalog) and fits_name(self.schema_, schema)


class CatalogRule(InCatalog):
    allow: Mode


class SchemaRule(InSchema):
    owner: StrictBool = False


class Environment(Strict):
    """As whom Trino looks at the tables of subqueries. SQE reads those under the policy's own
    authority, so that it makes no difference; ``current_user`` is in both who asks."""

    user: StrictStr | None = None


class ColumnRule(Strict):
    name: StrictStr
    allow: StrictBool | None = None
    mask: StrictStr | None = None
    mask_environment: Environment | None = None


class TableRule(InSchema):
    table: NameRegex | None = None
    privileges: frozenset[TablePrivilege]
    columns: tuple[ColumnRule, ...] | None = None
    filter: StrictStr | None = None
    filter_environment: Environment | None = None

    @property
    def names_one(self) -> bool:
        """It is about one table, not about all that fit."""
        patterns = (self.catalog, self.schema_, self.table)
        return all(pattern is not None and _NAME.match(pattern.pattern) for pattern in patterns)

    @model_validator(mode="after")
    def _one_rule_for_a_column(self) -> Self:
        names = [column.name.lower() for column in self.columns or ()]
        if len(set(names)) < len(names):
            raise ValueError("a column has more than one constraint")
        return self


class RoutineRule(InSchema):
    """Of functions or of procedures."""

    routine: NameRegex | None
    privileges: frozenset[FunctionPrivilege]


class FunctionRule(RoutineRule):
    routine: NameRegex | None = Field(None, alias="function")


class ProcedureRule(RoutineRule):
    routine: NameRegex | None = Field(None, alias="procedure")
    privileges: frozenset[ProcedurePrivilege]


class QueryRule(ForSomebody):
    owner: Regex | None = Field(None, alias="queryOwner")
    allow: Annotated[frozenset[QueryAccess], BeforeValidator(_lower)]

    @model_validator(mode="after")
    def _nobody_owns_what_does_not_run_yet(self) -> Self:
        if self.owner is not None and "execute" in self.allow:
            raise ValueError("a rule with a queryOwner cannot allow execute")
        return self


class ImpersonationRule(Strict):
    original_user: Regex | None = Field(
        None, validation_alias=AliasChoices("original_user", "originalUser")
    )
    original_role: Regex | None = None
    new_user: StrictStr = Field(validation_alias=AliasChoices("new_user", "newUser"))
    allow: StrictBool | None = None

    @model_validator(mode="after")
    def _references_can_be_followed(self) -> Self:
        self.template()
        return self

    def template(self) -> Template:
        return Template(self.new_user, self.original_user)


class SystemInformationRule(Strict):
    user: Regex | None = None
    role: Regex | None = None
    allow: Annotated[frozenset[SystemAccess], BeforeValidator(_lower)]


class PropertyRule(ForSomebody):
    property: Regex | None = None
    allow: StrictBool = False


class CatalogPropertyRule(InCatalog):
    property: Regex | None = None
    allow: StrictBool = False


class AuthorizationRule(Strict):
    original_user: Regex | None = Field(
        None, validation_alias=AliasChoices("original_user", "originalUser")
    )
    original_group: Regex | None = Field(
        None, validation_alias=AliasChoices("original_group", "originalGroup")
    )
    original_role: Regex | None = Field(
        None, validation_alias=AliasChoices("original_role", "originalRole")
    )
    new_user: Regex | None = Field(None, validation_alias=AliasChoices("new_user", "newUser"))
    new_role: Regex | None = Field(None, validation_alias=AliasChoices("new_role", "newRole"))
    allow: StrictBool | None = None

    @model_validator(mode="after")
    def _to_somebody(self) -> Self:
        if self.new_user is None and self.new_role is None:
            raise ValueError("new_user or new_role is missing")
        return self


class Document(Strict):
    """A section that is not there is None, which is not the same as an empty one."""

    catalogs: tuple[CatalogRule, ...] | None = None
    schemas: tuple[SchemaRule, ...] | None = None
    tables: tuple[TableRule, ...] | None = None
    functions: tuple[FunctionRule, ...] | None = None
    procedures: tuple[ProcedureRule, ...] | None = None
    queries: tuple[QueryRule, ...] | None = None
    impersonation: tuple[ImpersonationRule, ...] | None = None
    system_information: tuple[SystemInformationRule, ...] | None = None
    system_session_properties: tuple[PropertyRule, ...] | None = None
    catalog_session_properties: tuple[CatalogPropertyRule, ...] | None = None
    authorization: tuple[AuthorizationRule, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_principals(cls, value: Any) -> Any:
        if isinstance(value, dict) and "principals" in value:
            raise ValueError(
                "principals: SQE has none beside its users; the settings of auth say who a user "
                "is, the section impersonation who may be whom"
            )
        return value


def read_document(files: Mapping[str, bytes]) -> Document:
    """Of the one file. ValueError: it is broken, and where."""
    (content,) = files.values()
    return read_json(Document, content)
