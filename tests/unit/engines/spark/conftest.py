"""The catalog that the broker's own tests use."""

from __future__ import annotations

from tests.unit.broker.conftest import catalog

__all__ = ["catalog"]
