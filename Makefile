# The two commands a newcomer needs: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LIGHT := $(VENV)/.light
SPARK := $(VENV)/.spark
JOBS ?= 2
CODE := src tests research benchmarks scripts conftest.py
TESTS := --doctest-modules src tests research
# Byte code is kept whatever the environment says: tests start many processes, and pytest would rewrite all of them anew
# in each worker.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup compiled collected browser postgres spark demo demo-parties demo-visits test test-all lint types format options bench experiments pictures lock clean

help:
	@echo "make demo      set up, publish the bundled demo table at epsilon 3, evaluate it, say where the results are"
	@echo "make demo-parties  a hospital, an insurer and an employer learn one network without pooling their columns"
	@echo "make demo-visits  the same people with all their years: publish at epsilon 1 for a person, up to five rows each"
	@echo "make test      set up, run every fast check"
	@echo "make test-all  the same and the slow statistical audits"
	@echo "make bench     speed and utility against peers and plain NumPy (downloads peers; BENCH=--quick for a short run)"
	@echo "make experiments  every figure of the papers as it was last run, and the page of claims (needs the benchmark data)"
	@echo "make options   after a change of declared options: the tables of docs/cli.md, and types of keyword arguments"
	@echo "make pictures  the pictures of the README"
	@echo "make setup     .venv with understudy and its tools"

define NEW_VENV
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "understudy needs Python 3.11 or newer; set PYTHON=..."; exit 2; }
$(PYTHON) -m venv $(VENV)
endef
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check

setup: $(READY)

$(READY): pyproject.toml research/pyproject.toml requirements.lock
	$(NEW_VENV)
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e . -e research
	@touch $(READY) $(LIGHT)

# What publishing and evaluating need, without the tools of those who change the code: a third of the packages.
$(LIGHT): pyproject.toml requirements-demo.lock
	$(NEW_VENV)
	$(INSTALL) --require-hashes -r requirements-demo.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $(LIGHT)

# Byte code, as an installed package has it.
compiled: setup
	@$(BIN)/python -m compileall -q -j $(JOBS) src

# That of the tests, which otherwise every worker makes for itself. What cannot be collected is told by the run.
collected: compiled
	@$(BIN)/python -m pytest -q --collect-only $(TESTS) >/dev/null 2>&1 || true

demo: $(LIGHT)
	@$(BIN)/understudy publish demo --schema src/understudy/demo/health.schema.yaml --epsilon 3 --out demo-release --overwrite
	@$(BIN)/understudy evaluate demo demo-release --html demo-report.html --overwrite

demo-parties: setup
	@$(BIN)/python scripts/demo_parties.py

demo-visits: $(LIGHT)
	@$(BIN)/understudy publish demo-visits --epsilon 1 --unit person --max-rows 5 --out demo-visits-release --overwrite
	@$(BIN)/understudy evaluate demo-visits demo-visits-release --html demo-visits-report.html --overwrite

# Chromium for the tests that open a report; without one they are skipped.
browser: setup
	@$(BIN)/python -m scripts.setup_browser

# PostgreSQL for the tests that count in one; without it they are skipped.
postgres: setup
	@$(BIN)/python -m scripts.start_postgres --install

# PySpark and a Java, of half a gigabyte: for the tests, and not for everybody who sets up. Without a Java those on Spark
# are skipped.
$(SPARK): $(READY) requirements-spark.lock
	$(INSTALL) --require-hashes -r requirements-spark.lock
	@touch $(SPARK)

spark: $(SPARK)
	@$(BIN)/python -m scripts.setup_spark

test: setup browser postgres spark lint
	@$(MAKE) --no-print-directory -j 2 types collected
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(TESTS) -m "not slow"

test-all: setup browser postgres spark lint
	@$(MAKE) --no-print-directory -j 2 types collected
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal $(TESTS) --hypothesis-profile=thorough

lint: setup
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)

types: setup
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

options: setup
	$(BIN)/python -m scripts.write_options

bench: setup
	$(BIN)/python benchmarks/run.py $(BENCH)

experiments: setup
	$(BIN)/research run all --same --out docs/research/experiments
	$(BIN)/python scripts/record_costs.py
	$(BIN)/python scripts/make_cost_tables.py
	$(BIN)/research claims --out docs/research/experiments --markdown docs/research/claims.md

# The README's pictures, anew: of a release of the demo, and of the first screen of its report. Needs a Chromium.
pictures: setup browser
	$(BIN)/python scripts/make_pictures.py
	$(BIN)/python scripts/make_report_picture.py

lock:  # with extras by name: pip takes a package's newest version for an extra that is not pinned by itself
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-strip-extras --no-annotate --no-header --extra dev --extra build pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-strip-extras --no-annotate --no-header --extra evaluate --extra pandas --extra build -c requirements.lock pyproject.toml -o requirements-demo.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-strip-extras --no-annotate --no-header --extra spark --extra build -c requirements.lock pyproject.toml -o requirements-spark.lock

clean:
	rm -rf $(VENV) .bench demo-release demo-report.html demo-parties demo-visits-release demo-visits-report.html .mypy_cache .ruff_cache .pytest_cache
