"""Settings of who gets in, and through what."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, SecretStr, field_validator, model_validator

from sqe.model.password_hash import PasswordHash
from sqe.settings.identity import OidcSettings, check_issuers
from sqe.settings.ldap import LdapSettings
from sqe.settings.secrets import SecretText
from sqe.settings.strict import Strict

TOKEN_PREFIX = "sha256:"  # noqa: S105  what follows is a digest
_TOKEN = re.compile(TOKEN_PREFIX + "[0-9a-fA-F]{64}")
# Those that know theirs by their form come first, then those that ask nobody else.
ChainName = Literal["api_keys", "browser", "users", "oidc", "ldap", "certificates", "anonymous"]


class UserSettings(Strict):
    """A user of this server. `sqe password` and `sqe token` make the lines for this section."""

    password: SecretText = Field(SecretStr(""), description="`$argon2id$…`, from `sqe password`")
    tokens: tuple[SecretText, ...] = Field((), description="`sha256:…` each, from `sqe token`")
    certificates: tuple[str, ...] = Field(
        (),
        description="TLS certificates that are this user's, each by its first alternative name, "
        "or its common name if it has none",
    )
    groups: tuple[str, ...] = Field((), description="groups the user is in")
    roles: tuple[str, ...] = Field((), description="roles the user has")

    @field_validator("password")
    @classmethod
    def _password_is_hashed(cls, password: SecretStr) -> SecretStr:
        if password.get_secret_value():
            PasswordHash.parse(password.get_secret_value())
        return password

    @field_validator("tokens")
    @classmethod
    def _tokens_are_hashed(cls, tokens: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        for token in tokens:
            if not _TOKEN.fullmatch(token.get_secret_value()):
                raise ValueError("a token is not of the form sha256:…; make one with `sqe token`")
        return tokens


def _clear(users: dict[str, UserSettings]) -> dict[str, UserSettings]:
    for name in users:
        if not name or name != name.strip() or not name.isprintable() or ":" in name:
            raise ValueError("a user's name is empty or has blanks around it, : or controls")
    return users


class FileUsers(Strict):
    users: dict[str, UserSettings] = Field(default_factory=dict)

    @field_validator("users")
    @classmethod
    def _is_clear(cls, users: dict[str, UserSettings]) -> dict[str, UserSettings]:
        if any(user.certificates for user in users.values()):
            raise ValueError("certificates are of the settings, not of a users file")
        return _clear(users)


class UsersFileSettings(Strict):
    """What is in a users file: the sections that `sqe password` and `sqe token` print."""

    auth: FileUsers = FileUsers()


class AuthSettings(Strict):
    """Who may connect. Nobody is trusted for coming from an address, but for `anonymous`."""

    anonymous: bool | None = Field(
        None,
        description="let clients on this machine in without a credential; "
        "unset: only if nobody is configured here",
    )
    certificate_pattern: str = Field(
        "",
        description="regular expression over the first alternative name (or else the common "
        "name) of a client's TLS certificate; its first group is the user",
    )
    users: dict[str, UserSettings] = Field(default_factory=dict, description="the users by name")
    users_file: Path | None = Field(
        None,
        description="more users: a TOML file with sections `[auth.users.<name>]`, taken up within "
        "a second when it changes; a path that is not absolute is in the home",
    )
    api_keys: bool | None = Field(
        None,
        description="let keys of `sqe apikey` in; unset: yes, but they alone are no reason to "
        "listen beyond this machine, or to shut anonymous clients out",
    )
    failed_logins: int = Field(
        5,
        ge=0,
        le=1_000,
        description="wrong passwords of one user from one address that are answered without a "
        "delay; each further one doubles the time until the next is looked at, up to a minute. Ten "
        "times as many from one address, or twenty times as many of one user, delay for up to 10 s "
        "who has not logged in there lately. 0: no delays",
    )
    ldap: LdapSettings = LdapSettings()
    oidc: dict[str, OidcSettings] = Field(
        default_factory=dict, description="the issuers of tokens by a name of your choice"
    )
    chain: tuple[ChainName, ...] = Field(
        get_args(ChainName),
        description="who is asked about a credential, in this order, until one knows it; "
        "those that are left out are not asked",
    )

    @field_validator("chain")
    @classmethod
    def _each_is_asked_once(cls, chain: tuple[ChainName, ...]) -> tuple[ChainName, ...]:
        if len(set(chain)) < len(chain):
            raise ValueError("one is there twice")
        return chain

    @field_validator("oidc")
    @classmethod
    def _issuers_are_apart(cls, oidc: dict[str, OidcSettings]) -> dict[str, OidcSettings]:
        check_issuers(oidc.values())
        return oidc

    @field_validator("certificate_pattern")
    @classmethod
    def _pattern_has_a_group(cls, pattern: str) -> str:
        if pattern:
            try:
                groups = re.compile(pattern).groups
            except re.error as error:
                raise ValueError(f"it is not a regular expression: {error}") from None
            if groups < 1:
                raise ValueError("it has no group (…) that is the user")
        return pattern

    @field_validator("users")
    @classmethod
    def _names_are_clear(cls, users: dict[str, UserSettings]) -> dict[str, UserSettings]:
        return _clear(users)

    @model_validator(mode="after")
    def _credentials_are_of_one_user(self) -> AuthSettings:
        tokens = [t.get_secret_value().lower() for user in self.users.values() for t in user.tokens]
        subjects = [subject for user in self.users.values() for subject in user.certificates]
        if len(set(tokens)) < len(tokens):
            raise ValueError("a token is there twice; give each user one of their own")
        if len(set(subjects)) < len(subjects):
            raise ValueError("a certificate is there twice; it can be of one user only")
        return self

    @property
    def knows_certificates(self) -> bool:
        return bool(self.certificate_pattern) or any(u.certificates for u in self.users.values())

    @property
    def knows_anyone(self) -> bool:
        """Someone can show who they are."""
        by_password = bool(self.users) or self.users_file is not None or bool(self.ldap.url)
        by_token = bool(self.oidc) or self.api_keys is True
        return by_password or by_token or self.knows_certificates

    @property
    def anonymous_allowed(self) -> bool:
        return not self.knows_anyone if self.anonymous is None else self.anonymous


class TlsSettings(Strict):
    """Encryption of what SQE listens on. PEM files; a path that is not absolute is in the home.
    Changed files are taken up while SQE runs."""

    certificate: Path | None = Field(
        None, description="the server's certificate, then those that signed it"
    )
    key: Path | None = Field(
        None, description="the private key of the certificate, without a password"
    )
    client_authorities: Path | None = Field(
        None,
        description="certificates that sign clients' certificates; "
        "if set, every client must show one",
    )
    check_s: float = Field(60.0, gt=0, description="how often the files are looked at for a change")

    @model_validator(mode="after")
    def _pair(self) -> TlsSettings:
        if self.certificate is None and self.key is not None:
            raise ValueError("tls.key is set, so tls.certificate must be, too")
        if self.certificate is not None and self.key is None:
            raise ValueError("tls.certificate is set, so tls.key must be, too")
        if self.client_authorities is not None and self.certificate is None:
            raise ValueError("tls.client_authorities needs tls.certificate and tls.key")
        return self


class FlightSettings(Strict):
    """Arrow Flight SQL: what drivers and programs connect to."""

    enabled: bool = Field(True, description="listen at all")
    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(32010, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    unencrypted: bool = Field(
        False,
        description="listen beyond this machine without TLS; passwords can be read on the way",
    )
    max_message_mb: int = Field(
        16, ge=1, le=2000, description="largest message to a client; larger batches are cut"
    )
    max_received_mb: int = Field(
        256, ge=1, le=2000, description="largest message from a client; larger ones are refused"
    )
    compression: Literal["none", "lz4", "zstd"] = Field(
        "none", description="of results on their way: none, lz4 or zstd"
    )
    ticket_s: float = Field(3600.0, gt=0, description="how long a result waits to be fetched")
