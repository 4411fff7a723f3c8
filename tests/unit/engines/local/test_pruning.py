"""What cannot be evaluated prunes nothing."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any

import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import MonthTransform
from pyiceberg.types import DateType, NestedField

from sqe.engines.local.plan import Comparison
from sqe.engines.local.pruning import Pruning

SCHEMA = Schema(NestedField(1, "day", DateType(), required=False))
SPEC = PartitionSpec(PartitionField(1, 1000, MonthTransform(), "day_month"), spec_id=0)


@pytest.mark.parametrize(("op", "day"), [(">", dt.date.max), ("<", dt.date.min)])
def test_a_day_beyond_the_last_one_keeps_every_file(op: str, day: dt.date) -> None:
    pruning = Pruning(SCHEMA, {0: SPEC}, [Comparison("day", op, day)])
    manifest: Any = SimpleNamespace(partition_spec_id=0, partitions=None)
    file: Any = SimpleNamespace(spec_id=0, partition=None)
    assert pruning.manifest(manifest) and pruning.partition(file)
