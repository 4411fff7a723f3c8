"""Keycloak: the issuer of tokens."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from dev.stack.fetch import SHORT_LIVED, coming, fetch, java, run
from dev.stack.messages import StackError, say
from dev.stack.people import SQE, Person, realms
from dev.stack.places import HOST, Places
from dev.stack.processes import Command
from dev.stack.service import answers, content, status
from sqe.engines.spark.ivy import Artifact

VERSION = "26.7.3"
_ARCHIVE = Artifact(
    "org.keycloak",
    "keycloak-quarkus-dist",
    VERSION,
    "77657f30b7e90d70f727712ce1c967f430fd6a5e9f458d32d8c6df0635345f47",
    extension="tar.gz",
)
# What Keycloak is built for, once: with other options a start would build it again.
_BUILD = ("--db=dev-mem", "--health-enabled=false", "--metrics-enabled=false")
ADMIN = "admin"
ADMIN_PASSWORD = "admin-pw"


class Keycloak:
    name = "keycloak"
    needs: tuple[str, ...] = ()

    def __init__(self, places: Places) -> None:
        self._places = places
        self.port = places.port(18180)
        self._home = places.cache / f"keycloak-{VERSION}"

    def prepare(self) -> None:
        if self._home.exists():
            return
        archive = fetch(_ARCHIVE, self._places.cache)
        with coming(self._home) as made:
            made.mkdir()
            subprocess.run(["tar", "-xzf", archive, "-C", made, "--strip-components=1"], check=True)
            say("building Keycloak, once")
            # Starts of a built one take seconds, of any other more than a minute.
            run([str(made / "bin" / "kc.sh"), "build", *_BUILD], made, _environment())
        archive.unlink()

    def command(self, folder: Path) -> Command:
        arguments = (
            str(self._home / "bin" / "kc.sh"),
            "start",
            "--optimized",
            "--http-enabled=true",
            f"--http-host={HOST}",
            f"--http-port={self.port}",
            # The issuer is the address it was asked at, so that tests can put a proxy before it.
            "--hostname-strict=false",
            "--cache=local",
        )
        admin = {
            "KC_BOOTSTRAP_ADMIN_USERNAME": ADMIN,
            "KC_BOOTSTRAP_ADMIN_PASSWORD": ADMIN_PASSWORD,
        }
        return Command(arguments, {**_environment(), **admin}, json.dumps(realms()))

    def ready(self) -> bool:
        return answers(f"{self._places.keycloak}/realms/master")

    def provision(self) -> None:
        token = admin_token(self._places.keycloak)
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        for realm in realms():
            url = f"{self._places.keycloak}/admin/realms"
            code = status(url, json.dumps(realm).encode(), headers)
            if code not in (201, 409):  # 409: it is there
                raise StackError(f"Keycloak refused the realm {realm['realm']}: HTTP {code}.")


def _environment() -> dict[str, str]:
    return {
        "JAVA_HOME": str(java()),
        "JAVA_OPTS_KC_HEAP": "-Xms64m -Xmx512m",
        "JAVA_OPTS_APPEND": SHORT_LIVED,
    }


def admin_token(keycloak: str) -> str:
    """For Keycloak's own administration: the realm ``master``."""
    return password_grant(
        f"{keycloak}/realms/master",
        {"client_id": "admin-cli", "username": ADMIN, "password": ADMIN_PASSWORD},
    )


def token_of(places: Places, person: Person) -> str:
    """An access token of that person, through SQE's own client."""
    return password_grant(
        places.issuer,
        {
            "client_id": SQE.name,
            "client_secret": SQE.secret,
            "username": person.name,
            "password": person.password,
        },
    )


def password_grant(issuer: str, fields: dict[str, str]) -> str:
    """The access token for a user's name and password."""
    form = urllib.parse.urlencode({"grant_type": "password", **fields}).encode()
    request = urllib.request.Request(f"{issuer}/protocol/openid-connect/token", form)
    try:
        return str(json.loads(content(request))["access_token"])
    except urllib.error.HTTPError as error:
        with error:
            said = error.read().decode(errors="replace")
        raise StackError(f"Keycloak gives {fields.get('username')} no token: {said}") from None
