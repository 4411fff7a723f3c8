"""Decisions in words and as JSON, for those who may know everything about them."""

from __future__ import annotations

from typing import Any

from sqe.model.decision import Allow, Decision, Deny, Restrict
from sqe.model.mask_words import mask_words

_WORDS: dict[type[Decision], str] = {Allow: "allowed", Restrict: "restricted", Deny: "denied"}


def verdict(decision: Decision) -> str:
    return _WORDS[type(decision)]


def limits(decision: Decision) -> str:
    """What of a table is seen; "": all of it, or nothing."""
    if not isinstance(decision, Restrict):
        return ""
    parts = [
        f"rows where ({filter_.sql})" + " with check" * filter_.check
        for filter_ in decision.filters
    ]
    masks = sorted((column.lower(), mask) for column, mask in decision.masks.items())
    parts += [f"{column} as {mask_words(mask)}" for column, mask in masks]
    if decision.hidden:
        parts.append("without " + ", ".join(sorted(name.lower() for name in decision.hidden)))
    return "; ".join(parts)


def in_words(decision: Decision) -> str:
    seen = limits(decision)
    return f"{verdict(decision)}: {seen}" if seen else verdict(decision)


def as_json(decision: Decision) -> dict[str, Any]:
    document: dict[str, Any] = {"decision": verdict(decision), "reason": decision.reason}
    if isinstance(decision, Restrict):
        document["rows"] = [
            {"sql": filter_.sql, "dialect": filter_.dialect, "check": filter_.check}
            for filter_ in decision.filters
        ]
        document["masks"] = {
            name: mask_words(mask) for name, mask in sorted(decision.masks.items())
        }
        document["hidden"] = sorted(decision.hidden)
    return document
