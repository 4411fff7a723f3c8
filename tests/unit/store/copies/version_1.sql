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
CREATE TABLE sqe_version (version INTEGER);
INSERT INTO "sqe_version" VALUES(1);
CREATE UNIQUE INDEX api_keys_name ON api_keys (name) WHERE revoked_at IS NULL;
COMMIT;
