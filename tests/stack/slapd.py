"""A real slapd, unpacked from Debian's packages: nothing of the machine is changed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dev.stack.fetch import coming, run, tool
from tests.unit.server.certificates import Authority

# slapd, and what of its libraries a small system lacks.
PACKAGES = ("slapd", "libltdl7", "libodbc2", "libwrap0", "libnsl2", "libargon2-1")
BASE = "dc=example,dc=org"
ADMIN, ADMIN_PASSWORD = f"cn=admin,{BASE}", "admin-pw"

CONFIG = """
include {schema}/core.schema
include {schema}/cosine.schema
include {schema}/inetorgperson.schema
modulepath {modules}
moduleload back_mdb.la
pidfile {folder}/slapd.pid
TLSCACertificateFile {folder}/ca.pem
TLSCertificateFile {folder}/tls.pem
TLSCertificateKeyFile {folder}/tls.key
# What RFC 4513 warns of: a name and no password is let in, as nobody.
allow bind_anon_dn
database mdb
maxsize 10485760
suffix "dc=example,dc=org"
rootdn "cn=admin,dc=example,dc=org"
rootpw admin-pw
directory {folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by users read by * none
"""

PEOPLE = {"alice": "alice", "bob": "bob", "smith, john": "smith\\, john", "star*(x)": "star*(x)"}


def entries() -> str:
    """Password of each is the name and `-pw`; alice and John Smith are analysts, bob an admin."""
    text = [
        f"dn: {BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example"
    ]
    for unit in ("people", "groups"):
        text.append(f"dn: ou={unit},{BASE}\nobjectClass: organizationalUnit\nou: {unit}")
    for name, written in PEOPLE.items():
        text.append(
            f"dn: uid={written},ou=people,{BASE}\nobjectClass: inetOrgPerson\nuid: {name}\n"
            f"cn: {name}\nsn: {name}\nuserPassword: {name}-pw"
        )
    for group, members in {"analysts": ("alice", "smith\\, john"), "admins": ("bob",)}.items():
        lines = "".join(f"\nmember: uid={one},ou=people,{BASE}" for one in members)
        text.append(
            f"dn: cn={group},ou=groups,{BASE}\nobjectClass: groupOfNames\ncn: {group}{lines}"
        )
    return "\n\n".join(text) + "\n"


@dataclass(frozen=True)
class Directory:
    url: str
    secure_url: str
    authorities: Path
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def installed(cache: Path) -> Path:
    """The folder that has slapd under `usr/sbin`."""
    if shutil.which("slapd") and Path("/usr/lib/ldap").is_dir():
        return Path("/")
    root = cache / "slapd"
    if not root.is_dir():
        with coming(root) as made:
            run([tool("apt-get", "Debian's apt"), "download", *PACKAGES], made.parent)
            for package in made.parent.glob("*.deb"):
                run([tool("dpkg", "dpkg"), "-x", str(package), str(made)], made.parent)
    return root


@contextmanager
def directory(cache: Path, folder: Path) -> Iterator[Directory]:
    root = installed(cache)
    authority = Authority()
    pair = authority.server()
    for name, content in {
        "ca.pem": authority.pem,
        "tls.pem": pair.certificate,
        "tls.key": pair.key,
        "entries.ldif": entries().encode(),
    }.items():
        (folder / name).write_bytes(content)
    (folder / "data").mkdir()
    places = {"schema": root / "etc/ldap/schema", "modules": root / "usr/lib/ldap"}
    config = folder / "slapd.conf"
    config.write_text(CONFIG.format(folder=folder, **places))
    libraries = ":".join(str(path) for path in sorted((root / "usr/lib").glob("*-linux-gnu")))
    environ = {**os.environ, "LD_LIBRARY_PATH": libraries}
    program = str(root / "usr/sbin/slapd")
    load = [program, "-T", "add", "-f", str(config), "-l", str(folder / "entries.ldif")]
    subprocess.run(load, env=environ, check=True, capture_output=True)
    plain, secure = (f"{kind}://127.0.0.1:{free_port()}" for kind in ("ldap", "ldaps"))
    # With -d it stays in the foreground, and says what it does.
    command = [program, "-f", str(config), "-h", f"{plain} {secure}", "-d", "0"]
    process = subprocess.Popen(command, env=environ)
    try:
        wait_for(int(secure.rpartition(":")[2]), process)
        yield Directory(plain, secure, folder / "ca.pem", process)
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "slapd has ended"
        with socket.socket() as knock:
            if knock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("slapd does not listen")
