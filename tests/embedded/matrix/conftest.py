"""`--matrix=write` writes docs/reference/iceberg-matrix.md; without it the page is compared."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--matrix",
        choices=("compare", "write"),
        default="compare",
        help="whether the page of Iceberg's features is compared with the outcomes or written",
    )
