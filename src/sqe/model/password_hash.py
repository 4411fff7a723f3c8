"""The text that stands for a password in the settings, and what it costs to check one."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field

_FORM = "$argon2id$v=19$m=…,t=…,p=…$salt$hash"
_MEMORY = 256 * 1024 * 1024  # one check may not take more
_VERSION = "v=19"  # of argon2; the one that is in use


@dataclass(frozen=True, slots=True)
class Argon2Cost:
    """argon2id's own numbers: m KB of memory, t rounds, p lanes. What new hashes have; less than
    the smallest allowed is not thought safe any more."""

    m: int = 19_456
    t: int = 2
    p: int = 1

    def __post_init__(self) -> None:
        if not (7_168 <= self.m <= 262_144 and 1 <= self.t <= 16 and 1 <= self.p <= 8):
            raise ValueError("its cost must be within m=7168…262144, t=1…16, p=1…8")
        if self.m * self.t < 35_840:
            raise ValueError("its cost is too small: m times t must be 35840 or more")


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


Cost = Argon2Cost | ScryptCost


@dataclass(frozen=True, slots=True)
class PasswordHash:
    """Not the password, but still nothing to show: who has it can try passwords on it."""

    cost: Cost
    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> PasswordHash:
        """ValueError, without the text, if it is not of a form that ``write`` gives."""
        try:
            *kind, cost, salt, digest = text.split("$")
            names = dict(pair.split("=") for pair in cost.split(","))
            numbers = {name: int(number) for name, number in names.items()}
            raw = _decode(salt), _decode(digest)
        except ValueError:
            raise _hash_error() from None
        if len(raw[0]) < 16 or len(raw[1]) < 32:
            raise ValueError("its salt or hash is too short; make one with `sqe password`")
        if kind == ["", "argon2id", _VERSION] and set(numbers) == {"m", "t", "p"}:
            return cls(Argon2Cost(**numbers), *raw)
        if kind == ["scrypt"] and set(numbers) == {"ln", "r", "p"}:
            return cls(ScryptCost(**numbers), *raw)
        raise _hash_error()

    def write(self) -> str:
        cost = self.cost
        if isinstance(cost, Argon2Cost):
            begin = f"$argon2id${_VERSION}$m={cost.m},t={cost.t},p={cost.p}"
        else:
            begin = f"scrypt$ln={cost.ln},r={cost.r},p={cost.p}"
        return f"{begin}${_encode(self.salt)}${_encode(self.digest)}"


def _hash_error() -> ValueError:
    return ValueError(f"it is not of the form {_FORM}; make one with `sqe password`")


def _encode(raw: bytes) -> str:
    return base64.b64encode(raw).decode().rstrip("=")


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
