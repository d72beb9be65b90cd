# The two commands of the README are `make demo` and `make test`; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2

.PHONY: help demo test test-long check format lint types layers wheel docs bench bench-setup clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing dalenius and what it needs into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)  ## private counts of UCI Adult, with their error, until the budget refuses
	@$(BIN)/dalenius demo

test: $(READY)  ## the whole test suite, on $(JOBS) cores
	$(BIN)/python -m pytest -n $(JOBS) -m "not long" tests

test-long: $(READY)  ## the runs that take too long for every day
	$(BIN)/python -m pytest -n $(JOBS) -m long tests

check: format lint types layers test wheel  ## all that must hold before a change lands

format: $(READY)
	$(BIN)/ruff format --check .

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

clean:  ## remove what the other commands made
	rm -rf $(VENV) .bench .build dist .mypy_cache .ruff_cache .hypothesis
