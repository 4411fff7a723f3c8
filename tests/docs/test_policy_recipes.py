"""The recipes for policies: each is typed as it stands, and everybody sees what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from pydantic import SecretStr

from sqe.errors import SqeError
from sqe.model.identity import Identity
from sqe.model.query import QueryRequest
from sqe.server.build import Server, build
from sqe.settings import Settings
from sqe.settings.policy import PolicySettings
from tests.small_spark import small_spark

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "policy-recipes.md"
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
# Who types: a name, and in parentheses their groups and, after a semicolon, what their token says.
_PROMPT = re.compile(r"^(?P<user>\w+)(?: \((?P<groups>[\w, ]*)(?:; (?P<claims>[^)]*))?\))?> ", re.M)
_CODE = re.compile(r"error\[\w+\]\Z")
_ANYTHING = "…"


def steps() -> Iterator[tuple[Identity, str, str]]:
    """Who, what they type, what they see."""
    for block in _BLOCK.findall(PAGE.read_text()):
        prompts = list(_PROMPT.finditer(block))
        for prompt, following in zip(prompts, [*prompts[1:], None], strict=True):
            rest = block[prompt.end() : following.start() if following else len(block)]
            typed, *lines = rest.rstrip("\n").split("\n")
            while lines and lines[0].startswith("...>"):
                typed += "\n" + lines.pop(0).removeprefix("...>")
            groups = frozenset((prompt["groups"] or "").replace(",", " ").split())
            claims = tuple(tuple(one.split("=", 1)) for one in (prompt["claims"] or "").split())
            who = Identity(prompt["user"], groups, claims=claims)
            yield who, typed, "\n".join(lines)


@pytest.fixture
def server(tmp_path: Path, jar_cache: Path) -> Iterator[Server]:
    policy = PolicySettings(
        sql=True, administrators=("admin",), hash_keys={"default": SecretStr("a key of the tests")}
    )
    spark = small_spark(jar_cache)
    made = build(Settings(home=tmp_path / "home", policy=policy, spark=spark))
    yield made
    made.close()


def answer(server: Server, who: Identity, sql: str, engine: str) -> str:
    with_engine = server.gateway.open_session(who)
    with_engine.set_property("sqe.engine", engine)
    try:
        with server.gateway.fetch(
            server.gateway.submit(QueryRequest(with_engine.id, sql))
        ) as result:
            table = result.read_all()
    except SqeError as error:
        return f"error[{error.code.name}] {error.message}"
    finally:
        with_engine.close()
    if not table.num_columns:
        return ""
    sink = pa.BufferOutputStream()
    options = pyarrow.csv.WriteOptions(quoting_style="none", quoting_header="none")
    pyarrow.csv.write_csv(table, sink, options)
    written: bytes = sink.getvalue().to_pybytes()
    return written.decode().rstrip("\n")


@pytest.mark.spark
@pytest.mark.java
@pytest.mark.timeout(600)
def test_everybody_sees_what_the_page_says(server: Server) -> None:
    wrong: list[str] = []
    count = 0
    for who, sql, expected in steps():
        reads = sql.lstrip().upper().startswith("SELECT")
        for engine in ("auto", "spark") if reads else ("auto",):
            seen = answer(server, who, sql, engine)
            if not fits(seen, expected):
                wrong.append(f"{who.user} ({engine})> {sql}\n{seen}")
        count += 1
    assert not wrong, "\n\n".join(wrong)
    assert count > 40


def fits(seen: str, expected: str) -> bool:
    if expected == _ANYTHING:
        return bool(seen) and not seen.startswith("error")
    if _CODE.match(expected):  # the message is Spark's own, or told elsewhere
        return seen.startswith(expected)
    return seen == expected
