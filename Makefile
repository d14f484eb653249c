# Everything here works on a machine with only Python (3.11 or newer) and make. The first call
# creates .venv and installs into it; later calls install again only when the requirements change.

PYTHON  ?= python3
VENV    ?= .venv
FAMILY  ?= pca
ARGS    ?=
WORKERS ?= 2

PY := $(VENV)/bin/python

# Tests start many processes: what one has compiled the others read, whatever the environment says.
TEST_PY := env -u PYTHONDONTWRITEBYTECODE $(PY)

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench docs screenshots clean distclean

help:  ## Show this list
	@echo "make <target>, with PYTHON=... to choose another interpreter than $(PYTHON):"
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed-report,io  ## From a table with missing values to its structure: writes demo/penguins.html
	$(PY) examples/demo.py

test: lint  ## Check style and types, then run all tests
	$(TEST_PY) -m lowdim warmup --quiet  # or each worker would compile the same kernels
	$(TEST_PY) -m pytest -n $(WORKERS) --dist worksteal

lint: $(VENV)/.installed-test  ## Check style and types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: $(VENV)/.installed-test  ## Format all Python files and mend what ruff can mend
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

bench: $(VENV)/.installed-bench  ## Measure against the best peers: make bench FAMILY=pca [ARGS=--quick]
	$(PY) -m benchmarks $(FAMILY) $(ARGS)

docs: $(VENV)/.installed-docs  ## Build the site into docs/_build/html, running every example
	$(PY) -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "The site: docs/_build/html/index.html"

screenshots: $(VENV)/.installed-report,io  ## Take the pictures of a page in docs/images again (with chromium)
	$(PY) docs/screenshots.py

clean:  ## Remove everything that was made, except .venv
	rm -rf build demo dist docs/_build docs/gallery docs/generated docs/sg_execution_times.rst
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find benchmarks docs examples src tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean  ## Remove .venv, too
	rm -rf $(VENV)

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "lowdim needs Python 3.11 or newer; name one: make PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# One stamp per extra: .installed-test means that `.[test]` is in, in the versions of constraints.txt.
$(VENV)/.installed-%: pyproject.toml constraints.txt src/lowdim/_version.py | $(VENV)/.created
	@echo "Installing lowdim[$*] into $(VENV) (needed once) ..."
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$*]"
	@touch $@
