"""Who and what is known to the stack's Keycloak: users, clients, two realms.

Claims of a token: ``preferred_username``, ``groups``, ``roles``, and ``polaris.roles`` as Polaris
wants it. The passwords are for a machine of one's own and guard nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dev.stack.places import PARTNER, REALM

Json = dict[str, Any]

OIDC = "openid-connect"
LOOPBACK = [
    f"{scheme}://{host}:*" for scheme in ("http", "https") for host in ("localhost", "127.0.0.1")
]
SHORT_S = 4  # how long an access token of the client `sqe-short` lives
CROWD = 100  # users u000 to u099


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    role: str
    groups: tuple[str, ...] = ()
    enabled: bool = True
    prefix: str = ""  # of the password, where a name is in both realms
    alone: bool = False  # has a role of its own name, too, for what only they may see

    @property
    def roles(self) -> tuple[str, ...]:
        return (self.role, self.name) if self.alone else (self.role,)

    @property
    def password(self) -> str:
        return f"{self.prefix}{self.name}-pw"


ADMINISTRATOR = Person("carol", "admin", ("admins", "engineers"))
PEOPLE = (
    Person("alice", "analyst", ("analysts",)),
    Person("bob", "engineer", ("engineers",)),
    ADMINISTRATOR,
    Person("mallory", "engineer", ("engineers",), enabled=False),
)
MANY = tuple(Person(f"u{number:03}", "reader", ("readers",), alone=True) for number in range(CROWD))
PARTNERS = (
    Person("alice", "engineer", ("engineers",), prefix="partner-"),
    Person("dave", "analyst", ("analysts",)),
)


@dataclass(frozen=True, slots=True)
class Client:
    """An OAuth2 client; without a secret it is a public one."""

    name: str
    secret: str = ""


SQE = Client("sqe", "sqe-secret")
SHORT = Client("sqe-short", "sqe-short-secret")
CLI = Client("sqe-cli")
CATALOG = Client("polaris", "polaris-secret")  # who tokens are for, besides SQE


def realms() -> tuple[Json, ...]:
    """What Keycloak is given, as its administrators write it."""
    return _realm(REALM, PEOPLE + MANY), _realm(PARTNER, PARTNERS)


def _realm(name: str, people: tuple[Person, ...]) -> Json:
    roles = sorted({role for person in people for role in person.roles})
    groups = sorted({group for person in people for group in person.groups})
    return {
        "realm": name,
        "enabled": True,
        "sslRequired": "none",
        "accessTokenLifespan": 300,
        "ssoSessionIdleTimeout": 1800,
        "ssoSessionMaxLifespan": 36000,
        "oauth2DeviceCodeLifespan": 600,
        "oauth2DevicePollingInterval": 1,
        # Costly hashes would make a hundred logins at once a test of this machine.
        "passwordPolicy": "hashAlgorithm(pbkdf2-sha256) and hashIterations(1)",
        "roles": {"realm": [{"name": role} for role in roles]},
        "groups": [{"name": group, "path": f"/{group}"} for group in groups],
        "users": [_user(person) for person in people],
        "clients": [_sqe(), _short(), _cli(), _catalog()],
    }


def _user(person: Person) -> Json:
    return {
        "username": person.name,
        "enabled": person.enabled,
        "email": f"{person.name}@example.com",
        "emailVerified": True,
        "firstName": person.name.capitalize(),
        "lastName": "Test",
        "requiredActions": [],
        "credentials": [{"type": "password", "value": person.password, "temporary": False}],
        "realmRoles": list(person.roles),
        "groups": [f"/{group}" for group in person.groups],
    }


def _sqe() -> Json:
    attributes = {
        "oauth2.device.authorization.grant.enabled": "true",
        "standard.token.exchange.enabled": "true",
        "standard.token.exchange.enableRefreshRequestedTokenType": "SAME_SESSION",
    }
    return _client(SQE, attributes)


def _short() -> Json:
    """Its tokens end while a test watches."""
    attributes = {
        "access.token.lifespan": str(SHORT_S),
        "standard.token.exchange.enabled": "true",
    }
    return _client(SHORT, attributes)


def _cli() -> Json:
    # Asking for PKCE here would ask for it in the device flow, too.
    return _client(CLI, {"oauth2.device.authorization.grant.enabled": "true"})


def _catalog() -> Json:
    flows = {"standardFlowEnabled": False, "directAccessGrantsEnabled": False}
    return {**_client(CATALOG, {}), **flows, "protocolMappers": []}


def _client(client: Client, attributes: dict[str, str]) -> Json:
    known: Json = {"publicClient": True}
    if client.secret:
        known = {
            "publicClient": False,
            "secret": client.secret,
            "clientAuthenticatorType": "client-secret",
            "serviceAccountsEnabled": True,
        }
    return {
        "clientId": client.name,
        "enabled": True,
        "protocol": OIDC,
        **known,
        "standardFlowEnabled": True,
        "directAccessGrantsEnabled": True,
        "redirectUris": LOOPBACK,
        "webOrigins": ["+"],
        "attributes": attributes,
        "protocolMappers": _mappers(),
    }


def _mappers() -> list[Json]:
    roles = {"multivalued": "true", "jsonType.label": "String"}
    prefix = {"usermodel.realmRoleMapping.rolePrefix": "PRINCIPAL_ROLE:"}
    role = "oidc-usermodel-realm-role-mapper"
    groups = {"full.path": "false", "claim.name": "groups"}
    return [
        _mapper("groups", "oidc-group-membership-mapper", groups),
        _mapper("roles", role, {**roles, "claim.name": "roles"}),
        # The dot makes it nested: {"polaris": {"roles": […]}}.
        _mapper("polaris-roles", role, {**roles, **prefix, "claim.name": "polaris.roles"}),
        *(
            _mapper(f"aud-{c.name}", "oidc-audience-mapper", {"included.client.audience": c.name})
            for c in (SQE, CATALOG)
        ),
    ]


def _mapper(name: str, kind: str, config: dict[str, str]) -> Json:
    everywhere = {"access.token.claim": "true", "introspection.token.claim": "true"}
    return {
        "name": name,
        "protocol": OIDC,
        "protocolMapper": kind,
        "config": {**everywhere, **config},
    }
