"""Settings of the issuers of tokens: who else may say who somebody is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from sqe.settings.addresses import service_url
from sqe.settings.secrets import SecretText
from sqe.settings.strict import Strict

# Signatures with a key pair only: with a shared key, whoever can check a token can also make one.
ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
)


class OidcSettings(Strict):
    """An issuer of tokens (OpenID Connect), e.g. a realm of Keycloak. Several may be configured;
    who a token is from is found by its `iss`."""

    issuer: str = Field(description="its address, exactly as in the `iss` of its tokens")
    audience: tuple[str, ...] = Field(
        (), description="a token must be meant for one of these; unset: for `client_id`"
    )
    client_id: str = Field("", description="SQE's own client at the issuer")
    client_secret: SecretText = Field(
        SecretStr(""), description="of that client; a public has none"
    )
    client_auth: Literal["basic", "post"] = Field(
        "basic", description="how the secret is sent: `basic` (header) or `post` (form)"
    )
    cli_client_id: str = Field(
        "", description="public client that `sqe login` uses; unset: there is no such login"
    )
    scopes: tuple[str, ...] = Field(("openid",), description="asked for at a login")
    algorithms: tuple[str, ...] = Field(
        ALGORITHMS, description="signatures that are accepted; never `none` or HS…"
    )
    skew_s: float = Field(
        10.0, ge=0, le=300, description="how far the issuer's clock may be from SQE's"
    )
    user_claim: str = Field(
        "preferred_username", description="claim with the user's name; a path may have dots"
    )
    groups_claim: str = Field("groups", description="claim with the user's groups; may be missing")
    roles_claim: str = Field("roles", description="claim with the user's roles; may be missing")
    claims: tuple[str, ...] = Field(
        (),
        description="claims that policies may ask for, as `claim('department')`; of a list the "
        "values have commas between them",
    )
    user_prefix: str = Field(
        "",
        description="put before the names of this issuer's users, groups and roles; issuers must "
        "differ in it, so that two of one name are not taken for one",
    )
    introspect: Literal["never", "opaque", "always"] = Field(
        "never",
        description="ask the issuer about tokens: `opaque` about those that are no JWT, `always` "
        "about each, so that a disabled user is out at once",
    )
    introspect_s: float = Field(
        10.0, ge=0, le=300, description="how long such an answer is good for"
    )
    password_grant: bool = Field(
        False, description="let users log in to SQE with their password at the issuer"
    )
    programs: tuple[str, ...] = Field(
        (), description="client ids that may log in with their secret as the password"
    )
    refresh: bool = Field(
        True, description="renew logins in the background where SQE has a refresh token"
    )
    timeout_s: float = Field(5.0, gt=0, le=60, description="longest wait for an answer")
    authorities: Path | None = Field(
        None, description="PEM file with who signs the issuer's certificate; unset: the system's"
    )

    @field_validator("issuer")
    @classmethod
    def _address_is_safe(cls, issuer: str) -> str:
        service_url(issuer)  # but as it is: tokens spell it so
        return issuer

    @field_validator("algorithms")
    @classmethod
    def _signatures_are_of_key_pairs(cls, algorithms: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in algorithms if name not in ALGORITHMS]
        if unknown or not algorithms:
            raise ValueError(f"it takes some of {', '.join(ALGORITHMS)}")
        return algorithms

    @field_validator("user_claim")
    @classmethod
    def _user_has_a_claim(cls, claim: str) -> str:
        if not claim:
            raise ValueError("it must not be empty")
        return claim

    @model_validator(mode="after")
    def _complete(self) -> OidcSettings:
        if not self.audiences:
            raise ValueError("set `audience` or `client_id`: tokens for others must be refused")
        secret = bool(self.client_secret.get_secret_value())
        if secret and not self.client_id:
            raise ValueError("client_secret is set, so client_id must be, too")
        if self.password_grant and not self.client_id:
            raise ValueError("password_grant needs client_id")
        if self.introspect != "never" and not secret:
            raise ValueError("introspect needs client_id and client_secret")
        return self

    @property
    def audiences(self) -> tuple[str, ...]:
        return self.audience or ((self.client_id,) if self.client_id else ())


def check_issuers(issuers: Iterable[OidcSettings]) -> None:
    """ValueError for issuers whose users could be taken for each other's."""
    all_issuers = list(issuers)
    if len({issuer.issuer for issuer in all_issuers}) < len(all_issuers):
        raise ValueError("an issuer is there twice")
    if len({issuer.user_prefix for issuer in all_issuers}) < len(all_issuers):
        raise ValueError("two issuers have the same user_prefix: their users would be mixed up")
