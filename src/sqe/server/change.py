"""A change of settings in two steps, so that all of it happens or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def do_nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Change:
    """What was made for it waits: ``apply`` puts it into force and cannot fail, ``discard`` ends
    it."""

    apply: Callable[[], None] = do_nothing
    discard: Callable[[], None] = do_nothing
