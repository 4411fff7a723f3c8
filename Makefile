# `make` prints the verbs. Everything needs only make and Python 3.11 or newer.

# The first Python that is new enough; `make PYTHON=/path/to/python …` chooses another.
CASES ?= 1000
SEED ?= 1
MINUTES ?= 10
PYTHON ?= $(shell for candidate in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	"$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& command -v "$$candidate" && break; done)
BIN := .venv/bin
CODE := $(wildcard src tests dev benchmarks clients)
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-package sqe-client \
	$(if $(UPGRADE),--upgrade)

.DEFAULT_GOAL := help
comma := ,
.PHONY: help setup demo serve test test-all test-changed fresh test-fast test-stack test-with-stack stack-up stack-down fidelity words differential local-share policy-proof write-proof cancel-proof mutation soak trino-record matrix bench bench-gate profile lint format check docs site structure dist bench-smoke lock clean

help: ## print the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

setup: python ## make .venv from the lock files (every other verb does this first)
	@"$(PYTHON)" dev/bootstrap.py

.PHONY: python
python:
	@test -n "$(PYTHON)" || { echo "SQE needs Python 3.11 or newer on the PATH." >&2; exit 1; }

demo: setup ## a small lakehouse and a tour of it; ends by itself
	@$(BIN)/sqe demo

serve: setup ## run the gateway until Ctrl-C
	@$(BIN)/sqe serve

test: setup ## the tests that run on one machine; SUITE=… all cases of one suite, ARGS=… for pytest
	$(BIN)/python -m dev.run_tests $(if $(SUITE),--suite=$(SUITE)) $(ARGS)

test-all: setup ## the same with every case of the long proofs, of which `make test` tries a share
	$(BIN)/python -m dev.run_tests --cases=all

test-changed: setup ## the suites that a change concerns; BASE=… is what it is compared with
	$(BIN)/python -m dev.run_tests --changed=$(or $(BASE),HEAD)

fresh: python ## the demo and the tests as on a fresh machine: empty home, no Java; ARGS=… for a part
	@"$(PYTHON)" dev/fresh.py $(ARGS)

test-fast: setup ## the unit tests only, without Spark
	$(BIN)/python -m pytest tests/unit -m "not spark and not java and not slow" $(ARGS)

test-stack: setup ## the tests on real Keycloak, MinIO and catalogs; a stack that runs is used
	$(BIN)/python -m dev.stack run $(BIN)/python -m pytest tests/stack $(ARGS)

test-with-stack: setup ## make test and make test-stack, two suites at once: what CI runs
	$(BIN)/python -m dev.run_tests --stack

stack-up: setup ## start Keycloak, MinIO, Nessie, OPA and a catalog here; print addresses and users
	@$(BIN)/python -m dev.stack up

stack-down: setup ## stop them; what was fetched and built stays in the cache
	@$(BIN)/python -m dev.stack down

words: setup ## every word of SQL as a name, in every position (make test tries a share)
	$(BIN)/python -m tests.fidelity.words $(ARGS)

fidelity: setup ## every statement of Spark's own SQL tests (make test tries a share)
	$(BIN)/python -m pytest tests/fidelity --cases=all $(ARGS)

trino-record: setup ## generated queries, and what a real Trino answers (needs Java 24)
	$(BIN)/python -m tests.trino.generated.record $(ARGS)

differential: setup ## Spark against the local engine: CASES=… generated queries, SEED=…
	$(BIN)/python -m tests.differential --cases $(CASES) --seed $(SEED)

policy-proof: setup ## tables under rules against filtered copies: CASES=… questions, SEED=…
	$(BIN)/python -m tests.policy --cases $(CASES) --seed $(SEED)

write-proof: setup ## DELETE, UPDATE and MERGE against plain Python: CASES=… of them, SEED=…
	$(BIN)/python -m pytest tests/embedded/writes/test_row_model.py --cases=all --row-cases=$(CASES) --row-seed=$(SEED)

cancel-proof: setup ## cancel statements at CASES=… random moments, SEED=…: does their work end?
	$(BIN)/python -m pytest tests/embedded/client/test_cancels.py --cancel-cases=$(CASES) --cancel-seed=$(SEED)

mutation: setup ## remove guards and checks one by one: does a test notice? ARGS=--share 0.2
	$(BIN)/python -m dev.mutation $(ARGS)

soak: setup ## concurrent writes and kills for MINUTES=…, SEED=… (make test runs a few)
	$(BIN)/python -m tests.soak --minutes $(MINUTES) --seed $(SEED)

matrix: setup ## try every row of docs/reference/iceberg-matrix.md, and write the page
	$(BIN)/python -m pytest tests/embedded/matrix --cases=all --matrix=write $(ARGS)

lint: setup ## ruff, mypy, import contracts
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports

format: setup ## let ruff format and fix
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

check: lint test ## lint, then test: what must pass before a commit

local-share: setup ## which statements run on the local engine, into docs/reference/local-share.md
	$(BIN)/python -m tests.local_share

docs: setup ## regenerate docs/reference from the code
	$(BIN)/python dev/reference.py

site: setup ## docs/ as a site with a search, in build/site; broken links fail
	$(BIN)/python -m dev.site.build

structure: setup ## figures of the floor plan; draws the packages into docs/concepts/packages.svg
	@$(BIN)/python -m dev.structure

bench-smoke: setup ## the figures, one line each; also as JSON under benchmarks/results
	$(BIN)/python -m benchmarks

bench: setup ## a suite against other engines: SUITE=tpch|tpcds|ssb SCALE=0.1 AGAINST="trino spark duckdb"
	$(BIN)/python -m benchmarks.suites $(or $(SUITE),tpch) --scale $(or $(SCALE),1) --against $(subst $(comma), ,$(or $(AGAINST),trino spark duckdb))

bench-gate: setup ## ratios inside one run against the stored baseline; worse than their noise fails
	$(BIN)/python -m benchmarks.gate

profile: setup ## where the time of QUERY=… goes: a flame graph in build/ and a table
	$(BIN)/python -m benchmarks.profile $(if $(QUERY),"$(QUERY)")

dist: setup ## build the wheels of the engine and of its client into dist/
	@rm -rf dist
	$(BIN)/python -m hatchling build -t wheel
	cd clients/python && $(CURDIR)/$(BIN)/python -m hatchling build -t wheel -d $(CURDIR)/dist

lock: python ## resolve the lock files again (UPGRADE=1 takes newer versions)
	@"$(PYTHON)" dev/bootstrap.py tools
	$(COMPILE) requirements/bootstrap.in -o requirements/bootstrap.lock
	$(COMPILE) pyproject.toml --extra java --extra dev --extra bench -o requirements/dev.lock
	$(COMPILE) pyproject.toml --extra java --constraint requirements/dev.lock -o requirements/base.lock
	$(COMPILE) --no-deps requirements/console.in -o requirements/console.lock
	$(COMPILE) --no-strip-extras requirements/dbt.in -o requirements/dbt.lock
	$(COMPILE) --no-strip-extras requirements/superset.in -o requirements/superset.lock
	$(COMPILE) --no-strip-extras requirements/site.in -o requirements/site.lock

clean: ## remove .venv and caches (never the lakehouse)
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests dev -name __pycache__ -type d -prune -exec rm -rf {} +
