"""A cancelled query does not commit, and one that has committed was not cancelled."""

from __future__ import annotations

import pytest

from sqe.errors import ErrorCode, SqeError
from sqe.results.cancellation import Cancellation


def test_a_cancelled_query_does_not_begin_its_commit() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(SqeError) as raised, cancellation.hold(final=True):
        pytest.fail("it began")
    assert raised.value.code is ErrorCode.CANCELLED


def test_a_cancel_during_the_commit_comes_too_late() -> None:
    stopped: list[str] = []
    cancellation = Cancellation()
    cancellation.on_cancel(lambda: stopped.append("work"))
    with cancellation.hold(final=True):
        cancellation.cancel()
        assert stopped == []
    assert cancellation.error is None
    assert stopped == ["work"]  # whatever Spark does behind the commit need not go on
    cancellation.check()


def test_a_cancel_during_a_commit_that_fails_counts() -> None:
    cancellation = Cancellation()
    with pytest.raises(ValueError, match="no"), cancellation.hold(final=True):
        cancellation.cancel()
        raise ValueError("no")
    assert cancellation.error is not None


def test_a_cancel_between_the_commits_of_a_procedure_counts() -> None:
    cancellation = Cancellation()
    with cancellation.hold(final=False):
        assert cancellation.cancel()
    assert cancellation.error is not None


def test_after_the_commit_a_cancel_is_no_error() -> None:
    cancellation = Cancellation()
    with cancellation.hold(final=True):
        pass
    assert not cancellation.cancel()
    assert cancellation.error is None
