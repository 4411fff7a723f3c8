"""Brings all services up, each as soon as what it needs is there, and down again."""

from __future__ import annotations

import fcntl
import shutil
import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from dev.stack.catalog import ContractCatalog
from dev.stack.hive import Hive
from dev.stack.keycloak import Keycloak
from dev.stack.messages import StackError, say
from dev.stack.minio import Minio
from dev.stack.nessie import Nessie
from dev.stack.opa import Opa
from dev.stack.places import HOST, Places
from dev.stack.processes import Processes
from dev.stack.service import Service

BOOT_S = 300.0  # a machine that is busy with other things takes its time


class Stack:
    def __init__(self, places: Places) -> None:
        self.places = places
        # In an order in which each comes after what it needs.
        self.services: tuple[Service, ...] = (
            Keycloak(places),
            Minio(places),
            ContractCatalog(places),
            Nessie(places),
            Opa(places),
            Hive(places),
        )
        self._processes = Processes(places.state)

    def up(self) -> bool:
        """Whether anything had to be started. Two callers at once: the second finds all there."""
        with self._alone(), ThreadPoolExecutor(len(self.services)) as pool:
            coming: dict[str, Future[bool]] = {}
            for service in self.services:
                needed = [coming[name] for name in service.needs]
                coming[service.name] = pool.submit(self._bring_up, service, needed)
            failures = [error for future in coming.values() if (error := future.exception())]
            if failures:
                raise failures[0]
            return any(future.result() for future in coming.values())

    def down(self) -> list[str]:
        """Stops what runs and forgets its data; the names of what it stopped."""
        if not self.places.state.exists():
            return []
        with self._alone():
            names = [service.name for service in reversed(self.services)]
            stopped = [name for name in names if self._processes.stop(name)]
            for entry in self.places.state.iterdir():
                if entry.is_dir():
                    shutil.rmtree(entry)
        return stopped

    def running(self) -> dict[str, bool]:
        """Of each service, whether it is up and well."""
        return {
            service.name: self._processes.record(service.name) is not None and service.ready()
            for service in self.services
        }

    def _bring_up(self, service: Service, needed: list[Future[bool]]) -> bool:
        service.prepare()
        for future in needed:
            future.result()
        folder = self.places.state / service.name
        folder.mkdir(parents=True, exist_ok=True)
        command = service.command(folder)
        record = self._processes.record(service.name)
        if record is not None and record.fingerprint == command.fingerprint and service.ready():
            if not record.provisioned:
                self._provision(service)
            return False
        self._processes.stop(service.name)
        self._refuse_strangers(service)
        began = time.monotonic()
        self._processes.start(service.name, command)
        self._wait(service)
        self._provision(service)
        say(f"{service.name} is up after {time.monotonic() - began:.0f} s")
        return True

    def _provision(self, service: Service) -> None:
        service.provision()
        self._processes.mark_provisioned(service.name)

    def _wait(self, service: Service) -> None:
        end = time.monotonic() + BOOT_S
        while not service.ready():
            if self._processes.record(service.name) is None:
                raise self._failure(service, "ended")
            if time.monotonic() > end:
                raise self._failure(service, f"was not ready within {BOOT_S:.0f} s")
            time.sleep(0.2)

    def _failure(self, service: Service, what: str) -> StackError:
        log = self._processes.log(service.name)
        said = log.read_text(errors="replace")[-2000:]
        return StackError(f"{service.name} {what}. The end of {log}:\n{said}")

    def _refuse_strangers(self, service: Service) -> None:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, service.port)) == 0:
                raise StackError(
                    f"Port {service.port}, which {service.name} is to have, is taken by a program "
                    "that this stack did not start. Stop it, or set SQE_STACK_OFFSET."
                )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self.places.state.mkdir(parents=True, exist_ok=True)
        with (self.places.state / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
