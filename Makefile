# Everything runs in .venv, which deploy/make-venv makes from requirements-dev.lock and keeps until that changes.
# `prepare` finds (or, asked, installs) a container engine and the sandbox base image, then runs what follows;
# `--with-gvisor` sees to gVisor's runtime too, `--with-postgres` to the programs of Postgres.

# What this checkout starts and keeps stays in it. A shell that was led to the runs of the demo names a directory below.
export REGREEN_DATA_DIR := $(patsubst %/demo/data,%,$(or $(REGREEN_DATA_DIR),$(CURDIR)/.regreen))

BIN := .venv/bin
PREPARE := $(BIN)/python -P -m bot.demo.bootstrap
# Below docs/: each page that is written from the code, and what prints it.
WRITTEN := reference/settings.md:generate reference/github-app.md:generate_app reference/policy.md:generate_policy \
	policy.schema.json:generate_schema reference/cli.md:generate_cli

.PHONY: help venv demo test check bench bench-loop bench-mutants bench-localisation bench-sandbox bench-webhook bench-scale soak storm chaos attacks complaints cheats environments edits base locks docs docs-check pages stop clean

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

venv: ## Make .venv from requirements-dev.lock, unless it is there and up to date
	@deploy/make-venv $(if $(filter venv,$(MAKECMDGOALS)),--say)

demo: venv ## From a label, and from a red check, to a pull request, here; KEEP=1 leaves it running
	@$(PREPARE) $(BIN)/regreen demo $(if $(filter-out 0 no false,$(KEEP)),--keep)

test: venv ## Every test; REGREEN_NO_ENGINE=1 leaves out those that need a container engine
ifdef REGREEN_NO_ENGINE
	@echo "REGREEN_NO_ENGINE is set: tests that need a container engine are left out."
	$(PREPARE) --with-postgres --without-engine $(BIN)/python -P -m pytest -m "not engine" $(PYTEST)
else ifdef PYTEST
	$(PREPARE) --toolchains --with-gvisor --with-postgres --with-compose $(BIN)/python -P -m pytest $(PYTEST)
else
	$(PREPARE) --toolchains --with-gvisor --with-postgres --with-compose deploy/test-both
endif

check: venv ## Lint, format, types, layers, locks, house rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	deploy/check-locks
	$(BIN)/python -P -m pytest -q tests/unit/test_house.py

bench: venv ## Seconds from label to pull request, beside their floor
	@$(PREPARE) $(BIN)/python -P tests/bench/label_to_pull_request.py $(BENCH)

bench-loop: venv ## Repairs for each token, arm by arm: SET=quixbugs SOURCE=PATH, ARMS=, TASKS=, TOKENS=
	@$(PREPARE) env PYTHONPATH=tests $(BIN)/python -P -m bench.loop --set "$(or $(SET),quixbugs)" --source "$(SOURCE)" \
		$(if $(ARMS),--arms "$(ARMS)") $(if $(TASKS),--tasks "$(TASKS)") $(if $(TOKENS),--tokens "$(TOKENS)")

bench-mutants: venv ## Faults in 3 published packages, repaired: regressions published; PACKAGES=, MUTANTS=, TOKENS=
	@$(PREPARE) env PYTHONPATH=tests $(BIN)/python -P -m bench.loop.mutants $(if $(PACKAGES),--packages "$(PACKAGES)") \
		$(if $(MUTANTS),--mutants "$(MUTANTS)") $(if $(TOKENS),--tokens "$(TOKENS)")

bench-localisation: venv ## Where faulty functions rank, with coverage and without; PACKAGES=, MUTANTS=
	@$(PREPARE) env PYTHONPATH=tests $(BIN)/python -P -m bench.localisation \
		$(if $(PACKAGES),--packages "$(PACKAGES)") $(if $(MUTANTS),--mutants "$(MUTANTS)")

