"""One lakehouse for Spark's own SQL tests; a file of them is a case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fidelity.corpus import CorpusFile, corpus_root, read_corpus
from tests.fidelity.gateway_target import GatewayTarget

REPOSITORY = Path(__file__).parents[2]
CORPUS = corpus_root(REPOSITORY)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "corpus_file" not in metafunc.fixturenames:
        return
    if CORPUS is None:
        mark = pytest.mark.skip(reason="the corpus is not here; set SQE_CORPORA to its folder")
        metafunc.parametrize("corpus_file", [pytest.param(None, marks=mark, id="no-corpus")])
        return
    files: list[CorpusFile] = list(read_corpus(CORPUS))
    metafunc.parametrize("corpus_file", files, ids=[file.name for file in files])


@pytest.fixture(scope="session")
def target(
    _isolated_session: None, tmp_path_factory: pytest.TempPathFactory, jar_cache: Path
) -> Iterator[GatewayTarget]:
    with GatewayTarget(tmp_path_factory.mktemp("fidelity"), jar_cache) as gateway:
        yield gateway


def count_files() -> int:
    return sum(1 for _ in read_corpus(CORPUS)) if CORPUS else 0
