"""Settings of issuers: strict, silent about secrets, and none by which users could be mixed up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sqe.auth.configured import authenticators
from sqe.auth.protocol import Bearer, Password
from sqe.errors import ErrorCode, UpstreamError, UserError
from sqe.model.identity import Secret
from sqe.settings import AuthSettings, Settings, load_settings
from tests.unit.auth.oidc.asking import own
from tests.unit.auth.oidc.issuer import LocalIssuer

ISSUER = 'issuer = "https://login.example.com/realms/a"\n'


def load(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / "sqe.toml"
    file.write_text(text)
    return load_settings(file, {"home": str(tmp_path)}, {})


def test_an_issuer_as_people_write_one(tmp_path: Path) -> None:
    settings = load(
        tmp_path, f'[auth.oidc.a]\n{ISSUER}client_id = "sqe"\nclient_secret = "hunter2"\n'
    )
    found = settings.auth.oidc["a"]
    assert found.audiences == ("sqe",)
    assert "HS256" not in found.algorithms and "none" not in found.algorithms
    assert not found.password_grant and found.introspect == "never"
    assert settings.auth.knows_anyone and not settings.auth.anonymous_allowed
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[auth.oidc.a]\nclient_id = "sqe"\n', ["auth.oidc.a.issuer"]),
        (f"[auth.oidc.a]\n{ISSUER}", ["auth.oidc.a", "audience", "client_id"]),
        ('[auth.oidc.a]\nissuer = "http://login.example.com"\n', ["auth.oidc.a.issuer", "https"]),
        ('[auth.oidc.a]\nissuer = "https://u:p@example.com"\n', ["auth.oidc.a.issuer"]),
        ('[auth.oidc.a]\nissuer = "login"\n', ["auth.oidc.a.issuer"]),
        (f'[auth.oidc.a]\n{ISSUER}algorithms = ["none"]\n', ["auth.oidc.a.algorithms", "RS256"]),
        (f'[auth.oidc.a]\n{ISSUER}algorithms = ["HS256"]\n', ["auth.oidc.a.algorithms"]),
        (f"[auth.oidc.a]\n{ISSUER}algorithms = []\n", ["auth.oidc.a.algorithms"]),
        (f"[auth.oidc.a]\n{ISSUER}skew_s = 3600\n", ["auth.oidc.a.skew_s"]),
        (f'[auth.oidc.a]\n{ISSUER}user_claim = ""\n', ["auth.oidc.a.user_claim"]),
        (f'[auth.oidc.a]\n{ISSUER}audiense = ["x"]\n', ["auth.oidc.a.audiense", "audience"]),
        (
            f'[auth.oidc.a]\n{ISSUER}audience = ["x"]\npassword_grant = true\n',
            ["auth.oidc.a", "password_grant needs client_id"],
        ),
        (
            f'[auth.oidc.a]\n{ISSUER}client_id = "x"\nintrospect = "always"\n',
            ["auth.oidc.a", "introspect needs"],
        ),
        (
            f'[auth.oidc.a]\n{ISSUER}audience = ["x"]\nclient_secret = "hunter2"\n',
            ["auth.oidc.a", "client_id must be"],
        ),
        ('[auth]\nchain = ["oidc", "oidc"]\n', ["auth.chain", "twice"]),
        ('[auth]\nchain = ["kerberos"]\n', ["auth.chain"]),
    ],
)
def test_what_is_wrong_is_named_and_no_secret_repeated(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    with pytest.raises(UserError) as raised:
        load(tmp_path, text)
    assert raised.value.code is ErrorCode.INVALID_SETTINGS
    assert [word for word in words if word not in str(raised.value)] == []
    assert "hunter2" not in str(raised.value)


def two(**second: Any) -> dict[str, Any]:
    first = {"issuer": "https://a.example.com", "client_id": "sqe"}
    return {"oidc": {"a": first, "b": {**first, "issuer": "https://b.example.com", **second}}}


def test_two_issuers_must_differ_in_address_and_prefix() -> None:
    AuthSettings.model_validate(two(user_prefix="b/"))
    with pytest.raises(ValueError, match="same user_prefix"):
        AuthSettings.model_validate(two())
    with pytest.raises(ValueError, match="there twice"):
        AuthSettings.model_validate(two(issuer="https://a.example.com", user_prefix="b/"))


def test_who_is_asked_first_is_a_setting(issuer: LocalIssuer) -> None:
    """An issuer that is down is asked, or is not."""
    issuer.stop()
    oidc = {"test": own(issuer, password_grant=True)}
    auth: dict[str, Any] = {"oidc": oidc, "users": {"ann": {}}}
    ann = Password("ann", Secret("x"))

    def answer(*chain: str) -> ErrorCode:
        found = authenticators(AuthSettings.model_validate({**auth, "chain": chain}))
        with pytest.raises(Exception) as raised:
            found.identify(ann)
        code: ErrorCode = raised.value.code  # type: ignore[attr-defined]
        return code

    assert answer("users", "oidc") is ErrorCode.AUTHENTICATION_FAILED
    assert answer("oidc", "users") is ErrorCode.ISSUER_UNAVAILABLE
    assert answer("users") is ErrorCode.AUTHENTICATION_FAILED


def test_that_an_issuer_is_down_is_said_without_what_led_to_it(issuer: LocalIssuer) -> None:
    issuer.stop()
    chain = authenticators(AuthSettings.model_validate({"oidc": {"test": own(issuer)}}))
    token = issuer.token("alice")
    with pytest.raises(UpstreamError) as raised:
        chain.identify(Bearer(Secret(token)))
    error = raised.value
    assert error.code is ErrorCode.ISSUER_UNAVAILABLE and error.__suppress_context__
    assert token not in str(error) and token not in repr(error)
