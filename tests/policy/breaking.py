"""Breaks one function at a time: of every function that decides or rewrites, what if it raised?"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from types import ModuleType
from typing import Any

import pytest

import sqe.policy
import sqe.rewrite

PACKAGES = (sqe.policy, sqe.rewrite)


class Broken(Exception):
    """What a broken function raises: nobody can be prepared for it."""


@dataclass(frozen=True)
class Place:
    """A function of a module or of a class, and how to reach it."""

    owner: Any
    name: str
    label: str

    @property
    def held(self) -> Any:
        return inspect.getattr_static(self.owner, self.name)

    @property
    def function(self) -> Callable[..., Any]:
        held = self.held
        found: Callable[..., Any] = getattr(held, "__func__", held)
        return found

    def holders(self) -> list[tuple[Any, str]]:
        """Everywhere the function is known by a name: others have imported it."""
        if not isinstance(self.owner, ModuleType):
            return [(self.owner, self.name)]
        function = self.held
        return [
            (module, name)
            for module in list(sys.modules.values())
            if getattr(module, "__name__", "").startswith("sqe.")
            for name, value in list(vars(module).items())
            if value is function
        ]

    def put(self, patch: pytest.MonkeyPatch, instead: Callable[..., Any]) -> None:
        held = self.held
        wrapped: Any = (
            type(held)(instead) if isinstance(held, staticmethod | classmethod) else instead
        )
        for owner, name in self.holders():
            patch.setattr(owner, name, wrapped)


def places() -> list[Place]:
    """Every function and method that is written in those packages."""
    found = []
    for module in _modules():
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", "") != module.__name__:
                continue
            if inspect.isclass(value):
                found += _methods(module, value)
            elif inspect.isfunction(value) or hasattr(value, "__wrapped__"):
                found.append(Place(module, name, f"{_short(module)}.{name}"))
    return found


def _modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(one.name)


def _methods(module: ModuleType, cls: type) -> list[Place]:
    """Not those that a dataclass has been given."""
    return [
        Place(cls, name, f"{_short(module)}.{cls.__name__}.{name}")
        for name, value in vars(cls).items()
        if (inspect.isfunction(value) or isinstance(value, staticmethod | classmethod))
        and (not name.startswith("__") or name == "__call__")
        and getattr(value, "__module__", module.__name__) == module.__name__
    ]


def _short(module: ModuleType) -> str:
    return module.__name__.removeprefix("sqe.")


@contextmanager
def traced(all_places: Sequence[Place], called: set[str]) -> Iterator[None]:
    """While it lasts, ``called`` gathers the labels of what is called."""
    with pytest.MonkeyPatch.context() as patch:
        for place in all_places:
            _trace(patch, place, called)
        yield


def _trace(patch: pytest.MonkeyPatch, place: Place, called: set[str]) -> None:
    function = place.function

    @wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        called.add(place.label)
        return function(*args, **kwargs)

    place.put(patch, noted)


@contextmanager
def broken(place: Place) -> Iterator[list[bool]]:
    """While it lasts, the function raises. The list is of its calls: whether each was about what
    is listed, where a failure means that nothing is."""
    calls: list[bool] = []

    def raises(*args: Any, **kwargs: Any) -> Any:
        calls.append(any(frame.function == "visible" for frame in inspect.stack(0)))
        raise Broken(place.label)

    with pytest.MonkeyPatch.context() as patch:
        place.put(patch, raises)
        yield calls
