# Two commands matter: `make run` and `make test`. Both install what a fresh machine lacks or name it in one line.
SHELL := /bin/bash
CARGO := cargo
# CI keeps what it has compiled between runs, outside the clone.
ifeq ($(CI),true)
export CARGO_TARGET_DIR ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/taffrail/target
endif
TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
ARGS ?=
HOURS ?= 1

.PHONY: run test check mutants soak suites release build bench bench-peers tidy toolchain fmt clean

run: build  ## build, start the server on ./data and say how to connect
	@echo 'Connect with:  sqlcmd -S 127.0.0.1,1433 -U sa -C   (the password: TAFFRAIL_SA_PASSWORD, or data/sa-password)'
	@exec $(TARGET)/release/taffrail serve --data ./data $(ARGS)

build: toolchain
	$(CARGO) build --release --locked -p taffrail-cli

test: toolchain  ## everything: house rules, unit, golden, property, simulated crashes, stock clients, crash loop
	./tests/run-all.sh

check: toolchain  ## before a commit: format, house rules, lints, unit and golden tests of what has changed
	./tests/check.sh

mutants: toolchain  ## faults put in on purpose: each must be caught by the test that it names
	python3 tests/mutants/run.py $(ARGS)

soak: toolchain  ## fresh seeds, histories, kills and bytes for HOURS=1 or more; the first failure ends it
	HOURS=$(HOURS) ./tests/soak.sh

suites: toolchain  ## what takes long or needs more than this machine has: every example project against the binary that is shipped
	$(CARGO) build --profile dist --locked -p taffrail-cli
	./tests/peers/run.sh $(TARGET)/dist/taffrail
	./tests/console.sh full $(TARGET)/dist/taffrail $(TARGET)/console-pictures
	./examples/run.sh $(TARGET)/dist/taffrail
	./tests/exporters.sh $(TARGET)/dist/taffrail

release: toolchain  ## every package into dist, each installed and used in an empty environment
	./packaging/release.sh $(ARGS)

bench: toolchain  ## speed on this machine, each figure beside the device's own
	$(CARGO) build --profile dist --locked -p taffrail-cli -p taffrail-bench
	$(TARGET)/dist/taffrail-bench --server $(TARGET)/dist/taffrail $(ARGS)

bench-peers: toolchain  ## the same work on PostgreSQL, MariaDB and SQLite too, in turn
	./tests/install-peers.sh
	$(CARGO) build --profile dist --locked -p taffrail-cli -p taffrail-bench
	$(TARGET)/dist/taffrail-bench --server $(TARGET)/dist/taffrail --peers $(ARGS)

tidy: toolchain
	$(CARGO) fmt --all --check
	$(CARGO) xtask tidy

fmt: toolchain
	$(CARGO) fmt --all

toolchain:
	@./tests/toolchain.sh

clean:
	$(CARGO) clean
