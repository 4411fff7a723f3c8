"""Whether what is being written stands inside TRY, where a failure gives NULL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# The errors that TRY takes for NULL.
CAUGHT = frozenset(
    {
        "DIVISION_BY_ZERO",
        "INVALID_CAST_ARGUMENT",
        "INVALID_FUNCTION_ARGUMENT",
        "NUMERIC_VALUE_OUT_OF_RANGE",
    }
)
_TRYING: ContextVar[bool] = ContextVar("trying", default=False)


def trying() -> bool:
    return _TRYING.get()


@contextmanager
def inside_try() -> Iterator[None]:
    token = _TRYING.set(True)
    try:
        yield
    finally:
        _TRYING.reset(token)
