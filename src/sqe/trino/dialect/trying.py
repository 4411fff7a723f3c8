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
# Not a parameter: everything in the dialect that can fail, in some thirty files, is a function of
# values alone, and would have to pass it on for this one special form. It ends with its block.
_TRYING: ContextVar[bool] = ContextVar("trying", default=False)


def in_try() -> bool:
    return _TRYING.get()


@contextmanager
def inside_try() -> Iterator[None]:
    token = _TRYING.set(True)
    try:
        yield
    finally:
        _TRYING.reset(token)
