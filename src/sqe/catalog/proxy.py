"""Methods of a catalog that lies over another one (``_catalog``), or is made of several parts.

Nothing passes through a proxy by itself: each method is written out, passed on or refused by name,
so that a new method of ``Catalog`` is nobody's until someone decides on it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
Method = Callable[Concatenate[Any, _P], _T]


def hand_to(part: str, method: Method[_P, _T]) -> Method[_P, _T]:
    """The method of what the proxy has under the name ``part``."""
    name = method.__name__

    @wraps(method)
    def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        answer: _T = getattr(getattr(self, part), name)(*args, **kwargs)
        return answer

    return call


def hand_on(method: Method[_P, _T]) -> Method[_P, _T]:
    """The same method of the catalog beneath."""
    return hand_to("_catalog", method)


def refuse(
    method: Method[_P, _T], failure: Callable[[str], Exception], what: str
) -> Method[_P, _T]:
    """Always the ``failure``, which says ``what`` it is that cannot be done."""

    @wraps(method)
    def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        raise failure(what)

    return call
