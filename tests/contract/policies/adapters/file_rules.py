"""Scenarios as Trino's rules.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.model.decision import TableFacts
from sqe.model.identity import Identity
from sqe.model.java_regex import literal
from sqe.model.rules import ObjectKind, Privilege, Subject, SubjectKind
from sqe.policy.file_rules.source import FileRules
from tests.contract.policies.scenarios import Rule

P = Privilege
_WORDS = {
    P.SELECT: "SELECT",
    P.INSERT: "INSERT",
    P.UPDATE: "UPDATE",
    P.DELETE: "DELETE",
    **dict.fromkeys((P.CREATE, P.DROP, P.ALTER), "OWNERSHIP"),
}
_SECTIONS = (
    "schemas",
    "tables",
    "procedures",
    "queries",
    "impersonation",
    "system_session_properties",
    "catalog_session_properties",
)
Json = dict[str, Any]


@dataclass
class OpenedFile:
    path: Path
    source: FileRules

    def change(self, rules: Sequence[Rule]) -> None:
        _write(self.path, json.dumps(document(rules)))

    def break_it(self) -> None:
        """A file that is broken later is another matter: the last good one stays in force."""
        self.path.unlink()
        self.source = FileRules(self.path)

    def facts(self, who: Identity, table: TableFacts) -> TableFacts:
        return table


class FileAdapter:
    name = "rules.json"
    cannot: Mapping[str, str] = {}
    unversioned = ""
    changes = ("to a user", "nothing is given")
    lists = True

    @contextmanager
    def opened(self, rules: Sequence[Rule], folder: Path) -> Iterator[OpenedFile]:
        path = folder / "rules.json"
        _write(path, json.dumps(document(rules)))
        yield OpenedFile(path, FileRules(path))


def document(rules: Sequence[Rule]) -> Json:
    """The first rule that fits wins, so that denials go first. Sections that are not there would
    allow."""
    found: Json = {name: [] for name in _SECTIONS}
    for rule in sorted(rules, key=lambda one: not one.deny):
        section, entry = _entry(rule)
        found[section].append(entry)
    return found


def _entry(rule: Rule) -> tuple[str, Json]:
    """The section and the rule in it."""
    who = _who(rule.to)
    first, *path = rule.on.parts or ("",)
    match rule.on.kind:
        case ObjectKind.TABLE:
            return "tables", {**who, **_in_schema(rule), "table": _regex(path[-1]), **_gives(rule)}
        case ObjectKind.SCHEMA:
            where = {"catalog": _regex(first), "schema": _regex(".".join(path))}
            return "schemas", {**who, **where, "owner": not rule.deny}
        case ObjectKind.PROCEDURE:
            gives = {"privileges": [] if rule.deny else ["EXECUTE"]}
            return "procedures", {**who, **_in_schema(rule), "procedure": path[-1], **gives}
        case ObjectKind.USER if P.IMPERSONATE in rule.privileges:
            return "impersonation", {"original_user": who["user"], "new_user": literal(first)}
        case ObjectKind.USER:
            modes = [one.value.removesuffix(" query") for one in rule.privileges]
            return "queries", {**who, "queryOwner": literal(first), "allow": modes}
        case ObjectKind.SYSTEM:
            return "queries", {**who, "allow": [] if rule.deny else ["execute"]}
        case ObjectKind.PROPERTY:
            allow = {"property": _regex(first), "allow": not rule.deny}
            return "system_session_properties", {**who, **allow}
    raise AssertionError(rule)


def _who(subject: Subject) -> dict[str, str]:
    if subject.kind is SubjectKind.PUBLIC:
        return {}
    return {subject.kind.value: literal(subject.name)}


def _in_schema(rule: Rule) -> Json:
    catalog, *path, _ = rule.on.parts
    return {"catalog": _regex(catalog), "schema": _regex(".".join(path))}


def _gives(rule: Rule) -> Json:
    found: Json = {"privileges": [_WORDS[one] for one in rule.privileges if not rule.deny]}
    columns = [{"name": name, "mask": text} for name, text in rule.masks.items()]
    columns += [{"name": name, "allow": False} for name in rule.hidden]  # type: ignore[dict-item]
    if columns:
        found["columns"] = columns
    return {**found, "filter": rule.rows} if rule.rows else found


def _regex(name: str) -> str:
    return ".*" if name == "*" else literal(name)


def _write(path: Path, text: str) -> None:
    """As editors and configuration management do it: another file takes its place."""
    other = path.with_suffix(".new")
    other.write_text(text)
    other.replace(path)
