"""Names as Hive and Glue have them."""

from __future__ import annotations

import re

from sqe.catalog.commit.failures import invalid
from sqe.catalog.protocol import Namespace

_NAME = re.compile(r"[a-z0-9_]{1,128}")


def is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def check_name(name: str) -> None:
    if not is_name(name):
        raise invalid(
            f"Invalid name: {name!r}.",
            hint="The catalog has names of small letters, digits and _ alone.",
        )


def check_namespace(namespace: Namespace) -> str:
    if len(namespace) != 1:
        raise invalid(
            f"Invalid namespace: {'.'.join(namespace)!r}.",
            hint="The catalog has one level of schemas.",
        )
    check_name(namespace[0])
    return namespace[0]
