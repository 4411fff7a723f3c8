"""What is asked of the resource groups, and which of them it concerns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.admission.amounts import bytes_of, seconds_of
from sqe.admission.document import Document, Estimates, GroupSpec, Selector, specs_of

_COMMENTS = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*", re.DOTALL)
_WORDS = re.compile(r"([A-Za-z]+)(?:\s+([A-Za-z]+))?")
_TYPES = {
    **dict.fromkeys(("SELECT", "WITH", "VALUES", "TABLE", "FROM", "EXECUTE"), "SELECT"),
    **dict.fromkeys(("SHOW", "DESCRIBE", "DESC"), "DESCRIBE"),
    **dict.fromkeys(("INSERT", "COPY", "REFRESH", "UNLOAD"), "INSERT"),
    **{word: word for word in ("EXPLAIN", "UPDATE", "MERGE", "DELETE", "ANALYZE")},
}
_AS_SELECT = re.compile(r"\bAS\s*\(?\s*(?:SELECT|WITH|TABLE|VALUES)\b", re.IGNORECASE)
_EXECUTE = re.compile(r"\bEXECUTE\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A statement before it is planned. ``query_type``: what its first words say, which is enough
    to choose a queue and nothing else."""

    user: str
    groups: frozenset[str] = frozenset()
    source: str = ""
    text: str = field(default="", repr=False)
    tags: frozenset[str] = frozenset()
    estimates: Mapping[str, str] = field(default_factory=dict)
    priority: int = 1

    @property
    def query_type(self) -> str:
        words = _WORDS.match(self.text, _first_word(self.text))
        if words is None:
            return "SELECT"
        first, second = words[1].upper(), (words[2] or "").upper()
        if first == "CREATE" and second in ("TABLE", "OR") and _AS_SELECT.search(self.text):
            return "INSERT"
        if first == "ALTER" and second == "TABLE" and _EXECUTE.search(self.text):
            return "ALTER_TABLE_EXECUTE"
        return _TYPES.get(first, "DATA_DEFINITION")


@dataclass(frozen=True, slots=True)
class Place:
    """A leaf group: its specification and those above it, from the root, with their names."""

    specs: tuple[GroupSpec, ...]
    names: tuple[str, ...]


def place_of(document: Document, request: AdmissionRequest) -> Place | None:
    """By the first selector that fits."""
    for selector in document.selectors:
        values = _match(selector, request)
        if values is not None:
            specs = specs_of(document.roots, selector)
            return Place(tuple(specs), tuple(spec.name_for(values) for spec in specs))
    return None


def _match(selector: Selector, request: AdmissionRequest) -> dict[str, str] | None:
    """The values of its variables, if it fits."""
    values = {"USER": request.user, "SOURCE": request.source}
    for expression, text in (
        (selector.user, request.user),
        (selector.source, request.source),
        (selector.query_text, request.text),
    ):
        if expression is None:
            continue
        match = expression.fullmatch(text)
        if match is None:
            return None
        values |= {name: value or "" for name, value in match.groupdict().items()}
    return values if _matches_rest(selector, request) else None


def _matches_rest(selector: Selector, request: AdmissionRequest) -> bool:
    """What gives no values."""
    group = selector.user_group
    if group is not None and not any(map(group.fullmatch, request.groups)):
        return False
    if selector.query_type not in (None, request.query_type):
        return False
    estimates = selector.estimates
    return selector.client_tags <= request.tags and (
        estimates is None or _estimates_fit(estimates, request.estimates)
    )


def _estimates_fit(wanted: Estimates, said: Mapping[str, str]) -> bool:
    """What the client did not estimate, or not legibly, does not fit."""
    by_name = {name.upper(): value for name, value in said.items()}
    for range_, name, read in (
        (wanted.execution_time, "EXECUTION_TIME", seconds_of),
        (wanted.cpu_time, "CPU_TIME", seconds_of),
        (wanted.peak_memory, "PEAK_MEMORY", bytes_of),
    ):
        if range_ is None:
            continue
        try:
            value = read(by_name.get(name))
        except ValueError:
            return False
        if range_.min is not None and value < range_.min:
            return False
        if range_.max is not None and value > range_.max:
            return False
    return True


def _first_word(text: str) -> int:
    match = _COMMENTS.match(text)
    return match.end() if match is not None else 0
