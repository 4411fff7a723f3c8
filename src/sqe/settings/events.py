"""Where the events of queries go besides the audit log in the home."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote, urlsplit

from pydantic import Discriminator, Field, SecretStr, Tag, field_validator, model_validator

from sqe.model.hosts import is_own_machine
from sqe.settings.addresses import service_url
from sqe.settings.strict import Strict

_PORTS = {"udp": 514, "tcp": 601, "tls": 6514}


class FileSinkSettings(Strict):
    """The lines of the audit log in a file of this name, which only its owner may read. It can be
    there in place of `logs/audit.jsonl` (`log.audit = false`) or besides it."""

    type: Literal["file"] = "file"
    path: Path = Field(description="the file, in the home if it is relative")
    required: bool = Field(
        False, description="refuse new queries and logins while the file cannot be written"
    )
    max_mb: int = Field(
        0, ge=0, description="size at which the file gets a number and a new one begins; 0: never"
    )


class LogSinkSettings(Strict):
    """The lines of the audit log in SQE's own log, whatever its level, as `audit`: with
    `log.to = "stdout"` whoever collects the logs of containers has them, and sees what policies
    hide. `logs/sqe.log` itself is cut at 10 MB."""

    type: Literal["log"] = "log"


class SentSinkSettings(Strict):
    """What all sinks have in common that others take the lines of."""

    required: bool = Field(
        False,
        description="refuse new queries and logins until what was recorded of them is taken",
    )
    timeout_s: float = Field(
        5.0,
        gt=0,
        le=60,
        description="longest wait for it: of one attempt to send, and of a query where it is"
        " `required`",
    )
    buffer_mb: int = Field(
        16,
        ge=1,
        le=1024,
        description="lines that wait; what is more is lost, and counted",
    )


class StdoutSinkSettings(SentSinkSettings):
    """The lines of the audit log on stdout of `sqe serve`, and nothing around them. Commands that
    answer there themselves put them into SQE's own log."""

    type: Literal["stdout"] = "stdout"


class SyslogSinkSettings(SentSinkSettings):
    """The lines of the audit log as messages of syslog (RFC 5424). Lines that are too long for a
    datagram are shortened, and say so (`cut`)."""

    type: Literal["syslog"] = "syslog"
    address: str = Field(
        description="`udp://host:514`, `tcp://host:601`, `tls://host:6514`, or `unix:///dev/log`"
    )
    facility: Literal[
        "kern", "user", "mail", "daemon", "auth", "authpriv", "audit", "local0", "local1",
        "local2", "local3", "local4", "local5", "local6", "local7",
    ] = Field("local0", description="facility of the messages")  # fmt: skip
    unencrypted: bool = Field(
        False, description="send to another machine without TLS; it can be read on the way"
    )
    authorities: Path | None = Field(
        None,
        description="PEM file of those who sign the server's certificate, in the home unless "
        "absolute; unset: the system's",
    )

    @field_validator("address")
    @classmethod
    def _address_is_one(cls, address: str) -> str:
        parts = urlsplit(address)
        if parts.scheme == "unix":
            if parts.netloc or not parts.path.startswith("/"):
                raise ValueError("write unix:///path")
        elif parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError("it does not begin with udp://, tcp://, tls:// or unix://")
        _ = parts.port  # ValueError
        return address

    @model_validator(mode="after")
    def _fits_together(self) -> SyslogSinkSettings:
        scheme, host, _ = self.place
        if scheme in ("udp", "tcp") and not self.unencrypted and not is_own_machine(host):
            raise ValueError(
                "the audit log could be read on the way: use tls://, or unencrypted = true if the "
                "network is trusted"
            )
        if self.required and scheme == "udp":
            raise ValueError("udp:// never says whether a line has arrived: it cannot be required")
        return self

    @property
    def place(self) -> tuple[str, str, int]:
        """The scheme, the host and its port; of unix the path in place of the host."""
        parts = urlsplit(self.address)
        if parts.scheme == "unix":
            return "unix", unquote(parts.path), 0
        return parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme]


class HttpSinkSettings(SentSinkSettings):
    """The lines of the audit log in the bodies of POST requests, a JSON object on each line. A
    status of 2xx says that all of them are kept; else they are sent again."""

    type: Literal["http"] = "http"
    url: str = Field(description="where to; https, but for a service on this machine")
    headers: dict[str, SecretStr] = Field(
        default_factory=dict, description="sent with every request, e.g. Authorization"
    )
    authorities: Path | None = Field(
        None,
        description="PEM file of those who sign the server's certificate, in the home unless "
        "absolute; unset: the system's",
    )

    @field_validator("url")
    @classmethod
    def _url_is_safe(cls, url: str) -> str:
        service_url(url)  # but as it is: a slash at its end may matter
        return url

    @field_validator("headers")
    @classmethod
    def _headers_are_clean(cls, headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, value in headers.items():
            if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
                raise ValueError(f"{name} is not a header")
            if not value.get_secret_value().isprintable():
                raise ValueError(f"the value of {name} has control characters")
        return headers


def _type(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return str(kind or "file")


SinkSettings = Annotated[
    Annotated[FileSinkSettings, Tag("file")]
    | Annotated[LogSinkSettings, Tag("log")]
    | Annotated[StdoutSinkSettings, Tag("stdout")]
    | Annotated[SyslogSinkSettings, Tag("syslog")]
    | Annotated[HttpSinkSettings, Tag("http")],
    Discriminator(_type),
]
