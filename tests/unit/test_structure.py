"""The floor plan that the design names, held."""

from __future__ import annotations

import ast

from dev.structure import PICTURE, SOURCE, figures, layers, modules, nodes_of, picture


def test_the_pipe_is_read_in_one_sitting() -> None:
    assert figures()["pipeline_lines"] < 100


def test_the_gateway_is_the_gateway_alone() -> None:
    files = [path for path in (SOURCE / "gateway").rglob("*.py") if path.name != "__init__.py"]
    assert len(files) < 10, sorted(path.name for path in files)


def test_the_core_imports_nothing_of_trino_and_engines_nothing_of_policies() -> None:
    counted = figures()
    assert counted["core_imports_of_trino"] == 0
    assert counted["engines_imports_of_policy"] == 0


def test_only_rewrite_makes_a_guarded_statement() -> None:
    """Behind the guards nothing is decided any more: who could make one could skip them."""
    makers = [
        module
        for module, path in modules()
        if not module.startswith("sqe.rewrite")
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) == "GuardedStatement"
    ]
    assert makers == []


def test_nothing_passes_through_a_wrapper_unseen() -> None:
    """A wrapper names the methods it lets through: a new one is hidden until someone decides."""
    passing = [
        module
        for module, path in modules()
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef)
        and any(getattr(one, "name", "") == "__getattr__" for one in node.body)
    ]
    assert passing == []


def test_the_picture_of_the_packages_is_of_these_packages() -> None:
    assert PICTURE.read_text() == picture(), "run `make structure`"
    assert {name for row in layers() for name in row} >= {"access", "binding", "coordinator"}
