"""Rules made with SQL as a text, to be kept elsewhere and compared."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqe.model.grants import Attachment, Grant, Role, RoleGrant, RowFilterPolicy, Tag
from sqe.store.grant_rows import TABLES, Rule, relation_of, row_of
from sqe.store.grants import GrantStore, KeptRules, Owned

FORMAT = "sqe-grants"
_LISTS: dict[str, type[Any]] = {
    "roles": Role,
    "role_grants": RoleGrant,
    "grants": Grant,
    "policies": RowFilterPolicy,
    "attachments": Attachment,
    "tags": Tag,
}


def export_rules(rules: KeptRules) -> str:
    """The same text for the same rules. Nothing secret is in it: keys are known by name only."""
    document: dict[str, Any] = {"format": FORMAT}
    for name in _LISTS:
        document[name] = _rows(getattr(rules, name))
    document["owned"] = sorted(
        [list(owned.name.parts), owned.uuid, owned.user] for owned in rules.owned
    )
    return json.dumps(document, indent=1, sort_keys=True)


def import_rules(text: str) -> KeptRules:
    """ValueError: it is no such text."""
    try:
        document = json.loads(text)
        if document.pop("format") != FORMAT:
            raise ValueError
        owned = document.pop("owned")
        lists = {
            name: tuple(TABLES[_LISTS[name]].rule(row) for row in rows)
            for name, rows in document.items()
        }
        owners = tuple(
            Owned(relation_of(json.dumps(parts)), uuid, user) for parts, uuid, user in owned
        )
        return KeptRules(version=1, owned=owners, **lists)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError("this is no export of rules made with SQL") from None


class ExportedGrants(GrantStore):
    """Rules of an export, where those of the database would be. Nothing can be changed."""

    def __init__(self, rules: KeptRules) -> None:
        self._rules = rules

    @property
    def changes_here(self) -> int:
        return 0

    def version(self) -> int:
        return self._rules.version

    def read(self) -> KeptRules:
        return self._rules


def _rows(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    return sorted((row_of(rule) for rule in rules), key=lambda row: json.dumps(row, sort_keys=True))
