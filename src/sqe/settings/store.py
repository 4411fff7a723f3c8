"""Settings of what SQE itself remembers."""

from __future__ import annotations

from pydantic import Field, SecretStr

from sqe.model.identity import Secret
from sqe.settings.secrets import SecretText
from sqe.settings.strict import Strict


class StoreSettings(Strict):
    """API keys, rules made with SQL, who owns what. Several servers may share one PostgreSQL."""

    url: SecretText = Field(
        SecretStr(""),
        description="`postgresql+psycopg://user:password@host/database`; unset: `sqe.db` in the "
        "home",
    )

    @property
    def secret(self) -> Secret | None:
        """The address, with the password in it; None: the home's own database."""
        url = self.url.get_secret_value()
        return Secret(url) if url else None
