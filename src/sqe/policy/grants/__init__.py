"""Rules made with SQL: GRANT, REVOKE, DENY, roles, policies by name, tags. Kept in the store."""
