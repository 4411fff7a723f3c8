"""One lakehouse for all tests that only read."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from tests.unit.engines.local.compile.lakehouse import Lakehouse, open_lakehouse


@pytest.fixture(scope="session")
def lakehouse(
    _isolated_session: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lakehouse]:
    made = open_lakehouse(tmp_path_factory.mktemp("compile"))
    made.create("dup", DUP)
    made.create("dim", DIM)
    made.create("nobody", DIM.slice(0, 0))
    yield made
    made.close()


DUP = pa.table(
    {
        "a": pa.array([1, 1, 2, 2, 3, None, None], pa.int32()),
        "b": ["x", "x", "y", None, "", None, "x"],
        "v": pa.array([1.5, -0.0, 0.0, 2.5, None, 0.0, -1.0], pa.float64()),
    }
)
DIM = pa.table({"k": pa.array([1, 2, 6], pa.int32()), "label": ["one", None, "six"]})
