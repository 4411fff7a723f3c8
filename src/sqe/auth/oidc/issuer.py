"""One issuer, and whether a token is a good one of its."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqe.auth.oidc.claims import ClaimNames, Person, person_in, texts
from sqe.auth.oidc.compact import LONGEST, Compact, is_jwt, parse_compact
from sqe.auth.oidc.keys import Keys
from sqe.auth.oidc.provider import GrantRefused, Provider
from sqe.auth.refusal import credential_error
from sqe.errors import AccessError, ErrorCode
from sqe.model.identity import Identity, Secret
from sqe.model.passport import Passport, Token

_log = logging.getLogger(__name__)
_TYPES = ("jwt", "at+jwt", "application/at+jwt")  # of a header; a missing one is a JWT's
_KINDS = ("bearer", "at+jwt", "jwt", "access_token")  # of Keycloak's claim of that name
_SESSION = "sid"


@dataclass(frozen=True, slots=True)
class IssuerOptions:
    audiences: frozenset[str]
    algorithms: frozenset[str]
    claims: ClaimNames = field(default_factory=ClaimNames)
    skew_s: float = 10.0
    introspect: Literal["never", "opaque", "always"] = "never"
    introspect_s: float = 10.0
    password_grant: bool = False
    programs: frozenset[str] = frozenset()
    refresh: bool = True


@dataclass(frozen=True, slots=True)
class Verified:
    """A token found good: whose, of which login, until when. ``until`` is for remembering it."""

    issuer: Issuer = field(repr=False)
    person: Person
    subject: str
    login: str
    token: Token
    until: float
    generation: int  # of the keys it was checked with

    def identity(self, passport: Passport | None = None) -> Identity:
        """Each with a passport of its own: one session's end must not be another's."""
        person = self.person
        passport = passport or self.issuer.passport(self.token, self.login)
        return Identity(
            person.user,
            person.groups,
            person.roles,
            self.issuer.name,
            passport,
            claims=person.claims,
        )


class Issuer:
    """Thread-safe."""

    def __init__(
        self,
        provider: Provider,
        options: IssuerOptions,
        keys: Keys,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.name = provider.issuer
        self.provider = provider
        self.options = options
        self.keys = keys
        self._clock = clock
        self._lock = threading.Lock()
        self._passports: weakref.WeakSet[Passport] = weakref.WeakSet()

    def verify(self, token: Secret) -> Verified:
        """A token that the issuer has just given, checked as if anybody had shown it."""
        if not is_jwt(token.reveal()) and self.options.introspect != "never":
            return self.introspect(token)
        compact = parse_compact(token.reveal())
        if compact is None:
            raise self._refusal("it is no signed JWT")
        return self.verify_jwt(compact, token)

    def verify_jwt(self, compact: Compact, token: Secret) -> Verified:
        """A JWT, checked in full. AUTHENTICATION_FAILED, ISSUER_UNAVAILABLE."""
        try:
            generation = self._check_signature(compact)
            verified = self._check_claims(compact.claims, token, generation)
        except ValueError as error:
            raise self._refusal(str(error)) from None
        if self.options.introspect != "always":
            return verified
        return self.introspect(token, verified)

    def introspect(self, token: Secret, verified: Verified | None = None) -> Verified:
        """What the issuer says of the token now; it must not be about another user."""
        if len(token.reveal()) > LONGEST:
            raise self._refusal("it is too long")
        answer = self.provider.introspect(token)
        try:
            if answer.get("active") is not True:
                raise ValueError("the issuer says that it is not active")
            verified_now = self._check_claims(
                _complete_claims(answer, self.name), token, self.keys.generation
            )
            if verified is not None and verified_now.subject != verified.subject:
                raise ValueError("the issuer says that it is somebody else's")
        except ValueError as error:
            raise self._refusal(str(error)) from None
        until = min(verified_now.until, self._clock() + self.options.introspect_s)
        known = verified or verified_now
        return Verified(
            self, known.person, known.subject, known.login, known.token, until, known.generation
        )

    def passport(self, token: Token, login: str) -> Passport:
        passport = Passport(token, login, self.exchange, self._clock)
        if self.options.introspect == "always":
            with self._lock:
                self._passports.add(passport)
        return passport

    def look(self) -> None:
        """Where every token is asked about: ends passports whose tokens the issuer has withdrawn.
        While it is down they go on until they expire."""
        with self._lock:
            passports = [
                open_passport for open_passport in self._passports if not open_passport.expired
            ]
        active: dict[Secret, bool] = {}
        for passport in passports:
            try:
                token = passport.token()
                if token not in active:
                    active[token] = self.provider.introspect(token).get("active") is True
            except AccessError:
                continue  # it has just expired
            if not active[token]:
                _log.info("a token of %s was withdrawn", self.name)
                passport.end()

    def exchange(self, token: Token, audience: str) -> Token:
        """For a passport: what the catalog of that audience is shown."""
        if not self.provider.client.id:
            raise _not_exchanged(audience, "SQE has no client_id at the identity provider")
        try:
            exchanged = self.provider.exchange(token.value, audience)
        except GrantRefused as refused:
            _log.info("no token of %s for %s: %s", self.name, audience, refused.reason)
            raise _not_exchanged(audience, "the identity provider does not allow it") from None
        # Whatever it says, it does not outlive what it was made of.
        ends = [
            candidate.expires_at
            for candidate in (exchanged, token)
            if candidate.expires_at is not None
        ]
        return Token(exchanged.value, min(ends, default=None))

    def _check_signature(self, compact: Compact) -> int:
        """The generation of the keys that it is signed with. ValueError: by none of them."""
        header = compact.header
        algorithm, key_id = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in self.options.algorithms:
            raise ValueError("its algorithm is not accepted")
        kind = header.get("typ", "JWT")
        if not isinstance(kind, str) or kind.lower() not in _TYPES:
            raise ValueError("it is no access token by its type")
        if "crit" in header or "cty" in header or "b64" in header:
            raise ValueError("its header wants something that SQE does not do")
        if key_id is not None and not isinstance(key_id, str):
            raise ValueError("its kid is no text")
        # Of the header nothing else counts: jku, x5u, jwk and x5c would name a forger's own key.
        keys, generation = self.keys.find(key_id, algorithm)
        if not any(key.verifies(algorithm, compact.signed, compact.signature) for key in keys):
            raise ValueError("it is not signed with a key of the issuer")
        return generation

    def _check_claims(self, claims: Mapping[str, Any], token: Secret, generation: int) -> Verified:
        now, skew = self._clock(), self.options.skew_s
        expires = _time(claims, "exp")
        if expires is None or now >= expires + skew:
            raise ValueError("it has expired, or does not say when it does")
        for name in ("nbf", "iat"):
            if (_time(claims, name) or 0.0) > now + skew:
                raise ValueError(f"it is not valid yet by its {name}")
        if claims.get("iss") != self.name:
            raise ValueError("it is of another issuer")
        if not self.options.audiences.intersection(texts(claims.get("aud"))):
            raise ValueError("it is meant for another audience")
        kind = claims.get("typ", "Bearer")
        if not isinstance(kind, str) or kind.lower() not in _KINDS:
            raise ValueError("it is no access token by its claims")
        subject = claims.get("sub")
        if not isinstance(subject, str) or not subject:
            raise ValueError("it does not say whose it is")
        until = expires + skew
        return Verified(
            self,
            person_in(claims, self.options.claims),
            subject,
            _login(claims, token),
            Token(token, until),
            until,
            generation,
        )

    def _refusal(self, why: str) -> AccessError:
        """The log says why; who sent it does not hear it."""
        _log.info("a token of %s is refused: %s", self.name, why)
        return credential_error()


def _login(claims: Mapping[str, Any], token: Secret) -> str:
    """The same for tokens of one login that allow the same; of a token that names no login, its
    own."""
    session = claims.get(_SESSION)
    if isinstance(session, str) and session:
        parts = [claims.get(name) for name in ("iss", "sub", _SESSION, "azp", "client_id")]
        parts += [sorted(texts(claims.get("aud"))), sorted(str(claims.get("scope", "")).split())]
        text = json.dumps(parts, sort_keys=True)
    else:
        text = token.reveal()
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _complete_claims(said: Mapping[str, Any], issuer: str) -> Mapping[str, Any]:
    """An issuer may leave out of its answer what goes without saying."""
    audience = said.get("aud", said.get("client_id"))
    completed = {**said, "iss": said.get("iss", issuer), "aud": audience}
    if "sub" not in said:
        completed["sub"] = said.get("username")
    return completed


def _time(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"its {name} is no time")
    try:
        seconds = float(value)
    except OverflowError:
        raise ValueError(f"its {name} is no time") from None
    if not math.isfinite(seconds):
        raise ValueError(f"its {name} is no time")
    return seconds


def _not_exchanged(audience: str, why: str) -> AccessError:
    return AccessError(
        ErrorCode.ACCESS_DENIED,
        f"Your login could not be exchanged for one of {audience}: {why}.",
        hint="The administrator sets which audiences a catalog and the identity provider have.",
    )
