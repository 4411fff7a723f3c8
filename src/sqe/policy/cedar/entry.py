"""``policy.cedar``: Cedar policies in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.model.rules import Object
from sqe.policy.rule_set import RuleFile, RuleSet
from sqe.policy.source_type import SourceParts, SourceType
from sqe.settings.policy import CedarSettings

if TYPE_CHECKING:
    from sqe.policy.cedar.source import CedarSource

_SUFFIX = ".cedar"
_ENTITIES = "entities.json"  # beside the policies of a folder


def _make(cedar: CedarSettings, parts: SourceParts) -> CedarSource:
    from sqe.policy.cedar.source import CedarSource

    return CedarSource(*_files(cedar, parts))


def _rules(cedar: CedarSettings, parts: SourceParts) -> RuleSet:
    from sqe.policy.cedar.lint import cedar_rules

    return cedar_rules(*_files(cedar, parts))


def _read(file: RuleFile) -> RuleSet | None:
    path = file.path
    if not path.is_dir() and path.suffix != _SUFFIX:
        return None
    from sqe.policy.cedar.lint import cedar_rules

    entities = path / _ENTITIES
    return cedar_rules(path, entities if entities.is_file() else None)


def _files(cedar: CedarSettings, parts: SourceParts) -> tuple[Path, Path | None]:
    in_home = parts.settings.in_home
    entities = cedar.entities
    return in_home(cedar.policies), in_home(entities) if entities is not None else None


def _schema(parts: SourceParts) -> str:
    from sqe.policy.cedar.entities import schema_text

    return schema_text()


def _entities(parts: SourceParts) -> str:
    """What SQE's own catalogs have, as JSON."""
    from sqe.policy.cedar.entities import objects

    return json.dumps(objects([Object.table(name) for name in parts.tables()], {}), indent=1)


CEDAR = SourceType("cedar", _make, _rules, _read, {"schema": _schema, "entities": _entities})
