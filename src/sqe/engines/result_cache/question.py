"""What a kept answer is the answer of: everything that it depends on, or why it is not kept."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sqe.binding.bound import BoundReference, BoundTable
from sqe.catalog.protocol import Loaded
from sqe.model.names import RelationName
from sqe.rewrite.guarded import GuardedStatement
from sqe.rewrite.meaning import meaning_of_target
from sqe.sessions.session import Session
from sqe.sql.linear import statement_words, unstable_word
from sqe.sql.statement import StatementKind

PROPERTY = "sqe.result_cache"


@dataclass(frozen=True)
class Refusal:
    """Answers of the tables are kept by the rules, but not this one."""

    why: str


@dataclass(frozen=True)
class Question:
    """``key`` has the words of the statement, the state of every table that it reads (its guards
    too), the decisions, the session's properties, values of markers, and the reader, where the
    catalog knows who that is."""

    key: Hashable


def question_of(
    guarded: GuardedStatement, session: Session, tables: tuple[str, ...]
) -> Question | Refusal | None:
    """``tables``: patterns of those whose answers may be kept. None: the rules do not name all
    that is read, or the session has turned it off."""
    bound = guarded.bound
    if bound.statement.kind is not StatementKind.QUERY or session.property(PROPERTY) == "off":
        return None
    references = list(bound.walk())
    read = [reference for reference in references if not reference.trusted]
    names = [r.relation for r in read if isinstance(r.stored_target, BoundTable)]
    if not names or not all(_is_named(name, tables) for name in names):
        return None
    meanings = tuple(meaning_of_target(reference) for reference in references)
    if None in meanings:
        return Refusal("it reads what is not committed, or what is no table")
    why = _unstable(guarded)
    if why:
        return Refusal(why)
    properties = session.properties()
    key = (
        statement_words(bound.statement.text),
        meanings,
        guarded.decided,
        frozenset((k, value) for k, (value, _) in properties.items() if k != PROPERTY),
        # 1 and True are equal, and so are 1 and 1.0; their texts are not.
        tuple((p.type, repr(p.value)) for p in guarded.parameters),
        _reader(references, session),
    )
    return Question(key)


def _is_named(name: RelationName | None, tables: tuple[str, ...]) -> bool:
    plain = ".".join(name.parts).lower() if name is not None else ""
    return any(fnmatchcase(plain, pattern.lower()) for pattern in tables)


def _unstable(guarded: GuardedStatement) -> str:
    """What makes the answer depend on more than the key."""
    texts = [guarded.bound.statement, *(inner for inner, _ in guarded.bound.places())]
    for statement in dict.fromkeys(texts):
        for function in statement.session_functions:
            return f"{function.name} is its user's own"
        word = unstable_word(statement.text)
        if word:
            return f"{word} may be another one next time"
    for reference in guarded.bound.walk():
        target = reference.target
        if isinstance(target, BoundTable) and target.suffix:
            return f"{'.'.join(target.suffix)} is not the table's own rows"
    return ""


def _reader(references: list[BoundReference], session: Session) -> Hashable | None:
    """Where the catalog decides who gets keys to the files, each user has an answer of their own:
    who may load a table there need not be allowed to read it."""
    for reference in references:
        target = reference.target
        if isinstance(target, BoundTable) and not _is_open(target.loaded):
            identity = session.identity
            passport = identity.passport
            return (identity, passport.login if passport is not None else None)
    return None


def _is_open(loaded: Loaded | None) -> bool:
    """It is on this machine's disk, which SQE reads by itself."""
    return (
        loaded is not None
        and loaded.on_disk
        and not loaded.config
        and not loaded.storage_credentials
    )
