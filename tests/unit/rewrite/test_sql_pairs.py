"""Every rewrite, as statements before and after it: ``tests/sql``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqe.binding.binder import Binder
from sqe.binding.bound import BoundStatement, BoundView
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Ident, Json
from sqe.catalog.views import DEFINER, SECURITY, digest_of
from sqe.engines.spark.parameters import marker_edits
from sqe.engines.spark.repairs.repairs import REPAIRS
from sqe.errors import ErrorCode, SqeError
from sqe.model.decision import Allow, Decision
from sqe.model.identity import Identity, Secret
from sqe.model.names import RelationName
from sqe.rewrite.guard import guard
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.guarding import Guarding
from sqe.rewrite.hash_keys import HashKeys
from sqe.rewrite.needs import Key, needs_of
from sqe.rewrite.parameters import fill_markers
from sqe.rewrite.render import render
from sqe.rewrite.rendering import Names, Rendering
from sqe.rewrite.rules import REWRITES, STATEMENT_REWRITES, TEXT_REWRITES, TIDY_RULES
from sqe.sessions.store import SessionStore
from sqe.sql.counting import edits_of_count
from sqe.sql.splice import Edit
from sqe.sql.text import TextLimits
from sqe.store.database import Database
from sqe.store.owners import Owners
from tests.sql.pairs import FOLDER, KEY, SCHEMA, TABLES, VIEWS, Pair, pairs, squeezed
from tests.unit.rewrite.bound_lake import BoundLake, give_history, struct

NAMES = Names(
    table=lambda name: name.parts,
    metadata=lambda relation: f"SELECT rows FROM {relation.table}",
    session_schema=SCHEMA,
    user="bob",
    key=lambda secret: KEY,
    repairs=REPAIRS.texts,
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoundLake]:
    """What the pairs are about, for bob."""
    folder = tmp_path_factory.mktemp("pairs")
    database, catalog = Database(folder), EmbeddedCatalog(folder / "c.db", folder / "w", "lake")
    owners = Owners(database)
    catalog.create_namespace(SCHEMA.path, {})
    for name, (columns, _) in TABLES.items():
        catalog.create_table(SCHEMA.path, {"name": name, "schema": struct(**columns)})
        give_history(catalog, Ident(SCHEMA.path, name))
    for name, (security, text) in VIEWS.items():
        made = catalog.create_view(SCHEMA.path, _view(name, text, lent=bool(security)))
        uuid = made.metadata["view-uuid"]
        digest = digest_of(text, SCHEMA, uuid) if security else ""
        owners.set(RelationName(SCHEMA, name), uuid, "ann", digest)
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), TextLimits(), owners=owners)
    session = SessionStore(SCHEMA).open(Identity("bob"))
    yield BoundLake(catalog, binder, session, HashKeys({"default": Secret("k")}))
    catalog.close()
    database.close()


def _view(name: str, text: str, *, lent: bool) -> Json:
    version = {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "summary": {},
        "default-catalog": SCHEMA.catalog,
        "default-namespace": list(SCHEMA.path),
        "representations": [{"type": "sql", "sql": text, "dialect": "spark"}],
    }
    properties = {SECURITY: DEFINER} if lent else {}
    schema = {"schema-id": 0, **struct(id="int", dept="string")}
    return {"name": name, "schema": schema, "view-version": version, "properties": properties}


def guarded(lake: BoundLake, pair: Pair) -> GuardedStatement:
    bound = lake.bound(pair.before)
    statement = guard(bound, answers(bound, pair), lake)
    return fill_markers(statement, pair.values, (), describes=False)


def answers(bound: BoundStatement, pair: Pair) -> dict[Key, Decision]:
    """The rules are bob's: ann, who lends a view, may see everything."""
    allowed = Allow("test")
    return {
        need.key: allowed if need.as_user else pair.decisions.get(str(need.key[0]), allowed)
        for need in needs_of(bound)
    }


def changes(statement: GuardedStatement, pair: Pair) -> list[Edit]:
    """What Spark makes of the statement."""
    counted = edits_of_count(statement.bound.statement) or () if pair.counts else ()
    markers, _ = marker_edits(statement, "UTC", counted)
    return [*counted, *markers]


@pytest.mark.parametrize("pair", pairs(), ids=str)
def test_the_engine_gets_what_the_file_says(lake: BoundLake, pair: Pair) -> None:
    if pair.refused:
        with pytest.raises(SqeError) as raised:
            render(guarded(lake, pair), NAMES)
        assert raised.value.code is ErrorCode[pair.refused]
        return
    statement = guarded(lake, pair)
    text = render(statement, NAMES, changes(statement, pair)).text
    assert squeezed(text) == squeezed(pair.after)


def test_every_rewrite_has_a_file_of_its_own() -> None:
    named = [rule.__name__ for rule in REWRITES]
    assert sorted(named) == sorted(path.stem for path in FOLDER.glob("*.sql"))
    assert len({rule.__module__ for rule in REWRITES}) == len(named)


@pytest.mark.parametrize("rule", [rule.__name__ for rule in REWRITES])
def test_the_cases_of_a_file_are_about_its_rewrite(lake: BoundLake, rule: str) -> None:
    own = [pair for pair in pairs() if pair.file == rule and not pair.refused]
    assert any(rule in _effective(lake, pair) for pair in own)


def test_without_tidy_rules_every_filter_has_a_barrier(lake: BoundLake) -> None:
    """They are optional: what is safe does not depend on them."""
    for pair in (pair for pair in pairs() if pair.file == "leave_out_barriers"):
        bound = lake.bound(pair.before)
        decisions = answers(bound, pair)
        for rewrite in STATEMENT_REWRITES:
            bound = rewrite(bound, Guarding(decisions, lake))
        targets = [one.target for one in bound.walk()]
        guards = [one.guard for one in targets if isinstance(one, BoundView) and one.guard]
        assert guards and all(guard.barrier for guard in guards)


def _effective(lake: BoundLake, pair: Pair) -> set[str]:
    """The rewrites that change something of a statement."""
    found = set()
    bound = lake.bound(pair.before)
    decisions = answers(bound, pair)
    for rewrite in STATEMENT_REWRITES:
        before, bound = bound, rewrite(bound, Guarding(decisions, lake))
        found |= {rewrite.__name__} if bound != before else set()
    statement = GuardedStatement(bound, decisions)
    for tidy in TIDY_RULES:
        before, statement = statement.bound, tidy(statement)
        found |= {tidy.__name__} if statement.bound != before else set()
    statement = fill_markers(statement, pair.values, (), describes=False)
    found |= {"fill_markers"} if statement.parameters else set()
    rendering = Rendering(
        statement,
        NAMES,
        lambda inner, edits: render(replace(statement, bound=inner), NAMES, edits).text,
        changes(statement, pair),
    )
    edits: tuple[Edit, ...] = ()
    for one in TEXT_REWRITES:
        last, edits = edits, tuple(one(statement.bound, edits, rendering))
        found |= {one.__name__} if edits != last else set()
    return found
