# make serve   set up and start the server with the demo agent
# make test    set up, check lint, format and types, run the whole suite
# make check   the checks alone        make bench   the benchmarks
# make lock    renew the two lock files (needs uv)
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
ARGS   ?=
# Of flake8-async's rules these do not fit: a time-out is part of the domain (109); a `start` is typed as such (114); the framework
# would run handlers that are no async functions in threads (124); that every path checkpoints (910, 911) is promised in docstrings.
UNASKED := ASYNC109,ASYNC114,ASYNC124,ASYNC910,ASYNC911

PYTHON313 ?= $(firstword $(wildcard $(HOME)/.pyenv/versions/3.13*/bin/python3.13) \
	$(shell python3.13 -c 'import sys; print(sys.executable)' 2>/dev/null))

.PHONY: help setup setup-dev serve test test-313 check check-style check-async check-mypy check-pyright format bench lock clean

help:
	@sed -n '1,4s/^# //p' Makefile

setup: $(VENV)/.run
setup-dev: $(VENV)/.dev

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Placet needs Python 3.11 or later; this is %s. Try: make PYTHON=python3.11 ..." % sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@echo "placet: making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock | $(VENV)/bin/python
	@echo "placet: installing what the server needs"
	@$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	@echo "placet: installing what the tests need (a minute or two)"
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.run

serve: setup
	@$(BIN)/python -m placet serve $(ARGS)

check: setup-dev
	@$(MAKE) --no-print-directory -j 2 check-pyright check-mypy check-style check-async

check-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

check-async:
	$(BIN)/flake8-async --disable=$(UNASKED) $$(git grep -lE "async (def|with|for)" -- "actors/*.py" "http/*.py" "placet/*.py" "benchmarks/*.py")

check-mypy:
	$(BIN)/mypy

check-pyright:
	$(BIN)/pyright

test: check
	$(BIN)/pytest -n 2 --dist worksteal $(ARGS)
	@if [ -n "$(PYTHON313)" ]; then $(MAKE) --no-print-directory test-313; \
	else echo "placet: no Python 3.13 here, so the line of quart 0.23 is not tested"; fi

# On 3.13 the web framework is another release: what stands on it, and the heart of the rest, is tested there too.
test-313:
	@$(MAKE) --no-print-directory setup-dev VENV=.venv313 PYTHON=$(PYTHON313)
	.venv313/bin/pytest -n 2 --dist worksteal -m "not slow" tests/runtime tests/session tests/http tests/system/test_contract.py

format: setup-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup-dev
	$(BIN)/python -m benchmarks $(ARGS)

lock:
	uv pip compile --python-version 3.11 --universal --generate-hashes -q pyproject.toml -o requirements.lock
	uv pip compile --python-version 3.11 --universal --generate-hashes -q pyproject.toml --extra dev -o requirements-dev.lock

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
