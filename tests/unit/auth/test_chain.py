"""The chain: the first who knows answers, and every other way ends in the same no."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.audit.logs import JsonFormatter
from sqe.auth.chain import Authenticators
from sqe.auth.protocol import Authenticator, Bearer, Certificate, Credential, Nothing, Password
from sqe.errors import AccessError, ErrorCode, UpstreamError
from sqe.model.identity import Identity, Secret

ANN = Identity("ann")
MARK = "¤¤"  # in every secret, and in nothing that SQE says
SECRETS = st.text(st.characters(codec="utf-8"), max_size=40).map(lambda text: MARK + text)


class Asked:
    """An authenticator of the test's own."""

    def __init__(self, answer: Callable[[Credential], Identity | None]) -> None:
        self.answer = answer
        self.count = 0

    def authenticate(self, credential: Credential) -> Identity | None:
        self.count += 1
        return self.answer(credential)


def refuse(credential: Credential) -> Identity | None:
    raise AccessError(ErrorCode.AUTHENTICATION_FAILED, "this token has expired", hint="renew it")


def break_down(credential: Credential) -> Identity | None:
    raise RuntimeError(f"cannot read {revealed(credential)}")


def be_unreachable(credential: Credential) -> Identity | None:
    raise UpstreamError(ErrorCode.CATALOG_UNAVAILABLE, f"no answer for {revealed(credential)}")


def revealed(credential: Credential) -> str:
    match credential:
        case Password(user, password):
            return f"{user} {password.reveal()}"
        case Bearer(token):
            return token.reveal()
        case _:
            return str(credential)


@contextmanager
def log() -> Iterator[list[str]]:
    lines: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(JsonFormatter().format(record) + repr(record.__dict__))

    logger, handler = logging.getLogger("sqe.auth"), Lines()
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def refused(chain: Authenticators, credential: Credential) -> AccessError:
    with pytest.raises(AccessError) as raised:
        chain.identify(credential)
    assert raised.value.code is ErrorCode.AUTHENTICATION_FAILED
    return raised.value


def test_the_first_who_knows_answers_and_the_rest_are_not_asked() -> None:
    unknowing, knowing, last = Asked(lambda _: None), Asked(lambda _: ANN), Asked(refuse)
    assert Authenticators([unknowing, knowing, last]).identify(Nothing(loopback=False)) is ANN
    assert (unknowing.count, knowing.count, last.count) == (1, 1, 0)


def test_a_no_is_final() -> None:
    later = Asked(lambda _: ANN)
    refused(Authenticators([Asked(refuse), later]), Bearer(Secret("x")))
    assert later.count == 0


def test_a_defect_denies_and_nobody_else_is_asked() -> None:
    later = Asked(lambda _: ANN)
    with log() as lines:
        refused(Authenticators([Asked(break_down), later]), Bearer(Secret("x")))
    assert later.count == 0
    assert any("RuntimeError" in line and "Asked" in line for line in lines)


@pytest.mark.parametrize("nobody", [Identity(""), "ann", True, object()])
def test_what_is_not_somebodys_identity_denies(nobody: object) -> None:
    refused(Authenticators([Asked(lambda _: nobody)]), Nothing(loopback=True))  # type: ignore[arg-type, return-value]


def test_without_authenticators_nobody_gets_in() -> None:
    refused(Authenticators([]), Nothing(loopback=True))


def test_every_no_reads_the_same() -> None:
    chains: list[list[Authenticator]] = [
        [],
        [Asked(lambda _: None)],
        [Asked(refuse)],
        [Asked(break_down)],
        [Asked(be_unreachable)],
        [Asked(lambda _: Identity(""))],
    ]
    credentials: list[Credential] = [
        Password("ann", Secret("p")),
        Bearer(Secret("t")),
        Certificate("ann"),
        Nothing(loopback=True),
    ]
    texts = {str(refused(Authenticators(chain), one)) for chain in chains for one in credentials}
    assert len(texts) == 1


@given(secret=SECRETS, failure=st.sampled_from([refuse, break_down, be_unreachable]))
def test_no_secret_is_in_an_error_its_history_or_the_log(
    secret: str, failure: Callable[[Credential], Identity | None]
) -> None:
    for credential in (Password("ann", Secret(secret)), Bearer(Secret(secret))):
        with log() as lines:
            error = refused(Authenticators([Asked(failure)]), credential)
        shown = [str(error), repr(error), repr(credential), *lines]
        shown += [repr(error.__cause__), str(error.__suppress_context__)]
        assert error.__suppress_context__
        assert not [text for text in shown if MARK in text]
