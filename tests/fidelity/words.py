"""Every word of Spark's grammar as a name, in every position: does SQE read it as Spark does?

A word is read as a name where the statement means the same with the word in back quotes. Spark is
asked by its parser alone, so that a hundred thousand statements take a minute or two. Run as
``python -m tests.fidelity.words [word …]``: it prints what is read otherwise, and what is refused.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from sqlglot import exp

from sqe.engines.spark.java import find_java
from sqe.errors import SqeError
from sqe.sql.dialect import DIALECT
from sqe.sql.parse import parse

POSITIONS = [
    line
    for line in Path(__file__).with_name("word_positions.sql").read_text().splitlines()
    if not line.startswith("--")
]
# Read otherwise in some position, where it does no harm: the reason is with each line.
HARMLESS = frozenset(
    # Without parentheses Spark takes them for columns first, and so does the local engine.
    {"current_date", "current_timestamp"}
    # A value where a name stands: such a statement is never the local engine's, nor guarded.
    | {"default", "false", "null", "true"}
    # sqlglot's ANY, INTERVAL and GROUP BY ALL stay what they are where a column may be meant; the
    # local engine looks for the column, or does not know the expression.
    | {"all", "any", "distinct", "interval"}
    # Words of clauses as names of tables and as aliases without AS. What sqlglot makes of them has
    # other clauses, which the local engine does not take, or names other tables, which Spark does
    # not find.
    | {"and", "as", "case", "collate", "describe", "else", "except", "fetch", "from", "having"}
    | {"intersect", "join", "lateral", "limit", "minus", "not", "offset", "on", "or", "outer"}
    | {"over", "qualify", "range", "regexp", "rlike", "select", "table", "tablesample", "then"}
    | {"union", "unique", "values", "when", "where", "window"}
)


class Reading(Enum):
    NAME = "a name"
    OTHER = "something else"
    REFUSED = "refused"


@dataclass(frozen=True)
class Difference:
    word: str
    position: str
    reading: Reading

    def __str__(self) -> str:
        return f"{with_word(self.position, self.word)} -- {self.reading.value}"


def with_word(position: str, word: str) -> str:
    return re.sub(r"\bW\b", lambda _: word, position)


class SparkParser:
    """Spark's own parser, in a Java process of its own, without a Spark around it."""

    def __init__(self, gateway: Any) -> None:
        self._jvm = gateway.jvm
        self._parser = gateway.jvm.org.apache.spark.sql.execution.SparkSqlParser()

    def keywords(self) -> list[str]:
        listed = self._jvm.org.apache.spark.sql.catalyst.util.SQLKeywordUtils.keywords()
        return sorted(str(listed.apply(place)).lower() for place in range(listed.length()))

    def reads_name(self, position: str, word: str) -> bool:
        plain = self._plan(with_word(position, word))
        return plain is not None and plain == self._plan(with_word(position, f"`{word}`"))

    def _plan(self, text: str) -> str | None:
        from py4j.protocol import Py4JJavaError

        try:
            shown = self._parser.parsePlan(text).toString()
        except Py4JJavaError:
            return None
        return re.sub(r"#\d+", "#", shown)


@contextmanager
def spark_parser() -> Iterator[SparkParser]:
    import pyspark
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    jars = Path(pyspark.__file__).parent / "jars"
    port = launch_gateway(
        jarpath=str(next(jars.glob("py4j-*.jar"))),
        classpath=str(jars / "*"),
        javaopts=["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"],
        java_path=str(find_java().executable),
        die_on_exit=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
    try:
        yield SparkParser(gateway)
    finally:
        gateway.shutdown()


def words(parser: SparkParser) -> list[str]:
    """Spark's keywords, and the words that sqlglot knows."""
    known = {word.lower() for word in DIALECT.tokenizer_class.KEYWORDS if word.isidentifier()}
    return sorted(known.union(parser.keywords()))


def differences(parser: SparkParser, cases: Iterable[tuple[str, str]]) -> Iterator[Difference]:
    """Of words and positions that Spark takes."""
    for word, position in cases:
        reading = read(position, word)
        if reading is not Reading.NAME and parser.reads_name(position, word):
            yield Difference(word, position, reading)


def read(position: str, word: str) -> Reading:
    try:
        plain = _shape(with_word(position, word))
        return Reading.NAME if plain == _shape(with_word(position, f"`{word}`")) else Reading.OTHER
    except SqeError:
        return Reading.REFUSED


def _shape(text: str) -> Any:
    statement = parse(text)
    if statement.tree is None:
        return [reference.parts for reference in statement.references]
    return _of_node(statement.tree), [reference.parts for reference in statement.references]


def _of_node(node: Any) -> Any:
    if isinstance(node, exp.Identifier):
        return node.this  # whether it was in quotes does not matter
    if isinstance(node, list):
        return [_of_node(one) for one in node]
    if not isinstance(node, exp.Expr):
        return node
    parts = {key: _of_node(value) for key, value in node.args.items() if value}
    return type(node).__name__, parts


def main(arguments: list[str]) -> int:
    with spark_parser() as parser:
        tried = [(w, p) for w in arguments or words(parser) for p in POSITIONS]
        found = list(differences(parser, tried))
    wrong = [one for one in found if one.reading is Reading.OTHER and one.word not in HARMLESS]
    for one in found if arguments else wrong:
        sys.stdout.write(f"{one}\n")
    refused = sum(one.reading is Reading.REFUSED for one in found)
    sys.stdout.write(f"words: cases {len(tried)}, refused {refused}, wrong {len(wrong)}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
