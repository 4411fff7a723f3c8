"""Names of columns where each may be there once."""

from __future__ import annotations


def unique_names(names: list[str]) -> list[str]:
    """Every name once: a repeated one gets ``_2``, ``_3``, … that nobody else has."""
    taken = set(names)
    seen: set[str] = set()
    unique = []
    for name in names:
        candidate, number = name, 1
        while candidate in seen or (number > 1 and candidate in taken):
            number += 1
            candidate = f"{name}_{number}"
        seen.add(candidate)
        unique.append(candidate)
    return unique
