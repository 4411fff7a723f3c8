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
    # Rules made with SQL. Names of objects are lists of their parts.
    (
        # One row: another number whenever any rule or owner is another one.
        "CREATE TABLE rules_version (version INTEGER NOT NULL)",
        "INSERT INTO rules_version VALUES (0)",
        """
        CREATE TABLE roles (
            name TEXT PRIMARY KEY,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL
        )
        """,
        """
        CREATE TABLE role_grants (
            role TEXT NOT NULL,
            subject_kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            admin_option INTEGER NOT NULL,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (role, subject_kind, subject)
        )
        """,
        # The id is a digest of everything that makes it another grant.
        """
        CREATE TABLE grants (
            id TEXT PRIMARY KEY,
            subject_kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            privilege TEXT NOT NULL,
            object_kind TEXT NOT NULL,
            object TEXT NOT NULL,
            denied INTEGER NOT NULL,
            row_filter TEXT,
            columns TEXT,
            table_uuid TEXT NOT NULL,
            grant_option INTEGER NOT NULL,
            through_kind TEXT,
            through TEXT,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL
        )
        """,
        # Row filters and masks by name.
        """
        CREATE TABLE policies (
            name TEXT PRIMARY KEY,
            row_filter TEXT,
            mask TEXT,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL
        )
        """,
        """
        CREATE TABLE policy_places (
            id TEXT PRIMARY KEY,
            policy TEXT NOT NULL,
            object_kind TEXT,
            object TEXT,
            tag TEXT NOT NULL,
            columns TEXT NOT NULL,
            exempt TEXT NOT NULL,
            table_uuid TEXT NOT NULL,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL
        )
        """,
        """
        CREATE TABLE tags (
            id TEXT PRIMARY KEY,
            tag TEXT NOT NULL,
            name TEXT NOT NULL,
            column_name TEXT NOT NULL,
            field_id INTEGER,
            table_uuid TEXT NOT NULL,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL
        )
        """,
        # Who changed which rule, in words. Rows are only added.
        """
        CREATE TABLE rule_changes (
            number INTEGER PRIMARY KEY,
            made_at DOUBLE PRECISION NOT NULL,
            made_by TEXT NOT NULL,
            what TEXT NOT NULL
        )
        """,
        # Whose a table or view is; of a definer's view also a digest of the text they wrote.
        """
        CREATE TABLE owners (
            relation TEXT PRIMARY KEY,
            uuid TEXT NOT NULL,
            user_name TEXT NOT NULL,
            digest TEXT NOT NULL,
            changed_at DOUBLE PRECISION NOT NULL
        )
        """,
    ),
    # Queries that have run or are running. ``body`` is JSON; ``size`` about what a row takes.
    (
        """
        CREATE TABLE query_history (
            query_id TEXT PRIMARY KEY,
            process TEXT NOT NULL,
            user_name TEXT NOT NULL,
            state TEXT NOT NULL,
            created_at DOUBLE PRECISION NOT NULL,
            ended_at DOUBLE PRECISION,
            kind TEXT NOT NULL,
            engine TEXT NOT NULL,
            error_code TEXT NOT NULL,
            size INTEGER NOT NULL,
            body TEXT NOT NULL
        )
        """,
        "CREATE INDEX query_history_user ON query_history (user_name, created_at)",
        "CREATE INDEX query_history_time ON query_history (created_at, size)",
        "CREATE INDEX query_history_open ON query_history (created_at) WHERE ended_at IS NULL",
        # Which processes write there: what ran in one that is gone has failed.
        """
        CREATE TABLE history_processes (
            id TEXT PRIMARY KEY,
            home TEXT NOT NULL,
            seen_at DOUBLE PRECISION NOT NULL
        )
        """,
    ),
    # Functions written in SQL. The schema's name is a list of its parts, the function's in small
    # letters; ``body`` is JSON.
    (
        """
        CREATE TABLE sql_functions (
            schema_name TEXT NOT NULL,
            name TEXT NOT NULL,
            owner TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (schema_name, name)
        )
        """,
    ),
    # Catalogs that were attached with SQL. ``properties`` is JSON, secrets in it are references.
    (
        """
        CREATE TABLE attached_catalogs (
            name TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            properties TEXT NOT NULL,
            user_name TEXT NOT NULL,
            changed_at DOUBLE PRECISION NOT NULL
        )
        """,
    ),
    # Grants may end.
    ("ALTER TABLE grants ADD COLUMN valid_until DOUBLE PRECISION",),
)
