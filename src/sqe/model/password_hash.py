"""The text that stands for a password in the settings, and what it costs to check one."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field

_FORM = "scrypt$ln=…,r=…,p=…$salt$hash"
_MEMORY = 256 * 1024 * 1024  # one check may not take more


@dataclass(frozen=True, slots=True)
class ScryptCost:
    """scrypt's own numbers: 2**ln rounds of blocks of r, p times. The smallest are the least that
    is still thought safe."""

    ln: int = 14
    r: int = 8
    p: int = 5

    def __post_init__(self) -> None:
        if not (14 <= self.ln <= 20 and 8 <= self.r <= 32 and 1 <= self.p <= 16):
            raise ValueError("its cost must be within ln=14…20, r=8…32, p=1…16")
        if self.memory > _MEMORY:
            raise ValueError("checking it would take more than 256 MB")

    @property
    def memory(self) -> int:
        """Bytes that one check needs."""
        return 128 * self.r * ((1 << self.ln) + self.p + 2)


@dataclass(frozen=True, slots=True)
class PasswordHash:
    """Not the password, but still nothing to show: who has it can try passwords on it."""

    cost: ScryptCost
    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> PasswordHash:
        """ValueError, without the text, if it is not of the form that ``write`` gives."""
        try:
            kind, cost, salt, digest = text.split("$")
            names = dict(pair.split("=") for pair in cost.split(","))
            numbers = {name: int(number) for name, number in names.items()}
            raw = _decoded(salt), _decoded(digest)
        except ValueError:
            raise ValueError(f"it is not of the form {_FORM}; make one with `sqe password`") from (
                None
            )
        if kind != "scrypt" or set(numbers) != {"ln", "r", "p"}:
            raise ValueError(f"it is not of the form {_FORM}; make one with `sqe password`")
        if len(raw[0]) < 16 or len(raw[1]) < 32:
            raise ValueError("its salt or hash is too short; make one with `sqe password`")
        return cls(ScryptCost(**numbers), *raw)

    def write(self) -> str:
        cost = f"ln={self.cost.ln},r={self.cost.r},p={self.cost.p}"
        return f"scrypt${cost}${_encoded(self.salt)}${_encoded(self.digest)}"


def _encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
