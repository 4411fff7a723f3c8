"""What a bearer token adds to a request: the check of who it is, with the issuer's keys known."""

from __future__ import annotations

from functools import partial

from benchmarks.bench import Bench
from benchmarks.figure import Measured
from benchmarks.timing import in_ms, p50, p95, timed
from sqe.auth.configured import authenticators
from sqe.auth.protocol import Bearer
from sqe.model.identity import Secret
from sqe.settings import AuthSettings
from tests.unit.auth.oidc.issuer import CLIENT, LocalIssuer, issuing


def login_bearer(bench: Bench) -> Measured:
    """A token that was never seen: its signature is checked. Shown again, it is only looked up."""
    runs = bench.repeats(1_000, 20)
    with issuing() as issuer:
        chain = authenticators(
            AuthSettings.model_validate(
                {"oidc": {"bench": {"issuer": issuer.url, "client_id": CLIENT}}}
            )
        )
        tokens = [_bearer(issuer) for _ in range(runs + 1)]
        chain.identify(tokens.pop())  # asks the issuer for its keys
        new = [timed(partial(chain.identify, token))[0] for token in tokens]
        again = [timed(partial(chain.identify, token))[0] for token in tokens]
        asked = dict(issuer.calls)
    return Measured(
        p50(in_ms(new)),
        {
            "p95_ms": p95(in_ms(new)),
            "known_token_p50_ms": p50(in_ms(again)),
            "calls_to_the_issuer": asked,
        },
    )


def _bearer(issuer: LocalIssuer) -> Bearer:
    return Bearer(Secret(issuer.token("alice")))
