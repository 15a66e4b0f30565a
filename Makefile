.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup train benchmark test pytest test-page test-versions test-deep test-ray test-libraries docs lint warm package clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 10

setup: .venv/installed  ## make .venv and install the dependencies from constraints.txt

.venv/installed: pyproject.toml constraints.txt
	"$(PYTHON)" -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else f"Python >= 3.11 is needed, this is {sys.version}")'
	"$(PYTHON)" -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[train,render,dev]'
	touch $@

train: setup  ## train a PPO agent by self-play and evaluate it: three to five minutes on two cores
	$(BIN)/python -m train.ppo --config configs/default.toml

benchmark: setup  ## play missing runs of the benchmark and write its page: hours; resumes after an interruption
	$(BIN)/python -m train.benchmark --workers 2; status=$$?; \
		cp runs/benchmark/*.png docs/ && $(BIN)/python docs/compact.py runs/benchmark/benchmark.json && \
		$(BIN)/python docs/update.py && exit $$status

test: setup  ## run all tests, the linter and the type check
	$(MAKE) --no-print-directory -j 2 lint pytest

pytest: warm
	$(BIN)/python -m pytest -n 2 --dist worksteal

warm: setup
	$(BIN)/python -m tests.support.warm_up

test-page: setup  ## test the page in headless Chromium
	@command -v chromium > /dev/null && command -v chromedriver > /dev/null || { echo "chromium is missing: apt-get install chromium chromium-driver"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[browser,web]'
	$(BIN)/python -m pytest tests/page

test-versions:  ## the package's tests on every installed Python from 3.11 on, with lowest and newest dependencies
	"$(PYTHON)" tests/package/versions.py

test-deep: setup  ## tests against oracle and JAX, of damaged files and shipped solutions, 100 times as many trials: hours
	DIAMANT_TEST_SCALE=100 $(BIN)/python -m pytest -n 2 tests/game/test_observations.py tests/envs/test_adapters.py tests/opponents/test_network.py tests/exact/test_two_player_win.py

test-ray:  ## make .venv-ray and run the tests that need Ray, on a local cluster of two nodes
	"$(PYTHON)" -m venv .venv-ray
	.venv-ray/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train,distributed,dev]'
	.venv-ray/bin/python -m pytest tests/learning/test_cluster.py

test-libraries: setup  ## install JAX and OpenSpiel and run the tests that need them
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[jax,open-spiel]'
	$(BIN)/python -m pytest -n 2 tests/in_jax tests/open_spiel tests/game/test_explicit_chance.py

docs: setup  ## build the site into build/docs; a broken reference is an error
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/python -m sphinx -W --keep-going -d build/doctrees docs build/docs

lint: setup  ## ruff and mypy
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

package: setup  ## build wheel and sdist, check them, and run the README with the wheel in an empty venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt 'build>=1.2' 'twine>=6.1'
	$(BIN)/python tests/package/build.py

clean:  ## remove everything made except runs
	rm -rf .venv .venv-ray build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
