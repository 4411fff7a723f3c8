"""``make structure``: figures of the floor plan, and the packages as a picture.

The picture shows which package imports which, by layer; ``docs/concepts/packages.svg`` is written
anew. What may import what is held by the contracts in ``pyproject.toml``.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sqe"
PICTURE = ROOT / "docs" / "concepts" / "packages.svg"
# What the last `.ci/run` on this machine took, as it wrote it.
CI_MINUTES = (
    Path(os.environ.get("SQE_TEST_CACHE") or Path.home() / ".cache" / "sqe-test") / "ci_minutes"
)
# What puts the parts together may know them all.
_WIRING = ("server", "cli", "client", "testing")
_EVERYWHERE = ("model", "errors")  # used by nearly all: lines to them would hide the others
_WIDTH, _ROW, _BOX = 960, 64, 34
# Words that are no name of a function, alone or as the first word of one.
_PARTICIPLE = re.compile(
    r"[a-z]+(ed|ing)|begun|bound|brought|built|caught|chosen|done|drawn|found|given|gone|heard"
    r"|held|hidden|kept|known|laid|left|lost|made|meant|met|paid|said|seen|sent|shown|sold|spoken"
    r"|taken|taught|thought|told|torn|worn|written"
)
_MEANINGLESS = ("one", "whole", "all", "exact", "everything", "nothing")  # alone
# Verbs and nouns that end like participles, and names that libraries ask for.
_ORDINARY = re.compile(
    r"(beginning|bring|closing|embed|exceed|feed|grouping|having|listing|mapping|meaning|need"
    r"|opening|ping|proceed|reading|ring|seed|setting|string|substring|timing)(_.*)?"
    r"|(sending|received)_headers"
)


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text())))


def imports_of(path: Path) -> Iterator[str]:
    """Names of SQE's modules that a file imports, wherever in it that stands."""
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqe"):
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.startswith("sqe"))


def package_of(module: str) -> str:
    """The part of ``sqe.`` that a module belongs to."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def edges() -> Counter[tuple[str, str]]:
    """How many imports go from one package to another."""
    counted: Counter[tuple[str, str]] = Counter()
    for module, path in modules():
        for imported in imports_of(path):
            pair = (package_of(module), package_of(imported))
            if all(pair) and pair[0] != pair[1]:
                counted[pair] += 1
    return counted


def line_count(path: Path) -> int:
    return path.read_text().count("\n")


def participle_functions() -> list[str]:
    """Functions named by what was done to something, where a verb should say what they do.

    Not counted: properties, which are values, and questions, whose answer is a boolean.
    """
    return [
        f"{module}.{node.name}"
        for module, path in modules()
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef)
        and not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
        and not (node.returns is not None and ast.unparse(node.returns) == "bool")
        and _is_participle(node.name.strip("_"))
    ]


def _is_participle(name: str) -> bool:
    words = name.split("_")
    if _ORDINARY.fullmatch(name) or "of" in words:
        return False
    return name in _MEANINGLESS or _PARTICIPLE.fullmatch(words[0]) is not None


def figures() -> dict[str, int]:
    between = edges()
    return {
        "src_lines": sum(line_count(path) for _, path in modules()),
        "pipeline_lines": line_count(SOURCE / "gateway" / "pipeline.py"),
        "core_imports_of_trino": sum(
            count
            for (source, target), count in between.items()
            if target == "trino" and source not in _WIRING
        ),
        "engines_imports_of_policy": between["engines", "policy"],
        "participle_functions": len(participle_functions()),
    }


def layers() -> list[list[str]]:
    """Those of the contract that have a package, from the top."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    listed = next(one["layers"] for one in contracts if one["type"] == "layers")
    rows = [[name.strip(" ()") for name in row.split("|")] for row in listed]
    there = {package_of(module) for module, _ in modules()}
    return [row for row in ([name for name in names if name in there] for names in rows) if row]


def picture() -> str:
    rows, places, parts = layers(), {}, []
    for number, row in enumerate(rows):
        width = _WIDTH / len(row)
        for at, name in enumerate(row):
            places[name] = (width * (at + 0.5), _ROW * number + _ROW / 2)
    for (source, target), count in sorted(edges().items()):
        if source in places and target in places and target not in _EVERYWHERE:
            (x1, y1), (x2, y2) = places[source], places[target]
            thick = min(4.0, 0.4 + count / 25)
            parts.append(
                f'<line x1="{x1:.0f}" y1="{y1 + _BOX / 2:.0f}" x2="{x2:.0f}"'
                f' y2="{y2 - _BOX / 2:.0f}" stroke="#9bb" stroke-width="{thick:.1f}">'
                f"<title>{escape(source)} imports {escape(target)}: {count}</title></line>"
            )
    for name, (x, y) in places.items():
        parts.append(
            f'<rect x="{x - 62:.0f}" y="{y - _BOX / 2:.0f}" width="124" height="{_BOX}" rx="6"'
            ' fill="#f4f8f8" stroke="#377"/>'
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{escape(name)}</text>'
        )
    height = _ROW * len(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        ' font-family="sans-serif" font-size="14">\n' + "\n".join(parts) + "\n</svg>\n"
    )


def main() -> None:
    for name, value in figures().items():
        sys.stdout.write(f"{name}={value}\n")
    sys.stdout.write(
        CI_MINUTES.read_text() if CI_MINUTES.is_file() else "ci_minutes=not run here\n"
    )
    PICTURE.write_text(picture())
    sys.stdout.write(f"{PICTURE.relative_to(ROOT)} is written\n")


if __name__ == "__main__":
    main()
