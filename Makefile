# RAG Triage. Everything runs from a clone with Python 3.11 or newer and make; nothing is installed outside it.
# `make` alone lists the targets.

PORT ?= 8000
HOST ?= 127.0.0.1
JOBS ?= 2
PYTEST_ARGS ?=
PY := .venv/bin/python

# The first of these that runs and is new enough; `make setup PYTHON=/path/to/python` overrides it.
PYTHON ?= $(shell for candidate in python3.11 python3.12 python3.13 python3.14 python3; do \
	"$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { echo "$$candidate"; break; }; done)

# $(call step,what is done,command): says what, does it, says how long it took; stops at the first failure.
define step
	@printf -- '-- %s\n' "$(1)"; began=$$(date +%s); $(2) \
	|| { code=$$?; printf '   FAILED after %s s: %s\n' "$$(($$(date +%s) - began))" "$(1)"; exit $$code; }; \
	printf '   %s s\n' "$$(($$(date +%s) - began))"
endef

# $(call install,lock file,stamp): installs what the lock file names, unless exactly that is installed already.
define install
	@want=$$(cksum < $(1)); if [ "$$(cat .venv/$(2) 2>/dev/null)" != "$$want" ]; then \
	printf -- '-- Installing %s from %s (about a minute the first time)\n' "$$(grep -c '==' $(1)) packages" "$(1)"; \
	began=$$(date +%s); \
	$(PY) -m pip install -qq --disable-pip-version-check --no-input --require-hashes -r $(1) || exit $$?; \
	printf '%s\n' "$$want" > .venv/$(2); printf '   %s s\n' "$$(($$(date +%s) - began))"; fi
endef

.PHONY: help setup setup-dev run stop test lint browser worker bench sbom sbom-file audit clean
.DEFAULT_GOAL := help

help: ## list the targets
	@printf 'RAG Triage: find out why a retrieval-augmented system fails.\n\n'
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | awk -F'|' '{printf "%-16s%s\n", $$1, $$2}'
	@printf '\n  make run PORT=9000 HOST=127.0.0.1    choose the address\n'
	@printf '  make test PYTEST_ARGS="tests/core"   run a part of the tests\n'

.venv/bin/python:
	@if [ -z "$(PYTHON)" ]; then \
	printf 'Python 3.11 or newer, with venv, is needed (on Debian: apt install python3 python3-venv).\n'; \
	printf 'If it has another name: make setup PYTHON=/path/to/python\n'; exit 1; fi
	@printf -- '-- Making .venv with %s\n' "$$($(PYTHON) --version)"; rm -rf .venv; $(PYTHON) -m venv .venv

setup: .venv/bin/python ## make .venv with everything the product needs
	@$(PY) -c '' 2>/dev/null || { printf -- '-- .venv is broken (moved?): making it anew\n'; rm -rf .venv; $(MAKE) --no-print-directory .venv/bin/python; }
	$(call install,requirements.lock,installed)

setup-dev: setup
	$(call install,requirements-dev.lock,installed-dev)

run: setup ## serve the product with worker, PostgreSQL and Redis; Ctrl-C stops all
	@$(PY) manage.py up --host $(HOST) --port $(PORT)

stop: ## stop what runs from this folder
	@if [ -x $(PY) ]; then $(PY) manage.py stop; else echo 'Nothing was running.'; fi

lint: setup-dev ## style, types, import contracts, templates
	$(call step,ruff: style and mistakes,$(PY) -m ruff check --quiet .)
	$(call step,ruff: format,$(PY) -m ruff format --quiet --check .)
	$(call step,mypy: types,$(PY) -m mypy --no-error-summary)
	$(call step,import-linter: who may import whom,.venv/bin/lint-imports --no-cache > .venv/contracts.log || { cat .venv/contracts.log; false; })
	$(call step,djade: templates,git ls-files -co --exclude-standard 'templates/*.html' | xargs .venv/bin/djade --target-version 5.2 --check)
	$(call step,migrations match the models,$(PY) manage.py makemigrations --check --dry-run)

browser: setup-dev
	$(call step,a Chromium for the browser tests,$(PY) -m tests.chromium)

test: lint browser ## every check: lint, then all tests on a PostgreSQL and Redis of their own
	$(call step,pytest,$(PY) -m pytest -n $(JOBS) --dist loadgroup $(PYTEST_ARGS))

worker: setup ## one more worker, beside `make run` or a server's queue
	@$(PY) -m celery -A config worker --pool prefork --concurrency 2 --loglevel INFO -n "extra$$$$@%h"

# `make bench SIZES="1000 10000"` is the quick form: each size once in each measurement that takes one.
SIZES ?= 1000 10000 100000
# Measurements that put up real pages over HTTP or read long files take the largest size but 100,000.
MIDDLE = $(lastword $(filter-out 100000,$(SIZES)))

bench: setup-dev ## measure everything docs/performance.md speaks of, into var/bench.md
	@mkdir -p var; { $(PY) -m benchmarks.machine; \
	for what in startup "ingest $(MIDDLE)" "review $(filter-out 100000,$(SIZES))" interaction "classify $(SIZES)" "large $(SIZES)" \
	$(if $(word 2,$(SIZES)),"growth $(SIZES)") "pages $(MIDDLE)" scale_out statistics install; do \
	printf '\n## %s\n\n' "$$what"; $(PY) -m benchmarks.$$what || exit 1; done; } | tee var/bench.md

SBOM ?= var/sbom.json
sbom: setup-dev ## write var/sbom.json: every locked package with version and hashes, as CycloneDX; needs no network
	$(call step,bill of materials of requirements.lock,$(MAKE) --no-print-directory sbom-file)
	@printf '%s\n' '$(SBOM)'

sbom-file:
	@mkdir -p "$(dir $(SBOM))"
	@PYTHONWARNINGS=ignore .venv/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
	--spec-version 1.6 --of JSON -o "$(SBOM)" requirements.lock

audit: setup-dev ## ask the vulnerability service of PyPI about every locked package (needs the network; no part of `make test`)
	$(call step,known flaws in requirements-extras.lock,$(PY) .ci/audit.py requirements-extras.lock)

clean: stop ## stop everything and remove .venv and caches; var/ (your data) stays
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache staticfiles
	@find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +
	@echo 'Removed .venv and caches. var/ with your data stays: remove it yourself if you mean it.'