bench-sandbox: venv ## What a run in a container costs, on runc, on gVisor, made ahead; how it ends at its deadline
	@$(PREPARE) --with-gvisor env PYTHONPATH=tests $(BIN)/python -P -m bench.sandbox_figures $(BENCH)

soak: venv ## A worker killed 100 times at random moments: what is left, what is lost
	@$(PREPARE) env PYTHONPATH=tests $(BIN)/python -P -m bench.soak $(SOAK)

bench-webhook: venv ## Webhooks at 200 a second for 30 s while the worker works: rate, latency, what is lost
	@env PYTHONPATH=tests $(BIN)/python -P -m bench.webhook_rate $(BENCH)

storm: venv ## Webhooks late and twice, a failing GitHub, a worker killed 20 times: what is left, what is doubled
	@env PYTHONPATH=tests $(BIN)/python -P -m bench.storm $(STORM)

bench-scale: venv ## Jobs an hour of 1, 2 and 4 workers on one Postgres, and the engine's share of their time
	@$(PREPARE) --with-postgres --without-engine env PYTHONPATH=tests $(BIN)/python -P -m bench.scale $(SCALE)

chaos: venv ## Three workers on one Postgres: killed at each step of a fix, cut off, drained, Postgres restarted
	@$(PREPARE) --with-postgres --without-engine env PYTHONPATH=tests $(BIN)/python -P -m chaos.figures $(CHAOS)

attacks: venv ## What hostile code can do, on runc, on gVisor and to the host: which attacks are contained
	@$(PREPARE) --with-gvisor $(BIN)/python -P tests/attacks/matrix.py $(ATTACKS)

complaints: venv ## What users of other bots complain about, as 25 tests that fail without their remedy
	@PYTHONPATH=tests $(BIN)/python -P tests/complaints/figures.py $(COMPLAINTS)

cheats: venv ## Cheating patches and true fixes through the gate: how many are caught, how many refused; REGREEN_SDISTS keeps what pip fetched
	@$(PREPARE) --toolchains env PYTHONPATH=tests $(BIN)/python -P -m cheats.figures $(CHEATS)

environments: venv ## Set up and test 20 source distributions, beside the same by hand; ENVIRONMENTS="NAME ..."
	@$(PREPARE) $(BIN)/python -P tests/bench/environments.py $(ENVIRONMENTS)

edits: venv ## Awkward files and replies: which edits land where they should, which are refused and why
	@PYTHONPATH=tests $(BIN)/python -P -m corpus.edits.run

base: venv ## The container engine, the sandbox base image, and the variables that this network needs
	@$(PREPARE)

locks: venv ## Bring the locks up to date with pyproject.toml
	@deploy/check-locks --write

docs: venv ## Write the pages that follow from the code anew: docs/reference/ and docs/policy.schema.json
	@for pair in $(WRITTEN); do \
		$(BIN)/python -P docs/reference/$${pair#*:}.py > docs/$${pair%:*}.new && mv docs/$${pair%:*}.new docs/$${pair%:*} || exit 1; \
	done

pages: venv ## The pages in a browser: from a click to a pull request, operators, every reader; PAGES="--screenshots PATH"
	@$(PREPARE) --without-engine --with-chromium env REGREEN_REQUIRE_CHROMIUM=1 PYTHONPATH=tests \
		$(BIN)/python -P -m pages.figures $(PAGES)

docs-check: venv ## Pages, links, settings and commands of the documentation: all there, and what is to be typed works
	@$(PREPARE) env PYTHONPATH=tests:tests/docs $(BIN)/python -P tests/docs/docs_figures.py $(DOCS)

stop: ## Stop what KEEP=1 left running, and an engine that was started here
	@$(PREPARE) --stop

clean: ## Stop what is left running, remove .venv and .regreen
	@if [ -x $(BIN)/python ]; then $(PREPARE) --stop; fi
	rm -rf .venv .regreen .mypy_cache .ruff_cache .import_linter_cache
