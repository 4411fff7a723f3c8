"""The tables, as they came to be: one step for each version, never changed once released.

Moments are seconds since 1970; lists are JSON.
"""

from __future__ import annotations

VERSIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE api_keys (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            user_name TEXT NOT NULL,
            user_groups TEXT NOT NULL,
            user_roles TEXT NOT NULL,
            scopes TEXT NOT NULL,
            digest TEXT NOT NULL,
            created_at DOUBLE PRECISION NOT NULL,
            expires_at DOUBLE PRECISION,
            revoked_at DOUBLE PRECISION,
            used_at DOUBLE PRECISION
        )
        """,
        # A name can be given again once its key is revoked.
        "CREATE UNIQUE INDEX api_keys_name ON api_keys (name) WHERE revoked_at IS NULL",
    ),
)
