"""Claims that the settings name are told to policies; no others, and never the token."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.auth.oidc.asking import asking
from tests.unit.auth.oidc.issuer import LocalIssuer

NAMES = ["department", "hr.cost_centers", "clearance", "external", "missing"]


def test_the_named_claims_are_told_as_texts(issuer: LocalIssuer) -> None:
    claims: dict[str, Any] = {
        "department": "it",
        "hr": {"cost_centers": ["a", "b", 7]},
        "clearance": 3,
        "external": False,
        "salary": "secret",
    }
    with asking(issuer, claims=NAMES) as sqe:
        alice = sqe.bearer(issuer.token("alice", **claims))
    assert alice.claims == (
        ("department", "it"),
        ("hr.cost_centers", "a,b,7"),
        ("clearance", "3"),
        ("external", "false"),
    )


def test_without_the_setting_none_is_told(issuer: LocalIssuer) -> None:
    with asking(issuer) as sqe:
        assert sqe.bearer(issuer.token("alice", department="it")).claims == ()


def test_people_with_other_claims_have_other_rights(issuer: LocalIssuer) -> None:
    with asking(issuer, claims=["department"]) as sqe:
        one = sqe.bearer(issuer.token("alice", department="it"))
        other = sqe.bearer(issuer.token("alice", department="hr"))
    assert one != other


@pytest.mark.parametrize(
    "value", [{"a": 1}, ["a,b", "c"], [["a"]], [None], "x" * 600, "a\nb"], ids=str
)
def test_a_claim_that_would_be_misunderstood_lets_nobody_in(
    value: Any, issuer: LocalIssuer
) -> None:
    with asking(issuer, claims=["department"]) as sqe:
        sqe.refuses(issuer.token("alice", department=value))
