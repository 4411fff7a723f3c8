from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sqe.client.exceptions import Error, InterfaceError
from sqe.client.flight.types import batch_of
from sqe.client.parameters import parameters_of
from sqe.errors import UserError
from sqe.model.query import Parameter
from sqe.protocols.flight_sql.parameters import rows_of

DAY = datetime.date(2024, 5, 1)
NOON = datetime.datetime(2024, 5, 1, 12)


@pytest.mark.parametrize(
    ("value", "spark", "arrow"),
    [
        (None, "void", pa.null()),
        (True, "boolean", pa.bool_()),
        (-(2**31), "int", pa.int32()),
        (2**31, "bigint", pa.int64()),
        (2**64, "decimal(20,0)", pa.decimal128(20, 0)),
        (1.5, "double", pa.float64()),
        ("O'Brien \\ ?", "string", pa.string()),
        (b"\x00", "binary", pa.binary()),
        (Decimal("-12.340"), "decimal(5,3)", pa.decimal128(5, 3)),
        (Decimal("1E+3"), "decimal(4,0)", pa.decimal128(4, 0)),
        (Decimal("0.001"), "decimal(3,3)", pa.decimal128(3, 3)),
        (DAY, "date", pa.date32()),
        (NOON, "timestamp_ntz", pa.timestamp("us")),
        (NOON.replace(tzinfo=datetime.UTC), "timestamp", pa.timestamp("us", "UTC")),
        (datetime.timedelta(hours=1), "interval day to second", pa.duration("us")),
        ([1, 2**40], "array<bigint>", pa.list_(pa.int64())),
        (["a", None], "array<string>", pa.list_(pa.string())),
    ],
    ids=str,
)
def test_a_value_has_the_type_of_its_literal(value: Any, spark: str, arrow: pa.DataType) -> None:
    (parameter,) = parameters_of([value])
    assert parameter == Parameter(spark, value)
    batch = batch_of([[parameter]])
    assert batch.schema.types == [arrow]
    assert batch.column(0).to_pylist() == [value]


@pytest.mark.parametrize(
    ("foreign", "plain"),
    [
        (np.int64(7), Parameter("int", 7)),
        (np.float64(0.5), Parameter("double", 0.5)),
        (np.bool_(True), Parameter("boolean", True)),
        (pd.Timestamp("2024-05-01 12:00"), Parameter("timestamp_ntz", NOON)),
        (pd.NaT, Parameter("void", None)),
        (pd.Timedelta(1, "h"), Parameter("interval day to second", datetime.timedelta(hours=1))),
        (bytearray(b"x"), Parameter("binary", b"x")),
        (uuid.UUID(int=1), Parameter("string", "00000000-0000-0000-0000-000000000001")),
        ((1, 2), Parameter("array<int>", [1, 2])),
    ],
    ids=repr,
)
def test_values_of_other_libraries_are_made_pythons_own(foreign: Any, plain: Parameter) -> None:
    assert parameters_of([foreign]) == (plain,)


@pytest.mark.parametrize("value", [object(), Decimal("NaN"), 10**40, [1, "a"]], ids=repr)
def test_what_has_no_type_in_sql_is_refused(value: Any) -> None:
    with pytest.raises(Error) as raised:
        parameters_of([value])
    assert raised.value.code


@pytest.mark.parametrize("values", ["abc", {"a": 1}, 5])
def test_parameters_are_a_sequence(values: Any) -> None:
    with pytest.raises(InterfaceError):
        parameters_of(values)


def test_a_parameter_does_not_show_its_value() -> None:
    assert "secret" not in repr(parameters_of(["secret"]))


def test_values_of_several_types_keep_each_its_own() -> None:
    values = [1, "a", None, 2**40, Decimal("1.5"), 2]
    rows = [parameters_of([value]) for value in values]
    sent = rows_of([batch_of(rows)])
    assert [(one.type, one.value) for (one,) in sent] == [
        ("int", 1),
        ("string", "a"),
        ("int", None),
        ("bigint", 2**40),
        ("decimal(2,1)", Decimal("1.5")),
        ("int", 2),
    ]


def test_rows_of_several_lengths_are_refused_before_anything_is_sent() -> None:
    with pytest.raises(UserError, match="1 to 2 values"):
        batch_of([parameters_of([1, 2]), parameters_of([3])])
