"""The page that a browser comes back to: for one visit, with our own state."""

from __future__ import annotations

import threading

import httpx2
import pytest

from sqe.cli.callback import Callback
from sqe.errors import AccessError, ErrorCode


def test_the_code_is_taken_from_the_visit_that_was_expected() -> None:
    with Callback() as callback:
        assert callback.address.startswith("http://127.0.0.1:")
        visit = {"state": callback.state, "code": "a code"}
        answer = httpx2.get(callback.address, params=visit)
        assert (answer.status_code, "logged in" in answer.text) == (200, True)
        assert answer.headers["cache-control"] == "no-store"
        assert callback.code() == "a code"


@pytest.mark.parametrize("state", ["", "another"])
def test_other_visits_do_not_count(state: str) -> None:
    with Callback() as callback:
        wrong = httpx2.get(callback.address, params={"state": state, "code": "evil"})
        assert wrong.status_code == 404
        good = {"state": callback.state, "code": "good"}
        elsewhere = callback.address.replace("/callback", "/")
        assert httpx2.get(elsewhere, params=good).status_code == 404
        assert httpx2.get(callback.address, params=good).status_code == 200
        again = {"state": callback.state, "code": "evil"}
        assert httpx2.get(callback.address, params=again).status_code == 404
        assert callback.code() == "good"


def test_a_login_that_was_refused_is_one_that_failed() -> None:
    with Callback() as callback:
        visit = {"state": callback.state, "error": "access_denied"}
        visitor = threading.Thread(
            target=httpx2.get, args=(callback.address,), kwargs={"params": visit}
        )
        visitor.start()
        with pytest.raises(AccessError, match="refused") as raised:
            callback.code()
        visitor.join()
    assert raised.value.code is ErrorCode.AUTHENTICATION_FAILED


def test_what_is_visited_is_not_written_to_the_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with Callback() as callback:
        httpx2.get(callback.address, params={"state": callback.state, "code": "a-code"})
    assert "".join(capfd.readouterr()) == ""
