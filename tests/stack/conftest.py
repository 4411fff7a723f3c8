"""The stack, brought up if it is not there, and an SQE server on it."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from minio import Minio, MinioAdmin

from dev.stack.minio import BUCKET, root_admin, root_client
from dev.stack.people import SQE, Client
from dev.stack.places import ROOT, Places
from dev.stack.stack import Stack
from tests.small_spark import small_spark
from tests.stack.serving import Serving, access_token, serving

# Read before the tests' environment is made: it takes the developer's home and settings away.
_ENVIRON = dict(os.environ)
_PLACES = Places.of(_ENVIRON)
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Real services take their time on a busy machine, and the first test may wait for all."""
    for item in items:
        if item.path.is_relative_to(_HERE) and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(400))


@pytest.fixture(scope="session")
def stack() -> Places:
    """The addresses of a running stack. It is left running: another test run may be using it, and
    `make test-stack` takes down what it brought up."""
    if not all(Stack(_PLACES).running().values()):
        command = [sys.executable, "-m", "dev.stack", "up"]
        subprocess.run(command, cwd=ROOT, env=_ENVIRON, check=True)
    return _PLACES


@pytest.fixture(scope="session")
def stack_environ() -> Mapping[str, str]:
    """For programs that look for the stack themselves: the environment from before the tests."""
    return _ENVIRON


@pytest.fixture(scope="session")
def token(stack: Places) -> Callable[..., str]:
    """``token("alice")``: a new access token of hers, at a client's if one is given."""

    def make(user: str, client: Client = SQE) -> str:
        return access_token(stack, user, client)

    return make


@pytest.fixture(scope="session")
def minio_admin(stack: Places) -> MinioAdmin:
    """Users and policies of the storage."""
    return root_admin(stack)


@pytest.fixture
def account(minio_admin: MinioAdmin) -> Iterator[Callable[[str, list[str]], dict[str, str]]]:
    """Makes accounts of the store that may do these things in a folder of the bucket."""
    made: list[str] = []

    def make(prefix: str, actions: list[str]) -> dict[str, str]:
        name, secret = f"books-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex
        arn = f"arn:aws:s3:::{BUCKET}"
        allowed = [
            {"Effect": "Allow", "Action": actions, "Resource": [f"{arn}/{prefix}/*"]},
            {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": [arn]},
        ]
        policy = {"Version": "2012-10-17", "Statement": allowed}
        minio_admin.policy_add(name, policy=policy)
        minio_admin.user_add(name, secret)
        minio_admin.attach_policy([name], user=name)
        made.append(name)
        return {"key_id": name, "key": secret}

    yield make
    for name in made:
        minio_admin.user_remove(name)
        minio_admin.policy_remove(name)


@pytest.fixture(scope="session")
def storage(stack: Places) -> Minio:
    """The storage as its root sees it: every object."""
    return root_client(stack)


@pytest.fixture(scope="session")
def shared_sqe(
    _isolated_session: None,
    stack: Places,
    tmp_path_factory: pytest.TempPathFactory,
    jar_cache: Path,
) -> Iterator[Serving]:
    """One server, and one Spark if a test needs it, for all tests that leave it as it is."""
    with serving(stack, tmp_path_factory.mktemp("stack home"), _small(jar_cache)) as made:
        yield made


@pytest.fixture
def lakehouse(shared_sqe: Serving) -> Serving:
    return shared_sqe


@pytest.fixture
def another_sqe(
    stack: Places, tmp_path: Path, jar_cache: Path
) -> Callable[..., AbstractContextManager[Serving]]:
    """Servers with settings of their own, given by section: ``with another_sqe(limits={…})``."""

    def make(**changes: Any) -> AbstractContextManager[Serving]:
        home = tmp_path / f"home {uuid.uuid4().hex[:6]}"
        return serving(stack, home, {**_small(jar_cache), **changes})

    return make


def _small(jar_cache: Path) -> dict[str, Any]:
    return {"spark": small_spark(jar_cache, session_conf={"spark.sql.shuffle.partitions": "2"})}
