from __future__ import annotations

import traceback
from base64 import b64encode
from urllib.parse import quote

import pyarrow.flight as flight
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from sqe.errors import ErrorCategory, ErrorCode, TextPosition, error_of
from sqe.protocols.flight_sql.errors import STATUS, Code, flight_error, sqe_error


def details_of(data: bytes) -> tuple[Status, ErrorInfo]:
    status = Status.FromString(data)
    info = ErrorInfo()
    assert status.details[0].Unpack(info)
    return status, info


def test_every_code_has_a_status() -> None:
    assert set(STATUS) == set(ErrorCode)


def test_whose_fault_it_is_can_be_told() -> None:
    ours = {Code.INTERNAL}
    for code, status in STATUS.items():
        assert (status in ours) == (code.category is ErrorCategory.INTERNAL), code


@pytest.mark.parametrize("code", list(ErrorCode))
def test_an_error_carries_its_code_in_the_message_and_in_the_details(code: ErrorCode) -> None:
    trailers: dict[str, bytes] = {}
    error = flight_error(
        error_of(code, "It did not work.", hint="Try again."), trailers.__setitem__
    )
    assert str(error) == f"{code.name}: It did not work. Try again."
    sent = error.extra_info if isinstance(error, flight.FlightError) else b""
    status, info = details_of(trailers.get("grpc-status-details-bin", sent))
    # gRPC clients throw the details away if this is not the status of the call.
    assert status.code == STATUS[code].value
    assert (info.reason, info.domain) == (code.name, "sqe")
    assert info.metadata["message"] == "It did not work."
    assert info.metadata["hint"] == "Try again."


def test_the_place_in_the_text_is_told() -> None:
    error = flight_error(
        error_of(ErrorCode.ACCESS_DENIED, "No.", position=TextPosition(2, 7, "salary"))
    )
    assert isinstance(error, flight.FlightUnauthorizedError)
    _, info = details_of(error.extra_info)
    assert (info.metadata["line"], info.metadata["column"]) == ("2", "7")
    assert info.metadata["fragment"] == "salary"


def test_an_unknown_exception_says_nothing_about_itself() -> None:
    error = sqe_error(ValueError("password=secret at /srv/private"))
    assert error.code is ErrorCode.INTERNAL_ERROR
    assert "secret" not in str(flight_error(error))


@pytest.mark.parametrize("code", list(ErrorCode))
def test_pyarrow_cannot_format_an_error_with_its_frames(code: ErrorCode) -> None:
    """pyarrow sends what ``traceback`` makes of an exception; where it fails, the class's name."""
    error = flight_error(error_of(code, "No."))
    with pytest.raises(RuntimeError):
        traceback.format_exception(error)


@pytest.mark.parametrize("sign", ["x", "ü", "\ud800"])
def test_long_texts_fit_into_headers(sign: str) -> None:
    """Java clients take 8 kB: the message, percent-encoded and in base64, and the details."""
    error = flight_error(error_of(ErrorCode.TIMEOUT, sign * 100_000, hint=sign * 100_000))
    assert isinstance(error, flight.FlightTimedOutError)
    message = str(error).encode()
    assert len(quote(message)) + len(b64encode(message)) + len(b64encode(error.extra_info)) < 7_500
    assert str(error).endswith("…")
