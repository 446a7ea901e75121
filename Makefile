# Everything here is a Go command; the Makefile only gives the usual ones short names.
# `make help` lists them.

GO ?= go

.PHONY: help setup gen test test-go cosim drill soak formal area bench calibrate lint fpga program mutants slurm-test slurm studies clean

help:
	@echo 'make cosim    set up, generate, verilate, run every scenario, print a table'
	@echo 'make test     set up, then every check: format, vet, lint, tests, co-simulation, proofs'
	@echo 'make test-go  the tests with what is there, Go alone at the least; lists what was skipped, and why'
	@echo 'make setup    install the tools that are missing (build/tools, Debian packages)'
	@echo 'make gen      write the Verilog of the board configuration to rtl/'
	@echo 'make drill    protocol cases, on the reference and on the core'
	@echo 'make soak N=… random programs over a wire that fails, as many as there is time for; stops at the first failure'
	@echo 'make formal   prove the properties of the blocks'
	@echo 'make area     area and depth of every block, next to other projects'
	@echo 'make bench    cycles of the core against their budgets (docs/performance.md), then simulation speed'
	@echo 'make calibrate  the cycle model against the RTL in Verilator: fits its table, writes docs/calibration.md'
	@echo 'make lint     gofmt, go vet, Verilator -Wall, Icarus -Wall, Yosys check'
	@echo 'make fpga BOARD=…     a bitstream, and what it takes of the device; go run ./fpga list has the boards'
	@echo 'make program BOARD=…  loads it'
	@echo 'make mutants  the synthesized core in Verilator, and with one LUT after another inverted'
	@echo 'make studies  the studies of the cycle model (docs/cycle.md): their plots, in a minute'
	@echo 'make slurm-test   a sweep of the cycle model as a job array, on a Slurm of one node that it starts'
	@echo 'make clean    remove what was built, but keep the tools'

setup:
	@$(GO) run ./tools/setup

gen:
	$(GO) run ./gen

test: setup slurm
	@$(GO) run ./tools/verify

test-go:
	@$(GO) run ./tools/verify -only test -allow-absent

cosim: setup
	@$(GO) run ./tb/cosim

drill: setup
	@$(GO) run ./tb/drill tb/drill/cases tb/drill/security

# N programs between cores, and between core and reference; SOAK=-golden for references alone, or other options.
N ?= 1000
soak: setup
	@$(GO) run ./tb/soak -n $(N) $(SOAK)

formal: setup
	@$(GO) run ./tools/formal

area: setup
	@$(GO) run ./tools/area

bench: setup
	@$(GO) run ./tb/bench
	$(GO) test -run '^$$' -bench . -p 1 ./...

calibrate: setup gen
	@$(GO) run ./cycle/calibrate

lint: setup
	@$(GO) run ./tools/verify -only gofmt,vet,gen
	@$(GO) test -run Lint ./...

# FPGA=... for other options of go run ./fpga build.
BOARD ?= i9
fpga:
	@$(GO) run ./tools/setup yosys nextpnr-ecp5
	@$(GO) run ./fpga build -board $(BOARD) $(FPGA)

program:
	@$(GO) run ./fpga program -board $(BOARD)

mutants: setup
	@$(GO) run ./fpga mutants

studies:
	@$(GO) build -o build/cycle/cycle ./cycle
	@for f in cycle/studies/[1-8]_*.yaml; do echo $$f && build/cycle/cycle sweep $$f && build/cycle/cycle plot -to build/cycle/plots/$$(basename $$f .yaml) $$f || exit 1; done
	@for d in build/cycle/plots/*; do for f in $$d/*.svg; do cp $$f cycle/studies/plots/$$(basename $$d)_$$(basename $$f); done; done

slurm-test: slurm
	@$(GO) run ./cycle/slurm

# Where Slurm cannot be had, its test is skipped.
slurm:
	@$(GO) run ./tools/setup slurm || echo 'Slurm cannot be had: its test will be skipped'

clean:
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name tools -exec rm -rf {} +; fi
