"""What a Cedar policy says about rows and columns, in its annotations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.model.decision import Restrict, RowFilter, TableFacts
from sqe.model.mask_words import parse_mask
from sqe.model.masks import Mask

_FREE = ("id", "name", "description", "reason")  # for people
_MASK = "mask_"


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one policy. ``named``: it is about one table, so that a column it names must be there."""

    filters: tuple[RowFilter, ...] = ()
    masks: Mapping[str, Mask] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    only: frozenset[str] | None = None  # the columns that are left
    named: bool = False

    def restriction(self, reason: str, table: TableFacts) -> Restrict | None:
        """None: everything is seen."""
        there = {column.name.lower() for column in table.columns}
        # Of a table that is named, a column that is not there may have been renamed: whoever
        # enforces it refuses then. What is about many tables is about the columns they have.
        masks = {c: mask for c, mask in self.masks.items() if self.named or c in there}
        hidden = {c for c in self.hidden if self.named or c in there}
        if self.only is not None:
            hidden |= there - self.only
        if not self.filters and not masks and not hidden:
            return None
        return Restrict(reason, self.filters, masks, frozenset(hidden))


def limits_of(annotations: Mapping[str, str | None], *, named: bool) -> Limits:
    """ValueError for a word that is not known: what it was to limit would not be limited."""
    masks: dict[str, Mask] = {}
    filters: tuple[RowFilter, ...] = ()
    hidden: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    for key, value in annotations.items():
        text = value or ""
        if key == "row_filter":
            if not text.strip():
                raise ValueError("@row_filter has no condition")
            filters = (RowFilter(text, check="check" in annotations),)
        elif key == "columns":
            only = _names(key, text)
        elif key == "hide":
            hidden = _names(key, text)
        elif key == "masks":
            masks |= _read_masks(text)
        elif key.startswith(_MASK):
            masks[key.removeprefix(_MASK).lower()] = parse_mask(text)
        elif key not in (*_FREE, "check"):
            raise ValueError(f"there is no annotation @{key}")
    if "check" in annotations and not filters:
        raise ValueError("@check is for policies with a @row_filter")
    return Limits(filters, masks, hidden, only, named)


def refuse_limits(annotations: Mapping[str, str | None]) -> None:
    """Of a forbid: what it forbids is not there at all."""
    for key in annotations:
        if key not in _FREE:
            raise ValueError(f"@{key} is for permits; a forbid forbids everything")


def _names(key: str, text: str) -> frozenset[str]:
    names = frozenset(name.strip().lower() for name in text.split(","))
    if "" in names:
        raise ValueError(f"@{key} is a list of columns with commas between them")
    return names


def _read_masks(text: str) -> dict[str, Mask]:
    """For names of columns that are no words of Cedar's: ``{"Pay Grade": "null"}``."""
    masks = json.loads(text)
    if not isinstance(masks, dict) or not all(
        isinstance(mask_text, str) for mask_text in masks.values()
    ):
        raise ValueError("@masks is a JSON object of columns and masks")
    return {column.lower(): parse_mask(mask) for column, mask in masks.items()}
