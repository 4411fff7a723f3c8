"""Time and refusals, as unit tests need them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sqe.errors import SqeError


class Clock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def refused(call: Callable[[], object]) -> SqeError:
    with pytest.raises(SqeError) as raised:
        call()
    return raised.value
