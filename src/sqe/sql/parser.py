"""Parses the same text once: dashboards repeat theirs."""

from __future__ import annotations

from functools import lru_cache

from sqe.model.variables import Variables
from sqe.sql.constants import may_hold_constants, write_out
from sqe.sql.parse import parse
from sqe.sql.statement import Statement
from sqe.sql.text import TextLimits

_SHORT = 20_000  # characters; longer texts are not kept
# A statement depends on its text and the limits alone, and nobody changes it.


def _parse(text: str, limits: TextLimits) -> Statement:
    return parse(text, limits, own_functions=True)


_parse_once = lru_cache(maxsize=256)(_parse)


class Parser:
    """Of what users send: ``Statement.calls`` may be there; see ``parse``."""

    def __init__(self, limits: TextLimits) -> None:
        self.limits = limits

    def parse(self, text: str, variables: Variables) -> Statement:
        """``variables``: those of the session, for names and statements that are texts."""
        if may_hold_constants(text):
            text = write_out(text, self.limits, variables)
        read = _parse_once if len(text) <= _SHORT else _parse
        return read(text, self.limits)
