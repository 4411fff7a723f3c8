"""Settings of what SQE itself remembers."""

from __future__ import annotations

from pydantic import Field, SecretStr

from sqe.settings.strict import Strict


class StoreSettings(Strict):
    """API keys, rules made with SQL, who owns what. Several servers may share one PostgreSQL."""

    url: SecretStr = Field(
        SecretStr(""),
        description="`postgresql+psycopg://user:password@host/database`; unset: `sqe.db` in the "
        "home",
    )
