"""Trino's ``rules.json`` as a source of decisions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path

from sqe.model.decision import Allow, Decision, Deny, TableFacts
from sqe.model.identity import Identity
from sqe.model.rules import Object, ObjectKind, Privilege
from sqe.policy.file_rules.document import read_document
from sqe.policy.file_rules.rules import Rules
from sqe.settings.watched import Files, Watched

Parts = tuple[str, ...]
_OWNING = (Privilege.CREATE, Privilege.DROP, Privilege.ALTER, Privilege.OWN)


class FileRules:
    """The file is read again when it changes; a broken one leaves the last good one in force, and
    ``problem`` says so. Raises INVALID_SETTINGS where it is broken from the start."""

    name = "file"

    def __init__(self, path: Path) -> None:
        self._watched: Watched[Rules] = Watched(path, _read)

    @property
    def problem(self) -> str:
        """What is wrong with the file as it is now; "": it is what holds."""
        return self._watched.problem

    def version(self) -> Hashable:
        return self._watched.version

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        return self._watched.value.decide(identity, table)

    def permits(self, identity: Identity, privilege: Privilege, on: Object) -> Allow | Deny:
        if _is_permitted(self._watched.value, identity, privilege, on):
            return Allow("rules.json allows it")
        return Deny(f"rules.json does not let this user {privilege.value} {on}")

    def visible(self, identity: Identity, objects: Sequence[Object]) -> Sequence[bool]:
        rules = self._watched.value  # one and the same for all of the list
        return [_is_permitted(rules, identity, Privilege.SHOW, object_) for object_ in objects]


def _read(files: Files) -> Rules:
    return Rules(read_document(files))


def _is_permitted(rules: Rules, identity: Identity, privilege: Privilege, on: Object) -> bool:
    """What is not among the known questions is answered with no."""
    answer = _ANSWERS.get(on.kind)
    return answer is not None and answer(rules, identity, privilege, on.parts)


def _system(rules: Rules, identity: Identity, privilege: Privilege, parts: Parts) -> bool:
    match privilege:
        case Privilege.EXECUTE:
            return rules.queries(identity, "execute", None)
        case Privilege.SHOW:
            return rules.system_information(identity, "read")
        case Privilege.ALTER:
            return rules.system_information(identity, "write")
        case _:
            return False


def _catalog(rules: Rules, identity: Identity, privilege: Privilege, parts: Parts) -> bool:
    """SQE makes no catalogs; what is made in one is asked about by its own name."""
    (catalog,) = parts
    return privilege is Privilege.SHOW and rules.sees_catalog(identity, catalog)


def _schema(rules: Rules, identity: Identity, privilege: Privilege, parts: Parts) -> bool:
    catalog, schema = parts[0], ".".join(parts[1:])
    if privilege is Privilege.SHOW:
        return rules.sees_schema(identity, catalog, schema)
    return privilege in _OWNING and rules.owns_schema(identity, catalog, schema)


def _table(rules: Rules, identity: Identity, privilege: Privilege, parts: Parts) -> bool:
    catalog, schema, table = _in_schema(parts)
    return privilege is Privilege.SHOW and rules.sees_table(identity, catalog, schema, table)


def _procedure(rules: Rules, identity: Identity, privilege: Privilege, parts: Parts) -> bool:
    executes = privilege is Privilege.EXECUTE
    return executes and rules.executes(identity, _in_schema(parts), procedure=True)


def _function(rules: Rules, identity: Identity, privilege: Privilege, parts: Parts) -> bool:
    executes = privilege in (Privilege.EXECUTE, Privilege.SHOW)
    return executes and rules.executes(identity, _in_schema(parts), procedure=False)


def _user(rules: Rules, identity: Identity, privilege: Privilege, parts: Parts) -> bool:
    (user,) = parts
    match privilege:
        case Privilege.IMPERSONATE:
            return rules.impersonates(identity, user)
        case Privilege.VIEW_QUERY:  # one's own, always
            return user == identity.user or rules.queries(identity, "view", user)
        case Privilege.KILL_QUERY:
            return user == identity.user or rules.queries(identity, "kill", user)
        case _:
            return False


def _property(rules: Rules, identity: Identity, privilege: Privilege, parts: Parts) -> bool:
    """Of the session, or of a catalog in it."""
    if privilege is not Privilege.SET:
        return False
    if len(parts) == 1:
        return rules.sets(identity, parts[0])
    catalog, name = parts
    return rules.sets_in_catalog(identity, catalog, name)


def _in_schema(parts: Parts) -> tuple[str, str, str]:
    catalog, *path, name = parts
    return catalog, ".".join(path), name


_ANSWERS: Mapping[ObjectKind, Callable[[Rules, Identity, Privilege, Parts], bool]] = {
    ObjectKind.SYSTEM: _system,
    ObjectKind.CATALOG: _catalog,
    ObjectKind.SCHEMA: _schema,
    ObjectKind.TABLE: _table,
    ObjectKind.PROCEDURE: _procedure,
    ObjectKind.FUNCTION: _function,
    ObjectKind.USER: _user,
    ObjectKind.PROPERTY: _property,
}
