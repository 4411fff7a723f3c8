"""`pytest tests/fidelity` runs a sample; `--fidelity=all` (or SQE_FIDELITY=all) every file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fidelity.corpus import CorpusFile, corpus_root, read_corpus
from tests.fidelity.gateway_target import GatewayTarget
from tests.fidelity.sample import SAMPLE

REPOSITORY = Path(__file__).parents[2]
# Read here because tests themselves do not see the developer's environment.
CORPUS = corpus_root(REPOSITORY)
WISH = os.environ.get("SQE_FIDELITY", "sample")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fidelity",
        choices=("sample", "all"),
        default=WISH,
        help="how much of Spark's own SQL tests to run",
    )


def wants_all(config: pytest.Config) -> bool:
    # The option is not there when this folder was not named on the command line.
    return bool(config.getoption("--fidelity", default=WISH) == "all")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "corpus_file" not in metafunc.fixturenames:
        return
    if CORPUS is None:
        mark = pytest.mark.skip(reason="the corpus is not here; set SQE_CORPORA to its folder")
        metafunc.parametrize("corpus_file", [pytest.param(None, marks=mark, id="no-corpus")])
        return
    names = None if wants_all(metafunc.config) else SAMPLE
    files: list[CorpusFile] = list(read_corpus(CORPUS, names))
    metafunc.parametrize("corpus_file", files, ids=[file.name for file in files])


@pytest.fixture(scope="session")
def target(
    _isolated_session: None, tmp_path_factory: pytest.TempPathFactory, jar_cache: Path
) -> Iterator[GatewayTarget]:
    with GatewayTarget(tmp_path_factory.mktemp("fidelity"), jar_cache) as gateway:
        yield gateway


def count_files() -> int:
    return sum(1 for _ in read_corpus(CORPUS)) if CORPUS else 0
