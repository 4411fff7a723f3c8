"""The trees of statements about catalogs."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.trino.dialect.nodes import Identifier, Statement
from sqe.trino.dialect.statements.nodes import Principal, Properties


@dataclass(frozen=True, slots=True)
class CreateCatalog(Statement):
    name: Identifier
    connector: Identifier
    if_not_exists: bool = False
    comment: str | None = None
    owner: Principal | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class DropCatalog(Statement):
    name: Identifier
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class AlterCatalog(Statement):
    """SET PROPERTIES. SQE's own: Trino has none."""

    name: Identifier
    properties: Properties


@dataclass(frozen=True, slots=True)
class ShowCreateCatalog(Statement):
    """SQE's own, too."""

    name: Identifier
