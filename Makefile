# The two commands of the README are `make demo` and `make test`; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TORCH := .venv-torch
JOBS ?= 2

.PHONY: help demo serve test test-long test-torch test-browser check coverage changelog format lint types layers wheel docs docs-site docs-serve bench bench-setup clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing dalenius and what it needs into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)  ## five private questions to two tables, with error and cost, until the budget refuses
	@$(BIN)/dalenius demo

serve: $(READY)  ## the demo's tables on http://127.0.0.1:8125, with a key that is printed once
	@$(BIN)/dalenius serve

test: $(READY)  ## the whole test suite
	$(BIN)/python -m pytest -n $(JOBS) tests

test-long: $(READY)  ## the runs that take too long for every day
	$(BIN)/python -m pytest -n $(JOBS) -m "long and not torch and not browser" tests

# PyTorch is large: an environment of its own, so that the daily one stays small. It is installed by itself, first.
$(TORCH)/.ready: pyproject.toml
	@test -x $(TORCH)/bin/python || $(PYTHON) -m venv $(TORCH)
	@echo "installing PyTorch and dalenius into $(TORCH) (once)"
	@$(TORCH)/bin/python -m pip install --quiet --quiet --disable-pip-version-check torch==2.13.0
	@$(TORCH)/bin/python -m pip install --quiet --quiet --disable-pip-version-check --editable '.[dev,torch]'
	@touch $@

test-torch: $(TORCH)/.ready  ## the tests that need PyTorch
	$(TORCH)/bin/python -m pytest -m torch tests

# Debian's chromium drives the console; axe-core looks for what somebody who cannot see would trip over.
.build/axe/.ready:
	@mkdir -p .build/axe && npm install --silent --no-audit --no-fund --prefix .build/axe axe-core@4 > /dev/null
	@touch $@

test-browser: $(READY)  ## the console in a real browser, where Debian's chromium is there or can be installed
	@test -x /usr/bin/chromium || (apt-get update -qq && apt-get install -y -qq chromium) > /dev/null 2>&1 || true
	@if test -x /usr/bin/chromium; then \
		$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --editable '.[browser]' \
		&& $(MAKE) --no-print-directory .build/axe/.ready \
		&& $(BIN)/python -m pytest -m "browser and not long" tests; \
	else echo "test-browser: there is no /usr/bin/chromium, so the console was not tried in a browser"; fi

check: format lint types layers test docs-site wheel  ## all that must hold before a change lands

format: $(READY)
	$(BIN)/ruff format --check .

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/codespell

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

docs: $(READY)  ## regenerate the pages that are made from other files
	$(BIN)/python tools/notes_page.py
	$(BIN)/python tools/mechanisms_page.py
	$(BIN)/python tools/aggregates_table.py

docs-site: $(READY)  ## the documentation as a site with search, in .build/site; a warning fails the build
	PYTHONPATH=. NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

docs-serve: docs-site  ## the site on http://localhost:8000 (search needs a server)
	cd .build/site && $(abspath $(BIN))/python -m http.server 8000

coverage: $(READY)  ## branch coverage of the packages below curator; too slow on Python 3.11 for every run
	$(BIN)/python -m coverage run --branch --source=src/dalenius -m pytest tests/numerics tests/neighbors tests/noise tests/guarantees tests/mechanisms tests/queries tests/ledger tests/curator
	$(BIN)/python -m coverage report --include='*/numerics/*,*/neighbors/*,*/noise/*,*/guarantees/*,*/mechanisms/*,*/queries/*,*/ledger/*'

# The wheel is built and tried in a venv that holds nothing but it and its dependencies; .build/tried is its stamp.
PACKED := pyproject.toml README.md LICENSE NOTICE $(shell find src -type f -not -name '*.pyc')

wheel: .build/tried  ## a wheel, built and imported in an empty venv

.build/venv/.empty: pyproject.toml
	@rm -rf .build/venv && $(PYTHON) -m venv .build/venv
	@touch $@

.build/tried: $(PACKED) tools/try_wheel.py $(READY) .build/venv/.empty
	@rm -rf .build/dist
	@$(BIN)/python -m build --wheel --outdir .build/dist . > .build/build.log 2>&1 || { cat .build/build.log; exit 1; }
	@.build/venv/bin/python -m pip uninstall --quiet --yes dalenius 2> /dev/null || true
	@.build/venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check .build/dist/*.whl
	@cd .build && venv/bin/python -I ../tools/try_wheel.py
	@touch $@

changelog: $(READY)  ## gather the fragments of changelog.d into CHANGELOG.md, for a release
	$(BIN)/towncrier build --yes

clean:  ## remove what the other commands made
	rm -rf $(VENV) $(TORCH) .bench .build dist .mypy_cache .ruff_cache .hypothesis .import_linter_cache

bench-setup: $(READY)  ## virtual environments with the peers, under .bench/
	$(BIN)/python bench/setup.py

bench: $(READY)  ## every benchmark, us and the peers side by side
	$(BIN)/python bench/sampling.py
	$(BIN)/python bench/mechanisms.py
	$(BIN)/python bench/accounting.py
	$(BIN)/python bench/private_statistics.py
	$(BIN)/python bench/inference.py
	$(BIN)/python bench/query.py
	$(BIN)/python bench/server.py
	$(BIN)/python bench/audit.py
	$(BIN)/python bench/local.py
	$(BIN)/python bench/learning.py
	$(BIN)/python bench/learning_torch.py
	$(BIN)/python bench/learning_models.py
