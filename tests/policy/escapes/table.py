"""All of them, in the order of the page."""

from __future__ import annotations

from tests.policy.escapes import changes, columns, functions, names, telling, travel
from tests.policy.escapes.row import Escape

ESCAPES: tuple[Escape, ...] = (
    *names.ESCAPES,
    *travel.ESCAPES,
    *columns.ESCAPES,
    *changes.ESCAPES,
    *functions.ESCAPES,
    *telling.ESCAPES,
)
