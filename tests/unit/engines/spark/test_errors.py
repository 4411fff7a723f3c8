"""Spark's errors about catalogs and storage in our terms, with what the broker knows better."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.broker.handles import HandleGrant, make_grant
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.engines.spark.errors import translate
from sqe.engines.spark.room import explain_by_disk
from sqe.errors import AccessError, ErrorCode, ResourceError, SqeError, UpstreamError
from sqe.model.passport import login_expired
from sqe.sql.statement import Access
from tests.unit.broker.vending import VendingCatalog, keys

DOWN = UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, "The catalog lake cannot be reached.")


class SparkException(Exception):
    """As pyspark raises them: a message, and often no condition."""


@pytest.fixture
def grant(catalog: EmbeddedCatalog) -> HandleGrant:
    return make_grant([VendingCatalog(catalog, credentials=(keys(0),)).granted(Access.READ)])


def refused(grant: HandleGrant, error: SqeError) -> None:
    (table,) = grant.tables.values()
    with pytest.raises(type(error)), table.note_refusals():
        raise error


@pytest.mark.parametrize(
    "text",
    [
        "software.amazon.awssdk.services.s3.model.S3Exception: The Access Key Id you provided does "
        "not exist in our records. (Service: S3, Status Code: 403, Request ID: 1)",
        "SdkClientException: Unable to execute HTTP request: Connect to 127.0.0.1:9 failed: "
        "Connection refused",
        "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure:"
        " Lost task 0.0 in stage 1.0 (TID 1) (localhost executor driver): "
        "software.amazon.awssdk.core.exception.SdkClientException: Connection reset",
    ],
)
def test_storage_that_refuses_or_is_away_is_not_spark_lost(text: str, grant: HandleGrant) -> None:
    error = translate(SparkException(text), grant)
    assert error.code is ErrorCode.STORAGE_UNAVAILABLE


def test_keys_that_do_not_allow_it_are_a_denial(grant: HandleGrant) -> None:
    text = (
        "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure:"
        " Lost task 0.0 in stage 1.0 (TID 1) (localhost executor driver): "
        "software.amazon.awssdk.services.s3.model.S3Exception: Access Denied. (Service: S3, "
        "Status Code: 403, Request ID: 1)"
    )
    error = translate(SparkException(text), grant)
    assert error.code is ErrorCode.ACCESS_DENIED
    assert "Request ID" not in error.message and "TABLE_WRITE_DATA" in error.hint


def test_a_file_that_is_not_there_is_damage(grant: HandleGrant) -> None:
    text = "software.amazon.awssdk.services.s3.model.NoSuchKeyException: gone (Service: S3, …)"
    assert translate(SparkException(text), grant).code is ErrorCode.CORRUPT_DATA


def test_what_spark_says_of_an_empty_subquery_is_said_for_people(grant: HandleGrant) -> None:
    error = translate(SparkException("None.get"), grant)
    assert error.code is ErrorCode.ENGINE_ERROR
    assert "false for all rows" in error.message
    assert error.hint


def test_a_lost_spark_is_still_lost(grant: HandleGrant) -> None:
    assert translate(SparkException("Connection refused"), grant).code is ErrorCode.ENGINE_LOST


def test_an_error_of_the_brokers_comes_back_as_it_was(grant: HandleGrant) -> None:
    refused(grant, login_expired())
    text = "(org.apache.iceberg.exceptions.NotAuthorizedException) Not authorized: Your login "
    text += "has expired and could not be renewed. Log in again."
    error = translate(SparkException(text), grant)
    assert error.code is ErrorCode.TOKEN_EXPIRED and error.hint == "Log in again."


def test_what_the_broker_refused_explains_what_the_storage_says_later(grant: HandleGrant) -> None:
    refused(grant, DOWN)
    assert translate(SparkException("S3Exception: no such key id"), grant) is DOWN


def test_a_mistake_of_the_users_stays_one(grant: HandleGrant) -> None:
    refused(grant, AccessError(ErrorCode.ACCESS_DENIED, "Not you."))

    class ArithmeticException(Exception):
        def getCondition(self) -> str:
            return "DIVIDE_BY_ZERO"

    error = translate(ArithmeticException("[DIVIDE_BY_ZERO] Division by zero."), grant)
    assert error.code is ErrorCode.DIVISION_BY_ZERO


def test_a_condition_inside_another_exception_is_the_condition(grant: HandleGrant) -> None:
    text = (
        "java.util.concurrent.ExecutionException: org.apache.spark.SparkNumberFormatException:"
        " [CAST_INVALID_INPUT] The value '' cannot be cast. SQLSTATE: 22018"
    )
    error = translate(SparkException(text), grant)
    assert error.code is ErrorCode.INVALID_CAST
    assert error.message == "The value '' cannot be cast."


def test_a_full_disk_is_no_defect_of_spark() -> None:
    wrapped = SparkException("[TASK_WRITE_FAILED] Task failed while writing rows to /lake/t.")
    wrapped._stacktrace = (  # type: ignore[attr-defined]
        "org.apache.spark.SparkException: Task failed while writing rows\n\tat x.y(Z.scala:1)\n"
        "Caused by: java.io.IOException: No space left on device\n\tat java.base/…"
    )
    for error in (
        wrapped,
        SparkException("java.nio.file.FileSystemException: Disk quota exceeded"),
    ):
        found = translate(error, None)
        assert (found.code, type(found)) == (ErrorCode.DISK_FULL, ResourceError)
        assert "Free some space" in found.hint


def test_a_value_that_speaks_of_a_full_disk_is_a_value() -> None:
    text = "[CAST_INVALID_INPUT] The value 'Error: No space left on device' cannot be cast."
    assert translate(SparkException(text), None).code is ErrorCode.INVALID_CAST


@pytest.mark.parametrize("free", [0, 60_000_000, 70_000_000])
def test_spark_that_ended_on_a_full_disk_ended_for_that(free: int, tmp_path: Path) -> None:
    found = explain_by_disk("Spark ended", tmp_path, lambda folder: free)
    if free > 64 * 2**20:
        assert found is None
    else:
        assert found is not None and found.code is ErrorCode.DISK_FULL
        assert f"Spark ended, and the disk of {tmp_path} has {free // 2**20} MB left." in str(found)
