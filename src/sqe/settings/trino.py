"""Settings of Trino's protocol."""

from __future__ import annotations

import re

from pydantic import Field, field_validator

from sqe.settings.strict import Strict

_RULE = re.compile(r"\s*(?P<who>[^\s>]+)\s*->\s*(?P<whom>[^\s>]+)\s*")


class TrinoSettings(Strict):
    """Trino's HTTP protocol: what Trino's clients, drivers and dashboards connect to."""

    enabled: bool = Field(True, description="listen at all")
    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8990, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    allow_plain_http_credentials: bool = Field(
        False,
        description="take passwords and tokens without TLS, and listen beyond this machine "
        "without it; they can be read on the way",
    )
    process_forwarded: bool = Field(
        False,
        description="believe X-Forwarded-Proto and X-Forwarded-Host, "
        "which a proxy in front of SQE sets",
    )
    impersonation: tuple[str, ...] = Field(
        (),
        description="who may act as whom through X-Trino-User, e.g. `superset -> *` or "
        "`etl -> ann`",
    )
    administrators: tuple[str, ...] = Field(
        (), description="users who see everyone's queries, by whatever protocol, and may end them"
    )
    administrator_groups: tuple[str, ...] = Field(
        (), description="groups whose members may do the same"
    )
    client_timeout_s: float = Field(
        300.0, gt=0, description="a query that its client does not ask about is ended"
    )
    transaction_idle_s: float = Field(
        300.0, gt=0, description="a transaction without a statement is rolled back"
    )
    page_kb: int = Field(
        1024,
        ge=16,
        le=131_072,
        description="rows of the first page; those of a large result grow to eight times that",
    )
    spooling: bool = Field(
        True, description="send rows as compressed inline segments to clients that ask for them"
    )
    max_header_kb: int = Field(
        256, ge=8, le=16_384, description="headers of a request, with its prepared statements"
    )

    @field_validator("impersonation")
    @classmethod
    def _rules_are_clear(cls, rules: tuple[str, ...]) -> tuple[str, ...]:
        for rule in rules:
            if not _RULE.fullmatch(rule):
                raise ValueError("a rule is not of the form `who -> whom`; * is anyone")
        return rules

    @property
    def impersonation_rules(self) -> frozenset[tuple[str, str]]:
        """Pairs of who and whom."""
        matches = [_RULE.fullmatch(rule) for rule in self.impersonation]
        return frozenset((match["who"], match["whom"]) for match in matches if match is not None)
