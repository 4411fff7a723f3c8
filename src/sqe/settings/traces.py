"""What SQE tells an OpenTelemetry collector."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator

from sqe.settings.addresses import service_url
from sqe.settings.headers import check_headers
from sqe.settings.strict import Strict

_OWN_HEADERS = frozenset(
    {"host", "content-type", "content-length", "transfer-encoding", "connection", "te"}
    | {"user-agent", "x-sqe-version"}
)
_DEFAULTS = {"grpc": "http://127.0.0.1:4317", "http": "http://127.0.0.1:4318/v1/traces"}


class TraceSettings(Strict):
    """Traces over OTLP; docs/reference/traces.md lists their spans. Needs `sqe[traces]`."""

    enabled: bool = Field(False, description="trace queries")
    protocol: Literal["grpc", "http"] = Field("grpc", description="how the collector is spoken to")
    endpoint: str = Field(
        "",
        description="its address, for `http` with the path; https, but for one on this machine; "
        "unset: `http://127.0.0.1:4317`, or `http://127.0.0.1:4318/v1/traces`",
    )
    headers: dict[str, SecretStr] = Field(
        default_factory=dict, description="sent with every batch, e.g. the key of a service"
    )
    ratio: float = Field(
        1.0,
        ge=0,
        le=1,
        description="part of the queries that are traced; one that is in a trace of its client's "
        "is traced if that is",
    )
    timeout_s: float = Field(10.0, gt=0, description="longest wait for the collector, for a batch")
    service_name: str = Field("sqe", min_length=1, description="what the spans are said to be of")
    authorities: Path | None = Field(
        None,
        description="PEM file of those who sign the collector's certificate, in the home unless "
        "absolute; unset: the system's",
    )

    @property
    def address(self) -> str:
        return self.endpoint or _DEFAULTS[self.protocol]

    @field_validator("endpoint")
    @classmethod
    def _endpoint_is_safe(cls, endpoint: str) -> str:
        return service_url(endpoint) if endpoint else ""

    @field_validator("headers")
    @classmethod
    def _headers_are_clean(cls, headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
        return check_headers(headers, _OWN_HEADERS)
