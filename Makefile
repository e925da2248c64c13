# Every target makes its own virtual environment in .venv; nothing else is needed than Python ≥ 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: demo test lint install bench papers readme clean

demo: $(BIN)/python  ## map a real table; leaves a picture and a map file in demo/
	$(PIP) ".[plot]"
	$(BIN)/relmap demo

test: install lint  ## lint, types, import contract and tests, against the installed wheel
	$(BIN)/pytest

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

install: $(BIN)/python  ## build the wheel and install it with everything tests need
	$(PIP) --constraint constraints.txt build hatchling
	rm -rf dist
	$(BIN)/python -m build --wheel --no-isolation --outdir dist . > /dev/null
	$(PIP) --constraint constraints.txt "$$(ls dist/*.whl)[test]"
	$(PIP) --force-reinstall --no-deps dist/*.whl

bench: install  ## measure speeds, as ratios in one run
	$(BIN)/python benchmarks/fields.py
	$(BIN)/python benchmarks/code.py
	$(BIN)/python benchmarks/reading.py
	$(PIP) --constraint constraints.txt "$$(ls dist/*.whl)[peers]"
	$(BIN)/python benchmarks/spectral.py

papers: install  ## what needs minutes: slow tests, and the papers' figures from ../shared/data
	$(BIN)/pytest -m slow -n 0
	for script in papers/*/figure*.py papers/*/table*.py papers/coembed/search.py; do \
	    $(BIN)/python -m $$(echo $${script%.py} | tr / .) || exit 1; done

readme: install  ## draw the README's picture again
	$(BIN)/python docs/readme_picture.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) dist demo .pytest_cache .mypy_cache .ruff_cache
