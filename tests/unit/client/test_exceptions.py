from __future__ import annotations

import pytest

import sqe.client
from sqe.client.exceptions import exception_of, translate_errors
from sqe.errors import ErrorCode, TextPosition, UserError, error_of


@pytest.mark.parametrize("code", list(ErrorCode), ids=lambda code: code.name)
def test_every_code_is_an_exception_of_pep_249(code: ErrorCode) -> None:
    exception = exception_of(error_of(code, "No.", hint="Try."))
    assert isinstance(exception, sqe.client.DatabaseError)
    assert (exception.code, exception.hint) == (code.name, "Try.")
    assert str(exception) == f"[{code.name}] No. Try."


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (ErrorCode.SYNTAX_ERROR, sqe.client.ProgrammingError),
        (ErrorCode.ACCESS_DENIED, sqe.client.ProgrammingError),
        (ErrorCode.AUTHENTICATION_FAILED, sqe.client.OperationalError),
        (ErrorCode.DIVISION_BY_ZERO, sqe.client.DataError),
        (ErrorCode.CONSTRAINT_VIOLATION, sqe.client.IntegrityError),
        (ErrorCode.NOT_SUPPORTED, sqe.client.NotSupportedError),
        (ErrorCode.CANCELLED, sqe.client.OperationalError),
        (ErrorCode.SERVER_UNAVAILABLE, sqe.client.OperationalError),
        (ErrorCode.INTERNAL_ERROR, sqe.client.InternalError),
    ],
)
def test_the_class_says_whose_fault_it_is(code: ErrorCode, kind: type[Exception]) -> None:
    assert type(exception_of(error_of(code, "No."))) is kind


def test_the_place_and_the_original_come_along() -> None:
    error = UserError(ErrorCode.SYNTAX_ERROR, "No.", position=TextPosition(1, 8, "x"))
    with pytest.raises(sqe.client.ProgrammingError) as raised, translate_errors():
        raise error
    assert raised.value.position == TextPosition(1, 8, "x")
    assert raised.value.__cause__ is error
    assert str(raised.value) == "[SYNTAX_ERROR] line 1:8: No."


def test_the_module_says_what_pep_249_asks() -> None:
    module = sqe.client
    assert (module.apilevel, module.paramstyle, module.threadsafety) == ("2.0", "qmark", 2)
    assert issubclass(module.Error, Exception)
    assert issubclass(module.InterfaceError, module.Error)
    assert module.Date(2024, 5, 1).isoformat() == "2024-05-01"
    assert module.NUMBER == "decimal(10,2)"
    assert module.DATETIME == "interval day to second"
    assert module.STRING == "string"
    assert module.STRING != "binary"
