"""Guessing passwords becomes slow; whoever else is there is not held up by it."""

from __future__ import annotations

import pytest

from sqe.auth.attempts import LoginAttempts, TooManyLogins
from sqe.auth.chain import Authenticators
from sqe.auth.protocol import Bearer, Credential, Password
from sqe.errors import AccessError, ErrorCode
from sqe.model.access_event import AccessEvent, AccessRecorder
from sqe.model.identity import Identity, Secret
from sqe.model.query import QueryOrigin

HERE, THERE = "192.0.2.1", "198.51.100.7"
FREE = 3


class Login:
    """Users whose password is ``good``, and a clock that only a test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked = 0
        self.events: list[AccessEvent] = []
        login = self

        class Known:
            def authenticate(self, credential: Credential) -> Identity | None:
                login.asked += 1
                if isinstance(credential, Password) and credential.password.reveal() == "good":
                    return Identity(credential.user)
                return None

        class Kept(AccessRecorder):
            def note_access(self, event: AccessEvent) -> None:
                login.events.append(event)

        attempts = LoginAttempts(FREE, lambda: self.now)
        self._chain = Authenticators([Known()], Kept(), attempts)

    def attempt(self, user: str, password: str, address: str = HERE) -> str:
        """How it ends: ``in``, ``no``, or the seconds to wait."""
        credential = Password(user, Secret(password))
        try:
            self._chain.identify(credential, QueryOrigin("flight", address))
        except AccessError:
            return "no"
        except TooManyLogins as error:
            assert error.code is ErrorCode.TOO_MANY_LOGINS
            return str(error.seconds)
        return "in"

    def token(self, address: str = HERE) -> None:
        with pytest.raises(AccessError):
            self._chain.identify(Bearer(Secret("x")), QueryOrigin("flight", address))

    def guess(self, user: str, times: int, address: str = HERE) -> list[str]:
        return [self.attempt(user, "bad", address) for _ in range(times)]


def test_each_failure_doubles_the_time_up_to_a_minute() -> None:
    login = Login()
    assert login.guess("ann", FREE) == ["no"] * FREE
    waits = []
    for _ in range(9):
        assert login.attempt("ann", "bad") == "no"
        waits.append(int(login.attempt("ann", "bad")))
        login.now += waits[-1]
    assert waits[:3] == [1, 2, 4]
    assert waits[-1] == 60


def test_an_attempt_in_a_delay_is_not_looked_at_and_does_not_prolong_it() -> None:
    login = Login()
    login.guess("ann", FREE + 2)
    asked = login.asked
    login.now += 0.5
    assert login.attempt("ann", "good") == "1"  # as unknown as any other
    assert login.asked == asked
    login.now += 0.6
    assert login.attempt("ann", "good") == "in"


def test_a_good_password_begins_again() -> None:
    login = Login()
    login.guess("ann", FREE)
    assert login.attempt("ann", "good") == "in"
    assert login.guess("ann", FREE) == ["no"] * FREE


def test_failures_are_forgotten() -> None:
    login = Login()
    for _ in range(50):
        assert login.attempt("ann", "bad") == "no"
        login.now += 600


def test_nobody_is_shut_out_from_elsewhere_by_name() -> None:
    login = Login()
    login.guess("ann", 30)
    assert login.attempt("ann", "good", THERE) == "in"
    assert login.attempt("bob", "good") == "in"


def test_who_tries_many_names_is_delayed_and_neighbours_who_were_here_are_not() -> None:
    login = Login()
    assert login.attempt("bob", "good") == "in"
    outcomes = [login.attempt(f"user{n}", "bad") for n in range(FREE * 10 + 2)]
    assert outcomes[-1] != "no"
    assert login.attempt("eve", "good") == outcomes[-1]
    assert login.attempt("bob", "good") == "in"
    assert login.attempt("eve", "good", THERE) == "in"


def test_who_guesses_one_user_from_everywhere_is_delayed_and_the_user_is_not() -> None:
    login = Login()
    assert login.attempt("ann", "good") == "in"
    outcomes = [login.attempt("ann", "bad", f"203.0.113.{n}") for n in range(FREE * 20 + 2)]
    assert outcomes[-1] != "no"
    assert login.attempt("ann", "good") == "in"
    assert login.attempt("bob", "good", "203.0.113.250") == "in"


def test_a_name_that_nobody_has_is_treated_like_any_other() -> None:
    login = Login()
    assert login.attempt("ann", "good", THERE) == "in"
    assert login.guess("ann", FREE + 3) == login.guess("nobody", FREE + 3)


def test_where_no_address_is_known_the_delay_is_short() -> None:
    """A Handshake of Flight does not tell it: everybody's is the same."""
    login = Login()
    for _ in range(20):
        login.guess("ann", FREE, "")
        login.now += 2.1
    assert login.attempt("ann", "good", "") == "in"
    assert login.guess("bob", FREE, "") == ["no"] * FREE


def test_a_token_is_not_a_guess() -> None:
    login = Login()
    for _ in range(FREE * 30):
        login.token()
    assert login.attempt("ann", "good") == "in"


def test_a_delayed_attempt_is_recorded_under_the_name_it_claims() -> None:
    login = Login()
    login.guess("ann", FREE + 2)
    event = login.events[-1]
    assert (event.kind.value, event.user, event.reason) == ("login_failed", "ann", "delayed")
    assert event.origin.address == HERE


def test_a_flood_of_names_needs_bounded_memory_and_is_still_delayed() -> None:
    login = Login()
    attempts = LoginAttempts(FREE, lambda: login.now)
    for n in range(60_000):
        attempts.note_failure(f"user{n}" + "x" * 1_000, HERE)
    assert len(attempts._failures) <= 50_000
    with pytest.raises(TooManyLogins):
        attempts.check("user1", HERE)
