"""What an administrator of the issuer does: users of a test's own, disabled, logged out."""

from __future__ import annotations

import json
import urllib.request
import uuid
from typing import Any

from dev.stack.keycloak import admin_token
from dev.stack.people import Client
from dev.stack.places import REALM, Places

PASSWORD = "made-for-a-test-pw"


class IssuerAdmin:
    def __init__(self, places: Places) -> None:
        self._keycloak = places.keycloak
        self._ids: dict[str, str] = {}

    def new_user(self, role: str = "analyst") -> str:
        """Their name; the password is ``PASSWORD``."""
        name = f"user-{uuid.uuid4().hex[:8]}"
        credential = {"type": "password", "value": PASSWORD, "temporary": False}
        self._call(
            "POST",
            "users",
            {
                "username": name,
                "enabled": True,
                "email": f"{name}@example.com",
                "emailVerified": True,
                "firstName": "Test",
                "lastName": "Test",
                "credentials": [credential],
            },
        )
        self._ids[name] = self._call("GET", f"users?username={name}&exact=true")[0]["id"]
        found = self._call("GET", f"roles/{role}")
        self._call("POST", f"users/{self._ids[name]}/role-mappings/realm", [found])
        return name

    def enable(self, name: str, enabled: bool) -> None:
        self._call("PUT", f"users/{self._ids[name]}", {"enabled": enabled})

    def log_out(self, name: str) -> None:
        self._call("POST", f"users/{self._ids[name]}/logout")

    def logins(self, name: str) -> int:
        """How many the issuer knows of."""
        return len(self._call("GET", f"users/{self._ids[name]}/sessions"))

    def remove_users(self) -> None:
        for identifier in self._ids.values():
            self._call("DELETE", f"users/{identifier}")
        self._ids.clear()

    def copy_client(self, client: Client, token_s: int) -> Client:
        """One more client like that, whose access tokens live for so many seconds."""
        found = self._call("GET", f"clients?clientId={client.name}")[0]
        copied = {key: value for key, value in found.items() if key not in ("id", "clientId")}
        mappers = [
            {key: value for key, value in mapper.items() if key != "id"}
            for mapper in found.get("protocolMappers") or ()
        ]
        name = f"{client.name}-{uuid.uuid4().hex[:8]}"
        attributes = {**found.get("attributes", {}), "access.token.lifespan": str(token_s)}
        own = {"clientId": name, "secret": client.secret, "protocolMappers": mappers}
        self._call("POST", "clients", {**copied, **own, "attributes": attributes})
        return Client(name, client.secret)

    def remove_client(self, name: str) -> None:
        for found in self._call("GET", f"clients?clientId={name}"):
            self._call("DELETE", f"clients/{found['id']}")

    def _call(self, method: str, path: str, body: object = None) -> Any:
        headers = {
            "authorization": f"Bearer {admin_token(self._keycloak)}",
            "content-type": "application/json",
        }
        url = f"{self._keycloak}/admin/realms/{REALM}/{path}"
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(url, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            content = answer.read()
        return json.loads(content) if content else None


def form_of(user: str, password: str, client: Client) -> dict[str, str]:
    """For a password grant of the test's own."""
    return {
        "client_id": client.name,
        "client_secret": client.secret,
        "username": user,
        "password": password,
        "scope": "openid",
    }
