"""What a ``rules.json`` names."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from typing import Any

from sqe.model.rules import PUBLIC, Object, Subject, SubjectKind
from sqe.policy.named import OTHER, PLACES, Named, with_others

_WORD = re.compile(r"[\w@-]+(?:\\?\.[\w@-]+)*")


def in_file_rules(content: bytes) -> Named:
    """Of a ``rules.json`` the names that its regular expressions spell out."""
    document: dict[str, Any] = json.loads(content)
    rules = [rule for section in document.values() for rule in section or ()]
    subjects = {PUBLIC}
    for rule, kind in itertools.product(rules, ("user", "group", "role")):
        subjects |= {Subject(SubjectKind(kind), name) for name in _names_of(rule, kind)}
    objects: set[Object] = set()
    for section, depth in (("catalogs", 1), ("schemas", 2), ("tables", 3)):
        for rule in document.get(section) or ():
            keys = ("catalog", "schema", "table")[:depth]
            parts = [_names_of(rule, key) or [OTHER] for key in keys]
            objects |= {_place(found) for found in itertools.product(*parts)}
    listed = (rule.get("columns") or () for rule in document.get("tables") or ())
    columns = {str(column["name"]).lower() for some in listed for column in some}
    return with_others(subjects, objects, columns)


def _place(parts: tuple[str, ...]) -> Object:
    return Object(PLACES[len(parts) - 1], parts)


def _names_of(rule: Mapping[str, Any], key: str) -> list[str]:
    """``a|b|(c)``: a, b, c. What is no name stands for many."""
    text = rule.get(key)
    if not isinstance(text, str):
        return []
    words = text.replace("(", "").replace(")", "").split("|")
    return [word.replace("\\.", ".") for word in words if _WORD.fullmatch(word)]
