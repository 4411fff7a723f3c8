"""MinIO: object storage with S3's and STS's addresses. For tests only: AGPL, not kept up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from minio import Minio as S3
from minio import MinioAdmin
from minio.credentials.providers import StaticProvider

from dev.stack.fetch import GoProgram
from dev.stack.people import SQE
from dev.stack.places import HOST, Places
from dev.stack.processes import Command
from dev.stack.service import answers

_PROGRAM = GoProgram(
    "github.com/minio/minio",
    "v0.0.0-20260212201848-7aac2a2c5b7c",
    "h1:/qdoYujxF5MBLDMVLeiYJ/7fBa1HikX39Dvzb9Ji8pA=",
)
REGION = "us-east-1"
BUCKET = "warehouse"
ROOT_USER = "minio-root"
ROOT_PASSWORD = "minio-root-secret"
# The catalogs' own users: what they vend can be no more than what they may.
USERS = {"nessie": "nessie-secret-key", "testcatalog": "testcatalog-secret-key"}
_POLICY = "warehouse"
LANDING = "landing"  # the bucket that people load files from, each role from its own folder
LANDING_FOLDERS = {"analyst": "analysts", "engineer": "engineers"}


class Minio:
    name = "minio"
    needs: tuple[str, ...] = ("keycloak",)

    def __init__(self, places: Places) -> None:
        self._places = places
        self.port = places.port(19000)
        self._program = places.cache / f"minio-{_PROGRAM.version}"

    def prepare(self) -> None:
        if not self._program.exists():
            _PROGRAM.build(self._program)

    def command(self, folder: Path) -> Command:
        data = folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        address = f"{HOST}:{self.port}"
        arguments = (str(self._program), "server", "--address", address, "--quiet", str(data))
        return Command(
            arguments,
            {
                "MINIO_ROOT_USER": ROOT_USER,
                "MINIO_ROOT_PASSWORD": ROOT_PASSWORD,
                "MINIO_SITE_REGION": REGION,
                "MINIO_BROWSER": "off",
                "MINIO_UPDATE": "off",
                # STS takes Keycloak's tokens; a role in them is the name of a policy here.
                "MINIO_IDENTITY_OPENID_CONFIG_URL": (
                    f"{self._places.issuer}/.well-known/openid-configuration"
                ),
                "MINIO_IDENTITY_OPENID_CLIENT_ID": SQE.name,
                "MINIO_IDENTITY_OPENID_CLAIM_NAME": "roles",
            },
            json.dumps(_landing_policies()),
        )

    def ready(self) -> bool:
        return answers(f"{self._places.minio}/minio/health/ready")

    def provision(self) -> None:
        storage = root_client(self._places)
        for bucket in (BUCKET, LANDING):
            if not storage.bucket_exists(bucket):
                storage.make_bucket(bucket)
        admin = root_admin(self._places)
        admin.policy_add(_POLICY, policy=_whole_bucket())
        for role, policy in _landing_policies().items():
            admin.policy_add(role, policy=policy)
        for user, secret in USERS.items():
            admin.user_add(user, secret)
            attached = json.loads(admin.user_info(user)).get("policyName", "")
            if _POLICY not in attached.split(","):  # attaching it again is refused
                admin.attach_policy([_POLICY], user=user)


def root_client(places: Places) -> S3:
    return S3(
        endpoint=f"{HOST}:{places.port(19000)}",
        access_key=ROOT_USER,
        secret_key=ROOT_PASSWORD,
        region=REGION,
        secure=False,
    )


def root_admin(places: Places) -> MinioAdmin:
    """Users and policies, and who is cut off."""
    return MinioAdmin(
        endpoint=f"{HOST}:{places.port(19000)}",
        credentials=StaticProvider(ROOT_USER, ROOT_PASSWORD),
        region=REGION,
        secure=False,
    )


def _whole_bucket() -> dict[str, object]:
    resources = [f"arn:aws:s3:::{BUCKET}", f"arn:aws:s3:::{BUCKET}/*"]
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["s3:*"], "Resource": resources}],
    }


def _landing_policies() -> dict[str, dict[str, Any]]:
    """By role, which is the policy's name, too."""
    return {role: _folder(LANDING, folder) for role, folder in LANDING_FOLDERS.items()}


def _folder(bucket: str, folder: str) -> dict[str, Any]:
    arn = f"arn:aws:s3:::{bucket}"
    listing = {"StringLike": {"s3:prefix": [f"{folder}/*"]}}
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["s3:GetObject", "s3:PutObject"],
                "Resource": [f"{arn}/{folder}/*"],
            },
            {
                "Effect": "Allow",
                "Action": ["s3:ListBucket"],
                "Resource": [arn],
                "Condition": listing,
            },
        ],
    }
