"""Settings of the Iceberg REST endpoint."""

from __future__ import annotations

from pydantic import Field

from sqe.settings.strict import Strict


class IcebergSettings(Strict):
    """The catalogs as an Iceberg REST endpoint, for engines of people's own. It listens at
    `/iceberg`. A table is served only to users who see all of it."""

    enabled: bool = Field(False, description="listen at all")
    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8181, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    allow_plain_http_credentials: bool = Field(
        False,
        description="take passwords and tokens of other machines without TLS, and listen beyond "
        "this machine without it; they can be read on the way",
    )
    catalogs: tuple[str, ...] = Field(
        (), description="the catalogs that are served; none named: all that the user may see"
    )
    local_files: bool = Field(
        False,
        description="serve tables on this machine's disk to clients on this machine; their engine "
        "opens the files with the rights of its own process",
    )
    enforcing_users: tuple[str, ...] = Field(
        (),
        description="users whose engines are believed when they say that they carry out read "
        "restrictions; to all others a restricted table is refused",
    )
    enforcing_groups: tuple[str, ...] = Field(
        (), description="groups whose members' engines are believed"
    )
    token_s: float = Field(
        3600.0, ge=60, description="life of a token that is given for a user and password"
    )
