"""A login on another device: asked for patiently, and given up when it should be."""

from __future__ import annotations

import pytest

from sqe.auth.flows.device import DeviceFlow
from sqe.auth.oidc.provider import Client, Provider, ProviderOptions
from sqe.errors import AccessError, ErrorCode
from tests.unit.auth.flows.issuer import Talking
from tests.unit.auth.oidc.issuer import PUBLIC


class Waiting:
    """A flow whose time passes only while it sleeps."""

    def __init__(self, issuer: Talking) -> None:
        self._issuer = issuer
        self.up_after = 0  # so many waits, and an issuer that was down is up again
        self.now = 0.0
        self.slept: list[float] = []
        provider = Provider(ProviderOptions(issuer.url, Client(PUBLIC[0])))
        self.flow = DeviceFlow(provider, lambda: self.now, self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        if len(self.slept) == self.up_after:
            self._issuer.fails = 0


def test_it_waits_until_the_person_has_logged_in(issuer: Talking) -> None:
    issuer.answers = ["authorization_pending", "slow_down", "authorization_pending"]
    waiting = Waiting(issuer)
    pending = waiting.flow.begin()
    assert (pending.user_code, pending.complete_uri) == ("ABCD-EFGH", "")
    granted = waiting.flow.wait(pending)
    assert granted.refresh is not None
    assert waiting.slept == [2, 2, 7, 7]  # slower, once it is told to be


@pytest.mark.parametrize(
    ("answer", "said"),
    [("access_denied", "refused"), ("expired_token", "in time"), ("x", "accept")],
)
def test_it_ends_when_the_issuer_says_so(issuer: Talking, answer: str, said: str) -> None:
    issuer.answers = [answer]
    waiting = Waiting(issuer)
    with pytest.raises(AccessError, match=said) as raised:
        waiting.flow.wait(waiting.flow.begin())
    assert raised.value.code is ErrorCode.AUTHENTICATION_FAILED


def test_it_ends_when_the_code_has_expired(issuer: Talking) -> None:
    issuer.answers = ["authorization_pending"] * 100
    waiting = Waiting(issuer)
    with pytest.raises(AccessError, match="in time"):
        waiting.flow.wait(waiting.flow.begin())
    assert sum(waiting.slept) == 60


def test_an_issuer_that_is_down_for_a_moment_is_asked_again(issuer: Talking) -> None:
    waiting = Waiting(issuer)
    pending = waiting.flow.begin()
    issuer.fails = 503
    waiting.up_after = 3
    assert waiting.flow.wait(pending).refresh is not None
    assert len(waiting.slept) == 3


def test_nothing_secret_shows(issuer: Talking) -> None:
    pending = Waiting(issuer).flow.begin()
    shown = repr(pending)
    assert pending.code.reveal() not in shown.replace("device_", "").replace("/device", "")
    assert pending.verifier.reveal() not in shown
