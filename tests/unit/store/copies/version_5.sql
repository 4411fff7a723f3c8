BEGIN TRANSACTION;
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
        );
INSERT INTO "api_keys" VALUES('k1','nightly','loader','[]','["etl"]','["all"]','abababababababababababababababababababababababababababababababab',1760000000.0,NULL,NULL,NULL);
CREATE TABLE attached_catalogs (
            name TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            properties TEXT NOT NULL,
            user_name TEXT NOT NULL,
            changed_at DOUBLE PRECISION NOT NULL
        );
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
        );
CREATE TABLE history_processes (
            id TEXT PRIMARY KEY,
            home TEXT NOT NULL,
            seen_at DOUBLE PRECISION NOT NULL
        );
CREATE TABLE owners (
            relation TEXT PRIMARY KEY,
            uuid TEXT NOT NULL,
            user_name TEXT NOT NULL,
            digest TEXT NOT NULL,
            changed_at DOUBLE PRECISION NOT NULL
        );
CREATE TABLE policies (
            name TEXT PRIMARY KEY,
            row_filter TEXT,
            mask TEXT,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL
        );
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
        );
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
        );
CREATE TABLE role_grants (
            role TEXT NOT NULL,
            subject_kind TEXT NOT NULL,
            subject TEXT NOT NULL,
            admin_option INTEGER NOT NULL,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (role, subject_kind, subject)
        );
CREATE TABLE roles (
            name TEXT PRIMARY KEY,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL
        );
INSERT INTO "roles" VALUES('analyst','root',1760000000.0);
CREATE TABLE rule_changes (
            number INTEGER PRIMARY KEY,
            made_at DOUBLE PRECISION NOT NULL,
            made_by TEXT NOT NULL,
            what TEXT NOT NULL
        );
CREATE TABLE rules_version (version INTEGER NOT NULL);
INSERT INTO "rules_version" VALUES(7);
CREATE TABLE sqe_version (version INTEGER);
INSERT INTO "sqe_version" VALUES(1);
INSERT INTO "sqe_version" VALUES(2);
INSERT INTO "sqe_version" VALUES(3);
INSERT INTO "sqe_version" VALUES(4);
INSERT INTO "sqe_version" VALUES(5);
CREATE TABLE sql_functions (
            schema_name TEXT NOT NULL,
            name TEXT NOT NULL,
            owner TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (schema_name, name)
        );
CREATE TABLE tags (
            id TEXT PRIMARY KEY,
            tag TEXT NOT NULL,
            name TEXT NOT NULL,
            column_name TEXT NOT NULL,
            field_id INTEGER,
            table_uuid TEXT NOT NULL,
            made_by TEXT NOT NULL,
            made_at DOUBLE PRECISION NOT NULL
        );
CREATE UNIQUE INDEX api_keys_name ON api_keys (name) WHERE revoked_at IS NULL;
CREATE INDEX query_history_user ON query_history (user_name, created_at);
CREATE INDEX query_history_time ON query_history (created_at, size);
CREATE INDEX query_history_open ON query_history (created_at) WHERE ended_at IS NULL;
COMMIT;
