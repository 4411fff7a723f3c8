"""An issuer that people talk to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.auth.flows.issuer import Talking, talking
from tests.unit.auth.oidc.issuer import SigningKey, new_key


@pytest.fixture(scope="session")
def signing_key() -> SigningKey:
    return new_key("ES256")


@pytest.fixture
def issuer(signing_key: SigningKey) -> Iterator[Talking]:
    with talking(signing_key) as made:
        yield made
