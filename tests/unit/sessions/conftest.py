from __future__ import annotations

import pytest

from tests.unit.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()
