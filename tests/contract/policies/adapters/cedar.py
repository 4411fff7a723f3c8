"""Scenarios as Cedar policies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqe.model.decision import TableFacts
from sqe.model.identity import Identity
from sqe.model.names import quote
from sqe.model.rules import Object, ObjectKind, Subject, SubjectKind
from sqe.policy.cedar.source import CedarSource
from tests.contract.policies.scenarios import Rule


@dataclass
class OpenedCedar:
    path: Path
    source: CedarSource

    def change(self, rules: Sequence[Rule]) -> None:
        _write(self.path, rules)

    def break_it(self) -> None:
        """Files that are broken later are another matter: the last good ones stay in force."""
        self.path.unlink()
        self.source = CedarSource(self.path)

    def facts(self, who: Identity, table: TableFacts) -> TableFacts:
        return table


class CedarAdapter:
    name = "cedar"
    cannot: Mapping[str, str] = {}
    unversioned = ""
    changes = ("to a user", "nothing is given")
    lists = True

    @contextmanager
    def opened(self, rules: Sequence[Rule], folder: Path) -> Iterator[OpenedCedar]:
        path = folder / "rules.cedar"
        _write(path, rules)
        yield OpenedCedar(path, CedarSource(path))


def _write(path: Path, rules: Sequence[Rule]) -> None:
    other = path.with_suffix(".new")
    other.write_text("\n".join(_policy(one) for one in rules))
    other.replace(path)


def _policy(rule: Rule) -> str:
    actions = ", ".join(f'SQE::Action::"{one.value.replace(" ", "_")}"' for one in rule.privileges)
    effect = "forbid" if rule.deny else "permit"
    scope = f"({_principal(rule.to)}, action in [{actions}], {_resource(rule.on)})"
    return "\n".join([*_annotations(rule), f"{effect}{scope};"])


def _annotations(rule: Rule) -> list[str]:
    found = [f"@row_filter({json.dumps(rule.rows)})"] if rule.rows else []
    if rule.masks:
        masks = {name: f"expression({text})" for name, text in rule.masks.items()}
        found.append(f"@masks({json.dumps(json.dumps(masks))})")
    if rule.hidden:
        found.append(f"@hide({json.dumps(','.join(rule.hidden))})")
    return found


def _principal(subject: Subject) -> str:
    name = json.dumps(subject.name)
    match subject.kind:
        case SubjectKind.PUBLIC:
            return "principal"
        case SubjectKind.USER:
            return f"principal == SQE::User::{name}"
        case SubjectKind.GROUP:
            return f"principal in SQE::Group::{name}"
        case SubjectKind.ROLE:
            return f"principal in SQE::Role::{name}"


def _resource(on: Object) -> str:
    """All of a schema's tables are what is in the schema."""
    kind, parts = on.kind, list(on.parts)
    if kind is ObjectKind.SYSTEM:
        return 'resource == SQE::System::"sqe"'
    if parts[-1] != "*":
        return f"resource == SQE::{kind.value.title()}::{json.dumps(_name(parts))}"
    while parts and parts[-1] == "*":
        parts.pop()
    if not parts:
        return f"resource is SQE::{kind.value.title()}"
    above = "Schema" if len(parts) > 1 else "Catalog"
    return f"resource in SQE::{above}::{json.dumps(_name(parts))}"


def _name(parts: Sequence[str]) -> str:
    return ".".join(map(quote, parts))
