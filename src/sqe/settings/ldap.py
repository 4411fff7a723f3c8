"""Settings of logins through a directory."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr, field_validator, model_validator

from sqe.settings.secrets import SecretText
from sqe.settings.strict import Strict


class LdapSettings(Strict):
    """A directory that checks passwords. The user is found by `user_dn` or by a search; what is
    put into a name or a filter is escaped first."""

    url: str = Field("", description="ldaps://host[:port] or ldap://host[:port]; unset: none")
    start_tls: bool = Field(False, description="encrypt a connection that began as ldap://")
    unencrypted: bool = Field(
        False, description="send passwords over ldap:// as they are; they can be read on the way"
    )
    authorities: Path | None = Field(
        None, description="PEM file of authorities to trust, if not the system's"
    )
    connect_s: float = Field(5.0, gt=0, description="how long a connection may take")
    answer_s: float = Field(10.0, gt=0, description="how long an answer may take")
    remember_s: float = Field(
        60.0, ge=0, le=3600, description="a good password is not asked about again for so long"
    )
    user_dn: str = Field(
        "", description="name of a user's entry, with {user}: uid={user},ou=people,dc=example"
    )
    user_base: str = Field("", description="where users are searched, if there is no `user_dn`")
    user_filter: str = Field(
        "(uid={user})", description="filter of that search; exactly one entry must fit"
    )
    user_attribute: str = Field(
        "uid", description="attribute of a user's entry that is the name in SQE"
    )
    bind_dn: str = Field("", description="entry that searches; unset: whoever has logged in")
    bind_password: SecretText = Field(SecretStr(""), description="password of `bind_dn`")
    group_base: str = Field("", description="where groups are searched; unset: no groups")
    group_filter: str = Field(
        "(member={dn})", description="filter of a user's groups, with {dn} or {user}"
    )
    group_attribute: str = Field("cn", description="attribute that is the group's name")

    @field_validator("url")
    @classmethod
    def _url_is_one(cls, url: str) -> str:
        if url and not url.startswith(("ldap://", "ldaps://")):
            raise ValueError("it does not begin with ldap:// or ldaps://")
        return url

    @field_validator("user_dn", "user_filter")
    @classmethod
    def _user_has_a_place(cls, text: str) -> str:
        if text and "{user}" not in text:
            raise ValueError("it has no {user}")
        return text

    @field_validator("group_filter")
    @classmethod
    def _group_has_a_member(cls, text: str) -> str:
        if "{dn}" not in text and "{user}" not in text:
            raise ValueError("it has neither {dn} nor {user}: everyone would be in every group")
        return text

    @model_validator(mode="after")
    def _fits_together(self) -> LdapSettings:
        if not self.url:
            return self
        if bool(self.user_dn) == bool(self.user_base):
            raise ValueError("set user_dn or user_base: how is a user's entry found?")
        if self.user_base and not self.bind_dn:
            raise ValueError("user_base needs bind_dn, which searches there")
        if self.bind_dn and not self.bind_password.get_secret_value():
            raise ValueError("bind_dn needs bind_password")
        if self.url.startswith("ldap://") and not self.start_tls and not self.unencrypted:
            raise ValueError(
                "passwords would be sent in the clear: use ldaps://, start_tls = true, or "
                "unencrypted = true if the network is trusted"
            )
        return self
