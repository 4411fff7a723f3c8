"""The floor plan that the design names, held."""

from __future__ import annotations

import ast

from dev.structure import (
    PICTURE,
    SOURCE,
    figures,
    layers,
    modules,
    nodes_of,
    participle_functions,
    picture,
)


def test_the_pipe_is_read_in_one_sitting() -> None:
    assert figures()["pipeline_lines"] < 100


def test_the_gateway_is_the_gateway_alone() -> None:
    files = [path for path in (SOURCE / "gateway").rglob("*.py") if path.name != "__init__.py"]
    assert len(files) < 10, sorted(path.name for path in files)


def test_the_core_imports_nothing_of_trino_and_engines_nothing_of_policies() -> None:
    counted = figures()
    assert counted["core_imports_of_trino"] == 0
    assert counted["engines_imports_of_policy"] == 0


def test_functions_are_named_by_verbs() -> None:
    assert participle_functions() == []


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


def test_a_statement_is_bound_decided_on_and_guarded_in_one_place() -> None:
    """Who puts a guard around something of their own could forget to decide on it first."""
    guarding = [
        module
        for module, path in modules()
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and node.module == "sqe.rewrite.guard"
    ]
    assert guarding == ["sqe.access.guards"]
    deciding = [
        module
        for module, path in modules()
        for node in nodes_of(path)
        if isinstance(node, ast.Name) and node.id == "decisions_on"
    ]
    assert deciding == ["sqe.access.control"]


def test_the_test_catalog_needs_no_package_that_the_engine_does_not() -> None:
    """So that docs/guides/testing.md is right: no extra is needed for it."""
    needed: dict[bool, set[str]] = {True: set(), False: set()}
    for module, path in modules():
        inside = module.startswith("sqe.testing")
        for node in nodes_of(path):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            needed[inside] |= {name.partition(".")[0] for name in names}
    assert needed[True] <= needed[False]


def test_the_picture_of_the_packages_is_of_these_packages() -> None:
    assert PICTURE.read_text() == picture(), "run `make structure`"
    assert {name for row in layers() for name in row} >= {"access", "binding", "coordinator"}
