"""An issuer for each test; keys are made once, because that takes a while."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.auth.oidc.issuer import LocalIssuer, SigningKey, issuing, new_key


@pytest.fixture(scope="session")
def rsa_key() -> SigningKey:
    return new_key()


@pytest.fixture
def issuer(rsa_key: SigningKey) -> Iterator[LocalIssuer]:
    with issuing(keys=[rsa_key]) as found:
        yield found
