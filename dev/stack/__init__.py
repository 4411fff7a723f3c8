"""The real services that tests and the quickstart run on: Keycloak, MinIO, Nessie, OPA, a
test catalog.

``python -m dev.stack up`` fetches what is missing, starts what is not running and says where it is;
``down`` stops all of it. Everything listens on loopback and holds throw-away data and passwords.
"""
